/** Shows a comment that waits for approval, or deletes it. */
import { lockComment } from '../models/comment/comment.js';
import { deleteHeldComment, SHOW_HELD_COMMENT } from '../models/comment/held.js';
import { IS_MODERATOR } from '../models/member/moderator.js';
import { AppError } from '../platform/errors.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
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
    const [found] = await database.query(IS_MODERATOR, [heldFor.moderatorId], transaction);
    requireApprover(viewer, comment, found?.isModerator === true);
    if (!comment.isHeld) {
      if (isApproved) return;
      throw new AppError('ALREADY_DECIDED');
    }
    const names = mentionedInSource(comment.content);
    if (isApproved) await database.query(SHOW_HELD_COMMENT, [id, names], transaction);
    else await deleteHeldComment(database, comment, transaction);
    const label = { text: comment.content, isSpam: !isApproved, memberId: comment.memberId, deciderId: viewerId };
    await recordSpamLabel(database, label, transaction);
    const memberId = comment.receivedBy ?? comment.memberId;
    const kind = isApproved ? 'COMMENT_APPROVED' : 'COMMENT_REJECTED';
    await recordEvent(viewerId === memberId ? caller : withoutDevice(caller), { kind, memberId }, transaction);
  });
}

function withoutDevice(caller: EventSource): EventSource {
  return { ...caller, client: { address: '', device: '' }, viewer: null };
}
