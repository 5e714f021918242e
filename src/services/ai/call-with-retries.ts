/** One call to the AI provider with its retries: bounded in time, counted in metrics, reported to the circuit breaker. */
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../../platform/concurrency/backoff.js';
import { ResponseTooLargeError } from '../../platform/http/bounded-fetch.js';
import type { Log } from '../../platform/observability/log.js';
import { ProviderError } from './chat-completions.js';
import type { CallOutcome, CircuitBreaker } from './circuit-breaker.js';
import { countCall, countFailure } from './metrics.js';
import type { AiOperation } from './provider.js';
import { type FailureReason, ProviderFailure } from './provider-failure.js';

function toFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (causes(error).some((cause) => cause instanceof ResponseTooLargeError))
    return new ProviderFailure('size', { cause: error });
  if (error instanceof ProviderError) return fromStatus(error);
  // fetch throws a TypeError if there is no connection, or if it breaks in the middle of the body. All other errors are invalid JSON.
  const reason = error instanceof TypeError ? 'connection' : 'unreadable';
  return new ProviderFailure(reason, { cause: error });
}

/** The HTTP status of the provider's response; undefined if there was none. */
function statusOf({ cause }: ProviderFailure): number | undefined {
  return cause instanceof ProviderError ? cause.status : undefined;
}

function fromStatus(error: ProviderError): ProviderFailure {
  const { status } = error;
  const retryAfter = secondsOf(error.headers.get('retry-after'));
  if (status === 401 || status === 403) return new ProviderFailure('key', { cause: error });
  if (status === 429) return new ProviderFailure('busy', { cause: error, retryAfter });
  if (status === 408 || status >= 500) return new ProviderFailure('server', { cause: error, retryAfter });
  return new ProviderFailure('refused', { cause: error });
}

/** Retry-After in seconds (RFC 9110 §10.2.3: a number of seconds, or a date). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  return chain;
}

const BACKOFF = { firstMs: 500, maxMs: 8_000, jitter: 0.5 };
/** With a longer Retry-After the call fails at once. */
const MAX_RETRY_AFTER_MS = 30_000;

/** Failures caused by the request's own text (too long, rejected content): the circuit breaker counts them as successes. */
const CAUSED_BY_TEXT = new Set<FailureReason>(['refused', 'cutOff']);

export interface AiCallOptions {
  operation: AiOperation;
  /** For all attempts and the delays between them. */
  timeoutMs: number;
  maxRetries: number;
  breaker: CircuitBreaker;
  log: Log;
  /** The caller's cancellation signal. */
  signal: AbortSignal | undefined;
}

export class AiCallWithRetries {
  readonly #options: AiCallOptions;
  readonly #controller = new AbortController();
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  readonly #abort = () => this.#controller.abort();
  readonly #stopTimer: () => void;
  #isAdmitted = false;
  #isEnded = false;

  constructor(options: AiCallOptions) {
    this.#options = options;
    this.#deadline = performance.now() + options.timeoutMs;
    this.#timer = setTimeout(this.#abort, options.timeoutMs);
    options.signal?.addEventListener('abort', this.#abort, { once: true });
    this.#stopTimer = countCall(options.operation);
  }

  /** Runs `work` until it succeeds, fails permanently, or the retries or the time are used up. */
  async run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    this.#options.signal?.throwIfAborted();
    this.#options.breaker.begin();
    this.#isAdmitted = true;
    for (let attempt = 0; ; attempt++) {
      try {
        return await work(this.#controller.signal);
      } catch (error) {
        await this.#beforeRetry(attempt, this.#toFailure(error));
      }
    }
  }

  succeed(): void {
    this.#end('succeeded');
  }

  /** Logs and counts the failure. @returns the error to throw: the signal's reason after a cancellation, else a ProviderFailure */
  fail(error: unknown): unknown {
    const { operation, log, signal } = this.#options;
    if (signal?.aborted) {
      this.abandon();
      return signal.reason;
    }
    const failure = this.#toFailure(error);
    countFailure(operation, failure.reason);
    // The provider's error message is not logged: it may quote the API key or the text.
    const line = { operation, reason: failure.reason, status: statusOf(failure) };
    if (failure.reason === 'key')
      log.error(line, 'the AI provider rejected the API key: check AI_API_KEY and AI_MODEL');
    else if (failure.reason === 'open') log.debug(line, 'AI request skipped: the circuit breaker is open');
    else log.warn(line, 'AI request failed');
    this.#end(CAUSED_BY_TEXT.has(failure.reason) ? 'succeeded' : 'failed');
    return failure;
  }

  /** Ends a call that the caller canceled. No effect after `succeed` or `fail`. */
  abandon(): void {
    this.#end('abandoned');
  }

  #end(outcome: CallOutcome): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
    this.#stopTimer();
    if (this.#isAdmitted) this.#options.breaker.end(outcome);
  }

  /** Waits for the backoff delay. @throws the failure if there is no further attempt */
  async #beforeRetry(attempt: number, failure: ProviderFailure): Promise<void> {
    const { allowedAfter } = failure;
    const delayMs = allowedAfter === undefined ? backoffMs(attempt + 1, BACKOFF) : allowedAfter * 1000;
    const isInTime = delayMs <= MAX_RETRY_AFTER_MS && delayMs < this.#deadline - performance.now();
    if (!failure.isTransient || attempt >= this.#options.maxRetries || !isInTime) throw failure;
    await delay(delayMs, undefined, { signal: this.#controller.signal });
  }

  #toFailure(error: unknown): ProviderFailure {
    const isTimedOut = !this.#isEnded && this.#controller.signal.aborted;
    return isTimedOut ? new ProviderFailure('timeout', { cause: error }) : toFailure(error);
  }
}
