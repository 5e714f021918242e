/** Checks of every operation before it runs, over HTTP and WebSocket: document, scopes, variables, cost, concurrency permit. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
import type { Context } from '../context.js';
import { FairStarts } from '../platform/concurrency/fair-starts.js';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import type { Config } from '../platform/config/index.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { beginningOf } from '../platform/text.js';
import { UploadedFile } from '../schema/scalars.js';
import { requireScopes } from '../services/auth/api-token.js';
import { clientTask, type QueuedRequest } from '../services/limits/client-task.js';
import { CostEstimator } from './cost.js';
import { type CachedDocument, DocumentCache } from './document-cache.js';
import { tooComplex } from './format-error.js';
import { analyzeOperation } from './operation-analysis.js';

const MAX_EVENT_COST = fixedLimit({
  area: 'GraphQL',
  value: 10_000,
  error: 'QUERY_TOO_COMPLEX',
  about: 'Cost of each event of a subscription.',
});

export class OperationChecks {
  readonly documents: DocumentCache;
  readonly #costs: CostEstimator;
  /** Of the validation of documents, which takes milliseconds. */
  readonly #starts = new FairStarts({ isAlwaysShared: true });

  constructor(schema: GraphQLSchema, { graphqlLimits, graphqlIntrospection }: Config) {
    this.documents = new DocumentCache(schema, graphqlLimits, graphqlIntrospection);
    this.#costs = new CostEstimator(schema, graphqlLimits.maxCost);
  }

  /**
   * The parsed and validated document. One that is not cached waits for a turn of its network.
   * @throws AppError QUERY_TOO_COMPLEX; DocumentErrors
   */
  async read(request: QueuedRequest, text: string): Promise<CachedDocument> {
    if (!this.documents.has(text)) await this.#starts.start(clientTask(request));
    return this.documents.read(text);
  }

  /**
   * The cost of an operation that may run.
   * @throws AppError SCOPE_MISSING, QUERY_TOO_COMPLEX, VALIDATION_FAILED
   */
  costOf(
    context: Context,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): number {
    const { schema } = this.documents;
    const { scopeNeeds, misplaced } = analyzeOperation(schema, document, operation);
    requireScopes(context.viewer, scopeNeeds, variables);
    if (misplaced)
      throw tooComplex('field placement', createMessage('fieldMisplaced', misplaced.field, misplaced.roots));
    requireVariables(schema, operation, variables);
    const cost = this.#costs.requireAffordable(document, operation, variables);
    if (operation.operation === 'subscription' && cost > MAX_EVENT_COST) {
      throw tooComplex('event cost', createMessage('queryTooCostly', MAX_EVENT_COST, cost));
    }
    return cost;
  }
}

const MAX_VALUES = fixedLimit({
  area: 'GraphQL',
  value: 1_000,
  error: 'QUERY_TOO_COMPLEX',
  about: 'Values in the variables of an operation, including those in lists and objects.',
});

/** @throws AppError QUERY_TOO_COMPLEX; VALIDATION_FAILED for the first value that does not match its type */
function requireVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): void {
  const { variableDefinitions = [] } = operation;
  if (variableDefinitions.length === 0) return;
  requireFewValues(operation, variables);
  const { errors } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 });
  const [error] = errors ?? [];
  if (!error) return;
  // The message contains the value, which may be as long as the body.
  const message = createMessage('graphqlError', beginningOf(error.message, MAX_MESSAGE_LENGTH));
  throw new AppError('VALIDATION_FAILED', { message, cause: error });
}

const MAX_MESSAGE_LENGTH = 500;

/** Must precede all work for each value. @throws AppError QUERY_TOO_COMPLEX */
export function requireFewValues(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): void {
  const declared = variableDefinitions.map(({ variable }) => variables[variable.name.value]);
  if (countValues(declared.filter(isNested)) <= MAX_VALUES) return;
  throw tooComplex('variable values', createMessage('tooManyVariableValues', MAX_VALUES));
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Stops above MAX_VALUES. Not recursive: JSON can be nested 100,000 levels deep. */
function countValues(roots: unknown[]): number {
  const pending = roots;
  let count = 0;
  while (pending.length > 0 && count <= MAX_VALUES) {
    const value = pending.pop();
    count++;
    if (typeof value !== 'object' || value === null || value instanceof UploadedFile) continue;
    const children = Array.isArray(value) ? value : Object.values(value);
    count += Math.max(0, children.length - MAX_VALUES);
    pending.push(...children.slice(0, MAX_VALUES));
  }
  return count;
}
