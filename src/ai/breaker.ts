/** A circuit breaker: a provider that is down is not asked again and again, so that it costs nobody any time. */
import { ProviderFailure } from './failure.js';

export interface BreakerOptions {
  /** So many calls in a row must fail before it opens. */
  failures: number;
  /** Milliseconds until one call may try again. */
  delay: number;
}

/** Of this process. Closed: calls go through. Open: they fail at once. Half open: one is let through to see. */
export class Breaker {
  readonly #options: BreakerOptions;
  #failed = 0;
  #openUntil = 0;
  #isProbing = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** Every call that it lets through must be told of with `end`. @throws ProviderFailure where it is open */
  begin(): void {
    if (this.#failed < this.#options.failures) return;
    const left = this.#openUntil - performance.now();
    if (left > 0 || this.#isProbing) {
      throw new ProviderFailure('open', { retryAfter: Math.max(1, Math.ceil(left / 1000)) });
    }
    this.#isProbing = true;
  }

  /** `abandoned`: the caller gave up, which says nothing of the provider. */
  end(outcome: 'works' | 'failed' | 'abandoned'): void {
    this.#isProbing = false;
    if (outcome === 'works') this.#failed = 0;
    if (outcome !== 'failed') return;
    this.#failed++;
    this.#openUntil = performance.now() + this.#options.delay;
  }
}
