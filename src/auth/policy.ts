/** Who may do what. What is not allowed here is forbidden. */
import type { AuthChecker } from 'type-graphql';
import type { Context, Viewer } from '../context.js';
import { AppError, type ErrorKey } from '../errors.js';

/** For `@Authorized()` operations: the viewer is a member. */
export const requireMember: AuthChecker<Context> = ({ context }) => {
  viewerOf(context);
  return true;
};

/** @throws AppError UNAUTHENTICATED where nobody is logged in. */
export function viewerOf(context: Context): Viewer {
  if (!context.viewer) throw new AppError('UNAUTHENTICATED');
  return context.viewer;
}

/** @throws AppError with `key` unless the viewer wrote it. Something without an author belongs to nobody. */
export function requireAuthor(viewer: Viewer, authorId: number | null, key: ErrorKey): void {
  if (authorId === null || authorId !== viewer.memberId) throw new AppError(key);
}

/** @returns throws ARTICLE_FORBIDDEN for articles that the viewer did not write */
export function requireOwnArticle(context: Context): (article: { memberId: number }) => void {
  const viewer = viewerOf(context);
  return ({ memberId }) => requireAuthor(viewer, memberId, 'ARTICLE_FORBIDDEN');
}
