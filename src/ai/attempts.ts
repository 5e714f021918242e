/** One call to the AI provider with its retries: bounded in time, counted in metrics, reported to the circuit breaker. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../observability/log.js';
import type { AiOperation } from '../services.js';
import type { Breaker } from './breaker.js';
import { countCall, countFailure } from './metrics.js';
import { type FailureReason, ProviderFailure, statusOf, toFailure } from './provider-failure.js';

/** Exponential backoff in milliseconds: the delay before the first retry, doubled for each further one, and its maximum. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8_000;
/** Milliseconds. A longer Retry-After is not waited for: the call fails. */
const LONGEST_WISH = 30_000;

/** Failures caused by the request's own text (too long, rejected content): the circuit breaker counts them as a working provider. */
const OF_A_WORKING_PROVIDER = new Set<FailureReason>(['refused', 'cutOff']);

export interface AttemptsOptions {
  operation: AiOperation;
  /** Milliseconds for all attempts and the delays between them. */
  timeout: number;
  maxRetries: number;
  breaker: Breaker;
  log: Log;
  /** The caller's cancellation signal. */
  signal: AbortSignal | undefined;
}

export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #controller = new AbortController();
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  readonly #giveUp = () => this.#controller.abort();
  readonly #stopClock: () => void;
  #isLetThrough = false;
  #isOver = false;

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#deadline = performance.now() + options.timeout;
    this.#timer = setTimeout(this.#giveUp, options.timeout);
    options.signal?.addEventListener('abort', this.#giveUp, { once: true });
    this.#stopClock = countCall(options.operation);
  }

  /** Runs `work` until it succeeds, fails permanently, or the retries or the time are used up. */
  async run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    this.#options.signal?.throwIfAborted();
    this.#options.breaker.begin();
    this.#isLetThrough = true;
    for (let attempt = 0; ; attempt++) {
      try {
        return await work(this.#controller.signal);
      } catch (error) {
        await this.#beforeRetry(attempt, this.#explain(error));
      }
    }
  }

  succeed(): void {
    this.#end('works');
  }

  /** Logs and counts the failure. @returns the error to throw: the signal's reason after a cancellation, else a ProviderFailure */
  fail(error: unknown): unknown {
    const { operation, log, signal } = this.#options;
    if (signal?.aborted) {
      this.abandon();
      return signal.reason;
    }
    const failure = this.#explain(error);
    countFailure(operation, failure.reason);
    // The provider's error message is not logged: it may quote the API key or the text.
    const line = { operation, reason: failure.reason, status: statusOf(failure) };
    if (failure.reason === 'key')
      log.error(line, 'the AI provider rejected the API key: check AI_API_KEY and AI_MODEL');
    else if (failure.reason === 'open') log.debug(line, 'AI request skipped: the circuit breaker is open');
    else log.warn(line, 'AI request failed');
    this.#end(OF_A_WORKING_PROVIDER.has(failure.reason) ? 'works' : 'failed');
    return failure;
  }

  /** Ends a call that the caller cancelled. No effect after `succeed` or `fail`. */
  abandon(): void {
    this.#end('abandoned');
  }

  #end(outcome: 'works' | 'failed' | 'abandoned'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#giveUp);
    this.#controller.abort();
    this.#stopClock();
    if (this.#isLetThrough) this.#options.breaker.end(outcome);
  }

  /** Waits for the backoff delay. @throws the failure where there is no further attempt */
  async #beforeRetry(attempt: number, failure: ProviderFailure): Promise<void> {
    const pause = failure.retryAfter === undefined ? backOff(attempt) : failure.retryAfter * 1000;
    const isInTime = pause <= LONGEST_WISH && pause < this.#deadline - performance.now();
    if (!failure.isPassing || attempt >= this.#options.maxRetries || !isInTime) throw failure;
    await wait(pause, undefined, { signal: this.#controller.signal });
  }

  #explain(error: unknown): ProviderFailure {
    const isLate = !this.#isOver && this.#controller.signal.aborted;
    return isLate ? new ProviderFailure('timeout', { cause: error }) : toFailure(error);
  }
}

/** Milliseconds, with jitter (75 to 125 %), so that calls that failed together are not retried together. */
function backOff(attempt: number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.75 + Math.random() / 2);
}
