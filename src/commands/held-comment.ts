/** Ends the wait of a comment for approval, from which the spam score learns. */
import type { LockedComment } from '../models/comment/comment.js';
import { deleteHeldComment, SHOW_HELD_COMMENT } from '../models/comment/held.js';
import { LEARN_SPAM, RECORD_LABEL } from '../models/spam.js';
import type { Transaction } from '../platform/database/pool.js';
import { addJobs } from '../platform/database/queue.js';
import { type EventSource, recordEvent, withoutActor } from '../services/auth/audit.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

/**
 * Shows or deletes a held comment, which the transaction has locked. The spam score learns from it. The event is in the audit trail of the author of the
 * article, without the device of a moderator.
 * @param deciderId null for an operator
 */
export async function decideHeldComment(
  db: Transaction,
  source: EventSource,
  comment: LockedComment,
  { isApproved, deciderId }: { isApproved: boolean; deciderId: number | null },
): Promise<void> {
  const { id, content: text, memberId, receivedBy } = comment;
  if (isApproved) await db.query(SHOW_HELD_COMMENT, [id, mentionedInSource(text)]);
  else await deleteHeldComment(db, comment);
  await recordSpamLabel(db, { text, isSpam: !isApproved, memberId, deciderId });
  const authorId = receivedBy ?? memberId;
  const event = { kind: isApproved ? 'COMMENT_APPROVED' : 'COMMENT_REJECTED', memberId: authorId } as const;
  const isOwn = deciderId === null || deciderId === authorId;
  await recordEvent(db, isOwn ? source : withoutActor(source), event);
}

export interface SpamLabel {
  text: string;
  isSpam: boolean;
  /** Who wrote it; null if they withdrew. */
  memberId: number | null;
  /** Null for an operator. */
  deciderId: number | null;
}

/** One job learns all labels that wait. */
export async function recordSpamLabel(
  db: Transaction,
  { text, isSpam, memberId, deciderId }: SpamLabel,
): Promise<void> {
  await db.query(RECORD_LABEL, [text, isSpam, memberId, deciderId]);
  await addJobs(db, LEARN_SPAM, [{}], { keyOf: () => 'all' });
}
