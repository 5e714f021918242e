/** Creates a comment or a reply with its notifications, or holds it for approval. */
import type { Transaction } from 'sequelize';
import { type CommentRow } from '../models/comment/comment.js';
import { CREATE_COMMENT, type PlacedComment } from '../models/comment/create.js';
import { type CommentCheck, HOLD_NEW_COMMENT } from '../models/comment/held.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

export interface NewComment {
  articleId: number;
  /** Null for a top-level comment. */
  parentId: number | null;
  memberId: number;
  content: string;
  /** The member who sees private articles as their author; 0: anonymous. */
  articleReaderId: number;
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
  /** Null or absent: the comment is not held. */
  check?: CommentCheck | null;
}

/** With the version of the spam model that is current after it. */
export type CreatedComment = CommentRow & { spamVersion: number };

/** @throws AppError ARTICLE_NOT_FOUND, COMMENT_NOT_FOUND, REPLY_TOO_DEEP, BLOCKED, HELD_LIMIT_REACHED */
export async function createComment(
  database: Database,
  { articleId, parentId, memberId, content, articleReaderId, createdAt, check }: NewComment,
  transaction?: Transaction,
): Promise<CreatedComment> {
  const names = mentionedInSource(content);
  const values: PlacedComment = [articleId, parentId, memberId, content, createdAt ?? null, articleReaderId, names];
  // Whatever changes between the two statements, only a comment that does not have to be held reaches the second one.
  const held = check ? await hold(database, values, check, transaction) : null;
  const isFree = held === null || held?.isRequired === false;
  const created = isFree ? (await database.change(CREATE_COMMENT, values, transaction))[0] : held;
  if (!created) throw new AppError('ARTICLE_NOT_FOUND');
  if (created.isBlocked) throw new AppError('BLOCKED');
  if (created.id !== null) return created;
  throw new AppError(created.isParentReply ? 'REPLY_TOO_DEEP' : 'COMMENT_NOT_FOUND');
}

async function hold(
  database: Database,
  values: PlacedComment,
  { isSuspect, isForNewcomers, spamScore }: CommentCheck,
  transaction: Transaction | undefined,
) {
  const [held] = await database.change(
    HOLD_NEW_COMMENT,
    [...values, isSuspect, isForNewcomers, spamScore],
    transaction,
  );
  return held;
}
