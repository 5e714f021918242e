/** GraphQL errors in the form that clients receive, for all transports. */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Context } from '../context.js';
import { maskError } from '../platform/database/mask-error.js';
import type { ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';
import { createMessage, type Language, type Message } from '../platform/messages/message.js';
import { errorsReturned, limitError } from '../platform/observability/metrics/error.js';

/** Unwraps the AppError: Apollo and graphql-js wrap thrown errors, including those of validation rules. */
export function findAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof GraphQLError ? findAppError(error.originalError) : undefined;
}

export function inLanguage(
  formatted: GraphQLFormattedError,
  error: AppError,
  language: Language,
): GraphQLFormattedError {
  return { ...formatted, message: error.clientMessage.in(language), extensions: { ...error.extensionsIn(language) } };
}

export type ErrorContext = Pick<Context, 'language' | 'log' | 'requestId'>;

/** For errors outside Apollo: masks and logs unexpected ones. @param key for errors of GraphQL itself, which the request causes */
export function toReportedError(
  { log, requestId }: ErrorContext,
  error: unknown,
  key: ErrorKey = 'BAD_REQUEST',
): AppError {
  const appError = findAppError(error);
  if (appError) return appError;
  const cause = foreignCause(error);
  if (error instanceof GraphQLError && !cause)
    return new AppError(key, { message: createMessage('graphqlError', error.message) });
  return maskError(cause, log, requestId);
}

/** The wrapped error that is not a GraphQLError; undefined if GraphQL itself threw: it also wraps its own errors, such as those of scalars. */
function foreignCause(error: unknown): unknown {
  return error instanceof GraphQLError ? foreignCause(error.originalError) : error;
}

/** Like `toReportedError`, as a GraphQLError, which the libraries require. Increments the metric of reported errors. */
export function toGraphQLError(context: ErrorContext, error: unknown, key?: ErrorKey): GraphQLError {
  const explained = toReportedError(context, error, key);
  errorsReturned.inc({ api: 'graphql', key: explained.key });
  const { locations, path } = error instanceof GraphQLError ? error.toJSON() : {};
  const { message, extensions } = inLanguage({ message: '', ...(path && { path }) }, explained, context.language);
  const reported = new GraphQLError(message, { path, extensions });
  return locations ? Object.defineProperty(reported, 'locations', { value: locations, enumerable: true }) : reported;
}

/** @param counted label of the limit in the metrics */
export function tooComplex(counted: string, message: Message): AppError {
  return limitError(counted, 'QUERY_TOO_COMPLEX', { message });
}
