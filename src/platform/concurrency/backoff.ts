/** Exponential backoff between attempts. */

interface Backoff {
  firstMs: number;
  maxMs: number;
  /** The random part of a delay, from 0 to 1: processes that failed together should not try again at the same time. */
  jitter?: number;
}

/** @param failures the number of failures in a row, from 1. @returns the delay before the next attempt, in milliseconds */
export function backoffMs(failures: number, { firstMs, maxMs, jitter = 0 }: Backoff): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs) * (1 - jitter * Math.random());
}
