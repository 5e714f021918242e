/** Declarations of what fields read, from which it follows whether an operation needs more than one statement. */
import { Extensions } from 'type-graphql';

/**
 * For a field with a resolver that runs no statement: the value follows from the row of its parent.
 * @param roots only under these root fields, whose statement returns the value; none: always
 */
export function InParentRow(...roots: string[]): MethodDecorator & PropertyDecorator {
  return Extensions({ inParentRow: roots });
}

/** The root fields with one article. */
export const ONE_ARTICLE = ['article', 'articleBySlug'] as const;

/** For a field with a statement of its own for each object: it may stand only directly in these root fields, and in no list. */
export function DirectlyIn(...roots: string[]): MethodDecorator & PropertyDecorator {
  return Extensions({ directlyIn: roots });
}

/**
 * For a field whose statement may wait for a permit: an operation with it does not read in a snapshot, whose connection would be held
 * meanwhile.
 */
export function WaitsForPermit(): MethodDecorator & PropertyDecorator {
  return Extensions({ waitsForPermit: true });
}
