/** One subscription over a WebSocket: read and limited as a query over HTTP is, then begun. */
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  Source,
  specifiedRules,
  validate,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { say } from '../messages/message.js';
import { hasTooManyTokens, limitRules, MAX_TOKENS, requireAffordable } from './limits.js';
import { type ExecuteEvent, runSubscription } from './subscription.js';
import { type Reader, tellIn } from './told.js';

/** Documents that are good, by their text: a thousand streams of one kind of client share one. */
const DOCUMENTS_KEPT = 200;

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

export function createBegin(schema: GraphQLSchema): Begin {
  const documents = new LRUCache<string, DocumentNode>({ max: DOCUMENTS_KEPT });
  return async ({ query, variables, operationName }, contextValue, running) => {
    try {
      const document = documents.get(query) ?? read(schema, query, contextValue);
      if (Array.isArray(document)) return document;
      documents.set(query, document);
      requireSubscription(document, operationName);
      requireAffordable(schema, document, variables ?? {}, operationName ?? null);
      const request = { schema, document, variableValues: variables, operationName, contextValue };
      const executeEvent: ExecuteEvent = (rootValue, context) =>
        execute({ ...request, rootValue, contextValue: context });
      const results = await runSubscription(request, executeEvent);
      if (Symbol.asyncIterator in results) return { ...request, rootValue: keptIn(running, results) };
      // Those that are GraphQL's own tell of variables that do not fit their types.
      return (results.errors ?? []).map((error) => tellIn(contextValue, error, 'VALIDATION_FAILED'));
    } catch (error) {
      return [tellIn(contextValue, error)];
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

/** @throws GraphQLError or AppError where it cannot be parsed */
function read(schema: GraphQLSchema, text: string, reader: Reader): DocumentNode | GraphQLError[] {
  const source = new Source(text);
  if (hasTooManyTokens(source)) {
    throw new AppError('QUERY_TOO_COMPLEX', { message: say('queryTooManyTokens', MAX_TOKENS) });
  }
  const document = parse(source, { maxTokens: MAX_TOKENS });
  const errors = validate(schema, document, [...specifiedRules, ...limitRules]);
  return errors.length > 0 ? errors.map((error) => tellIn(reader, error)) : document;
}

/** Queries and mutations have their place, with all that guards it. @throws AppError BAD_REQUEST */
function requireSubscription(document: DocumentNode, operationName: string | null | undefined): void {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new AppError('BAD_REQUEST', { message: say('graphqlSays', 'Unknown operation.') });
  if (operation.operation === 'subscription') return;
  throw new AppError('BAD_REQUEST', { message: say('onlySubscriptions') });
}
