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

export interface RateLimiter {
  /** Milliseconds until the key is below its limit again; 0 if it is below. Counts nothing. */
  retryAfterMs(...key: string[]): Promise<number>;
  /** Counts one point. @returns the milliseconds to wait where the limit is exceeded, otherwise 0 */
  count(...key: string[]): Promise<number>;
  /** Refunds one counted point. */
  refund(...key: string[]): Promise<void>;
  /** Sets the count of the key to 0. */
  reset(...key: string[]): Promise<void>;
}

/** Several limits of the same key, counted together. */
export interface MultiLimiter {
  /**
   * Counts points for each limit, in the order of the limits.
   * @returns the milliseconds to wait for each: 0 where it is not exceeded, or no point was counted
   */
  count(points: readonly number[], ...key: string[]): Promise<number[]>;
  /** Refunds counted points of each limit. */
  refund(points: readonly number[], ...key: string[]): Promise<void>;
}

interface NamedLimit extends RateLimit {
  readonly name: string;
}

const CLEANUP_INTERVAL_MS = 300_000;

/** Statements of one member or network change one row, so that a second connection would only wait for its lock. */
function databaseFor(database: Database, key: readonly string[]): Database {
  return database.forClient({ key: `limits of ${key.at(-1)}`, network: 'limits', maxConnections: 1 });
}

/** For `openLimits`. Every call throws while the database cannot be reached. */
export function openRateLimiters(shared: Database) {
  const cleanup = setInterval(() => {
    // A failure has no consequence: the next cleanup deletes the rows.
    shared.query(DELETE_EXPIRED_LIMITS, []).catch(() => {});
  }, CLEANUP_INTERVAL_MS).unref();
  return {
    limiter: (name: string, limit: RateLimit): RateLimiter => {
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
    multiLimiter: (limits: readonly NamedLimit[]): MultiLimiter => ({
      count: (points, ...key) => count(databaseFor(shared, key), limits, points, digest(key)),
      refund: async (points, ...key) => {
        for (const [index, { name }] of limits.entries()) {
          const refunded = [`${name}:${digest(key)}`, points[index] ?? 0] as const;
          if (refunded[1] > 0) await databaseFor(shared, key).query(REFUND_POINTS, [...refunded]);
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
