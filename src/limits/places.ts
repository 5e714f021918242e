/** How much may go on at once for one key, in this process. */
import { AppError } from '../errors.js';
import type { Message } from '../messages/message.js';
import { reachedLimits } from '../metrics/refusal.js';

/** Seconds after which one of them may be free. */
const RETRY_AFTER = 5;

export class Places {
  readonly #most: number;
  readonly #what: string;
  readonly #refusal: (most: number) => Message;
  readonly #taken = new Map<string, number>();

  /** @param what as metrics name it; @param refusal what is said to one too many */
  constructor(most: number, what: string, refusal: (most: number) => Message) {
    this.#most = most;
    this.#what = what;
    this.#refusal = refusal;
  }

  /** Runs `work`, unless too much goes on. @throws AppError RATE_LIMITED */
  async hold<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#most) {
      reachedLimits.inc({ counted: this.#what });
      throw new AppError('RATE_LIMITED', { message: this.#refusal(this.#most), retryAfter: RETRY_AFTER });
    }
    this.#taken.set(key, taken + 1);
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  #release(key: string): void {
    const left = (this.#taken.get(key) ?? 0) - 1;
    if (left > 0) this.#taken.set(key, left);
    else this.#taken.delete(key);
  }
}
