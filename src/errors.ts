/** The table of error keys that clients see, and the one error that carries them. */
import { ERRORS, type ErrorKey } from './error-keys.js';
import { type Language, type Message, say } from './messages/message.js';

/** Every key with status 429 or 503. */
type RetryKey = { [Key in ErrorKey]: (typeof ERRORS)[Key] extends 429 | 503 ? Key : never }[ErrorKey];

/** Seconds after which another try makes sense where the error does not know it: RFC 9110 §10.2.3, RFC 6585 §4. */
const RETRY_AFTER_SECONDS: Readonly<Record<RetryKey, number>> = {
  RATE_LIMITED: 5,
  // Until the configuration has been changed.
  AI_NOT_CONFIGURED: 3600,
  SERVICE_UNAVAILABLE: 2,
};

export interface FieldError {
  field: string;
  message: Message;
}

export interface ErrorDetails {
  /** Replaces the key's own message where the case can be told more exactly. */
  message?: Message;
  /** The fields at fault, all of them. */
  errors?: readonly FieldError[];
  /** Seconds after which another try makes sense. Default for 429 and 503: that of the key. */
  retryAfter?: number;
  cause?: unknown;
}

/** A field at fault, as clients see it. */
export interface ToldFieldError {
  field: string;
  message: string;
}

/** The only error that code here throws for a client to see. Anything else is masked as INTERNAL_ERROR and logged. */
export class AppError extends Error {
  readonly key: ErrorKey;
  /** For clients. `message` is the same in English, for the log. */
  readonly said: Message;
  readonly errors: readonly FieldError[];
  readonly retryAfter: number | undefined;

  constructor(key: ErrorKey, { message = say(key), errors = [], retryAfter, cause }: ErrorDetails = {}) {
    super(message.in('en'), { cause });
    this.key = key;
    this.said = message;
    this.errors = errors;
    this.retryAfter = retryAfter ?? (RETRY_AFTER_SECONDS as Partial<Record<ErrorKey, number>>)[key];
  }

  get status(): number {
    return ERRORS[this.key];
  }

  errorsIn(language: Language): ToldFieldError[] {
    return this.errors.map(({ field, message }) => ({ field, message: message.in(language) }));
  }

  /** What a GraphQL error carries beside its message. */
  extensionsIn(language: Language): { code: ErrorKey; errors?: ToldFieldError[]; retryAfter?: number } {
    const { key: code, retryAfter } = this;
    const errors = this.errorsIn(language);
    return { code, ...(errors.length > 0 && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/** One field at fault. */
export function invalid(field: string, message: Message): AppError {
  return new AppError('VALIDATION_FAILED', { errors: [{ field, message }] });
}

/** Nothing lives at `path`. Of a long one only the beginning is told. */
export function nothingAt(path: string): AppError {
  return new AppError('ROUTE_NOT_FOUND', { message: say('nothingAt', path.slice(0, 100)) });
}
