/** Runs a subscription: its source of events once, and its operation for each event. Both transports do it through here. */
import { createSourceEventStream, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { Context } from '../context.js';
import type { Loaders } from '../loaders/index.js';

export interface SubscriptionRequest {
  schema: GraphQLSchema;
  document: DocumentNode;
  operationName?: string | null | undefined;
  variableValues?: Record<string, unknown> | null | undefined;
  contextValue: Context;
}

/** What every source of events gives, whatever else is in it. */
export interface SubscriptionEvent {
  /** Those of a request would keep what they once loaded for as long as the stream is open. */
  readonly loaders: Loaders;
}

/** Executes the operation for one event, which is its root value. */
export type ExecuteEvent = (event: SubscriptionEvent, context: Context) => ExecutionResult | Promise<ExecutionResult>;

/** @returns the results as they come, or the errors for which nothing will come */
export async function runSubscription(
  request: SubscriptionRequest,
  execute: ExecuteEvent,
): Promise<AsyncGenerator<ExecutionResult, void> | ExecutionResult> {
  const source = await createSourceEventStream(request);
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source[Symbol.asyncIterator]() as AsyncIterator<SubscriptionEvent>;
  return mapEach(events, (event) => execute(event, { ...request.contextValue, loaders: event.loaders }));
}

/** Not an async generator function: that one would not hear of its end while it waits for the next event. */
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
