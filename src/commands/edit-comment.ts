/** Changes the content of a comment. */
import { COMMENTS, type Comment, lockComment } from '../models/comment/comment.js';
import type { Check, InputFor } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';

/** @param check throws if this comment may not be changed. @throws AppError COMMENT_NOT_FOUND */
export function editComment(
  database: Database,
  id: number,
  input: InputFor<typeof COMMENTS>,
  check: Check<Comment>,
): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(database, id, transaction, check);
    const changes = { ...COMMENTS.valuesOf(input), revision: comment.revision + 1 };
    await COMMENTS.update(database, comment, changes, transaction);
  });
}
