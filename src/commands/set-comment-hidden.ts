/** Hides a comment from everyone except its author and the author of the article, or shows it again. */
import { type CommentChange, lockComment, SET_COMMENT_HIDDEN } from '../models/comment/comment.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';

/**
 * Idempotent.
 * @param memberId author of the article, for the audit trail
 * @throws AppError COMMENT_NOT_FOUND, and the errors of the check
 */
export function setCommentHidden(
  caller: EventSource,
  id: number,
  { isHidden, memberId }: { isHidden: boolean; memberId: number | null },
  change: CommentChange,
): Promise<void> {
  const { database } = caller;
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(database, id, transaction, change);
    if (comment.isHidden === isHidden) return;
    await database.query(SET_COMMENT_HIDDEN, [id, isHidden], transaction);
    await recordEvent(caller, { kind: isHidden ? 'COMMENT_HIDDEN' : 'COMMENT_SHOWN', memberId }, transaction);
  });
}
