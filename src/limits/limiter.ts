/** One limit: so many refusals of one key in so long a time, counted in a store that all processes share. */
import { createHash } from 'node:crypto';
import { RateLimiterRes, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import { AppError } from '../errors.js';
import type { Counted } from '../messages/en/requests.js';
import { say } from '../messages/message.js';
import { reachedLimits } from '../observability/metrics/refusal.js';

export interface Limiter {
  /** Milliseconds until the key may try again; 0: it may now. Counts nothing. */
  waitOf(...key: string[]): Promise<number>;
  /** Counts one. @returns the milliseconds to wait where that was one too many, otherwise 0 */
  count(...key: string[]): Promise<number>;
  /** Takes one back that was counted. */
  giveBack(...key: string[]): Promise<void>;
  forget(...key: string[]): Promise<void>;
}

/** Several limits of the same key, counted together. */
export interface JointLimiter {
  /**
   * Counts so many points of each limit, in the order of the limits.
   * @returns the milliseconds to wait for each: 0 where it is not exceeded, or no point was counted
   */
  count(points: readonly number[], ...key: string[]): Promise<number[]>;
}

/**
 * A store that cannot be reached makes every call fail: a limit that cannot be counted is not taken for one that is not
 * reached.
 */
export function limiterOver(counter: RateLimiterStoreAbstract): Limiter {
  return {
    waitOf: async (...key) => {
      const counted = await counter.get(digest(key));
      return counted && counted.consumedPoints >= counter.points ? counted.msBeforeNext : 0;
    },
    count: (...key) => consume(counter, digest(key), 1),
    giveBack: async (...key) => {
      await counter.reward(digest(key));
    },
    forget: async (...key) => {
      await counter.delete(digest(key));
    },
  };
}

/** @returns the milliseconds to wait where that was too much, otherwise 0 */
export async function consume(counter: RateLimiterStoreAbstract, key: string, points: number): Promise<number> {
  try {
    await counter.consume(key, points);
    return 0;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error.msBeforeNext;
    throw error;
  }
}

/** Keys are as long as emails are, and personal data. */
export function digest(key: string[]): string {
  return createHash('sha256').update(JSON.stringify(key)).digest('base64url');
}

/** @throws AppError RATE_LIMITED, unless there is nothing to wait for. @param milliseconds to wait */
export function requireNoWait(milliseconds: number, what: Counted): void {
  if (milliseconds <= 0) return;
  reachedLimits.inc({ counted: what });
  const retryAfter = Math.ceil(milliseconds / 1000);
  throw new AppError('RATE_LIMITED', { message: say('tooMany', what, retryAfter), retryAfter });
}
