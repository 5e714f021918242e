/** Apollo Server: limits, masking of errors, and Apollo Sandbox as landing page. */
import { ApolloServer, type ApolloServerPlugin, type GraphQLResponse } from '@apollo/server';
import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Context } from '../context.js';
import { maskError } from '../platform/database/mask-error.js';
import { type ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';
import { createMessage, type Language } from '../platform/messages/message.js';
import { errorsReturned } from '../platform/observability/metrics/error.js';
import { NotExecuted } from '../services/idempotency/execution.js';
import type { Services } from '../services/index.js';
import type { Executor } from './executor.js';
import { findAppError, inLanguage, withStatus } from './format-error.js';
import type { OperationChecks } from './operation-checks.js';

/** Error codes of Apollo, mapped to the error keys that REST and GraphQL share. */
const KEYS: Record<string, ErrorKey> = {
  [ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE]: 'BAD_REQUEST',
  [ApolloServerErrorCode.BAD_REQUEST]: 'BAD_REQUEST',
  [ApolloServerErrorCode.BAD_USER_INPUT]: 'VALIDATION_FAILED',
};

/** `graphqlHandler` parses and validates documents before the request is passed to Apollo, which takes them from the store. */
export function createApollo(
  checks: OperationChecks,
  executor: Executor,
  { config, log }: Services,
): ApolloServer<Context> {
  const { documents } = checks;
  return new ApolloServer<Context>({
    gateway: executor.gateway(),
    introspection: config.graphqlIntrospection,
    // CSRF is not possible: requests are authenticated by the Authorization header only, never by cookies.
    csrfPrevention: false,
    documentStore: documents,
    // query-parameters.ts implements them with the cache of documents.
    persistedQueries: false,
    formatError,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [
      failures,
      limits(checks),
      // It would replace the resolver of every field, so that no document would be cacheable (operation-stamps.ts).
      ApolloServerPluginCacheControlDisabled(),
      config.apolloSandbox
        ? ApolloServerPluginLandingPageLocalDefault({ embed: true, footer: false })
        : ApolloServerPluginLandingPageDisabled(),
    ],
  });
}

/** Errors that resolvers threw and that are not AppErrors, mapped to the AppError that is reported. */
const masked = new WeakMap<object, AppError>();

/** Masks and logs unexpected errors. Errors of GraphQL itself, which the request causes, are not masked. */
const failures: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue: { log, requestId } }) => {
      for (const error of errors) {
        if (explain(error)) continue;
        const cause = unwrapResolverError(error);
        masked.set(cause as object, maskError(cause, log, requestId));
      }
    },
    willSendResponse: async ({ response, errors = [], contextValue: { language } }) => {
      translateErrors(response, language);
      const waits = errors.map((error) => explain(error)?.retryAfter ?? 0);
      const retryAfter = Math.max(0, ...waits);
      if (retryAfter > 0) response.http.headers.set('retry-after', String(retryAfter));
    },
  }),
};

function limits(checks: OperationChecks): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, request, contextValue }) => {
        // If no operation matches, the executor responds with the error of graphql-js.
        // With a result, the operation was admitted before Apollo's pipeline.
        const { result, rejection } = contextValue.responseMeta;
        if (rejection) throw withStatus(rejection);
        if (!operation || result) return;
        try {
          // A subscription has no single response.
          if (operation.operation === 'subscription') {
            throw new AppError('BAD_REQUEST', { message: createMessage('subscriptionRequiresWebSocket') });
          }
          await checks.admit(contextValue, document, operation, request.variables ?? {});
        } catch (error) {
          throw error instanceof AppError ? withStatus(error) : error;
        }
      },
    }),
  };
}

/** The AppError for clients; undefined for an unexpected error that has not been masked yet. */
function explain(error: unknown): AppError | undefined {
  const cause = unwrapResolverError(error);
  const appError = findAppError(error) ?? masked.get(Object(cause));
  if (appError || !(error instanceof GraphQLError)) return appError;
  return cause === error ? explainApolloError(error) : undefined;
}

/** Maps errors of Apollo from before execution. */
function explainApolloError({ message, extensions }: GraphQLError): AppError | undefined {
  const key = KEYS[String(extensions.code)];
  return key && new AppError(key, { message: createMessage('graphqlError', message) });
}

/** AppErrors of formatted errors. `formatError` has no access to the request: it formats in English, and `translateErrors` translates. */
const formattedErrors = new WeakMap<GraphQLFormattedError, AppError>();

function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const explained = explain(error) ?? new AppError('INTERNAL_ERROR');
  if (!(explained instanceof NotExecuted)) errorsReturned.inc({ api: 'graphql', key: explained.key });
  const inEnglish = inLanguage(formatted, explained, 'en');
  formattedErrors.set(inEnglish, explained);
  return inEnglish;
}

/** Translates the errors of a response. */
function translateErrors({ body, http }: GraphQLResponse, language: Language): void {
  http.headers.set('content-language', language);
  if (body.kind !== 'single' || !body.singleResult.errors || language === 'en') return;
  body.singleResult.errors = body.singleResult.errors.map((formatted) => {
    const error = formattedErrors.get(formatted);
    return error ? inLanguage(formatted, error, language) : formatted;
  });
}
