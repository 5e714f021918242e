/** GraphQL operations, those behind REST endpoints included: how many, how long, and where their time goes. */
import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import { Histogram } from 'prom-client';
import { AppError } from '../errors.js';
import { errorTypeOf, inSpan } from '../tracing/span.js';
import { registry, SECONDS } from './registry.js';

const seconds = new Histogram({
  name: 'daybook_graphql_operation_duration_seconds',
  help: 'Execution of GraphQL operations, by the field that they ask for; `several` where there is more than one. Clients name their operations as they like, so that names are not told.',
  labelNames: ['surface', 'type', 'field', 'outcome'] as const,
  buckets: SECONDS,
  registers: [registry],
});

interface Answered {
  errors?: readonly GraphQLError[] | undefined;
}

export async function observeOperation<Result extends Answered>(
  surface: 'rest' | 'graphql',
  { operation: type, selectionSet }: OperationDefinitionNode,
  work: () => Promise<Result>,
): Promise<Result> {
  const [root, ...others] = selectionSet.selections;
  const field = root?.kind === 'Field' && others.length === 0 ? root.name.value : 'several';
  const started = performance.now();
  const observe = (outcome: string) =>
    seconds.observe({ surface, type, field, outcome }, (performance.now() - started) / 1000);
  const span = {
    name: `${type} ${field}`,
    kind: 'internal' as const,
    attributes: { 'graphql.operation.type': type, 'daybook.surface': surface },
  };
  const result = await inSpan(span, work, failureOf);
  observe(failureOf(result) ? 'failed' : 'done');
  return result;
}

/** The key of the first error, or what kind it is. */
function failureOf({ errors: [error] = [] }: Answered): string | undefined {
  if (!error) return undefined;
  const { originalError } = error;
  return originalError instanceof AppError ? originalError.key : errorTypeOf(originalError ?? error);
}
