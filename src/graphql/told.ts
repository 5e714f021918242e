/** Errors of GraphQL as clients are told them, over whichever transport. */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Context } from '../context.js';
import { toAppError } from '../database/to-app-error.js';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';
import { type Language, say } from '../messages/message.js';
import { toldErrors } from '../observability/metrics/refusal.js';

/** Apollo and graphql-js wrap what is thrown, validation rules' errors among it. */
export function findOurs(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof GraphQLError ? findOurs(error.originalError) : undefined;
}

export function inLanguage(
  formatted: GraphQLFormattedError,
  error: AppError,
  language: Language,
): GraphQLFormattedError {
  return { ...formatted, message: error.said.in(language), extensions: { ...error.extensionsIn(language) } };
}

export type Reader = Pick<Context, 'language' | 'log' | 'requestId'>;

/** For transports without Apollo: what nobody foresaw is masked and logged; GraphQL's own errors come from the request, as `own`. */
export function explainFor({ log, requestId }: Reader, error: unknown, own: ErrorKey = 'BAD_REQUEST'): AppError {
  const ours = findOurs(error);
  if (ours) return ours;
  const cause = foreignCause(error);
  if (error instanceof GraphQLError && !cause) return new AppError(own, { message: say('graphqlSays', error.message) });
  return toAppError(cause, log, requestId);
}

/** What was thrown, where GraphQL itself did not: it wraps errors of its own, such as a scalar's, too. */
function foreignCause(error: unknown): unknown {
  return error instanceof GraphQLError ? foreignCause(error.originalError) : error;
}

/** Shaped as an error of GraphQL again, for libraries that take nothing else. */
export function tellIn(reader: Reader, error: unknown, own?: ErrorKey): GraphQLError {
  const explained = explainFor(reader, error, own);
  toldErrors.inc({ surface: 'graphql', key: explained.key });
  const { locations, path } = error instanceof GraphQLError ? error.toJSON() : {};
  const { message, extensions } = inLanguage({ message: '', ...(path && { path }) }, explained, reader.language);
  const told = new GraphQLError(message, { path, extensions });
  return locations ? Object.defineProperty(told, 'locations', { value: locations, enumerable: true }) : told;
}

/** Apollo responds with 500 to what a plugin or the executor throws, unless the error has a status. */
export function withStatus(originalError: AppError): GraphQLError {
  const extensions = { http: { status: originalError.status } };
  return new GraphQLError(originalError.message, { originalError, extensions });
}
