/** Changes the content of a comment, which is checked like that of a new one. */
import { COMMENTS, type CommentChange, lockComment } from '../models/comment/comment.js';
import { EDIT_MENTIONS } from '../models/comment/create.js';
import {
  type CommentCheck,
  EDIT_HELD_COMMENT,
  holdComment,
  mustBeHeldNow,
  SHOW_HELD_COMMENT,
} from '../models/comment/held.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { mentionedInSource } from '../services/rendering/mentions.js';

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
  return database.inTransaction(async (transaction) => {
    const comment = await lockComment(database, id, transaction, change);
    const spamScore = check?.spamScore ?? null;
    const isChecked = check !== null && (comment.isHeld || comment.content !== content);
    const isHeld = isChecked && (await mustBeHeldNow(database, comment, check, transaction));
    const names = mentionedInSource(content);
    const isShown = !comment.isHeld && !isHeld;
    const [edit] = await database.query(EDIT_MENTIONS, [id, names, isShown], transaction);
    if (edit?.isBlocked) throw new AppError('BLOCKED');
    if (comment.isHeld) {
      await database.query(EDIT_HELD_COMMENT, [id, content, spamScore], transaction);
      if (!isHeld) await database.query(SHOW_HELD_COMMENT, [id, names], transaction);
    } else if (isHeld) {
      await holdComment(database, comment, { content, spamScore }, transaction);
    } else {
      const changes = { ...COMMENTS.valuesOf({ content }), revision: comment.revision + 1 };
      await COMMENTS.update(database, comment, changes, transaction);
    }
    return { isHeld };
  });
}
