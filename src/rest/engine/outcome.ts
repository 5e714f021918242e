/** What an operation came to, in the terms of the endpoint that ran it. */
import type { ExecutionResult } from 'graphql';
import { AppError, type FieldError } from '../../errors.js';
import type { CompiledEndpoint } from './compile.js';

type Data = Record<string, unknown>;

/** @throws what a resolver threw, with its fields under the names that the client knows */
export function dataOf(compiled: CompiledEndpoint, { data, errors = [] }: ExecutionResult<Data>): Data {
  const [error] = errors;
  if (!error && data) return data;
  const cause = error?.originalError ?? error;
  if (!(cause instanceof AppError) || cause.errors.length === 0) throw cause;
  throw new AppError(cause.key, { message: cause.said, errors: rename(cause.errors, compiled), cause });
}

export function rename(errors: readonly FieldError[], { clientNames }: CompiledEndpoint): FieldError[] {
  return errors.map(({ field, message }) => ({ field: clientNames.get(field) ?? field, message }));
}
