/** Shows a comment that waits for approval, or deletes it. */
import { lockComment } from '../models/comment/comment.js';
import { FIND_TARGET, LOCK_CASE, LOCK_CONCERNED } from '../models/decision/case.js';
import { AppError } from '../platform/errors.js';
import { type Condition, requireRevision } from '../platform/http/if-match.js';
import { createMessage, type Language } from '../platform/messages/message.js';
import type { EventSource } from '../services/auth/audit.js';
import { isPermitted } from '../services/auth/permission.js';
import { isOnOwnArticle, readerOf, requireApprover, type Viewer } from '../services/auth/policy.js';
import { carryOut, NO_REASONS, type Verdict } from './decide.js';
import { decideHeldComment } from './held-comment.js';

/**
 * An approval is idempotent. That of a moderator on the article of another member is a decision: its author is notified with the reasons, and can appeal. Locks are taken
 * in the order of `decide`.
 * @param ifMatch so that the content that was read is approved, and not one that its author has written meanwhile
 * @throws AppError COMMENT_NOT_FOUND, COMMENT_FORBIDDEN, PRECONDITION_FAILED; ALREADY_DECIDED for the deletion of a comment that is not held
 */
export function setCommentApproval(
  source: EventSource,
  { id, isApproved, ifMatch }: { id: number; isApproved: boolean; ifMatch: Condition | null },
  viewer: Viewer,
): Promise<void> {
  const { database } = source;
  const { memberId: viewerId, credentialId } = viewer;
  return database.transaction(async (db) => {
    const reader = readerOf({ viewer });
    const [found] = await db.query(FIND_TARGET, [null, id, null]);
    const ids = [viewerId, found?.authorId ?? null, found?.articleAuthorId ?? null];
    const members = await db.query(LOCK_CONCERNED, [ids]);
    const change = { reader, credentialId, held: 'of reader', check: () => {} } as const;
    const comment = await lockComment(db, id, change);
    const [moderator, author] = [reader.moderatorId, comment.memberId].map((of) =>
      members.find((one) => one.id === of),
    );
    const action = isApproved ? 'APPROVE' : 'REMOVE';
    requireApprover(viewer, comment, !!moderator && !!author && isPermitted(action, moderator, author));
    requireRevision(ifMatch, comment.revision);
    if (!comment.isHeld) {
      if (isApproved) return;
      throw new AppError('ALREADY_DECIDED');
    }
    if (isOnOwnArticle(viewer, comment) || !author)
      return decideHeldComment(db, source, comment, { isApproved, deciderId: viewerId });
    const [reported = null] = await db.query(LOCK_CASE, [null, id, null]);
    const verdict = verdictOn(id, isApproved, author.language);
    await carryOut({ source, verdict, moderatorId: viewerId, concerned: author, comment, reported, db });
  });
}

/** The request has no field for reasons: the member concerned receives the rule of the deletion in their language. */
function verdictOn(commentId: number, isApproved: boolean, language: Language): Verdict {
  const target = { articleId: null, commentId, memberId: null };
  if (isApproved) return { target, action: 'APPROVE', reasons: NO_REASONS };
  const [rule, statement] = [createMessage('approvalRule').in(language), createMessage('notApproved').in(language)];
  return { target, action: 'REMOVE', reasons: { ...NO_REASONS, rule, statement } };
}
