/** The table of error keys that clients see, and the one error that carries them. */

/** HTTP status and default message of every key, as the contract lists them. */
export const ERRORS = {
  BAD_REQUEST: [400, 'The request could not be read.'],
  VALIDATION_FAILED: [400, 'Some fields are not valid.'],
  REPLY_TOO_DEEP: [400, 'Replies are one level deep: reply to the top-level comment instead.'],
  CATEGORY_LIMIT_REACHED: [400, 'A member has at most 20 categories beside the default one.'],
  DEFAULT_CATEGORY_FIXED: [400, 'The default category cannot be renamed or deleted.'],
  STYLE_LIMIT_REACHED: [400, 'A member has at most 10 custom styles.'],
  PROVIDER_UNSUPPORTED: [400, 'This provider is not supported.'],
  IMAGE_INVALID: [400, 'The file is not an image that can be used: expected a JPEG, PNG, WebP, GIF or AVIF image.'],
  QUERY_TOO_COMPLEX: [400, 'The query asks for too much at once.'],
  IDEMPOTENCY_KEY_REUSED: [400, 'This Idempotency-Key was used with another request.'],
  UNAUTHENTICATED: [401, 'A valid access token is needed: send "Authorization: Bearer <access token>".'],
  TOKEN_EXPIRED: [401, 'The access token has expired: log in again, or use the refresh token.'],
  INVALID_CREDENTIALS: [401, 'The email or the password is wrong.'],
  REFRESH_TOKEN_INVALID: [401, 'The refresh token is not valid: log in again.'],
  OAUTH_REJECTED: [401, 'The provider did not accept this login.'],
  ARTICLE_FORBIDDEN: [403, 'Only its author can change this article.'],
  COMMENT_FORBIDDEN: [403, 'Only its author can change this comment.'],
  CATEGORY_FORBIDDEN: [403, 'This category belongs to another member.'],
  NOTIFICATION_FORBIDDEN: [403, 'This notification belongs to another member.'],
  STYLE_FORBIDDEN: [403, 'This style belongs to another member.'],
  ROUTE_NOT_FOUND: [404, 'There is nothing at this address.'],
  ARTICLE_NOT_FOUND: [404, 'There is no such article.'],
  COMMENT_NOT_FOUND: [404, 'There is no such comment.'],
  CATEGORY_NOT_FOUND: [404, 'There is no such category.'],
  NOTIFICATION_NOT_FOUND: [404, 'There is no such notification.'],
  STYLE_NOT_FOUND: [404, 'There is no such style.'],
  MEMBER_NOT_FOUND: [404, 'There is no such member.'],
  METHOD_NOT_ALLOWED: [405, 'This address does not take this method.'],
  EMAIL_TAKEN: [409, 'A member with this email exists already.'],
  NICKNAME_TAKEN: [409, 'A member with this nickname exists already.'],
  CATEGORY_NAME_TAKEN: [409, 'You have a category with this name already.'],
  STYLE_NAME_TAKEN: [409, 'You have a style with this name already.'],
  VERSION_CONFLICT: [409, 'It was changed in the meantime: read it again and repeat your change.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body has a type that is not taken here.'],
  RATE_LIMITED: [429, 'Too many attempts: wait before the next one.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side.'],
  AI_PROVIDER_FAILED: [502, 'The AI provider did not give a usable answer.'],
  OAUTH_PROVIDER_FAILED: [502, 'The login provider did not give a usable answer.'],
  AI_NOT_CONFIGURED: [503, 'No AI provider is configured.'],
  SERVICE_UNAVAILABLE: [503, 'The service cannot answer right now: try again in a moment.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorKey = keyof typeof ERRORS;

export interface FieldError {
  field: string;
  message: string;
}

export interface ErrorDetails {
  /** Replaces the table's message where the case can be told more exactly. */
  message?: string;
  /** The fields at fault, all of them. */
  errors?: readonly FieldError[];
  /** Seconds after which another try makes sense. */
  retryAfter?: number;
  cause?: unknown;
}

/** The only error that code here throws for a client to see. Anything else is masked as INTERNAL_ERROR and logged. */
export class AppError extends Error {
  readonly key: ErrorKey;
  readonly errors: readonly FieldError[];
  readonly retryAfter: number | undefined;

  constructor(key: ErrorKey, { message, errors = [], retryAfter, cause }: ErrorDetails = {}) {
    super(message ?? ERRORS[key][1], { cause });
    this.key = key;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return ERRORS[this.key][0];
  }

  /** What a GraphQL error carries beside its message. */
  get extensions(): { code: ErrorKey; errors?: readonly FieldError[]; retryAfter?: number } {
    const { key: code, errors, retryAfter } = this;
    return { code, ...(errors.length > 0 && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/** One field at fault. */
export function invalid(field: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', { errors: [{ field, message }] });
}

/** Nothing lives at `path`. Of a long one only the beginning is told. */
export function nothingAt(path: string): AppError {
  return new AppError('ROUTE_NOT_FOUND', { message: `There is nothing at ${path.slice(0, 100)}.` });
}
