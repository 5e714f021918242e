/** The table of error keys that clients see, and the one error that carries them. */
import { type Language, type Message, say } from './messages/message.js';

/** The HTTP status of every key, as the contract lists them. What each says stands in the catalogue of messages. */
export const ERRORS = {
  BAD_REQUEST: 400,
  VALIDATION_FAILED: 400,
  REPLY_TOO_DEEP: 400,
  CATEGORY_LIMIT_REACHED: 400,
  DEFAULT_CATEGORY_FIXED: 400,
  STYLE_LIMIT_REACHED: 400,
  PROVIDER_UNSUPPORTED: 400,
  IMAGE_INVALID: 400,
  QUERY_TOO_COMPLEX: 400,
  IDEMPOTENCY_KEY_REUSED: 400,
  UNAUTHENTICATED: 401,
  TOKEN_EXPIRED: 401,
  INVALID_CREDENTIALS: 401,
  REFRESH_TOKEN_INVALID: 401,
  OAUTH_REJECTED: 401,
  PROOF_REQUIRED: 403,
  ARTICLE_FORBIDDEN: 403,
  COMMENT_FORBIDDEN: 403,
  CATEGORY_FORBIDDEN: 403,
  NOTIFICATION_FORBIDDEN: 403,
  STYLE_FORBIDDEN: 403,
  ROUTE_NOT_FOUND: 404,
  ARTICLE_NOT_FOUND: 404,
  COMMENT_NOT_FOUND: 404,
  CATEGORY_NOT_FOUND: 404,
  NOTIFICATION_NOT_FOUND: 404,
  STYLE_NOT_FOUND: 404,
  MEMBER_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  EMAIL_TAKEN: 409,
  NICKNAME_TAKEN: 409,
  CATEGORY_NAME_TAKEN: 409,
  STYLE_NAME_TAKEN: 409,
  VERSION_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  AI_PROVIDER_FAILED: 502,
  OAUTH_PROVIDER_FAILED: 502,
  AI_NOT_CONFIGURED: 503,
  SERVICE_UNAVAILABLE: 503,
} as const satisfies Record<string, number>;

export type ErrorKey = keyof typeof ERRORS;

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
