/** One call to the provider with its retries: bounded in time, counted, and told to the circuit breaker. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../observability/log.js';
import type { AiOperation } from '../services.js';
import type { Breaker } from './breaker.js';
import { type FailureReason, ProviderFailure, statusOf, toFailure } from './failure.js';
import { countCall, countFailure } from './metrics.js';

/** Milliseconds before the first retry; each further one waits twice as long, up to the longest. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8_000;
/** Milliseconds. A provider that asks for more is not waited for. */
const LONGEST_WISH = 30_000;

/** A text that is too long, or asks for what the provider does not say: it would be well with the next one. */
const OF_A_WORKING_PROVIDER = new Set<FailureReason>(['refused', 'cutOff']);

export interface AttemptsOptions {
  operation: AiOperation;
  /** Milliseconds for everything. */
  timeout: number;
  maxRetries: number;
  breaker: Breaker;
  log: Log;
  /** Of the caller, who may give up. */
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

  /** Runs `work` until it succeeds, a failure will not pass, or the retries or the time are used up. */
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

  /** Logs and counts it. @returns what to throw */
  fail(error: unknown): unknown {
    const { operation, log, signal } = this.#options;
    if (signal?.aborted) {
      this.abandon();
      return signal.reason;
    }
    const failure = this.#explain(error);
    countFailure(operation, failure.reason);
    // The provider's own words are left out: they may quote the key or the text.
    const line = { operation, reason: failure.reason, status: statusOf(failure) };
    if (failure.reason === 'key') log.error(line, 'the AI provider refused the key: see AI_API_KEY and AI_MODEL');
    else if (failure.reason === 'open') log.debug(line, 'the AI provider was not asked');
    else log.warn(line, 'the AI provider failed');
    this.#end(OF_A_WORKING_PROVIDER.has(failure.reason) ? 'works' : 'failed');
    return failure;
  }

  /** The caller wants no more of it. Changes nothing after `succeed` or `fail`. */
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

  /** @throws the failure where there is to be no other try */
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

/** With some chance in it, so that those who failed together do not come again together. */
function backOff(attempt: number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.75 + Math.random() / 2);
}
