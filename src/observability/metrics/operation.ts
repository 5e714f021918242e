/** Metrics and spans of GraphQL operations, including those behind REST endpoints. */
import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import { AppError } from '../../errors.js';
import { currentTracer, errorTypeOf, inSpan } from '../tracing/span.js';
import { Durations } from './durations.js';
import { SECONDS } from './registry.js';

const durations = new Durations({
  name: 'daybook_graphql_operation_duration_seconds',
  help: 'Execution of GraphQL operations, by root field; `several` for more than one. Operation names are chosen by clients and not included.',
  labels: ['surface', 'type', 'field', 'outcome'],
  buckets: SECONDS,
});

interface Answered {
  errors?: readonly GraphQLError[] | undefined;
}

export async function observeOperation<Result extends Answered>(
  surface: 'rest' | 'graphql',
  { operation: type, selectionSet }: OperationDefinitionNode,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const [root, ...others] = selectionSet.selections;
  const field = root?.kind === 'Field' && others.length === 0 ? root.name.value : 'several';
  const started = performance.now();
  const result = currentTracer() ? await traced(surface, type, field, work) : await work();
  const outcome = result.errors && result.errors.length > 0 ? 'failed' : 'done';
  durations.observe((performance.now() - started) / 1000, surface, type, field, outcome);
  return result;
}

function traced<Result extends Answered>(
  surface: string,
  type: string,
  field: string,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const attributes = { 'graphql.operation.type': type, 'daybook.surface': surface };
  return inSpan({ name: `${type} ${field}`, kind: 'internal', attributes }, async () => work(), failureOf);
}

/** The error key of the first error, or its class or code. */
function failureOf({ errors: [error] = [] }: Answered): string | undefined {
  if (!error) return undefined;
  const { originalError } = error;
  return originalError instanceof AppError ? originalError.key : errorTypeOf(originalError ?? error);
}
