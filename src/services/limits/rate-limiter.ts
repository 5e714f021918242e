/** A rate limit: a number of points for each key and period, counted in a store that all processes share. */
import { createHash } from 'node:crypto';
import type { RateLimit } from '../../platform/config/setting.js';
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

/** Where limits are counted, for all processes that share it. */
export interface LimitStore {
  /** Fails closed: every call throws while the store cannot be reached. */
  limiter(name: string, limit: RateLimit): RateLimiter;
  /** Fails open, since it only caps what members may do: with an unreachable Redis nothing is counted. */
  multiLimiter(limits: readonly NamedLimit[]): MultiLimiter;
  /** For the readiness probe. The database has its own check. */
  isReachable(): boolean;
  close(): Promise<void>;
}

export interface NamedLimit extends RateLimit {
  readonly name: string;
}

/** SHA-256 of a key: keys contain emails, which are personal data and of any length. */
export function digest(key: string[]): string {
  return createHash('sha256').update(JSON.stringify(key)).digest('base64url');
}

/** @param milliseconds to wait. @throws AppError RATE_LIMITED where they are more than 0 */
export function assertNotRateLimited(milliseconds: number, what: RateLimitSubject): void {
  if (milliseconds <= 0) return;
  const retryAfter = Math.ceil(milliseconds / 1000);
  throw limitError(what, 'RATE_LIMITED', { message: createMessage('tooMany', what, retryAfter), retryAfter });
}
