/** Declarations of the stamps that cover what a field reads: for conditional requests, and for the response cache. */
import { Extensions } from 'type-graphql';
import { STAMP_QUERIES, type StampKind } from '../models/stamp.js';

/** The stamp of everything that a root field reads. */
export interface RootStamp {
  readonly kind: StampKind;
  /** The argument with the id that the stamp is looked up by. */
  readonly id?: string;
  /** Whether the field's own SQL statement also returns the stamp (`RootResult`). Otherwise it is read before the operation. */
  readonly isInQuery?: boolean;
}

/** For a public root field, which any API token may call too: the first of these stamps applies that covers all selected fields. */
export function Stamped(...alternatives: RootStamp[]): MethodDecorator & PropertyDecorator {
  return Extensions({ stamps: alternatives, apiTokenScopes: [] });
}

/** For a public root field without stamps: its responses have no validators, and are not cached. The reason is for developers. */
export function Unstamped(reason: string): MethodDecorator & PropertyDecorator {
  return Extensions({ unstamped: reason });
}

/**
 * For a field with a resolver, which may read more than its parent's row: each change of what it reads also changes these stamps, so
 * that it may be part of a response to a root field with one of them.
 */
export function CoveredBy(...kinds: StampKind[]): MethodDecorator & PropertyDecorator {
  return Extensions({ coveredBy: kinds });
}

/** The stamps that change with an article, and with the names in it. */
export const ARTICLE_STAMPS: readonly StampKind[] = ['article', 'slug', 'journal', 'summary'];

/** The stamps that change with each comment on an article, and with the names in it. */
export const COMMENT_STAMPS: readonly StampKind[] = ['article', 'slug', 'discussion', 'summary', 'thread'];

/** For fields of a public profile: every stamp changes with it. */
export const STAMP_KINDS = Object.keys(STAMP_QUERIES) as StampKind[];
