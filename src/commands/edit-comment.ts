/** Changes the content of a comment. */
import { COMMENTS, type CommentChange, lockComment } from '../models/comment/comment.js';
import { EDIT_MENTIONS } from '../models/comment/create.js';
import type { InputFor } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

/** @throws AppError COMMENT_NOT_FOUND, BLOCKED as for a new comment, and the errors of the check */
export function editComment(
  database: Database,
  id: number,
  input: InputFor<typeof COMMENTS>,
  change: CommentChange,
): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(database, id, transaction, change);
    const names = mentionedInSource(input.content ?? '');
    const [edit] = await database.query(EDIT_MENTIONS, [id, names], transaction);
    if (edit?.isBlocked) throw new AppError('BLOCKED');
    const changes = { ...COMMENTS.valuesOf(input), revision: comment.revision + 1 };
    await COMMENTS.update(database, comment, changes, transaction);
  });
}
