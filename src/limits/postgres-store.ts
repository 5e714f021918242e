/** Rate limits counted in PostgreSQL, by its clock: the clocks of the processes may differ. */

import { sharedResource } from '../config/shared-resource.js';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { digest, type LimitStore, type NamedLimit } from './rate-limiter.js';

const CLEANUP_INTERVAL_MS = 300_000;

/** Milliseconds since 1970, as in the column `expire`. */
const NOW_MS = '(extract(epoch from now()) * 1000)::bigint';

/**
 * Counts for several limits at once; a count saturates at the integer maximum. The end of a window is at most its duration ahead: the clock may
 * have been set back since it began.
 */
const COUNT = statement<
  [keys: string[], points: number[], durationsMs: number[]],
  { key: string; points: number; remainingMs: number }
>(
  'count_limits',
  `insert into rate_limits as r (key, points, expire)
   select key, points, ${NOW_MS} + ms from unnest($1::text[], $2::integer[], $3::bigint[]) as given(key, points, ms)
   on conflict (key) do update set
     points = case when r.expire <= ${NOW_MS} then excluded.points
                   else least(r.points::bigint + excluded.points, 2147483647)::integer end,
     expire = case when r.expire <= ${NOW_MS} then excluded.expire else least(r.expire, excluded.expire) end
   returning key, points, expire - ${NOW_MS} as "remainingMs"`,
);

const COUNTED = statement<[key: string], { points: number; remainingMs: number }>(
  'counted_points',
  `select points, expire - ${NOW_MS} as "remainingMs" from rate_limits where key = $1 and expire > ${NOW_MS}`,
);

/** Ends a window at most its duration from now. */
const SHORTEN = statement<[key: string, durationMs: number]>(
  'shorten_limit',
  `update rate_limits set expire = least(expire, ${NOW_MS} + $2::bigint) where key = $1`,
);

const REFUND = statement<[key: string]>(
  'refund_point',
  `update rate_limits set points = points - 1 where key = $1 and expire > ${NOW_MS}`,
);

const RESET = statement<[key: string]>('reset_limit', 'delete from rate_limits where key = $1');

const DELETE_EXPIRED = statement<[]>('delete_expired_limits', `delete from rate_limits where expire < ${NOW_MS}`);

sharedResource({
  name: 'Counters of rate limits',
  bound: '80 % of the connections',
  fairness: 'A client in the queue for connections for each member and network that is counted.',
  largestShare: '1 statement',
  test: ['test/database/connection-shares.test.ts', 'are not waited for by a change beyond 100 of its member'],
});

/** Statements of one member or network change one row, so that a second connection would only wait for its lock. */
function databaseFor(database: Database, key: readonly string[]): Database {
  return database.forClient({ key: `limits of ${key.at(-1)}`, network: 'limits', maxConnections: 1 });
}

export function postgresStore(shared: Database): LimitStore {
  const cleanup = setInterval(() => {
    // A failure has no consequence: the next cleanup deletes the rows.
    shared.query(DELETE_EXPIRED, []).catch(() => {});
  }, CLEANUP_INTERVAL_MS).unref();
  return {
    limiter: (name, limit) => {
      const keyOf = (key: string[]) => `${name}:${digest(key)}`;
      return {
        waitOf: async (...key) => {
          const database = databaseFor(shared, key);
          const [counted] = await database.query(COUNTED, [keyOf(key)]);
          if (!counted || counted.points < limit.points) return 0;
          if (counted.remainingMs > limit.durationMs) await database.query(SHORTEN, [keyOf(key), limit.durationMs]);
          return Math.min(counted.remainingMs, limit.durationMs);
        },
        count: async (...key) =>
          (await count(databaseFor(shared, key), [{ name, ...limit }], [1], digest(key)))[0] ?? 0,
        refund: async (...key) => void (await databaseFor(shared, key).query(REFUND, [keyOf(key)])),
        reset: async (...key) => void (await databaseFor(shared, key).query(RESET, [keyOf(key)])),
      };
    },
    jointLimiter: (limits) => ({
      count: (points, ...key) => count(databaseFor(shared, key), limits, points, digest(key)),
    }),
    isReachable: () => true,
    close: async () => clearInterval(cleanup),
  };
}

/** @returns the milliseconds to wait for each limit: 0 where it is not exceeded, or no point was counted */
async function count(
  database: Database,
  limits: readonly NamedLimit[],
  points: readonly number[],
  key: string,
): Promise<number[]> {
  const counted = limits
    .map(({ name, durationMs }, index) => ({ key: `${name}:${key}`, points: points[index] ?? 0, durationMs }))
    .filter((limit) => limit.points > 0);
  const rows = await database.query(COUNT, [
    counted.map((limit) => limit.key),
    counted.map((limit) => limit.points),
    counted.map((limit) => limit.durationMs),
  ]);
  const found = new Map(rows.map((row) => [row.key, row]));
  return limits.map(({ name, points: most }) => {
    const row = found.get(`${name}:${key}`);
    return row && row.points > most ? row.remainingMs : 0;
  });
}
