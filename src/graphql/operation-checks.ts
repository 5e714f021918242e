/** What every operation passes before it runs, over HTTP and WebSocket: its document, its variables, its cost, a permit. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Config } from '../config.js';
import type { Context } from '../context.js';
import { CostEstimator } from './cost.js';
import { Documents } from './documents.js';
import { requireVariables } from './variables.js';

export class OperationChecks {
  readonly documents: Documents;
  readonly #costs: CostEstimator;

  constructor(schema: GraphQLSchema, { graphqlLimits, graphqlIntrospection }: Config) {
    this.documents = new Documents(schema, graphqlLimits, graphqlIntrospection);
    this.#costs = new CostEstimator(schema, graphqlLimits.maxCost);
  }

  /**
   * Waits until the operation may run.
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
    await context.limits.operations.admit(context, cost);
  }
}
