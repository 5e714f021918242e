/** The ways in which a provider fails, and what each means for whoever called. */
import OpenAI from 'openai';
import { AppError } from '../errors.js';
import { type MessageKey, say } from '../messages/message.js';

export type FailureReason = keyof typeof REASONS;

interface Reason {
  /** For clients: nothing of the provider's own words. */
  message: MessageKey;
  /** Another try, now or later, may succeed. */
  isPassing: boolean;
}

const REASONS = {
  timeout: { message: 'aiTooSlow', isPassing: true },
  connection: { message: 'aiUnreachable', isPassing: true },
  server: { message: 'aiFailed', isPassing: true },
  busy: { message: 'aiBusy', isPassing: true },
  open: { message: 'aiGivenUp', isPassing: true },
  size: { message: 'aiTooLarge', isPassing: false },
  unreadable: { message: 'aiUnreadable', isPassing: false },
  key: {
    message: 'aiKeyRefused',
    isPassing: false,
  },
  refused: { message: 'aiRefused', isPassing: false },
  cutOff: { message: 'aiCutOff', isPassing: false },
} as const satisfies Record<string, Reason>;

/** Answers 502 AI_PROVIDER_FAILED. */
export class ProviderFailure extends AppError {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown } = {}) {
    super('AI_PROVIDER_FAILED', {
      message: say(REASONS[reason].message),
      cause,
      ...(retryAfter !== undefined && { retryAfter }),
    });
    this.reason = reason;
  }

  get isPassing(): boolean {
    return REASONS[this.reason].isPassing;
  }
}

/** An answer larger than it may be. */
export class TooLarge extends Error {}

/** What an error of the client, or from within its fetch, means. */
export function toFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (causes(error).some((cause) => cause instanceof TooLarge)) return new ProviderFailure('size', { cause: error });
  if (error instanceof OpenAI.APIConnectionTimeoutError) return new ProviderFailure('timeout', { cause: error });
  if (error instanceof OpenAI.APIConnectionError) return new ProviderFailure('connection', { cause: error });
  if (error instanceof OpenAI.APIError) return fromStatus(error.status ?? 500, error);
  // A connection that breaks in the middle of the body is a TypeError of fetch; what is left is JSON that is none.
  const reason = error instanceof TypeError ? 'connection' : 'unreadable';
  return new ProviderFailure(reason, { cause: error });
}

/** The HTTP status that the provider answered with, where it answered. */
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

/** RFC 9110 §10.2.3: seconds, or a date. */
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
