/** Who may do what. What is not allowed here is forbidden. */
import type { AuthChecker } from 'type-graphql';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';
import type { Caller, Viewer } from './caller.js';

/** For `@Authorized()` operations: the viewer is a member. */
export const requireMember: AuthChecker<Caller> = ({ context }) => {
  viewerOf(context);
  return true;
};

/** @throws AppError UNAUTHENTICATED where nobody is logged in. */
export function viewerOf(caller: Caller): Viewer {
  if (!caller.viewer) throw new AppError('UNAUTHENTICATED');
  return caller.viewer;
}

/** @throws AppError with `key` unless the viewer wrote it. Something without an author belongs to nobody. */
export function requireAuthor(viewer: Viewer, authorId: number | null, key: ErrorKey): void {
  if (authorId === null || authorId !== viewer.memberId) throw new AppError(key);
}

/** @returns throws ARTICLE_FORBIDDEN for articles that the viewer did not write */
export function requireOwnArticle(caller: Caller): (article: { memberId: number }) => void {
  const viewer = viewerOf(caller);
  return ({ memberId }) => requireAuthor(viewer, memberId, 'ARTICLE_FORBIDDEN');
}
