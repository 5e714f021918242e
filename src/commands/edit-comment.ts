/** Changes the content of a comment. */
import { COMMENTS, type CommentChange, lockComment } from '../models/comment/comment.js';
import type { InputFor } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';

/** @throws AppError COMMENT_NOT_FOUND, and the errors of the check */
export function editComment(
  database: Database,
  id: number,
  input: InputFor<typeof COMMENTS>,
  change: CommentChange,
): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(database, id, transaction, change);
    const changes = { ...COMMENTS.valuesOf(input), revision: comment.revision + 1 };
    await COMMENTS.update(database, comment, changes, transaction);
  });
}
