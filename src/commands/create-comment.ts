/** Creates a comment or a reply with its notifications. */
import type { Transaction } from 'sequelize';
import { type CommentRow } from '../models/comment/comment.js';
import { CREATE_COMMENT } from '../models/comment/create.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

export interface NewComment {
  articleId: number;
  /** Null for a top-level comment. */
  parentId: number | null;
  memberId: number;
  content: string;
  /** The member who sees private articles as their author; 0: nobody. */
  articleReaderId: number;
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
}

/** @throws AppError ARTICLE_NOT_FOUND, COMMENT_NOT_FOUND, REPLY_TOO_DEEP, BLOCKED */
export async function createComment(
  database: Database,
  { articleId, parentId, memberId, content, articleReaderId, createdAt }: NewComment,
  transaction?: Transaction,
): Promise<CommentRow> {
  const [created] = await database.change(
    CREATE_COMMENT,
    [articleId, parentId, memberId, content, createdAt ?? null, articleReaderId, mentionedInSource(content)],
    transaction,
  );
  if (!created) throw new AppError('ARTICLE_NOT_FOUND');
  if (created.isBlocked) throw new AppError('BLOCKED');
  if (created.id !== null) return created;
  throw new AppError(created.isParentReply ? 'REPLY_TOO_DEEP' : 'COMMENT_NOT_FOUND');
}
