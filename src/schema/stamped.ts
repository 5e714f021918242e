/** Declarations of the stamps that cover what a field reads: for conditional requests, and for the response cache. */
import { Extensions } from 'type-graphql';
import type { StampKind } from '../models/stamp.js';

/** The stamp of everything that a root field reads. */
export interface RootStamp {
  readonly kind: StampKind;
  /** The argument with the id that the stamp is looked up by. */
  readonly id?: string;
  /** Whether the field's own SQL statement also returns the stamp (`Context.responseMeta`). Otherwise it is read before the operation. */
  readonly isInQuery?: boolean;
}

/** For a public root field. */
export function Stamped(stamp: RootStamp): MethodDecorator & PropertyDecorator {
  return Extensions({ stamp });
}

/**
 * For a field with a resolver, which may read more than its parent's row: each change of what it reads also changes these stamps, so
 * that it may be part of a response to a root field with one of them.
 */
export function CoveredBy(...kinds: StampKind[]): MethodDecorator & PropertyDecorator {
  return Extensions({ coveredBy: kinds });
}
