/** Concurrency limit per key in this process, without a queue. */
import { AppError } from '../errors.js';
import type { Message } from '../messages/message.js';

const RETRY_AFTER_SECONDS = 5;

export interface KeyedLimitOptions {
  /** Tasks of one key at the same time. */
  readonly max: number;
  /** Called for each rejection. @returns its message */
  readonly rejection: (max: number) => Message;
}

export class KeyedConcurrencyLimit {
  readonly #options: KeyedLimitOptions;
  readonly #running = new Map<string, number>();

  constructor(options: KeyedLimitOptions) {
    this.#options = options;
  }

  /** Runs `work`. @throws AppError RATE_LIMITED where `max` tasks of this key are running */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const { max, rejection } = this.#options;
    const running = this.#running.get(key) ?? 0;
    if (running >= max) {
      throw new AppError('RATE_LIMITED', { message: rejection(max), retryAfter: RETRY_AFTER_SECONDS });
    }
    this.#running.set(key, running + 1);
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  #release(key: string): void {
    const left = (this.#running.get(key) ?? 0) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }
}
