/** Rate limits counted in PostgreSQL, by its clock: the clocks of the processes may differ. */
import {
  COUNT_LIMITS,
  COUNTED_POINTS,
  DELETE_EXPIRED_LIMITS,
  REFUND_POINTS,
  RESET_LIMIT,
  SHORTEN_LIMIT,
} from '../../models/rate-limit.js';
import { sharedResource } from '../../platform/config/shared-resource.js';
import type { Database } from '../../platform/database/pool.js';
import { digest, type LimitStore, type NamedLimit } from './rate-limiter.js';

const CLEANUP_INTERVAL_MS = 300_000;

sharedResource({
  name: 'Counters of rate limits',
  bound: '80 % of the connections',
  fairness: 'A client in the queue for connections for each member and network that is counted.',
  largestShare: '1 statement',
  test: ['test/platform/database/connection-shares.test.ts', 'are not waited for by a change beyond 100 of its member'],
});

/** Statements of one member or network change one row, so that a second connection would only wait for its lock. */
function databaseFor(database: Database, key: readonly string[]): Database {
  return database.forClient({ key: `limits of ${key.at(-1)}`, network: 'limits', maxConnections: 1 });
}

export function postgresStore(shared: Database): LimitStore {
  const cleanup = setInterval(() => {
    // A failure has no consequence: the next cleanup deletes the rows.
    shared.query(DELETE_EXPIRED_LIMITS, []).catch(() => {});
  }, CLEANUP_INTERVAL_MS).unref();
  return {
    limiter: (name, limit) => {
      const keyOf = (key: string[]) => `${name}:${digest(key)}`;
      return {
        retryAfterMs: async (...key) => {
          const database = databaseFor(shared, key);
          const [counted] = await database.query(COUNTED_POINTS, [keyOf(key)]);
          if (!counted || counted.points < limit.points) return 0;
          if (counted.remainingMs > limit.durationMs)
            await database.query(SHORTEN_LIMIT, [keyOf(key), limit.durationMs]);
          return Math.min(counted.remainingMs, limit.durationMs);
        },
        count: async (...key) =>
          (await count(databaseFor(shared, key), [{ name, ...limit }], [1], digest(key)))[0] ?? 0,
        refund: async (...key) => void (await databaseFor(shared, key).query(REFUND_POINTS, [keyOf(key), 1])),
        reset: async (...key) => void (await databaseFor(shared, key).query(RESET_LIMIT, [keyOf(key)])),
      };
    },
    multiLimiter: (limits) => ({
      count: (points, ...key) => count(databaseFor(shared, key), limits, points, digest(key)),
      refund: async (points, ...key) => {
        for (const [index, { name }] of limits.entries()) {
          const refunded = [`${name}:${digest(key)}`, points[index] ?? 0] as const;
          if (refunded[1] > 0) await databaseFor(shared, key).query(REFUND_POINTS, [...refunded]);
        }
      },
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
  const rows = await database.query(COUNT_LIMITS, [
    counted.map((limit) => limit.key),
    counted.map((limit) => limit.points),
    counted.map((limit) => limit.durationMs),
  ]);
  const found = new Map(rows.map((row) => [row.key, row]));
  return limits.map(({ name, points: max }) => {
    const row = found.get(`${name}:${key}`);
    return row && row.points > max ? row.remainingMs : 0;
  });
}
