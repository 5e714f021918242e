/** Authorization rules: authenticated members, and authors of their own content. */
import type { AuthChecker } from 'type-graphql';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';
import type { Caller, Viewer } from './caller.js';

/** For `@Authorized()` operations: the viewer is a member. */
export const requireMember: AuthChecker<Caller> = ({ context }) => {
  viewerOf(context);
  return true;
};

/** @throws AppError UNAUTHENTICATED for an unauthenticated request */
export function viewerOf(caller: Caller): Viewer {
  if (!caller.viewer) throw new AppError('UNAUTHENTICATED');
  return caller.viewer;
}

/** @throws AppError with `key` unless the viewer is the author. Content without an author is always rejected. */
export function requireAuthor(viewer: Viewer, authorId: number | null, key: ErrorKey): void {
  if (authorId === null || authorId !== viewer.memberId) throw new AppError(key);
}

/** @returns a check that throws ARTICLE_FORBIDDEN for articles of other members. @throws AppError UNAUTHENTICATED */
export function requireOwnArticle(caller: Caller): (article: { memberId: number }) => void {
  const viewer = viewerOf(caller);
  return ({ memberId }) => requireAuthor(viewer, memberId, 'ARTICLE_FORBIDDEN');
}
