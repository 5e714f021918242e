/** One subscription over a WebSocket: parsed, validated and limited like a query over HTTP, then started. */
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import type { Context } from '../context.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { releasePermits } from '../services/limits/operations.js';
import { DocumentErrors } from './document-cache.js';
import { toGraphQLError } from './format-error.js';
import type { OperationChecks } from './operation-checks.js';
import { runSubscription } from './subscription.js';

/** Execution arguments for graphql-ws. The root value is the generator of the results, which is already started. */
export type StartedSubscription = ExecutionArgs & { rootValue: AsyncGenerator<ExecutionResult, void> };

/** Running subscriptions of one connection. */
export type Running = Set<AsyncGenerator<unknown, void>>;

/**
 * Starts the subscription of a `subscribe` message, and adds it to `running` until it ends.
 * @returns the errors for the client if it is rejected
 */
export type StartSubscription = (
  payload: SubscribePayload,
  context: Context,
  running: Running,
) => Promise<StartedSubscription | readonly GraphQLError[]>;

export function createStartSubscription(checks: OperationChecks): StartSubscription {
  const { documents } = checks;
  return async ({ query, variables, operationName }, contextValue, running) => {
    try {
      const { document } = await checks.read(contextValue, query);
      const operation = requireSubscription(document, operationName);
      // Released at once: each event acquires a permit of its own.
      const { schema } = documents;
      const variableValues = variables ?? {};
      const request = { schema, document, variableValues, operationName, contextValue };
      const cost = checks.costOf(contextValue, document, operation, variableValues);
      await contextValue.limits.operations.admit(contextValue, cost);
      releasePermits(contextValue);
      const results = await runSubscription(request, {
        api: 'graphql',
        operation,
        needsSnapshot: false,
        costOf: () => cost,
        run: (rootValue, contextValue) => execute({ ...request, rootValue, contextValue }),
      });
      if (Symbol.asyncIterator in results) return { ...request, rootValue: tracked(running, results) };
      return (results.errors ?? []).map((error) => toGraphQLError(contextValue, error, 'VALIDATION_FAILED'));
    } catch (error) {
      const errors = error instanceof DocumentErrors ? error.errors : [error];
      return errors.map((one) => toGraphQLError(contextValue, one));
    }
  };
}

/** Tracks running results: graphql-ws loses those of a subscription whose id the client reuses while it is starting. */
function tracked<Results extends AsyncGenerator<unknown, void>>(running: Running, results: Results): Results {
  const tracking: Results = {
    ...results,
    return: (value) => {
      running.delete(tracking);
      return results.return(value);
    },
  };
  running.add(tracking);
  return tracking;
}

/** Queries and mutations are available over HTTP only, with its limits. @throws AppError BAD_REQUEST */
function requireSubscription(
  document: DocumentNode,
  operationName: string | null | undefined,
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new AppError('BAD_REQUEST', { message: createMessage('graphqlError', 'Unknown operation.') });
  if (operation.operation === 'subscription') return operation;
  throw new AppError('BAD_REQUEST', { message: createMessage('onlySubscriptionsAllowed') });
}
