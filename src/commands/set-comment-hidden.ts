/** Hides a comment from everyone except its author and the author of the article, or shows it again. */
import { recordEvent } from '../auth/audit.js';
import type { Caller } from '../auth/policy.js';
import { type Comment, lockComment } from '../models/comment/comment.js';

/**
 * Idempotent. The time of the last change of the content stays the same.
 * @param check throws unless `memberId` is the author of the article
 * @throws AppError COMMENT_NOT_FOUND
 */
export function setCommentHidden(
  caller: Caller,
  id: number,
  { isHidden, memberId }: { isHidden: boolean; memberId: number },
  check: (comment: Comment) => void,
): Promise<void> {
  return caller.database.inTransaction(async (transaction) => {
    const comment = await lockComment(id, transaction, check);
    if (comment.isHidden === isHidden) return;
    await comment.update({ isHidden }, { transaction, silent: true });
    await recordEvent(caller, { kind: isHidden ? 'COMMENT_HIDDEN' : 'COMMENT_SHOWN', memberId }, transaction);
  });
}
