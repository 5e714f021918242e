/** Extracts the data or the error from a GraphQL execution result. */
import type { ExecutionResult } from 'graphql';
import { AppError, type FieldError } from '../../platform/errors.js';
import type { CompiledEndpoint } from './compile.js';

type Data = Record<string, unknown>;

/** @throws the error of the resolver, with its fields renamed to those of the request */
export function unwrapResult(compiled: CompiledEndpoint, { data, errors = [] }: ExecutionResult<Data>): Data {
  const [error] = errors;
  if (!error && data) return data;
  const cause = error?.originalError ?? error;
  if (!(cause instanceof AppError) || cause.errors.length === 0) throw cause;
  throw new AppError(cause.key, { message: cause.clientMessage, errors: renameFields(cause.errors, compiled), cause });
}

export function renameFields(errors: readonly FieldError[], { clientNames }: CompiledEndpoint): FieldError[] {
  return errors.map(({ field, message }) => ({ field: clientNames.get(field) ?? field, message }));
}
