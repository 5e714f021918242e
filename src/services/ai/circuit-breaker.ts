/** A circuit breaker: while the provider is down, calls fail at once instead of waiting for a timeout. */
import { ProviderFailure } from './provider-failure.js';

export interface CircuitBreakerOptions {
  /** Number of consecutive failed calls after which it opens. */
  failures: number;
  /** From the last failure to the next probe call. */
  probeDelayMs: number;
}

/** `abandoned`: the caller canceled the call. */
export type CallOutcome = 'succeeded' | 'failed' | 'abandoned';

/** State of one process. Closed: calls go through. Open: they fail at once. Half open: one probe call goes through. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failed = 0;
  #openUntil = 0;
  #isProbing = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Every admitted call must be reported with `end`. @throws ProviderFailure (`open`) while the breaker is open */
  begin(): void {
    if (this.#failed < this.#options.failures) return;
    const left = this.#openUntil - performance.now();
    if (left > 0 || this.#isProbing) {
      throw new ProviderFailure('open', { retryAfter: Math.max(1, Math.ceil(left / 1000)) });
    }
    this.#isProbing = true;
  }

  /** Reports the result of an admitted call. An abandoned one leaves the failure count unchanged. */
  end(outcome: CallOutcome): void {
    this.#isProbing = false;
    if (outcome === 'succeeded') this.#failed = 0;
    if (outcome !== 'failed') return;
    this.#failed++;
    this.#openUntil = performance.now() + this.#options.probeDelayMs;
  }
}
