/** Ends the wait of a comment for approval, from which the spam score learns. */
import type { LockedComment } from '../models/comment/comment.js';
import { FIND_PLACE, type Place } from '../models/comment/create.js';
import { deleteHeldComment, SHOW_HELD_COMMENT } from '../models/comment/held.js';
import { LEARN_SPAM, RECORD_LABEL } from '../models/spam.js';
import type { Transaction } from '../platform/database/pool.js';
import { addJobs } from '../platform/database/queue.js';
import { type EventSource, recordEvent, withoutActor } from '../services/auth/audit.js';
import { findBlocks, findMentioned, findRecipients, mailAtOnce, notificationsOf } from './comment-recipients.js';

/** Where a comment is whose article is locked. */
export async function placeOf(db: Transaction, comment: Pick<LockedComment, 'articleId' | 'parentId'>): Promise<Place> {
  const [place] = await db.query(FIND_PLACE, [comment.articleId, comment.parentId]);
  return place as Place;
}

/**
 * Shows a held comment, with its counters and notifications, like a new one. Mentions of members who block its author now, or in a hidden comment, are not
 * stored; of a hidden one, nobody is notified.
 */
export async function showHeldComment(db: Transaction, comment: LockedComment): Promise<void> {
  const { id, content, isHidden } = comment;
  const memberId = comment.memberId ?? 0;
  const place = await placeOf(db, comment);
  const found = await findMentioned(db, { memberId, content });
  const blocks = await findBlocks(db, memberId, place, found);
  const mentioned = isHidden ? [] : found.filter((one) => !blocks.some((block) => block.memberId === one));
  const recipients = isHidden ? [] : await findRecipients(db, { memberId, place, mentioned, blocks });
  await db.query(SHOW_HELD_COMMENT, [id, mentioned, ...notificationsOf(recipients)]);
  await mailAtOnce(db, recipients, memberId);
}

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
  const { content: text, memberId, receivedBy } = comment;
  if (isApproved) await showHeldComment(db, comment);
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
