/** AppError: the error class with a key and a message for clients. The keys are in error-keys.ts. */
import { ERRORS, type ErrorKey } from './error-keys.js';
import { createMessage, type Language, type Message } from './messages/message.js';
import { beginningOf } from './text.js';

/** Error keys with status 429 or 503. */
type RetryKey = { [Key in ErrorKey]: (typeof ERRORS)[Key] extends 429 | 503 ? Key : never }[ErrorKey];

/** Default Retry-After in seconds, for errors that do not set it: RFC 9110 §10.2.3, RFC 6585 §4. */
const RETRY_AFTER_SECONDS: Readonly<Record<RetryKey | 'OAUTH_PROVIDER_FAILED', number>> = {
  RATE_LIMITED: 5,
  OAUTH_PROVIDER_FAILED: 5,
  // Until the configuration has been changed.
  AI_NOT_CONFIGURED: 3600,
  MAIL_NOT_CONFIGURED: 3600,
  SERVICE_UNAVAILABLE: 2,
};

export interface FieldError {
  field: string;
  message: Message;
}

export interface ErrorDetails {
  /** More specific message instead of the default message of the key. */
  message?: Message;
  /** All invalid fields. */
  errors?: readonly FieldError[];
  /** Retry-After in seconds. Default: that of the key, if it has one. */
  retryAfter?: number;
  /** Of SCOPE_MISSING: scopes with which an API token may do what was requested; empty if no API token may. */
  scopes?: readonly string[];
  cause?: unknown;
}

/** An invalid field in the form that clients receive. */
export interface TranslatedFieldError {
  field: string;
  message: string;
}

/** A failure that the operator of the service can correct. The message is complete without a stack trace, and has no period at its end. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** A file that the user gave cannot be used. The message is a clause with "it" for the file. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** Reading was stopped: the next run continues. */
export class StoppedError extends FileError {}

/** @returns the message in one line, without a period */
export function oneLine(error: unknown): string {
  const { message, name, code } = error as Error & { code?: unknown };
  const text = message || (typeof code === 'string' ? code : name) || String(error);
  return text.replace(/\s*\n\s*/g, ' ').replace(/\.$/, '');
}

/** The only error class whose content clients receive. All others are masked as INTERNAL_ERROR or SERVICE_UNAVAILABLE (`maskError`). */
export class AppError extends Error {
  readonly key: ErrorKey;
  /** Message for clients. `message` is the same in English, for the log. */
  readonly clientMessage: Message;
  readonly errors: readonly FieldError[];
  readonly retryAfter: number | undefined;
  readonly scopes: readonly string[];

  constructor(key: ErrorKey, details: ErrorDetails = {}) {
    const { message = createMessage(key), errors = [], retryAfter, scopes = [], cause } = details;
    super(message.in('en'), { cause });
    this.key = key;
    this.clientMessage = message;
    this.errors = errors;
    this.scopes = scopes;
    this.retryAfter = retryAfter ?? (RETRY_AFTER_SECONDS as Partial<Record<ErrorKey, number>>)[key];
  }

  get status(): number {
    return ERRORS[this.key];
  }

  errorsIn(language: Language): TranslatedFieldError[] {
    return this.errors.map(({ field, message }) => ({ field, message: message.in(language) }));
  }

  /** The `extensions` of the GraphQL error. */
  extensionsIn(language: Language): { code: ErrorKey; errors?: TranslatedFieldError[]; retryAfter?: number } {
    const { key: code, retryAfter } = this;
    const errors = this.errorsIn(language);
    return { code, ...(errors.length > 0 && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/** A failure of something outside of the process. Clients receive SERVICE_UNAVAILABLE, and the log has its name (`maskError`). */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure';
  /** Such as "the image store (bucket journal)". */
  readonly service: string;

  constructor(service: string, reason: string, options?: ErrorOptions) {
    super(`${service} failed: ${reason}`, options);
    this.service = service;
  }
}

/** VALIDATION_FAILED with one invalid field. */
export function invalid(field: string, message: Message): AppError {
  return new AppError('VALIDATION_FAILED', { errors: [{ field, message }] });
}

/** What the error of a suspended member contains. */
export interface SuspensionDetails {
  /** A time that PostgreSQL wrote; null if the suspension has no end. */
  until: string | null;
  rule: string;
  /** The reason, as it was given with the suspension. */
  statement: string;
}

/** MEMBER_SUSPENDED with the reason and the end. */
export function memberSuspended({ until, rule, statement }: SuspensionDetails, cause?: unknown): AppError {
  const end = until && new Date(until).toISOString().slice(0, 19);
  return new AppError('MEMBER_SUSPENDED', { message: createMessage('memberSuspended', end, statement, rule), cause });
}

interface Hint {
  /** Whether `/api` before the path leads to a resource. */
  isUnderApi: boolean;
  /** An existing path, with parameters in braces. */
  nearest: string | null;
}

/** ROUTE_NOT_FOUND for `path`, truncated to 100 characters in the message. */
export function routeNotFound(path: string, { isUnderApi, nearest }: Partial<Hint> = {}): AppError {
  const shown = beginningOf(path, 100);
  if (!isUnderApi && nearest)
    return new AppError('ROUTE_NOT_FOUND', { message: createMessage('routeNotFoundNear', shown, nearest) });
  const key = isUnderApi ? 'routeWithoutPrefix' : 'routeNotFound';
  return new AppError('ROUTE_NOT_FOUND', { message: createMessage(key, shown) });
}
