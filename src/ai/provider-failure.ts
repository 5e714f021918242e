/** The failure reasons of the AI provider, with their error messages and whether a retry may succeed. */
import OpenAI from 'openai';
import { AppError } from '../errors.js';
import { ResponseTooLargeError } from '../http/bounded-fetch.js';
import { createMessage, type MessageKey } from '../messages/message.js';

export type FailureReason = keyof typeof REASONS;

interface Reason {
  /** The message for clients. It contains no text from the provider. */
  message: MessageKey;
  /** Whether the failure is transient: a retry may succeed. */
  isTransient: boolean;
}

const REASONS = {
  timeout: { message: 'aiTimeout', isTransient: true },
  connection: { message: 'aiUnreachable', isTransient: true },
  server: { message: 'aiFailed', isTransient: true },
  busy: { message: 'aiBusy', isTransient: true },
  open: { message: 'aiCircuitOpen', isTransient: true },
  size: { message: 'aiResponseTooLarge', isTransient: false },
  unreadable: { message: 'aiResponseInvalid', isTransient: false },
  key: { message: 'aiKeyRejected', isTransient: false },
  refused: { message: 'aiRejected', isTransient: false },
  cutOff: { message: 'aiResponseTruncated', isTransient: false },
} as const satisfies Record<string, Reason>;

/** Results in the response 502 AI_PROVIDER_FAILED. */
export class ProviderFailure extends AppError {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown } = {}) {
    super('AI_PROVIDER_FAILED', {
      message: createMessage(REASONS[reason].message),
      cause,
      ...(retryAfter !== undefined && { retryAfter }),
    });
    this.reason = reason;
  }

  get isTransient(): boolean {
    return REASONS[this.reason].isTransient;
  }
}

/** Maps an error of the OpenAI client, or of its fetch, to a failure. */
export function toFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (causes(error).some((cause) => cause instanceof ResponseTooLargeError))
    return new ProviderFailure('size', { cause: error });
  if (error instanceof OpenAI.APIConnectionTimeoutError) return new ProviderFailure('timeout', { cause: error });
  if (error instanceof OpenAI.APIConnectionError) return new ProviderFailure('connection', { cause: error });
  if (error instanceof OpenAI.APIError) return fromStatus(error.status ?? 500, error);
  // fetch throws a TypeError if the connection breaks in the middle of the body. All other errors are invalid JSON.
  const reason = error instanceof TypeError ? 'connection' : 'unreadable';
  return new ProviderFailure(reason, { cause: error });
}

/** The HTTP status of the provider's response; undefined if there was none. */
export function statusOf({ cause }: ProviderFailure): number | undefined {
  return cause instanceof OpenAI.APIError ? cause.status : undefined;
}

function fromStatus(status: number, error: InstanceType<typeof OpenAI.APIError>): ProviderFailure {
  const retryAfter = secondsOf(error.headers?.get('retry-after') ?? null);
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
