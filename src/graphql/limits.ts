/** How much one GraphQL document may ask for: tokens, depth, aliases, and a cost in which a list counts its size. */
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { fieldExtensionsEstimator, getComplexity, simpleEstimator } from 'graphql-query-complexity';
import { AppError } from '../errors.js';

export const MAX_TOKENS = 2000;
export const MAX_DEPTH = 12;
export const MAX_ALIASES = 30;
/** Fields, each counted as often as its list may have elements. */
export const MAX_COST = 20_000;

/** The rules for depth and aliases. Their errors carry QUERY_TOO_COMPLEX, which the libraries' own do not. */
export const limitRules: ValidationRule[] = [
  maxDepthRule({ n: MAX_DEPTH, propagateOnRejection: false, onReject: [report(`deeper than ${MAX_DEPTH} levels`)] }),
  maxAliasesRule({
    n: MAX_ALIASES,
    propagateOnRejection: false,
    onReject: [report(`of more than ${MAX_ALIASES} aliases`)],
  }),
] as ValidationRule[];

function report(what: string) {
  return (context: ValidationContext | null) => {
    const { key, message } = new AppError('QUERY_TOO_COMPLEX', { message: `The query is ${what}.` });
    context?.reportError(new GraphQLError(message, { extensions: { code: key } }));
  };
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
  const key = JSON.stringify([operationName, Object.values(variables).filter((value) => typeof value === 'number')]);
  const cost = known.get(key) ?? costOf(schema, document, variables, operationName);
  if (known.size < COSTS_KEPT) known.set(key, cost);
  if (cost <= MAX_COST) return;
  throw new AppError('QUERY_TOO_COMPLEX', {
    message: `The query may cost ${MAX_COST}, and costs ${cost}: each field counts as often as its list is long.`,
  });
}

function costOf(
  schema: GraphQLSchema,
  query: DocumentNode,
  variables: Record<string, unknown>,
  operationName: string | null,
): number {
  try {
    const estimators = [fieldExtensionsEstimator(), simpleEstimator({ defaultComplexity: 1 })];
    return getComplexity({ schema, query, variables, operationName: operationName ?? undefined, estimators });
  } catch {
    // A variable that does not fit its type: the execution says so, in GraphQL's own words.
    return 0;
  }
}
