/** Creates, edits, deletes and hides comments. The content of new and edited ones is checked, and can be held for approval. */
import {
  COMMENTS,
  type CommentChange,
  type CommentRow,
  DELETE_EMPTY_PARENT,
  lockComment,
  SET_COMMENT_HIDDEN,
} from '../models/comment/comment.js';
import { type CommentValues, CREATE_COMMENT, EDIT_MENTIONS } from '../models/comment/create.js';
import {
  type CommentCheck,
  deleteHeldComment,
  EDIT_HELD_COMMENT,
  HOLD_NEW_COMMENT,
  holdComment,
  mustBeHeldNow,
  SHOW_HELD_COMMENT,
} from '../models/comment/held.js';
import type { Reader } from '../models/reader.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

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

/** With the version of the spam model that is current after it. */
export type CreatedComment = CommentRow & { spamVersion: number };

/** @throws AppError ARTICLE_NOT_FOUND, COMMENT_NOT_FOUND, REPLY_TOO_DEEP, BLOCKED, HELD_LIMIT_REACHED */
export async function createComment(
  database: Database,
  { articleId, parentId, memberId, content, reader, createdAt, check }: NewComment,
): Promise<CreatedComment> {
  const names = mentionedInSource(content);
  const values: CommentValues = [articleId, parentId, memberId, content, createdAt ?? null, reader, names];
  // Whatever changes between the two statements, only a comment that does not have to be held reaches the second one.
  const held = check ? await hold(database, values, check) : null;
  const isFree = held === null || held?.isRequired === false;
  const created = isFree ? (await database.change(CREATE_COMMENT, values))[0] : held;
  if (!created) throw new AppError('ARTICLE_NOT_FOUND');
  if (created.isBlocked) throw new AppError('BLOCKED');
  if (created.id !== null) return created;
  throw new AppError(created.isParentReply ? 'REPLY_TOO_DEEP' : 'COMMENT_NOT_FOUND');
}

async function hold(database: Database, values: CommentValues, { isSuspect, isForNewcomers, spamScore }: CommentCheck) {
  const [held] = await database.change(HOLD_NEW_COMMENT, [...values, isSuspect, isForNewcomers, spamScore]);
  return held;
}

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
    const names = mentionedInSource(content);
    const isShown = !comment.isHeld && !isHeld;
    const [edit] = await db.query(EDIT_MENTIONS, [id, names, isShown]);
    if (edit?.isBlocked) throw new AppError('BLOCKED');
    if (comment.isHeld) {
      await db.query(EDIT_HELD_COMMENT, [id, content, spamScore]);
      if (!isHeld) await db.query(SHOW_HELD_COMMENT, [id, names]);
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
