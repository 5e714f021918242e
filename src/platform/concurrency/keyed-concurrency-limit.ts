/**
 * Concurrency limit per key in this process. Unlike `WeightedSemaphore`, it has no queue and no total, and its error names the limit: as a case of
 * that class it would need options that nothing else uses.
 */
import type { AppError } from '../errors.js';

export class KeyedConcurrencyLimit {
  readonly #running = new Map<string, number>();

  /** @param max tasks of one key at the same time @param rejection returns the error of a rejected task, normally RATE_LIMITED */
  constructor(
    private readonly max: number,
    private readonly rejection: () => AppError,
  ) {}

  /** Runs `work`. @throws the error of `rejection` where `max` tasks of this key are running */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key) ?? 0;
    if (running >= this.max) throw this.rejection();
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
