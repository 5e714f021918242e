/** Apollo Server over the schema: limits, masking of errors, and the explorer as its landing page. */
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { GraphQLError, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Context } from '../context.js';
import { AppError, type ErrorKey } from '../errors.js';
import { toAppError } from '../failure.js';
import type { Services } from '../services.js';
import { jitGateway } from './executor.js';
import { limitRules, MAX_TOKENS, requireAffordable } from './limits.js';

/** Apollo's own codes, told under the keys that both surfaces share. */
const KEYS: Record<string, ErrorKey> = {
  [ApolloServerErrorCode.GRAPHQL_PARSE_FAILED]: 'BAD_REQUEST',
  [ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED]: 'BAD_REQUEST',
  [ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE]: 'BAD_REQUEST',
  [ApolloServerErrorCode.BAD_REQUEST]: 'BAD_REQUEST',
  [ApolloServerErrorCode.BAD_USER_INPUT]: 'VALIDATION_FAILED',
};

export function createApollo(schema: GraphQLSchema, { config, log }: Services): ApolloServer<Context> {
  return new ApolloServer<Context>({
    gateway: jitGateway(schema),
    introspection: config.graphqlIntrospection,
    parseOptions: { maxTokens: MAX_TOKENS },
    validationRules: limitRules,
    formatError,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: log,
    plugins: [failures, costs(schema), ApolloServerPluginLandingPageLocalDefault({ embed: true, footer: false })],
  });
}

/** What became of errors that are not ours, by the error that was thrown. */
const masked = new WeakMap<object, AppError>();

const failures: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue: { log, requestId } }) => {
      for (const error of errors) {
        const cause = unwrapResolverError(error);
        if (isOurs(error, cause)) continue;
        masked.set(cause as object, toAppError(cause, log, requestId));
      }
    },
  }),
};

function costs(schema: GraphQLSchema): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, request, operationName }) =>
        requireAffordable(schema, document, request.variables ?? {}, operationName),
    }),
  };
}

/** An AppError, or an error that GraphQL itself found in the request. */
function isOurs(error: GraphQLError, cause: unknown): boolean {
  return cause instanceof AppError || (cause === error && KEYS[String(error.extensions.code)] !== undefined);
}

function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  const ours = cause instanceof AppError ? cause : masked.get(Object(cause));
  if (ours) return { ...formatted, message: ours.message, extensions: { ...ours.extensions } };
  const code = String(formatted.extensions?.code);
  return { ...formatted, extensions: { code: KEYS[code] ?? code } };
}
