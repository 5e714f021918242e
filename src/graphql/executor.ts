/** Executes GraphQL documents: those that come again and again through compiled code, the others plainly. */
import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';
import { observeOperation } from '../metrics/operation.js';

type GatewayInterface = ApolloServerOptionsWithGateway<Context>['gateway'];
type Executor = Awaited<ReturnType<GatewayInterface['load']>>['executor'];
type Query = CompiledQuery['query'];

/** Compiling costs as much as tens of executions, so that a document has to show that it comes again. */
const SEEN_BEFORE_COMPILING = 3;
const DOCUMENTS_KEPT = 500;

interface Known {
  seen: number;
  /** Null: it cannot be compiled. */
  query?: Query | null;
}

/** Apollo's way to bring an executor of one's own; nothing is federated here. */
export function jitGateway(schema: GraphQLSchema): GatewayInterface {
  return {
    load: async () => ({ executor: createExecutor(schema) }),
    onSchemaLoadOrUpdate: (listen) => {
      listen({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => {};
    },
    stop: async () => {},
  };
}

function createExecutor(schema: GraphQLSchema): Executor {
  const documents = new LRUCache<string, Known>({ max: DOCUMENTS_KEPT });
  return async ({ document, operation, queryHash, request, context }) => {
    const { operationName, variables = {} } = request;
    const plain = async () =>
      execute({ schema, document, contextValue: context, variableValues: variables, operationName });
    // The name fits no operation, which is what execute says.
    if (!operation) return plain();
    const query = compiledFor(schema, documents, `${queryHash}${operationName ?? ''}`, document, operationName);
    return observeOperation('graphql', operation, () =>
      query ? runCompiled(query, context, variables, plain) : plain(),
    );
  };
}

async function runCompiled(
  query: Query,
  context: unknown,
  variables: Record<string, unknown>,
  plain: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const { data, errors } = (await query(undefined, context, variables)) as ExecutionResult;
  // Nothing ran: a variable did not fit its type. graphql-js words that as its clients know it.
  if (data === undefined) return plain();
  if (!errors) return { data };
  return { data, errors: errors.map(asGraphQLError) };
}

/** Compiled code makes errors that are none of graphql-js's, and lack what Apollo expects of those. */
function asGraphQLError({ message, locations, path, originalError }: GraphQLError): GraphQLError {
  const error = new GraphQLError(message, { path, originalError });
  return Object.defineProperty(error, 'locations', { value: locations, enumerable: true });
}

function compiledFor(
  schema: GraphQLSchema,
  documents: LRUCache<string, Known>,
  key: string,
  document: DocumentNode,
  operationName: string | undefined,
): Query | null {
  const known = documents.get(key) ?? { seen: 0 };
  documents.set(key, known);
  known.seen++;
  if (known.query === undefined && known.seen > SEEN_BEFORE_COMPILING) {
    const compiled = compileQuery(schema, document, operationName);
    known.query = isCompiledQuery(compiled) ? compiled.query : null;
  }
  return known.query ?? null;
}
