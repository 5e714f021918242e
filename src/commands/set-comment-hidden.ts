/** Hides a comment from everyone except its author and the author of the article, or shows it again. */
import { type Comment, lockComment, SET_COMMENT_HIDDEN } from '../models/comment/comment.js';
import type { Check } from '../models/table.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';

/**
 * Idempotent.
 * @param memberId author of the article, for the audit trail
 * @param check throws if the caller may not hide this comment
 * @throws AppError COMMENT_NOT_FOUND
 */
export function setCommentHidden(
  caller: EventSource,
  id: number,
  { isHidden, memberId }: { isHidden: boolean; memberId: number | null },
  check: Check<Comment>,
): Promise<void> {
  const { database } = caller;
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(database, id, transaction, check);
    if (comment.isHidden === isHidden) return;
    await database.query(SET_COMMENT_HIDDEN, [id, isHidden], transaction);
    await recordEvent(caller, { kind: isHidden ? 'COMMENT_HIDDEN' : 'COMMENT_SHOWN', memberId }, transaction);
  });
}
