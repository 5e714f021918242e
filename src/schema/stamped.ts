/** Declarations of the stamps that cover what a field reads: for conditional requests, and for the response cache. */
import { type ClassType, Extensions, getMetadataStorage } from 'type-graphql';
import { STAMP_QUERIES, type StampKind } from '../models/stamp.js';

/** The stamp of everything that a root field reads. */
export interface RootStamp {
  readonly kind: StampKind;
  /** The argument with the id that the stamp is looked up by. */
  readonly id?: string;
  /** Whether the field's own SQL statement also returns the stamp (`RootResult`). Otherwise it is read before the operation. */
  readonly isInQuery?: boolean;
  /** The only fields (`Type.field`) that it covers, in place of those that are declared by `CoveredBy`. */
  readonly fields?: ReadonlySet<string>;
}

/** For a public root field, which any API token may call too: the first of these stamps applies that covers all selected fields, or all of them together. */
export function Stamped(...alternatives: RootStamp[]): MethodDecorator & PropertyDecorator {
  return Extensions({ stamps: alternatives, apiTokenScopes: [] });
}

/** For a public root field without stamps: its responses have no validators, and are not cached. The reason is for developers. */
export function Unstamped(reason: string): MethodDecorator & PropertyDecorator {
  return Extensions({ unstamped: reason });
}

/** Besides `Stamped`, for responses without a time of the last change: the tag of one whose fields no stamp covers is that of its content. */
export function TaggedByContent(): MethodDecorator & PropertyDecorator {
  return Extensions({ isTaggedByContent: true });
}

/**
 * For a field with a resolver, which may read more than its parent's row: each change of what it reads also changes these stamps, so
 * that it may be part of a response to a root field with one of them. On a class: for all of its fields without stamps of their own.
 */
export function CoveredBy(...kinds: StampKind[]) {
  const covered = Extensions({ coveredBy: kinds });
  return (target: object, name?: string | symbol): void => {
    for (const field of name === undefined ? uncoveredFields(target) : [name]) {
      covered(name === undefined ? (target as ClassType).prototype : target, field);
    }
  };
}

/** The fields with a resolver in a class, which declare no stamps. */
function uncoveredFields(resolver: object): string[] {
  const { fieldResolvers, fieldExtensions } = getMetadataStorage();
  const declared = fieldExtensions.filter(({ target, extensions }) => target === resolver && 'coveredBy' in extensions);
  const names = new Set(declared.map(({ fieldName }) => fieldName));
  return fieldResolvers.flatMap(({ target, methodName }) =>
    target === resolver && !names.has(methodName) ? methodName : [],
  );
}

/** The stamps that change with an article, and with the names in it. */
export const ARTICLE_STAMPS: readonly StampKind[] = ['article', 'slug', 'journal', 'summary'];

/** The stamps that change with each comment on an article, and with the names in it. */
export const COMMENT_STAMPS: readonly StampKind[] = ['article', 'slug', 'discussion', 'summary', 'thread'];

/** For fields of a public profile: every stamp changes with it. */
export const STAMP_KINDS = Object.keys(STAMP_QUERIES) as StampKind[];
