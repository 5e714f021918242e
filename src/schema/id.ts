/** Ids as GraphQL knows them, and as rows know them. */
import { ArgsType, Field, ID } from 'type-graphql';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';
import { Id } from './validators.js';

@ArgsType()
export class IdArgs {
  @Field(() => ID, { description: 'A positive whole number.' })
  @Id()
  id!: string;
}

/** @throws AppError with `key` where the number is past every row that there can be. */
export function rowId(id: string, key: ErrorKey): number {
  const number = Number(id);
  if (!Number.isSafeInteger(number)) throw new AppError(key);
  return number;
}
