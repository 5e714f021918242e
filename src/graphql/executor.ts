/** Executes GraphQL documents: frequent ones as compiled code (graphql-jit), the others with `execute` of graphql-js. */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Executable } from '../execute.js';
import type { CachedDocument } from './document-cache.js';
import type { OperationAnalysis } from './operation-analysis.js';
import { fragmentOf } from './selected-fields.js';

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

/** What executes the operations of `/graphql`. */
export class Executor {
  readonly #queries = new LRUCache<string, CachedQuery>({ maxSize: MAX_CACHED_FIELDS });

  constructor(readonly schema: GraphQLSchema) {}

  /** @param costOf the cost of the operation */
  executable(
    { document, hash }: CachedDocument,
    { operation, needsSnapshot }: OperationAnalysis,
    operationName: string | undefined,
    costOf: Executable['costOf'],
  ): Executable {
    const { schema } = this;
    const run: Executable['run'] = async (rootValue, contextValue, variableValues) => {
      const query = this.#compiled(`${hash}${operationName ?? ''}`, document, operation);
      const result = (await query?.(rootValue, contextValue, variableValues)) as ExecutionResult | undefined;
      // Nothing was executed: graphql-jit rejects some valid variables, such as an absent one of a non-null type with a default.
      if (!result || result.data === undefined)
        return execute({ schema, document, rootValue, contextValue, variableValues, operationName });
      return result.errors ? { data: result.data, errors: result.errors.map(asGraphQLError) } : result;
    };
    return { api: 'graphql', operation, needsSnapshot, costOf, run };
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
