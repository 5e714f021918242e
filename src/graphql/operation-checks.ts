/** Checks of every operation before it runs, over HTTP and WebSocket: document, variables, cost, concurrency permit. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Config } from '../config/index.js';
import { fixedLimit } from '../config/limit.js';
import type { Context } from '../context.js';
import { createMessage } from '../messages/message.js';
import { CostEstimator } from './cost.js';
import { Documents } from './documents.js';
import { tooComplex } from './too-complex.js';
import { requireVariables } from './variables.js';

const MAX_EVENT_COST = fixedLimit({
  area: 'GraphQL',
  value: 10_000,
  unit: 'count',
  error: 'QUERY_TOO_COMPLEX',
  about: 'Cost of each event of a subscription.',
});

export class OperationChecks {
  readonly documents: Documents;
  readonly #costs: CostEstimator;

  constructor(schema: GraphQLSchema, { graphqlLimits, graphqlIntrospection }: Config) {
    this.documents = new Documents(schema, graphqlLimits, graphqlIntrospection);
    this.#costs = new CostEstimator(schema, graphqlLimits.maxCost);
  }

  /**
   * Resolves when the operation may run, with its permit.
   * @throws AppError QUERY_TOO_COMPLEX, VALIDATION_FAILED, SERVICE_UNAVAILABLE
   */
  async admit(
    context: Context,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    requireVariables(this.documents.schema, operation, variables);
    const cost = this.#costs.requireAffordable(document, operation, variables);
    if (operation.operation === 'subscription' && cost > MAX_EVENT_COST) {
      throw tooComplex('event cost', createMessage('queryTooCostly', MAX_EVENT_COST, cost));
    }
    await context.limits.operations.admit(context, cost);
  }
}
