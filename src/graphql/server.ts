/** Apollo Server over the schema: limits, masking of errors, and the explorer as its landing page. */
import { ApolloServer, type ApolloServerPlugin, type GraphQLResponse } from '@apollo/server';
import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Context } from '../context.js';
import { toAppError } from '../database/to-app-error.js';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';
import { type Language, say } from '../messages/message.js';
import { toldErrors } from '../observability/metrics/refusal.js';
import type { Services } from '../services.js';
import { jitGateway } from './executor.js';
import type { OperationChecks } from './operation-checks.js';
import { findOurs, inLanguage, withStatus } from './told.js';

/** Apollo's own codes, told under the keys that both surfaces share. */
const KEYS: Record<string, ErrorKey> = {
  [ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE]: 'BAD_REQUEST',
  [ApolloServerErrorCode.BAD_REQUEST]: 'BAD_REQUEST',
  [ApolloServerErrorCode.BAD_USER_INPUT]: 'VALIDATION_FAILED',
};

/** Documents are read by `checks` before a request comes here: Apollo neither parses nor validates any. */
export function createApollo(checks: OperationChecks, { config, log }: Services): ApolloServer<Context> {
  const { documents } = checks;
  return new ApolloServer<Context>({
    gateway: jitGateway(documents.schema),
    introspection: config.graphqlIntrospection,
    // Requests are authenticated by header alone, never by cookies: another site cannot send one in a member's name.
    csrfPrevention: false,
    documentStore: documents,
    // Documents that clients register would be one more store of their texts.
    persistedQueries: false,
    formatError,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [failures, limits(checks), ApolloServerPluginLandingPageLocalDefault({ embed: true, footer: false })],
  });
}

/** What is told of each error that a resolver threw and that is not ours, by what was thrown. */
const masked = new WeakMap<object, AppError>();

/** What nobody foresaw is masked and logged; GraphQL's own errors come from the request. */
const failures: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue: { log, requestId } }) => {
      for (const error of errors) {
        if (explain(error)) continue;
        const cause = unwrapResolverError(error);
        masked.set(cause as object, toAppError(cause, log, requestId));
      }
    },
    willSendResponse: async ({ response, errors = [], contextValue: { language } }) => {
      tell(response, language);
      const waits = errors.map((error) => explain(error)?.retryAfter ?? 0);
      const longest = Math.max(0, ...waits);
      if (longest > 0) response.http.headers.set('retry-after', String(longest));
    },
  }),
};

function limits(checks: OperationChecks): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, request, contextValue }) => {
        // Without one, the executor responds with the error of graphql-js.
        if (!operation) return;
        try {
          // A subscription has no single response.
          if (operation.operation === 'subscription') {
            throw new AppError('BAD_REQUEST', { message: say('subscriptionNeedsSocket') });
          }
          await checks.admit(contextValue, document, operation, request.variables ?? {});
        } catch (error) {
          throw error instanceof AppError ? withStatus(error) : error;
        }
      },
    }),
  };
}

/** The error for clients where it is known what became of it; undefined where nobody foresaw it. */
function explain(error: unknown): AppError | undefined {
  const cause = unwrapResolverError(error);
  const ours = findOurs(error) ?? masked.get(Object(cause));
  if (ours || !(error instanceof GraphQLError)) return ours;
  return cause === error ? explainRefusal(error) : undefined;
}

/** What Apollo refused before anything ran. */
function explainRefusal({ message, extensions }: GraphQLError): AppError | undefined {
  const key = KEYS[String(extensions.code)];
  return key && new AppError(key, { message: say('graphqlSays', message) });
}

/** The errors as they are told in English, since here nothing is known of the request, and what they tell. */
const formattedErrors = new WeakMap<GraphQLFormattedError, AppError>();

function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const explained = explain(error) ?? new AppError('INTERNAL_ERROR');
  toldErrors.inc({ surface: 'graphql', key: explained.key });
  const told = inLanguage(formatted, explained, 'en');
  formattedErrors.set(told, explained);
  return told;
}

/** Puts an answer into the reader's language. */
function tell({ body, http }: GraphQLResponse, language: Language): void {
  http.headers.set('content-language', language);
  if (body.kind !== 'single' || !body.singleResult.errors || language === 'en') return;
  body.singleResult.errors = body.singleResult.errors.map((formatted) => {
    const error = formattedErrors.get(formatted);
    return error ? inLanguage(formatted, error, language) : formatted;
  });
}
