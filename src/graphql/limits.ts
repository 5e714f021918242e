/** How much one GraphQL document may ask for: tokens, depth, aliases, and a cost in which a list counts its size. */
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Lexer,
  type Source,
  TokenKind,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
// Its ES modules import graphql's, which are another realm than the one that everything else here uses.
import complexity from 'graphql-query-complexity/cjs';
import { AppError } from '../errors.js';
import { type Message, say } from '../messages/message.js';

const { fieldExtensionsEstimator, getComplexity, simpleEstimator } = complexity;

export const MAX_TOKENS = 2000;
export const MAX_DEPTH = 12;
export const MAX_ALIASES = 30;
/** Fields, each counted as often as its list may have elements. */
export const MAX_COST = 20_000;

/** The rules for depth and aliases. Their errors carry QUERY_TOO_COMPLEX, which the libraries' own do not. */
export const limitRules: ValidationRule[] = [
  maxDepthRule({
    n: MAX_DEPTH,
    flattenFragments: true,
    propagateOnRejection: false,
    onReject: [report(say('queryTooDeep', MAX_DEPTH))],
  }),
  maxAliasesRule({
    n: MAX_ALIASES,
    propagateOnRejection: false,
    onReject: [report(say('queryTooManyAliases', MAX_ALIASES))],
  }),
] as ValidationRule[];

function report(message: Message) {
  return (context: ValidationContext | null) => {
    const originalError = new AppError('QUERY_TOO_COMPLEX', { message });
    context?.reportError(new GraphQLError(originalError.message, { originalError }));
  };
}

/** Whether this is why a document did not parse; the parser itself only says so in words. */
export function hasTooManyTokens(source: Source): boolean {
  const lexer = new Lexer(source);
  try {
    for (let count = 0; count <= MAX_TOKENS; count++) if (lexer.advance().kind === TokenKind.EOF) return false;
    return true;
  } catch {
    return false;
  }
}

/** Costs by document and by the variables that can change them. Documents live as long as Apollo caches them. */
const costs = new WeakMap<DocumentNode, Map<string, number>>();
const COSTS_KEPT = 100;

/** @throws AppError QUERY_TOO_COMPLEX */
export function requireAffordable(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  operationName: string | null,
): void {
  const known = costs.get(document) ?? new Map<string, number>();
  costs.set(document, known);
  const key = JSON.stringify([operationName, Object.entries(variables).filter(isDecisive).sort()]);
  const cost = known.get(key) ?? costOf(schema, document, variables, operationName);
  if (known.size < COSTS_KEPT) known.set(key, cost);
  if (cost <= MAX_COST) return;
  throw new AppError('QUERY_TOO_COMPLEX', { message: say('queryTooCostly', MAX_COST, cost) });
}

/** Numbers are sizes, truth values switch selections on and off. */
function isDecisive([, value]: [string, unknown]): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || value === null;
}

function costOf(
  schema: GraphQLSchema,
  query: DocumentNode,
  variables: Record<string, unknown>,
  operationName: string | null,
): number {
  const operation = getOperationAST(query, operationName);
  // Without an operation, or with variables that do not fit, nothing runs: the execution says so in GraphQL's own words.
  if (!operation) return 0;
  if (getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors) return 0;
  const estimators = [fieldExtensionsEstimator(), simpleEstimator({ defaultComplexity: 1 })];
  const options = { schema, query, variables, estimators, maxQueryNodes: MAX_COST };
  try {
    return getComplexity(operation.name ? { ...options, operationName: operation.name.value } : options);
  } catch (cause) {
    if (!(cause instanceof GraphQLError)) throw cause;
    // It points at an argument that is null and must not be; otherwise there was too much to count.
    if (cause.nodes) throw new AppError('VALIDATION_FAILED', { message: say('graphqlSays', cause.message), cause });
    return Number.POSITIVE_INFINITY;
  }
}
