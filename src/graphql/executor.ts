/** Executes GraphQL documents: those that come again and again through compiled code, the others plainly. */
import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';

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
  return async ({ document, operationName, queryHash, request, context }) => {
    const plain = () =>
      execute({ schema, document, contextValue: context, variableValues: request.variables, operationName });
    const query = compiledFor(schema, documents, `${queryHash}${operationName ?? ''}`, document, operationName);
    if (!query) return plain();
    const result = (await query(undefined, context, request.variables ?? {})) as ExecutionResult;
    // Nothing ran: a variable did not fit its type. graphql-js words that as its clients know it.
    return result.data === undefined ? plain() : result;
  };
}

function compiledFor(
  schema: GraphQLSchema,
  documents: LRUCache<string, Known>,
  key: string,
  document: DocumentNode,
  operationName: string | null,
): Query | null {
  const known = documents.get(key) ?? { seen: 0 };
  documents.set(key, known);
  known.seen++;
  if (known.query === undefined && known.seen > SEEN_BEFORE_COMPILING) {
    const compiled = compileQuery(schema, document, operationName ?? undefined);
    known.query = isCompiledQuery(compiled) ? compiled.query : null;
  }
  return known.query ?? null;
}
