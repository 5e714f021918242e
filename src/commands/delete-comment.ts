/** Deletes a comment, and with the last reply of a deleted comment also that comment. */
import { Op } from 'sequelize';
import type { Database } from '../database/pool.js';
import { Comment, lockComment } from '../models/comment/comment.js';

/**
 * Deletes the row, or if the comment has replies only its content and author. Locks are taken in the order reply, parent, article.
 * @param check throws if this comment may not be deleted
 * @throws AppError COMMENT_NOT_FOUND, also if a concurrent request deleted it first
 */
export function deleteComment(database: Database, id: number, check: (comment: Comment) => void): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(id, transaction, check);
    if (comment.replyCount > 0) {
      await comment.update({ content: '', memberId: null, deletedAt: new Date() }, { transaction });
      return;
    }
    await comment.destroy({ transaction });
    if (comment.parentId === null) return;
    const deletedParent = { id: comment.parentId, replyCount: 0, deletedAt: { [Op.ne]: null } };
    await Comment.destroy({ where: deletedParent, transaction });
  });
}
