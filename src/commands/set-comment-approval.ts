/** Shows a comment that waits for approval, or deletes it. */
import type { Transaction } from 'sequelize';
import { type LockedComment, lockComment } from '../models/comment/comment.js';
import { deleteHeldComment, SHOW_HELD_COMMENT } from '../models/comment/held.js';
import { ROLES_OF } from '../models/member/moderator.js';
import { AppError } from '../platform/errors.js';
import { type EventSource, recordEvent, withoutDevice } from '../services/auth/audit.js';
import { isPermitted } from '../services/auth/permission.js';
import { articleReaderOf, heldCommentReaderOf, requireApprover, type Viewer } from '../services/auth/policy.js';
import { mentionedInSource } from '../services/rendering/mentions.js';
import { recordSpamLabel } from './record-spam-label.js';

/**
 * An approval is idempotent. The spam score learns from the decision. The event is in the audit trail of the author of the article, without the
 * device of a moderator.
 * @throws AppError COMMENT_NOT_FOUND, COMMENT_FORBIDDEN; ALREADY_DECIDED for the deletion of a comment that is not held
 */
export function setCommentApproval(
  caller: EventSource,
  id: number,
  isApproved: boolean,
  viewer: Viewer,
): Promise<void> {
  const { database } = caller;
  const { memberId: viewerId } = viewer;
  return database.inTransaction(async (transaction) => {
    const [articleReaderId, heldFor] = [articleReaderOf({ viewer }), heldCommentReaderOf({ viewer })];
    const change = { articleReaderId, accessId: viewer.sessionId, heldFor, check: () => {} };
    const comment = await lockComment(database, id, transaction, change);
    const roles = await database.query(ROLES_OF, [[heldFor.moderatorId, comment.memberId]], transaction);
    const [moderator, author] = [heldFor.moderatorId, comment.memberId].map((of) => roles.find((one) => one.id === of));
    requireApprover(viewer, comment, !!moderator && !!author && isPermitted('APPROVE', moderator, author));
    if (!comment.isHeld) {
      if (isApproved) return;
      throw new AppError('ALREADY_DECIDED');
    }
    await endHold(caller, comment, { isApproved, deciderId: viewerId }, transaction);
  });
}

/**
 * Shows or deletes a held comment, which the transaction has locked.
 * @param deciderId null for an operator
 */
export async function endHold(
  source: EventSource,
  comment: LockedComment,
  { isApproved, deciderId }: { isApproved: boolean; deciderId: number | null },
  transaction: Transaction,
): Promise<void> {
  const { database } = source;
  const { id, content: text, memberId, receivedBy } = comment;
  if (isApproved) await database.query(SHOW_HELD_COMMENT, [id, mentionedInSource(text)], transaction);
  else await deleteHeldComment(database, comment, transaction);
  await recordSpamLabel(database, { text, isSpam: !isApproved, memberId, deciderId }, transaction);
  const authorId = receivedBy ?? memberId;
  const event = { kind: isApproved ? 'COMMENT_APPROVED' : 'COMMENT_REJECTED', memberId: authorId } as const;
  const isOwn = deciderId === null || deciderId === authorId;
  await recordEvent(isOwn ? source : withoutDevice(source), event, transaction);
}
