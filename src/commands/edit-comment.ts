/** Changes the content of a comment. */
import type { Database } from '../database/pool.js';
import { type Comment, lockComment } from '../models/comment/comment.js';

/** @param check throws if this comment may not be changed. @throws AppError COMMENT_NOT_FOUND */
export function editComment(
  database: Database,
  id: number,
  content: string,
  check: (comment: Comment) => void,
): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(id, transaction, check);
    await comment.update({ content, revision: comment.revision + 1 }, { transaction });
  });
}
