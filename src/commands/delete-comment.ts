/** Deletes a comment, and with the last reply of a deleted comment also that comment. */
import { COMMENTS, type CommentChange, DELETE_EMPTY_PARENT, lockComment } from '../models/comment/comment.js';
import { deleteHeldComment } from '../models/comment/held.js';
import type { Database } from '../platform/database/pool.js';

/**
 * Deletes the row, or if the comment has replies only its content and author.
 * @throws AppError COMMENT_NOT_FOUND, also if a concurrent request deleted it first
 */
export function deleteComment(database: Database, id: number, change: CommentChange): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(database, id, transaction, change);
    if (comment.isHeld) return deleteHeldComment(database, comment, transaction);
    if (comment.replyCount > 0) {
      // The place of a removed comment is not removed: otherwise the job that deletes what was removed would find it in each run.
      const changes = { content: '', memberId: null, deletedAt: new Date(database.now()), removedAt: null };
      await COMMENTS.update(database, comment, changes, transaction);
      return;
    }
    await COMMENTS.delete(database, id, transaction);
    if (comment.parentId !== null) await database.query(DELETE_EMPTY_PARENT, [comment.parentId], transaction);
  });
}
