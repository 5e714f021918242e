/** Creates a comment or a reply with its notifications. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { timestampOptions, timestamps } from '../database/timestamps.js';
import { AppError } from '../errors.js';
import { COMMENT_PLACE, Comment } from '../models/comment/comment.js';
import { notifyComment } from './notify.js';

export interface NewComment {
  articleId: number;
  /** Null for a top-level comment. */
  parentId: number | null;
  memberId: number;
  content: string;
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
}

/** @returns the comment's id. @throws AppError ARTICLE_NOT_FOUND, COMMENT_NOT_FOUND, REPLY_TOO_DEEP */
export async function createComment(database: Database, comment: NewComment): Promise<number> {
  const { articleId, parentId } = comment;
  const [place] = await database.query(COMMENT_PLACE, [articleId, parentId]);
  if (!place) throw new AppError('ARTICLE_NOT_FOUND');
  if (parentId !== null && !place.parentExists) throw new AppError('COMMENT_NOT_FOUND');
  if (place.isParentReply) throw new AppError('REPLY_TOO_DEEP');
  return database.inTransaction((transaction) => insertComment(database, comment, transaction));
}

/** The part of `createComment` that runs in a transaction; the article and the parent are checked by constraints only. */
export async function insertComment(
  database: Database,
  { createdAt, ...values }: NewComment,
  transaction: Transaction,
): Promise<number> {
  const row = { ...values, ...timestamps(createdAt) };
  const { id } = await Comment.create(row, { transaction, ...timestampOptions(createdAt) });
  await notifyComment(database, id, transaction);
  return id;
}
