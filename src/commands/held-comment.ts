/** Ends the wait of a comment for approval, from which the spam score learns. */
import type { Transaction } from 'sequelize';
import type { LockedComment } from '../models/comment/comment.js';
import { deleteHeldComment, SHOW_HELD_COMMENT } from '../models/comment/held.js';
import { LEARN_SPAM, RECORD_LABEL } from '../models/spam.js';
import type { Database } from '../platform/database/pool.js';
import { addJobs } from '../platform/database/queue.js';
import { type EventSource, recordEvent, withoutActor } from '../services/auth/audit.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

/**
 * Shows or deletes a held comment, which the transaction has locked. The spam score learns from it. The event is in the audit trail of the author of the
 * article, without the device of a moderator.
 * @param deciderId null for an operator
 */
export async function decideHeldComment(
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
  await recordEvent(isOwn ? source : withoutActor(source), event, transaction);
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
  database: Database,
  { text, isSpam, memberId, deciderId }: SpamLabel,
  transaction: Transaction,
): Promise<void> {
  await database.query(RECORD_LABEL, [text, isSpam, memberId, deciderId], transaction);
  await addJobs(database, LEARN_SPAM, [{}], { transaction, keyOf: () => 'all' });
}
