/** Creates a comment, or holds it for approval. */
import {
  type CreatedComment,
  INSERT_COMMENT,
  INSERT_HELD_COMMENT,
  LOCK_PLACE,
  type NewPlace,
} from '../models/comment/create.js';
import { type CommentCheck, LOCK_PARENT_OF_NEW, mustBeHeldNow, REQUIRE_FEW_HELD } from '../models/comment/held.js';
import type { Reader } from '../models/reader.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import {
  findBlocks,
  findMentioned,
  findRecipients,
  isBlocked,
  mailAtOnce,
  notificationsOf,
} from './comment-recipients.js';

export interface NewComment {
  articleId: number;
  /** Null for a top-level comment. */
  parentId: number | null;
  memberId: number;
  content: string;
  reader: Reader;
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
  /** Null or absent: the comment is not held. */
  check?: CommentCheck | null;
}

/**
 * Everything is read before the row is inserted: concurrent comments on the article wait for its counters, which triggers lock then.
 * @throws AppError ARTICLE_NOT_FOUND, COMMENT_NOT_FOUND, REPLY_TOO_DEEP, BLOCKED, HELD_LIMIT_REACHED
 */
export function createComment(database: Database, comment: NewComment): Promise<CreatedComment> {
  const { articleId, parentId, memberId, content, reader, createdAt, check } = comment;
  return database.transaction(async (db) => {
    const [place] = await db.query(LOCK_PLACE, [articleId, parentId, memberId, reader]);
    if (!place) throw new AppError('ARTICLE_NOT_FOUND');
    const mentioned = await findMentioned(db, comment);
    const blocks = await findBlocks(db, memberId, place, mentioned);
    if (isBlocked(blocks, memberId)) throw new AppError('BLOCKED');
    if (parentId !== null) requireParent(place);
    if (check && (await mustBeHeldNow(db, comment, check))) return holdNew(db, comment, place, check);
    const recipients = await findRecipients(db, { memberId, place, mentioned, blocks });
    const row = [articleId, parentId, memberId, content, createdAt ?? null] as const;
    const isMailed = recipients.some((recipient) => recipient.isMailed);
    const insert = isMailed ? db.query : db.last;
    const [created] = await insert(INSERT_COMMENT, [...row, mentioned, ...notificationsOf(recipients)]);
    if (isMailed) await mailAtOnce(db, recipients, memberId);
    return created as CreatedComment;
  });
}

/** The parent can still be deleted: the triggers of the new row check it under its lock. */
function requireParent({ isParentReply }: NewPlace): void {
  if (isParentReply === null) throw new AppError('COMMENT_NOT_FOUND');
  if (isParentReply) throw new AppError('REPLY_TOO_DEEP');
}

async function holdNew(
  db: Transaction,
  { articleId, parentId, memberId, content, createdAt }: NewComment,
  { articleAuthorId }: NewPlace,
  { spamScore }: CommentCheck,
): Promise<CreatedComment> {
  if (parentId !== null && (await db.query(LOCK_PARENT_OF_NEW, [parentId])).length === 0)
    throw new AppError('COMMENT_NOT_FOUND');
  await db.query(REQUIRE_FEW_HELD, [memberId, articleAuthorId]);
  const row = [articleId, parentId, memberId, content, createdAt ?? null] as const;
  const [held] = await db.last(INSERT_HELD_COMMENT, [...row, articleAuthorId, spamScore]);
  return held as CreatedComment;
}
