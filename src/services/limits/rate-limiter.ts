/** Rate limits: a number of points for each key and period, counted in PostgreSQL, by its clock: the clocks of the processes may differ. */
import { createHash } from 'node:crypto';
import {
  COUNT_LIMITS,
  COUNTED_POINTS,
  DELETE_EXPIRED_LIMITS,
  REFUND_POINTS,
  RESET_LIMIT,
  SHORTEN_LIMIT,
} from '../../models/rate-limit.js';
import type { RateLimit } from '../../platform/config/setting.js';
import type { Database } from '../../platform/database/pool.js';
import type { RateLimitSubject } from '../../platform/messages/en/requests.js';
import { createMessage } from '../../platform/messages/message.js';
import { limitError } from '../../platform/observability/metrics/error.js';

/** Its statements count for the client of `database`, and never run in its transaction. */
export interface RateLimiter {
  /** Milliseconds until the key is below its limit again; 0 if it is below. Counts nothing. */
  retryAfterMs(database: Database, ...key: string[]): Promise<number>;
  /** Counts one point. @returns the milliseconds to wait where the limit is exceeded, otherwise 0 */
  count(database: Database, ...key: string[]): Promise<number>;
  /** Refunds one counted point. */
  refund(database: Database, ...key: string[]): Promise<void>;
  /** Sets the count of the key to 0. */
  reset(database: Database, ...key: string[]): Promise<void>;
}

/** Several limits of the same key, counted together; `database` as for a RateLimiter. */
export interface MultiLimiter {
  /**
   * Counts points for each limit, in the order of the limits.
   * @returns the milliseconds to wait for each: 0 where it is not exceeded, or no point was counted
   */
  count(database: Database, points: readonly number[], ...key: string[]): Promise<number[]>;
  /** Refunds counted points of each limit. */
  refund(database: Database, points: readonly number[], ...key: string[]): Promise<void>;
}

interface NamedLimit extends RateLimit {
  readonly name: string;
}

const CLEANUP_INTERVAL_MS = 300_000;

/**
 * Each client counts with a connection beside its own: it may have a transaction open meanwhile, which would wait for itself. A second one would
 * only wait for the lock of a row.
 */
function countersOf({ client: { key, network = key }, forClient }: Database): Database {
  return forClient({ key: `limits of ${key}`, network: `limits of ${network}`, maxConnections: 1 });
}

/** For `openLimits`. Every call throws while the database cannot be reached. */
export function openRateLimiters(service: Database) {
  const cleanup = setInterval(() => {
    // A failure has no consequence: the next cleanup deletes the rows.
    service.query(DELETE_EXPIRED_LIMITS, []).catch(() => {});
  }, CLEANUP_INTERVAL_MS).unref();
  return {
    limiter: (name: string, limit: RateLimit): RateLimiter => {
      const keyOf = (key: string[]) => `${name}:${digest(key)}`;
      return {
        retryAfterMs: async (database, ...key) => {
          const counters = countersOf(database);
          const [counted] = await counters.query(COUNTED_POINTS, [keyOf(key)]);
          if (!counted || counted.points < limit.points) return 0;
          if (counted.remainingMs > limit.durationMs)
            await counters.query(SHORTEN_LIMIT, [keyOf(key), limit.durationMs]);
          return Math.min(counted.remainingMs, limit.durationMs);
        },
        count: async (database, ...key) => (await count(database, [{ name, ...limit }], [1], digest(key)))[0] ?? 0,
        refund: async (database, ...key) => void (await countersOf(database).query(REFUND_POINTS, [keyOf(key), 1])),
        reset: async (database, ...key) => void (await countersOf(database).query(RESET_LIMIT, [keyOf(key)])),
      };
    },
    multiLimiter: (limits: readonly NamedLimit[]): MultiLimiter => ({
      count: (database, points, ...key) => count(database, limits, points, digest(key)),
      refund: async (database, points, ...key) => {
        for (const [index, { name }] of limits.entries()) {
          const refunded = [`${name}:${digest(key)}`, points[index] ?? 0] as const;
          if (refunded[1] > 0) await countersOf(database).query(REFUND_POINTS, [...refunded]);
        }
      },
    }),
    close: () => clearInterval(cleanup),
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
  const rows = await countersOf(database).query(COUNT_LIMITS, [
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

/** SHA-256 of a key: keys contain emails, which are personal data and of any length. */
function digest(key: string[]): string {
  return createHash('sha256').update(JSON.stringify(key)).digest('base64url');
}

/** @param milliseconds to wait. @throws AppError RATE_LIMITED where they are more than 0 */
export function assertNotRateLimited(milliseconds: number, what: RateLimitSubject): void {
  if (milliseconds <= 0) return;
  const retryAfter = Math.ceil(milliseconds / 1000);
  throw limitError(what, 'RATE_LIMITED', { message: createMessage('tooMany', what, retryAfter), retryAfter });
}
