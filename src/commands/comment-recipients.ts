/** Whom a comment concerns: the members whom it mentions, and those who are notified of it, as far as no block prevents it. */
import { type Block, FIND_BLOCKS_BETWEEN } from '../models/block.js';
import type { Place } from '../models/comment/create.js';
import { FIND_MENTIONED } from '../models/mention.js';
import { FIND_RECIPIENTS, MAIL_AT_ONCE, type Recipient } from '../models/notification/create.js';
import type { Transaction } from '../platform/database/pool.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

export interface Writing {
  memberId: number;
  content: string;
}

/** The members whom the content mentions, other than its author. */
export async function findMentioned(db: Transaction, { memberId, content }: Writing): Promise<number[]> {
  const names = mentionedInSource(content);
  if (names.length === 0) return [];
  const found = await db.query(FIND_MENTIONED, [memberId, names]);
  return found.map((one) => one.memberId);
}

/** The blocks between the author of a comment and those who read of it, which stay as they are until the transaction ends. */
export async function findBlocks(
  db: Transaction,
  memberId: number,
  { articleAuthorId, parentAuthorId }: Place,
  mentioned: readonly number[],
): Promise<Block[]> {
  const others = [articleAuthorId, parentAuthorId, ...mentioned].filter((id) => id !== null && id !== memberId);
  return others.length === 0 ? [] : db.query(FIND_BLOCKS_BETWEEN, [memberId, others as number[]]);
}

/** Whether one of the others has blocked the member. */
export function isBlocked(blocks: readonly Block[], memberId: number): boolean {
  return blocks.some(({ blockedId }) => blockedId === memberId);
}

interface Announced {
  memberId: number;
  place: Place;
  mentioned: readonly number[];
  blocks: readonly Block[];
  /** Absent: a new one. */
  commentId?: number;
}

/**
 * The author of the parent, that of the article, and the members who are mentioned: each is notified once, and only those between whom and the author of
 * the comment there is no block. Of comments on a private article, on which only its author comments, nobody is.
 */
export function findRecipients(db: Transaction, announced: Announced): Promise<Recipient[]> {
  const { parentAuthorId, articleAuthorId } = announced.place;
  const replied = { memberId: parentAuthorId, type: 'REPLY' } as const;
  const commented = { memberId: articleAuthorId, type: 'COMMENT' } as const;
  return wanted(db, [replied, commented, ...announced.mentioned.map(asMention)], announced);
}

/** Of the members whom an edit mentions for the first time. */
export function findRecipientsOfEdit(db: Transaction, announced: Announced): Promise<Recipient[]> {
  return wanted(db, announced.mentioned.map(asMention), announced);
}

interface Candidate {
  memberId: number | null;
  type: Recipient['type'];
}

const asMention = (memberId: number): Candidate => ({ memberId, type: 'MENTION' });

async function wanted(
  db: Transaction,
  candidates: readonly Candidate[],
  { memberId, place, blocks, commentId }: Announced,
): Promise<Recipient[]> {
  if (place.isPrivate) return [];
  const left = new Set([null, memberId, ...blocks.flatMap((block) => [block.memberId, block.blockedId])]);
  const concerned = candidates.filter((candidate) => !left.has(candidate.memberId));
  if (concerned.length === 0) return [];
  const [ids, types] = [concerned.map((one) => one.memberId as number), concerned.map(({ type }) => type)];
  return db.query(FIND_RECIPIENTS, [ids, types, memberId, commentId ?? null]);
}

/** Notifications as parameters of a statement. */
export function notificationsOf(recipients: readonly Recipient[]): [memberIds: number[], types: Recipient['type'][]] {
  return [recipients.map(({ memberId }) => memberId), recipients.map(({ type }) => type)];
}

/** After the notifications, whose counters are locked before the jobs. */
export async function mailAtOnce(db: Transaction, recipients: readonly Recipient[], actorId: number): Promise<void> {
  const mailed = recipients.filter(({ isMailed }) => isMailed).map(({ memberId }) => memberId);
  if (mailed.length > 0) await db.query(MAIL_AT_ONCE, [mailed, actorId]);
}
