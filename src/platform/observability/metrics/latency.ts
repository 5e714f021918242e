/** Durations of HTTP requests, of GraphQL operations (including those behind REST endpoints, also as spans), and of SQL statements. */
import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import { AppError } from '../../errors.js';
import { errorTypeOf, inSpan } from '../tracing/span.js';
import { FastHistogram } from './histogram.js';
import { SECONDS } from './registry.js';

const requests = new FastHistogram({
  name: 'daybook_http_request_duration_seconds',
  help: 'Time from the arrival of a request to the end of its response. `route` is a pattern, or `none` for an unknown address; `status` is a class, or `aborted` if the client disconnected first.',
  labels: ['method', 'route', 'status'],
  buckets: SECONDS,
});

const operations = new FastHistogram({
  name: 'daybook_graphql_operation_duration_seconds',
  help: 'Execution time of GraphQL operations, by API and by the selected field (`several` for more than one); for a response from memory, the time until it was validated. The names that clients give to operations are not reported.',
  labels: ['api', 'type', 'field', 'outcome'],
  buckets: SECONDS,
});

const statements = new FastHistogram({
  name: 'daybook_sql_statement_duration_seconds',
  help: 'Time from sending a statement to receiving its last row. `statement` is its name in the code, or its first word if it has no name.',
  labels: ['statement', 'outcome'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5],
});

/** Values of the `method` label. Others, and methods that a path does not have, are counted as `other`: clients cannot create many series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface ServedRequest {
  method: string;
  /** The pattern; undefined where none matched. */
  route: string | undefined;
  status: number;
  isAborted: boolean;
  seconds: number;
}

export function observeRequest({ method, route, status, isAborted, seconds }: ServedRequest): void {
  const outcome = isAborted ? 'aborted' : `${Math.floor(status / 100)}xx`;
  requests.observe(seconds, METHODS.has(method) && status !== 405 ? method : 'other', route ?? 'none', outcome);
}

/** `page`: an HTML page of the service. */
export type Api = 'rest' | 'graphql' | 'mcp' | 'page';

interface OperationResult {
  errors?: readonly GraphQLError[] | undefined;
}

export async function observeOperation<Result extends OperationResult>(
  api: Api,
  operation: OperationDefinitionNode,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const { operation: type } = operation;
  const field = fieldOf(operation);
  const started = performance.now();
  const attributes = { 'graphql.operation.type': type, 'daybook.api': api };
  const result = await inSpan(`${type} ${field}`, { attributes }, async () => work(), errorTypeOfResult);
  const outcome = result.errors && result.errors.length > 0 ? 'failed' : 'done';
  operations.observe((performance.now() - started) / 1000, api, type, field, outcome);
  return result;
}

/** An operation that was not executed, because its response is in memory. */
export function observeCachedOperation(api: Api, operation: OperationDefinitionNode, seconds: number): void {
  operations.observe(seconds, api, operation.operation, fieldOf(operation), 'done');
}

function fieldOf({ selectionSet: { selections } }: OperationDefinitionNode): string {
  const [root] = selections;
  return root?.kind === 'Field' && selections.length === 1 ? root.name.value : 'several';
}

/** The error key of the first error, or its class or code. */
function errorTypeOfResult({ errors: [error] = [] }: OperationResult): string | undefined {
  if (!error) return undefined;
  const { originalError } = error;
  return originalError instanceof AppError ? originalError.key : errorTypeOf(originalError ?? error);
}

export function observeStatement(statement: string, isDone: boolean, seconds: number): void {
  statements.observe(seconds, statement, isDone ? 'done' : 'failed');
}
