/** Edits, deletes and hides comments. The content of edited ones is checked, and can be held for approval. */
import {
  COMMENTS,
  type CommentChange,
  DELETE_EMPTY_PARENT,
  type LockedComment,
  lockComment,
  SET_COMMENT_HIDDEN,
} from '../models/comment/comment.js';
import { FIND_STORED_MENTIONS, STORE_MENTIONS_OF_COMMENT } from '../models/comment/create.js';
import {
  type CommentCheck,
  deleteHeldComment,
  EDIT_HELD_COMMENT,
  holdComment,
  mustBeHeldNow,
} from '../models/comment/held.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
import {
  findBlocks,
  findMentioned,
  findRecipientsOfEdit,
  isBlocked,
  mailAtOnce,
  notificationsOf,
} from './comment-recipients.js';
import { placeOf, showHeldComment } from './held-comment.js';

export interface CommentEdit {
  content: string;
  /** Null: the comment does not have to be held. */
  check: CommentCheck | null;
}

export interface EditedComment {
  isHeld: boolean;
}

/**
 * Unchanged content of a comment that is not held is not checked again.
 * @throws AppError COMMENT_NOT_FOUND, BLOCKED and HELD_LIMIT_REACHED as for a new comment, and the errors of the check of the change
 */
export function editComment(
  database: Database,
  id: number,
  { content, check }: CommentEdit,
  change: CommentChange,
): Promise<EditedComment> {
  return database.transaction(async (db) => {
    const comment = await lockComment(db, id, change);
    const spamScore = check?.spamScore ?? null;
    const isChecked = check !== null && (comment.isHeld || comment.content !== content);
    const isHeld = isChecked && (await mustBeHeldNow(db, comment, check));
    await addMentions(db, comment, { content, isHeld });
    if (comment.isHeld) {
      await db.query(EDIT_HELD_COMMENT, [id, content, spamScore]);
      if (!isHeld) await showHeldComment(db, { ...comment, content });
    } else if (isHeld) {
      await holdComment(db, comment, { content, spamScore });
    } else {
      const changes = { ...COMMENTS.valuesOf({ content }), revision: comment.revision + 1 };
      await COMMENTS.update(db, comment, changes);
    }
    return { isHeld };
  });
}

/**
 * Stores whom an edit mentions for the first time. A hidden comment mentions no further members, and one that is or becomes held none until it is approved.
 * @throws AppError BLOCKED if one of the members who would prevent the comment if it were new blocks its author, who may keep mentions from before
 */
async function addMentions(
  db: Transaction,
  { id, memberId: authorId, isHidden, ...comment }: LockedComment,
  { content, isHeld }: { content: string; isHeld: boolean },
): Promise<void> {
  const memberId = authorId ?? 0;
  const place = await placeOf(db, comment);
  const found = await findMentioned(db, { memberId, content });
  const stored = found.length === 0 ? [] : (await db.query(FIND_STORED_MENTIONS, [id])).map((one) => one.memberId);
  const mentioned = found.filter((one) => !stored.includes(one));
  const blocks = await findBlocks(db, memberId, place, mentioned);
  if (isBlocked(blocks, memberId)) throw new AppError('BLOCKED');
  if (mentioned.length === 0 || isHidden || comment.isHeld || isHeld) return;
  const recipients = await findRecipientsOfEdit(db, { memberId, place, mentioned, blocks, commentId: id });
  await db.query(STORE_MENTIONS_OF_COMMENT, [id, mentioned, ...notificationsOf(recipients)]);
  await mailAtOnce(db, recipients, memberId);
}

/**
 * Deletes the row, or if the comment has replies only its content and author.
 * @throws AppError COMMENT_NOT_FOUND, also if a concurrent request deleted it first
 */
export function deleteComment(database: Database, id: number, change: CommentChange): Promise<void> {
  return database.transaction(async (db) => {
    const comment = await lockComment(db, id, change);
    if (comment.isHeld) return deleteHeldComment(db, comment);
    if (comment.replyCount > 0) {
      // The place of a removed comment is not removed: otherwise the job that deletes what was removed would find it in each run.
      const changes = { content: '', memberId: null, deletedAt: new Date(db.now()), removedAt: null };
      await COMMENTS.update(db, comment, changes);
      return;
    }
    await COMMENTS.delete(db, id);
    if (comment.parentId !== null) await db.query(DELETE_EMPTY_PARENT, [comment.parentId]);
  });
}

/**
 * Idempotent.
 * @param memberId author of the article, for the audit trail
 * @throws AppError COMMENT_NOT_FOUND, and the errors of the check
 */
export function setCommentHidden(
  caller: EventSource,
  id: number,
  { isHidden, memberId }: { isHidden: boolean; memberId: number | null },
  change: CommentChange,
): Promise<void> {
  const { database } = caller;
  return database.transaction(async (db) => {
    const comment = await lockComment(db, id, change);
    if (comment.isHidden === isHidden) return;
    await db.query(SET_COMMENT_HIDDEN, [id, isHidden]);
    await recordEvent(db, caller, { kind: isHidden ? 'COMMENT_HIDDEN' : 'COMMENT_SHOWN', memberId });
  });
}
