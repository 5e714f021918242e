/** Executes GraphQL documents: frequent ones as compiled code (graphql-jit), the others with `execute` of graphql-js. */
import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';
import { AppError } from '../platform/errors.js';
import { observeOperation } from '../platform/observability/metrics/latency.js';
import { readConsistently } from './consistent-read.js';
import { withStatus } from './format-error.js';
import { analyzeOperation, type OperationAnalysis } from './operation-analysis.js';

type GatewayInterface = ApolloServerOptionsWithGateway<Context>['gateway'];
type ExecutorRequest = Parameters<NonNullable<Awaited<ReturnType<GatewayInterface['load']>>['executor']>>[0];
type Query = CompiledQuery['query'];

/** Compiling costs as much as tens of executions, so an operation is interpreted this many times first. */
const MAX_INTERPRETED_RUNS = 3;

/** With fragments expanded. Compiling takes about 50 microseconds per field and blocks the event loop: larger operations are interpreted. */
const MAX_COMPILED_FIELDS = 300;

/** Of all compiled operations that are cached. */
const MAX_CACHED_FIELDS = 20_000;

interface CachedQuery {
  runs: number;
  /** Null if the operation cannot be compiled. Undefined if that was not tried yet. */
  query?: Query | null;
}

/** Executes the operations of all transports except subscriptions. */
export class Executor {
  readonly #queries = new LRUCache<string, CachedQuery>({ maxSize: MAX_CACHED_FIELDS });

  constructor(readonly schema: GraphQLSchema) {}

  /** Apollo accepts a custom executor only as a gateway; there is no federation here. */
  gateway(): GatewayInterface {
    return {
      load: async () => ({ executor: (request) => this.#execute(request).catch(throwWithStatus) }),
      onSchemaLoadOrUpdate: (listen) => {
        listen({ apiSchema: this.schema, coreSupergraphSdl: '' });
        return () => {};
      },
      stop: async () => {},
    };
  }

  /**
   * Runs an operation that is compiled already.
   * @returns undefined if it is not. A result without `data`: nothing was executed
   */
  async runCompiled(
    hash: string,
    operationName: string | undefined,
    { operation, needsSnapshot }: OperationAnalysis,
    context: Context,
    variables: Record<string, unknown>,
  ): Promise<ExecutionResult | undefined> {
    const query = this.#queries.get(operationKey(hash, operationName))?.query;
    if (!query) return undefined;
    return observeOperation('graphql', operation, () =>
      readConsistently(needsSnapshot(variables), context, async (inSnapshot) =>
        query(undefined, inSnapshot, variables),
      ),
    );
  }

  async #execute({ document, operation, queryHash, request, context }: ExecutorRequest): Promise<ExecutionResult> {
    const { operationName, variables = {} } = request;
    const { schema } = this;
    const contextValue = context as Context;
    const plain = async (contextValue: Context) =>
      execute({ schema, document, contextValue, variableValues: variables, operationName });
    // No operation has this name: `execute` returns the error.
    if (!operation) return plain(contextValue);
    const executed = contextValue.responseMeta.result;
    const { needsSnapshot } = analyzeOperation(schema, document, operation);
    const query = executed ? null : this.#compiled(operationKey(queryHash, operationName), document, operation);
    const result = executed
      ? withGraphQLErrors(executed)
      : await observeOperation('graphql', operation, () =>
          readConsistently(needsSnapshot(variables), contextValue, (inSnapshot) =>
            query ? runOrInterpret(query, inSnapshot, variables, plain) : plain(inSnapshot),
          ),
        );
    await contextValue.limits.operations.admitResult(contextValue, result);
    contextValue.responseMeta.hasData = hasData(result);
    contextValue.responseMeta.isComplete = result.errors === undefined;
    return result;
  }

  #compiled(key: string, document: DocumentNode, operation: OperationDefinitionNode): Query | null {
    const cached = this.#queries.get(key) ?? { runs: 0 };
    cached.runs++;
    if (cached.query !== undefined) return cached.query;
    let fields = 1;
    if (cached.runs > MAX_INTERPRETED_RUNS) {
      fields += countFields(document, operation.selectionSet, MAX_COMPILED_FIELDS);
      cached.query =
        fields <= MAX_COMPILED_FIELDS ? compileOperation(this.schema, document, operation.name?.value) : null;
    }
    this.#queries.set(key, cached, { size: cached.query ? fields : 1 });
    return cached.query ?? null;
  }
}

/** Whether a root field has a value. With errors and only nulls, the operation has failed: root fields may be nullable. */
function hasData({ data, errors }: ExecutionResult): boolean {
  return data != null && (errors === undefined || Object.values(data).some((value) => value !== null));
}

function operationKey(hash: string, operationName: string | undefined): string {
  return `${hash}${operationName ?? ''}`;
}

/** Of the whole operation: a snapshot without a connection, HTML that was not rendered in time, a response that is too large. */
function throwWithStatus(error: unknown): never {
  throw error instanceof AppError ? withStatus(error) : error;
}

async function runOrInterpret(
  query: Query,
  context: Context,
  variables: Record<string, unknown>,
  plain: (context: Context) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const result = (await query(undefined, context, variables)) as ExecutionResult;
  // Nothing was executed: graphql-jit rejects some valid variables, such as an absent one of a non-null type with a default.
  return result.data === undefined ? plain(context) : withGraphQLErrors(result);
}

function withGraphQLErrors({ data, errors }: ExecutionResult): ExecutionResult {
  return errors ? { data, errors: errors.map(asGraphQLError) } : { data };
}

/** Errors of compiled code are not instances of GraphQLError, and lack properties that Apollo expects of these. */
function asGraphQLError({ message, locations, path, originalError }: GraphQLError): GraphQLError {
  const error = new GraphQLError(message, { path, originalError });
  return Object.defineProperty(error, 'locations', { value: locations, enumerable: true });
}

function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): Query | null {
  const compiled = compileQuery(schema, document, operationName);
  return isCompiledQuery(compiled) ? compiled.query : null;
}

/** @returns the number of fields of a selection with fragments expanded; any number above `max` if there are more */
function countFields(document: DocumentNode, { selections }: SelectionSetNode, max: number): number {
  let count = 0;
  for (const selection of selections) {
    if (count > max) return count;
    if (selection.kind === Kind.FIELD) count++;
    const selected = selection.kind === Kind.FRAGMENT_SPREAD ? fragmentOf(document, selection.name.value) : selection;
    if (selected?.selectionSet) count += countFields(document, selected.selectionSet, max - count);
  }
  return count;
}

function fragmentOf({ definitions }: DocumentNode, name: string): FragmentDefinitionNode | undefined {
  return definitions.find((node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name) as
    | FragmentDefinitionNode
    | undefined;
}
