/** Estimates the cost of an operation before it runs: the number of values in the largest possible response, and its statements. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isLeafType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import type { ComplexityEstimator } from 'graphql-query-complexity';
// The CommonJS build: the ES build imports the ES modules of graphql, a different instance than the one used elsewhere here.
import complexity from 'graphql-query-complexity/cjs';
import { LRUCache } from 'lru-cache';
import type { Variables } from '../execute.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { COST_ARGUMENTS, listCost, STATEMENT_COST } from '../schema/cost.js';
import { tooComplex } from './format-error.js';

const { fieldExtensionsEstimator, getComplexity, simpleEstimator } = complexity;

const MAX_NODES = fixedLimit({
  area: 'GraphQL',
  value: 10_000,
  error: 'QUERY_TOO_COMPLEX',
  about: 'Fields of an operation, with fragments expanded.',
});

/** Assumed list lengths in the introspection schema: slightly above the averages of this schema's types. */
const INTROSPECTION_LENGTHS: Readonly<Record<string, number>> = {
  types: 120,
  fields: 6,
  inputFields: 2,
  args: 1,
  enumValues: 2,
  directives: 8,
  locations: 4,
  interfaces: 1,
  possibleTypes: 1,
};

/** Assumed length of a list of short strings, such as tags. */
const MAX_STRINGS = 10;

/** Lists without a declared cost. That of a page includes its elements. */
const estimateList: ComplexityEstimator = ({ type, field, childComplexity }) => {
  if (!isListType(getNullableType(field.type))) return undefined;
  if (isIntrospectionType(type)) return 1 + (INTROSPECTION_LENGTHS[field.name] ?? 1) * Math.max(1, childComplexity);
  if (isLeafType(getNamedType(field.type))) return 1 + MAX_STRINGS;
  const { maxItems } = Object(field.extensions.jsonSchema);
  return maxItems === undefined || type.extensions.isPaged ? undefined : 1 + maxItems * childComplexity;
};

const estimatePage: ComplexityEstimator = (estimate) =>
  getNamedType(estimate.field.type).extensions.isPaged ? listCost(estimate) : undefined;

const estimators = [fieldExtensionsEstimator(), estimatePage, estimateList, simpleEstimator({ defaultComplexity: 1 })];

const ROOT_TYPES: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

/** A root field, or a relation, whose rows one statement loads for all elements of a list: its cost is not multiplied by their number. */
const estimateStatements: ComplexityEstimator = ({ type, field, childComplexity }) => {
  const isRelation = field.resolve !== undefined && !isLeafType(getNamedType(field.type));
  const isStatement =
    !field.name.startsWith('__') && (ROOT_TYPES.has(type.name) || isRelation) && !isIntrospectionType(type);
  return (isStatement ? STATEMENT_COST : 0) + childComplexity;
};

/** Cached costs of one operation of a document, by the values of the variables that affect them. */
interface CachedCosts {
  readonly variables: readonly string[];
  readonly byValues: LRUCache<string, number>;
}

const MAX_COSTS_PER_OPERATION = 100;
/** Maximum length of a cache key in characters. Costs with longer keys are not cached. */
const MAX_KEY_LENGTH = 200;

export class CostEstimator {
  /** Cached for as long as the document is cached. */
  readonly #cached = new WeakMap<OperationDefinitionNode, CachedCosts>();

  constructor(
    readonly schema: GraphQLSchema,
    readonly maxCost: number,
  ) {}

  /**
   * @param variables valid for the operation, not coerced
   * @throws AppError QUERY_TOO_COMPLEX, VALIDATION_FAILED
   */
  requireAffordable(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): number {
    const cost = this.costOf(document, operation, variables);
    if (cost <= this.maxCost) return cost;
    throw tooComplex('operation cost', createMessage('queryTooCostly', this.maxCost, cost));
  }

  /** The costs of an operation; 0 for invalid arguments: it then rejects them, with an error for each. */
  costsOf(document: DocumentNode, operation: OperationDefinitionNode): (variables: Variables) => number {
    return (variables) => {
      try {
        return this.costOf(document, operation, variables);
      } catch (error) {
        if (error instanceof AppError && error.key === 'VALIDATION_FAILED') return 0;
        throw error;
      }
    };
  }

  /** @throws AppError VALIDATION_FAILED */
  costOf(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): number {
    const cached = this.#cached.get(operation) ?? {
      variables: costVariables(document),
      byValues: new LRUCache<string, number>({ max: MAX_COSTS_PER_OPERATION }),
    };
    this.#cached.set(operation, cached);
    const key = variablesKey(cached.variables, variables);
    const cachedCost = cached.byValues.get(key);
    if (cachedCost !== undefined) return cachedCost;
    const cost = estimate(this.schema, document, operation, variables);
    if (key.length <= MAX_KEY_LENGTH) cached.byValues.set(key, cost);
    return cost;
  }
}

function variablesKey(names: readonly string[], variables: Readonly<Record<string, unknown>>): string {
  let key = '';
  for (const name of names) {
    const value = variables[name];
    key += typeof value === 'number' ? `${value},` : `${JSON.stringify(value)},`;
  }
  return key;
}

/** Names of the variables that affect the cost: those in size arguments of lists and in directives such as `@include`. */
function costVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  const collect = { Variable: (node: { name: { value: string } }) => void names.add(node.name.value) };
  visit(document, {
    Directive: (node) => void visit(node, collect),
    Argument: (node) => {
      if (COST_ARGUMENTS.has(node.name.value)) visit(node, collect);
    },
  });
  return [...names];
}

function estimate(
  schema: GraphQLSchema,
  query: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  // graphql-query-complexity selects an operation by name, or takes all operations of the document.
  const definitions = query.definitions.filter(
    (definition) => definition === operation || definition.kind !== Kind.OPERATION_DEFINITION,
  );
  const single: DocumentNode = { kind: Kind.DOCUMENT, definitions };
  try {
    const request = { schema, query: single, variables, maxQueryNodes: MAX_NODES };
    return getComplexity({ ...request, estimators }) + getComplexity({ ...request, estimators: [estimateStatements] });
  } catch (cause) {
    if (!(cause instanceof GraphQLError)) throw cause;
    // An error with nodes is for a null value of a non-null argument; otherwise maxQueryNodes is exceeded.
    if (cause.nodes)
      throw new AppError('VALIDATION_FAILED', { message: createMessage('graphqlError', cause.message), cause });
    return Number.POSITIVE_INFINITY;
  }
}
