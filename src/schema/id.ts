/** Converts GraphQL ids (strings) to row ids (numbers). */
import { ArgsType, Field, ID } from 'type-graphql';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';
import { Id } from './validators.js';

@ArgsType()
export class IdArgs {
  @Field(() => ID, { description: 'A positive integer.' })
  @Id()
  id!: string;
}

/** @throws AppError with `key` if the id is not a safe integer, and therefore beyond the range of any row */
export function rowId(id: string, key: ErrorKey): number {
  const number = Number(id);
  if (!Number.isSafeInteger(number)) throw new AppError(key);
  return number;
}
