/** Checks the variables of an operation before it is executed. */
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
import { fixedLimit } from '../config/limit.js';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { UploadedFile } from '../schema/scalars.js';
import { tooComplex } from './too-complex.js';

const MAX_VALUES = fixedLimit({
  area: 'GraphQL',
  value: 1_000,
  unit: 'count',
  error: 'QUERY_TOO_COMPLEX',
  about: 'Values in the variables of an operation, including those in lists and objects.',
});

/** @throws AppError QUERY_TOO_COMPLEX; VALIDATION_FAILED for the first value that does not match its type */
export function requireVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): void {
  if (variableDefinitions.length === 0) return;
  if (
    countValues(variableDefinitions.map(({ variable }) => variables[variable.name.value]).filter(isNested)) > MAX_VALUES
  ) {
    throw tooComplex('variable values', createMessage('tooManyVariableValues', MAX_VALUES));
  }
  const { errors } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 });
  const [error] = errors ?? [];
  if (!error) return;
  // The message contains the value, which may be as long as the body.
  const message = createMessage('graphqlError', error.message.slice(0, MAX_MESSAGE_LENGTH));
  throw new AppError('VALIDATION_FAILED', { message, cause: error });
}

const MAX_MESSAGE_LENGTH = 500;

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Stops above MAX_VALUES. Not recursive: JSON can be nested 100,000 levels deep. */
function countValues(roots: unknown[]): number {
  const pending = roots;
  let count = 0;
  while (pending.length > 0 && count <= MAX_VALUES) {
    const value = pending.pop();
    count++;
    if (typeof value !== 'object' || value === null || value instanceof UploadedFile) continue;
    const children = Array.isArray(value) ? value : Object.values(value);
    count += Math.max(0, children.length - MAX_VALUES);
    pending.push(...children.slice(0, MAX_VALUES));
  }
  return count;
}
