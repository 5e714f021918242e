/** Runs a subscription: creates its source event stream once, and executes its operation for each event. For both transports. */
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Context } from '../context.js';
import { type Executable, execute, type Variables } from '../execute.js';
import type { Loaders } from '../loaders/index.js';
import { releasePermits } from '../services/limits/operations.js';

export interface SubscriptionRequest {
  schema: GraphQLSchema;
  document: DocumentNode;
  operationName?: string | null | undefined;
  variableValues: Variables;
  contextValue: Context;
}

/** Common part of the events of all sources. */
export interface SubscriptionEvent {
  /** New for each event: the loaders of the request would cache their results for as long as the stream is open. */
  readonly loaders: Loaders;
}

/** @returns a generator of results, or a result with errors if the stream cannot be created */
export async function runSubscription(
  request: SubscriptionRequest,
  executable: Executable,
): Promise<AsyncGenerator<ExecutionResult, void> | ExecutionResult> {
  const source = await createSourceEventStream(request);
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source[Symbol.asyncIterator]() as AsyncIterator<SubscriptionEvent>;
  return mapEach(events, (event) => executeEvent(executable, request, event));
}

/** Each event is executed as a separate operation, with its own permit and response size limit. */
async function executeEvent(
  executable: Executable,
  { variableValues, contextValue }: SubscriptionRequest,
  event: SubscriptionEvent,
): Promise<ExecutionResult> {
  const context: Context = { ...contextValue, loaders: event.loaders, budget: { cost: 0, permits: [] } };
  try {
    return await execute(executable, variableValues, context, event);
  } catch (error) {
    const originalError = error as Error;
    return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] };
  } finally {
    releasePermits(context);
  }
}

/** Not an async generator function: its `return()` would be queued until the pending `next()` settles. */
function mapEach<Event, Result>(
  events: AsyncIterator<Event>,
  map: (event: Event) => Result | Promise<Result>,
): AsyncGenerator<Result, void> {
  const end = async (): Promise<IteratorResult<Result, void>> => {
    await events.return?.();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      const { done, value } = await events.next();
      return done ? { done, value: undefined } : { done: false, value: await map(value) };
    },
    return: end,
    throw: async (error) => {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
