/** Writes comments and their notifications in one transaction. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { timestampOptions, timestamps } from '../database/timestamps.js';
import { Comment } from '../models/comment/comment.js';
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

/** @returns the comment's id */
export async function addComment(
  database: Database,
  { createdAt, ...values }: NewComment,
  transaction: Transaction,
): Promise<number> {
  const row = { ...values, ...timestamps(createdAt) };
  const { id } = await Comment.create(row, { transaction, ...timestampOptions(createdAt) });
  await notifyComment(database, id, transaction);
  return id;
}
