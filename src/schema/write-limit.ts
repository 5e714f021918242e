/** Declarations of mutations that the write limits count in another way. */
import { Extensions } from 'type-graphql';

/** For a mutation whose resolver counts with `countDraftWrite` (services/limits/writes.ts): the general write limits do not count it. */
export function CountsAsDraft(): MethodDecorator & PropertyDecorator {
  return Extensions({ countsAsDraft: true });
}
