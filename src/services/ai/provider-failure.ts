/** The failure reasons of the AI provider, with their error messages and whether a retry may succeed. */
import { AppError } from '../../platform/errors.js';
import { createMessage, type MessageKey } from '../../platform/messages/message.js';

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

/** Default Retry-After of a transient failure. */
const RETRY_AFTER_SECONDS = 5;

/** Results in the response 502 AI_PROVIDER_FAILED. */
export class ProviderFailure extends AppError {
  readonly reason: FailureReason;
  /** Seconds after which the provider allows the next attempt, if it states one. */
  readonly allowedAfter: number | undefined;

  constructor(reason: FailureReason, { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown } = {}) {
    super('AI_PROVIDER_FAILED', {
      message: createMessage(REASONS[reason].message),
      cause,
      ...(REASONS[reason].isTransient && { retryAfter: retryAfter ?? RETRY_AFTER_SECONDS }),
    });
    this.reason = reason;
    this.allowedAfter = retryAfter;
  }

  get isTransient(): boolean {
    return REASONS[this.reason].isTransient;
  }
}
