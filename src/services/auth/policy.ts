/** Authorization rules: authenticated members, and authors of their own content. */
import type { AuthChecker } from 'type-graphql';
import type { LockedComment } from '../../models/comment/comment.js';
import type { Role } from '../../models/moderation/role.js';
import type { Suspension } from '../../models/moderation/suspension.js';
import { ANONYMOUS, Reader } from '../../models/reader.js';
import type { Scope } from '../../models/session/api-token.js';
import type { Config } from '../../platform/config/index.js';
import type { Database } from '../../platform/database/pool.js';
import type { ErrorKey } from '../../platform/error-keys.js';
import { AppError, memberSuspended } from '../../platform/errors.js';
import { createMessage, type Language } from '../../platform/messages/message.js';
import type { QueuedRequest } from '../limits/client-task.js';
import type { Limits } from '../limits/limits.js';
import type { Providers } from './oauth/providers.js';
import type { PasswordHasher } from './password.js';

/** The member on whose behalf a request runs. */
export interface Viewer {
  readonly memberId: number;
  /** The id of the session, or of the API token. */
  readonly credentialId: string;
  /** What the API token may do; null for a session, which may do everything. */
  readonly scopes: ReadonlySet<Scope> | null;
  /** At the beginning of the request: changes read it again. That of an API token is always MEMBER. */
  readonly role: Role;
  /** Null unless the member is suspended; API tokens of a suspended member are rejected. */
  readonly suspension: Suspension | null;
  /** Expiry of the access token or the API token, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The part of a request's context that authentication reads. */
export interface Caller extends QueuedRequest {
  readonly config: Config;
  readonly database: Database;
  /** Key for signing tokens. */
  readonly jwtSecret: string;
  readonly services: { readonly passwordHasher: PasswordHasher; readonly oauthProviders: Providers };
  /** Null for an unauthenticated request. */
  readonly viewer: Viewer | null;
  readonly limits: Limits;
  /** Language of the request. */
  readonly language: Language;
}

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

/**
 * Suspended members may execute only what is declared with `WhileSuspended` (schema/auth.ts). Changes check it again in their transactions.
 * @throws AppError MEMBER_SUSPENDED
 */
export function requireNotSuspended(viewer: Pick<Viewer, 'suspension'> | null): void {
  if (viewer?.suspension) throw memberSuspended(viewer.suspension);
}

/**
 * As whom a request reads. An API token without the scope for something reads it as anonymous:
 * - hidden comments need `comments`;
 * - private articles need `articles` or `read`;
 * - notifications about drafts need `articles`; the operations on drafts declare their scopes;
 * - what moderators see needs a role, which API tokens do not have.
 */
export function readerOf({ viewer }: Pick<Caller, 'viewer'>): Reader {
  if (viewer === null) return ANONYMOUS;
  const reader = readers.get(viewer) ?? newReader(viewer);
  readers.set(viewer, reader);
  return reader;
}

/** One for each request, since many fields need it. */
const readers = new WeakMap<Viewer, Reader>();

function newReader({ memberId, scopes, role }: Viewer): Reader {
  const has = (...sufficient: Scope[]) => scopes === null || sufficient.some((scope) => scopes.has(scope));
  return new Reader(
    has('comments') ? memberId : 0,
    has('articles', 'read') ? memberId : 0,
    has('articles') ? memberId : 0,
    scopes === null && role !== 'MEMBER' ? memberId : 0,
  );
}

/**
 * @throws AppError COMMENT_NOT_FOUND if the viewer does not see the article that the comment belongs to, COMMENT_FORBIDDEN unless the viewer
 * is its author
 */
export function requireArticleAuthor(
  viewer: Viewer,
  { receivedBy, memberId, isArticleReadable }: Pick<LockedComment, 'receivedBy' | 'memberId' | 'isArticleReadable'>,
): void {
  if (!isArticleReadable) throw new AppError('COMMENT_NOT_FOUND');
  if (isOnOwnArticle(viewer, { receivedBy, memberId })) return;
  throw new AppError('COMMENT_FORBIDDEN', { message: createMessage('onlyArticleAuthorHides') });
}

/** Whether the viewer is the author of the article. Without a recipient, that author wrote the comment. */
export function isOnOwnArticle(viewer: Viewer, comment: Pick<LockedComment, 'receivedBy' | 'memberId'>): boolean {
  return (comment.receivedBy ?? comment.memberId) === viewer.memberId;
}

/**
 * Who approves a comment: the author of the article, and moderators.
 * @param isModerator whether the viewer can decide on the author of the comment, which nobody can on themselves (`isPermitted`)
 * @throws AppError as `requireArticleAuthor`
 */
export function requireApprover(
  viewer: Viewer,
  comment: Pick<LockedComment, 'receivedBy' | 'memberId' | 'isArticleReadable'>,
  isModerator: boolean,
): void {
  if (!comment.isArticleReadable) throw new AppError('COMMENT_NOT_FOUND');
  if (isOnOwnArticle(viewer, comment) || isModerator) return;
  throw new AppError('COMMENT_FORBIDDEN', { message: createMessage('onlyArticleAuthorApproves') });
}

/**
 * A comment on an article that the viewer does not see does not exist, but its author can delete it.
 * @throws AppError COMMENT_NOT_FOUND, COMMENT_FORBIDDEN
 */
export function requireCommentAuthor(
  viewer: Viewer,
  { memberId, isArticleReadable }: Pick<LockedComment, 'memberId' | 'isArticleReadable'>,
  change: 'edit' | 'deletion',
): void {
  const isOwn = memberId === viewer.memberId;
  if (!isArticleReadable && !(isOwn && change === 'deletion')) throw new AppError('COMMENT_NOT_FOUND');
  requireAuthor(viewer, memberId, 'COMMENT_FORBIDDEN');
}

/** @throws AppError with `key` unless the viewer is the author. Content without an author is always rejected. */
export function requireAuthor(viewer: Viewer, authorId: number | null, key: ErrorKey): void {
  if (authorId === null || authorId !== viewer.memberId) throw new AppError(key);
}

/**
 * What a moderator has removed stays as it was decided on: it cannot be changed, and its author can delete it.
 * @throws AppError with `key`
 */
export function requireNotRemoved(isRemoved: boolean, key: ErrorKey): void {
  if (isRemoved) throw new AppError(key, { message: createMessage('removedByModerator') });
}

/**
 * @returns a check for articles of other members: it throws ARTICLE_NOT_FOUND for one that the viewer does not see, otherwise ARTICLE_FORBIDDEN.
 * @throws AppError UNAUTHENTICATED
 */
export function requireOwnArticle(caller: Caller): (article: { memberId: number; isPrivate: boolean }) => void {
  const viewer = viewerOf(caller);
  const { articleReaderId } = readerOf(caller);
  return ({ memberId, isPrivate }) => {
    if (isPrivate && memberId !== articleReaderId) throw new AppError('ARTICLE_NOT_FOUND');
    requireAuthor(viewer, memberId, 'ARTICLE_FORBIDDEN');
  };
}
