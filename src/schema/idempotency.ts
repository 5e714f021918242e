/** Declarations of mutations to which the Idempotency-Key header of a request does not apply, with the reason. It applies to all others. */
import { Extensions } from 'type-graphql';

type KeyEffect =
  /** The response contains a secret (`Secret` in schema/auth.ts), which must not be stored. */
  | 'ignored: secret'
  /** The mutation changes nothing in a transaction, such as a request to the AI provider. */
  | 'ignored: no transaction';

/**
 * A mutation to which keys apply makes all changes with `Database.transaction` or `Database.change`. From its first change on, neither it nor
 * the fields of its result wait for a queue or another service: a field that needs the renderer uses `Context.deferredHtml`.
 */
export function IdempotencyKey(effect: KeyEffect): MethodDecorator & PropertyDecorator {
  return Extensions({ idempotencyKey: effect });
}

/** @param extensions of a mutation field */
export function acceptsKey({ idempotencyKey }: { readonly idempotencyKey?: unknown }): boolean {
  return idempotencyKey === undefined;
}
