/** Apollo Server: limits, masking of errors, and Apollo Sandbox as landing page. */
import {
  ApolloServer,
  type ApolloServerOptionsWithGateway,
  type ApolloServerPlugin,
  type GraphQLResponse,
} from '@apollo/server';
import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, execute as interpret } from 'graphql';
import type { Context } from '../context.js';
import { type Executable, execute, type Outcome, type Variables } from '../execute.js';
import { maskError } from '../platform/database/mask-error.js';
import { type ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';
import { createMessage, type Language } from '../platform/messages/message.js';
import { errorsReturned } from '../platform/observability/metrics/error.js';
import { NotExecuted } from '../services/idempotency/execution.js';
import type { Services } from '../services/index.js';
import type { DocumentCache } from './document-cache.js';
import { type ErrorContext, findAppError, inLanguage } from './format-error.js';

/** Error codes of Apollo, mapped to the error keys that REST and GraphQL share. */
const KEYS: Record<string, ErrorKey> = {
  [ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE]: 'BAD_REQUEST',
  [ApolloServerErrorCode.BAD_REQUEST]: 'BAD_REQUEST',
  [ApolloServerErrorCode.BAD_USER_INPUT]: 'VALIDATION_FAILED',
};

/** What the handler passes to Apollo. */
export interface ApolloContext {
  readonly reader: ErrorContext;
  /** Null without an operation. */
  readonly execution: Execution | null;
}

/** Executes an operation when its outcome is first needed: Apollo responds to some requests without it. */
export class Execution {
  /** Null if the operation was not executed, or was rejected. */
  result: Outcome | null = null;
  #outcome: Promise<Outcome | AppError> | null = null;

  constructor(
    private readonly operation: Executable,
    private readonly variables: Variables,
    private readonly context: Context,
  ) {}

  /** @returns the error of an operation that was rejected, or whose response is too large */
  outcome(): Promise<Outcome | AppError> {
    this.#outcome ??= this.#execute();
    return this.#outcome;
  }

  async #execute(): Promise<Outcome | AppError> {
    try {
      this.result = await execute(this.operation, this.variables, this.context);
      return this.result;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}

/** The handler parses and validates documents before the request is passed to Apollo, which takes them from the store. */
export function createApollo(documents: DocumentCache, { config, log }: Services): ApolloServer<ApolloContext> {
  return new ApolloServer<ApolloContext>({
    gateway: gateway(documents.schema),
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
const failures: ApolloServerPlugin<ApolloContext> = {
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue: { reader } }) => {
      for (const error of errors) {
        if (explain(error)) continue;
        const cause = unwrapResolverError(error);
        masked.set(cause as object, maskError(cause, reader.log, reader.requestId));
      }
    },
    willSendResponse: async ({ response, errors = [], contextValue: { reader } }) => {
      translateErrors(response, reader.language);
      const waits = errors.map((error) => explain(error)?.retryAfter ?? 0);
      const retryAfter = Math.max(0, ...waits);
      if (retryAfter > 0) response.http.headers.set('retry-after', String(retryAfter));
    },
  }),
};

type GatewayInterface = ApolloServerOptionsWithGateway<ApolloContext>['gateway'];

/** Apollo accepts a custom executor only as a gateway; there is no federation here. */
function gateway(schema: GraphQLSchema): GatewayInterface {
  return {
    load: async () => ({
      executor: async ({ document, request: { operationName }, context }) => {
        const { execution } = context as ApolloContext;
        // No operation has this name: graphql-js returns the error.
        if (!execution) return interpret({ schema, document, operationName });
        const outcome = await execution.outcome();
        if (outcome instanceof AppError) throw withStatus(outcome);
        return outcome;
      },
    }),
    onSchemaLoadOrUpdate: (listen) => {
      listen({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => {};
    },
    stop: async () => {},
  };
}

/** Apollo responds with 500 to errors of the executor, unless the error has a status. */
function withStatus(originalError: AppError): GraphQLError {
  const extensions = { http: { status: originalError.status } };
  return new GraphQLError(originalError.message, { originalError, extensions });
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
