/** Hides a comment from everyone except its author and the author of the article, or shows it again. */
import { type EventSource, recordEvent } from '../auth/audit.js';
import { type Comment, lockComment } from '../models/comment/comment.js';

/**
 * Idempotent. The time of the last change of the content stays the same.
 * @param memberId author of the article, for the audit trail
 * @param check throws if the caller may not hide this comment
 * @throws AppError COMMENT_NOT_FOUND
 */
export function setCommentHidden(
  caller: EventSource,
  id: number,
  { isHidden, memberId }: { isHidden: boolean; memberId: number | null },
  check: (comment: Comment) => void,
): Promise<void> {
  return caller.database.inTransaction(async (transaction) => {
    const comment = await lockComment(id, transaction, check);
    if (comment.isHidden === isHidden) return;
    await comment.update({ isHidden }, { transaction, silent: true });
    await recordEvent(caller, { kind: isHidden ? 'COMMENT_HIDDEN' : 'COMMENT_SHOWN', memberId }, transaction);
  });
}
