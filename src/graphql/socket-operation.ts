/** One subscription over a WebSocket: read and limited as a query over HTTP is, then begun. */
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
import { AppError } from '../errors.js';
import { releasePermits } from '../limits/operations.js';
import { say } from '../messages/message.js';
import { DocumentErrors } from './documents.js';
import type { OperationChecks } from './operation-checks.js';
import { type ExecuteEvent, runSubscription } from './subscription.js';
import { tellIn } from './told.js';

/** What the protocol's library is given: the results are there already, as its root value. */
export type Begun = ExecutionArgs & { rootValue: AsyncGenerator<ExecutionResult, void> };

/** What runs on one connection. */
export type Running = Set<AsyncGenerator<unknown, void>>;

/**
 * Begins what a message asks for; it is `running` until it is ended.
 * @returns the errors, as they are told, where it is not to be
 */
export type Begin = (
  payload: SubscribePayload,
  context: Context,
  running: Running,
) => Promise<Begun | readonly GraphQLError[]>;

export function createBegin(checks: OperationChecks): Begin {
  const { documents } = checks;
  return async ({ query, variables, operationName }, contextValue, running) => {
    try {
      const document = documents.read(query);
      const operation = requireSubscription(document, operationName);
      // The permit is for one event at a time.
      await checks.admit(contextValue, document, operation, variables ?? {});
      releasePermits(contextValue);
      const request = { schema: documents.schema, document, variableValues: variables, operationName, contextValue };
      const results = await runSubscription(request, limitedEvent(request, contextValue.budget.cost));
      if (Symbol.asyncIterator in results) return { ...request, rootValue: keptIn(running, results) };
      return (results.errors ?? []).map((error) => tellIn(contextValue, error, 'VALIDATION_FAILED'));
    } catch (error) {
      const errors = error instanceof DocumentErrors ? error.errors : [error];
      return errors.map((one) => tellIn(contextValue, one));
    }
  };
}

/** Each event is an operation of its own: it waits for its own permit, and its response is bounded. */
function limitedEvent(request: ExecutionArgs, cost: number): ExecuteEvent {
  return async (rootValue, eventContext) => {
    const context = { ...eventContext, budget: { cost, permits: [] } };
    const { operations } = context.limits;
    try {
      await operations.admit(context, cost);
      const result = await execute({ ...request, rootValue, contextValue: context });
      await operations.admitResult(context, result);
      return result;
    } catch (error) {
      return { data: null, errors: [tellIn(context, error)] };
    } finally {
      releasePermits(context);
    }
  };
}

/** The library forgets one whose id a client uses again while it is only beginning. */
function keptIn<Results extends AsyncGenerator<unknown, void>>(running: Running, results: Results): Results {
  const kept: Results = {
    ...results,
    return: (value) => {
      running.delete(kept);
      return results.return(value);
    },
  };
  running.add(kept);
  return kept;
}

/** Queries and mutations have their place, with all that guards it. @throws AppError BAD_REQUEST */
function requireSubscription(
  document: DocumentNode,
  operationName: string | null | undefined,
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new AppError('BAD_REQUEST', { message: say('graphqlSays', 'Unknown operation.') });
  if (operation.operation === 'subscription') return operation;
  throw new AppError('BAD_REQUEST', { message: say('onlySubscriptions') });
}
