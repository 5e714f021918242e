/** Declarations of whether the Idempotency-Key header of a request applies to a mutation. Every mutation has one. */
import { Extensions } from 'type-graphql';

/** The values of the extension `idempotencyKey` of a mutation field. */
export const KEY_EFFECTS = [
  'applies',
  /** The response contains a secret (`Secret` in schema/auth.ts), which must not be stored. */
  'ignored: secret',
  /** The mutation changes nothing in a transaction, such as a request to the AI provider. */
  'ignored: no transaction',
] as const;

export type KeyEffect = (typeof KEY_EFFECTS)[number];

/**
 * A mutation to which keys apply makes all changes with `Database.inTransaction` or `Database.change`. From its first change on, neither it nor
 * the fields of its result wait for a queue or another service: a field that needs the renderer uses `Context.deferredHtml`.
 */
export function IdempotencyKey(effect: KeyEffect): MethodDecorator & PropertyDecorator {
  return Extensions({ idempotencyKey: effect });
}

/** @param extensions of a mutation field */
export function acceptsKey({ idempotencyKey }: { readonly idempotencyKey?: unknown }): boolean {
  return idempotencyKey === 'applies';
}
