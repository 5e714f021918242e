/** Decisions of moderators and operators on what was reported, on comments that wait for approval, and on members. */
import { ARTICLES } from '../models/article/article.js';
import { type LockedComment, lockComment } from '../models/comment/comment.js';
import {
  CLOSE_CASE,
  type ConcernedMember,
  FIND_TARGET,
  HAS_ACCESS,
  LOCK_CASE,
  LOCK_CONCERNED,
  type LockedCase,
  REVISION_OF_TARGET,
} from '../models/decision/case.js';
import { addDecision, type DecisionRow, type NewDecision, type Reasons } from '../models/decision/decision.js';
import type { Target } from '../models/decision/report.js';
import type { DecisionAction } from '../models/moderation/action.js';
import { REMOVE_ARTICLE, REMOVE_COMMENT, RESTORE_ARTICLE, RESTORE_COMMENT } from '../models/moderation/removal.js';
import type { RoleOfMember } from '../models/moderation/role.js';
import { SUSPEND, UNSUSPEND } from '../models/moderation/suspension.js';
import { ANONYMOUS } from '../models/reader.js';
import type { EventKind } from '../models/session/security-event.js';
import type { Transaction } from '../platform/database/pool.js';
import type { ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';
import { type Condition, requireRevision } from '../platform/http/if-match.js';
import { type EventSource, recordEvent, withoutActor } from '../services/auth/audit.js';
import { requirePermission } from '../services/auth/permission.js';
import type { Viewer } from '../services/auth/policy.js';
import { mailDecision } from '../services/mail/enqueue.js';
import { decideHeldComment, recordSpamLabel } from './held-comment.js';

/** What each action is possible for. */
const TARGETS_OF: Readonly<Record<DecisionAction, readonly (keyof Target)[]>> = {
  DISMISS: ['articleId', 'commentId', 'memberId'],
  APPROVE: ['commentId'],
  REMOVE: ['articleId', 'commentId'],
  RESTORE: ['articleId', 'commentId'],
  SUSPEND: ['memberId'],
  UNSUSPEND: ['memberId'],
  UPHOLD: [],
};

export function possibleFor(target: Target): DecisionAction[] {
  return (Object.keys(TARGETS_OF) as DecisionAction[]).filter((action) => TARGETS_OF[action].includes(nameOf(target)));
}

export const MISSING = {
  articleId: 'ARTICLE_NOT_FOUND',
  commentId: 'COMMENT_NOT_FOUND',
  memberId: 'MEMBER_NOT_FOUND',
} as const satisfies Readonly<Record<keyof Target, ErrorKey>>;

export interface Verdict {
  /** Exactly one of its ids is given, and the action is possible for it. */
  readonly target: Target;
  readonly action: DecisionAction;
  readonly reasons: Reasons;
  /** On the `revision` that the moderator has read. */
  readonly ifMatch?: Condition | null;
}

/** What the transaction has locked. */
export interface Locked {
  readonly source: EventSource;
  readonly verdict: Verdict;
  /** Null for an operator. */
  readonly moderatorId: number | null;
  /** The member concerned; null if the author withdrew. */
  readonly concerned: ConcernedMember | null;
  readonly comment: LockedComment | null;
  /** Null if the target was never reported. */
  readonly reported: LockedCase | null;
  readonly db: Transaction;
}

interface Effect {
  /** Whether the reports of the target are decided with it. */
  readonly decidesReports: boolean;
  /** @throws AppError ALREADY_DECIDED */
  apply(locked: Locked): Promise<void> | void;
  /** What ends the target, and with it its reports: after the reporters are notified. */
  end?(locked: Locked): Promise<void> | undefined;
}

const EFFECTS: Readonly<Record<DecisionAction, Effect>> = {
  DISMISS: { decidesReports: true, apply: ({ reported }) => requireState(reported?.isOpen) },
  APPROVE: {
    decidesReports: true,
    apply: ({ source, comment, moderatorId, db }) =>
      decideHeldComment(db, source, requireHeld(comment), { isApproved: true, deciderId: moderatorId }),
  },
  REMOVE: {
    decidesReports: true,
    apply: async (locked) =>
      locked.comment?.isHeld ? void requireHeld(locked.comment) : requireState(await change(locked, REMOVALS)),
    end: ({ source, comment, moderatorId, db }) =>
      comment?.isHeld
        ? decideHeldComment(db, source, comment, { isApproved: false, deciderId: moderatorId })
        : undefined,
  },
  RESTORE: { decidesReports: false, apply: async (locked) => requireState(await restore(locked)) },
  SUSPEND: { decidesReports: true, apply: suspend },
  UNSUSPEND: { decidesReports: false, apply: unsuspend },
  UPHOLD: { decidesReports: false, apply: () => requireState(false) },
};

/**
 * Locks are taken in the order of docs/decisions/lock-order.md. What was checked before is checked again under them, so that of two decisions at once the second finds the state that the first has left.
 * @param viewer null for an operator, who may decide on every member
 * @throws AppError ARTICLE_NOT_FOUND, COMMENT_NOT_FOUND, MEMBER_NOT_FOUND, ROLE_MISSING, UNAUTHENTICATED, MEMBER_SUSPENDED, PRECONDITION_FAILED; ALREADY_DECIDED if
 * nothing waits for this decision, or the state is that of the action already
 */
export function decide(source: EventSource, viewer: Viewer | null, verdict: Verdict): Promise<DecisionRow> {
  // The article enters or leaves the search index, which takes as long as writing it.
  const isLarge = verdict.target.articleId !== null && ['REMOVE', 'RESTORE'].includes(verdict.action);
  return source.database.transaction(async (db) => carryOut(await lock(db, source, viewer, verdict)), { isLarge });
}

/** @throws AppError ALREADY_DECIDED, COMMENT_NOT_FOUND */
export async function carryOut(locked: Locked): Promise<DecisionRow> {
  const { verdict, concerned, reported } = locked;
  const effect = EFFECTS[verdict.action];
  await effect.apply(locked);
  const reports = effect.decidesReports && reported?.isOpen ? reported : null;
  const about = { ...verdict.target, memberId: concerned?.id ?? null, appealOf: null };
  const decision = await recordDecision(locked, { ...about, reports });
  if (reports) await closeReports(locked, reports);
  await effect.end?.(locked);
  return decision;
}

/** With its notifications, the email and the event of the moderator. */
export async function recordDecision(
  { source, verdict, moderatorId, db }: Locked,
  about: Pick<NewDecision, 'articleId' | 'commentId' | 'memberId' | 'appealOf' | 'reports'>,
): Promise<DecisionRow> {
  const { action, reasons } = verdict;
  const decision = await addDecision(db, { action, ...about, ...reasons, moderatorId });
  await mailDecision(db, source, decision.id);
  if (moderatorId !== null) await recordEvent(db, source, { kind: 'DECISION_MADE', memberId: moderatorId });
  return decision;
}

export const NO_REASONS: Reasons = { until: null, rule: '', statement: '', note: '' };

/** By an operator. @throws AppError MEMBER_NOT_FOUND; ALREADY_DECIDED for a member who is not suspended */
export function decideOnMember(
  source: EventSource,
  memberId: number,
  action: 'SUSPEND' | 'UNSUSPEND',
  reasons: Reasons,
): Promise<DecisionRow> {
  return decide(source, null, { target: { articleId: null, commentId: null, memberId }, action, reasons });
}

/** @param isDecided whether there are earlier decisions on the target @throws as `decide` */
export async function lock(
  db: Transaction,
  source: EventSource,
  viewer: Viewer | null,
  verdict: Verdict,
  { isDecided = false } = {},
): Promise<Locked> {
  const { target, action } = verdict;
  const [moderatorId, ids] = [viewer?.memberId ?? null, [target.articleId, target.commentId, target.memberId] as const];
  const missing = new AppError(MISSING[nameOf(target)]);
  const [found] = await db.query(FIND_TARGET, [...ids]);
  if (!found) throw missing;
  const members = await db.query(LOCK_CONCERNED, [[moderatorId, found.authorId, found.articleAuthorId]]);
  const memberOf = (id: number | null) => members.find((one) => one.id === id) ?? null;
  const actor = memberOf(moderatorId);
  if (viewer) {
    const [access] = await db.query(HAS_ACCESS, [viewer.credentialId]);
    if (!actor || !access?.hasAccess) throw new AppError('UNAUTHENTICATED');
  }
  const content = await lockContent(db, target);
  const concerned = memberOf(content.authorId);
  // The content has another author, or the member has withdrawn meanwhile.
  if (!concerned && (target.memberId !== null || ![null, found.authorId].includes(content.authorId))) throw missing;
  const [reported = null] = await db.query(LOCK_CASE, [...ids]);
  if (actor) {
    // Of private content only what has open reports, and so was public when they were written, exists for moderators, who could read it after its removal.
    if (content.isPrivate && !found.isRemoved && !reported?.isOpen && !isDecided) throw missing;
    requirePermission(action, actor, concerned ?? WITHDRAWN_AUTHOR);
  }
  await requireUnchanged(db, verdict);
  return { source, verdict, moderatorId, concerned, comment: content.comment, reported, db };
}

/** Without the header, there is no statement. @throws AppError PRECONDITION_FAILED */
async function requireUnchanged(
  db: Transaction,
  { target: { articleId, commentId, memberId }, ifMatch = null }: Verdict,
): Promise<void> {
  if (ifMatch === null) return;
  const [found] = await db.query(REVISION_OF_TARGET, [articleId, commentId, memberId]);
  requireRevision(ifMatch, found?.revision ?? '');
}

/** Content without an author is that of a member. */
const WITHDRAWN_AUTHOR: RoleOfMember = { id: 0, role: 'MEMBER' };

/** Which of the three ids is given. */
export function nameOf({ articleId, commentId }: Target): keyof Target {
  if (articleId !== null) return 'articleId';
  return commentId === null ? 'memberId' : 'commentId';
}

/** `isPrivate`: or on a private article; not if it was removed meanwhile. @throws AppError ARTICLE_NOT_FOUND, COMMENT_NOT_FOUND */
async function lockContent(
  db: Transaction,
  { articleId, commentId, memberId }: Target,
): Promise<{ authorId: number | null; isPrivate: boolean; comment: LockedComment | null }> {
  if (articleId !== null) {
    const article = await ARTICLES.lock(db, articleId, () => {});
    return { authorId: article.memberId, isPrivate: article.isPrivate && article.removedAt === null, comment: null };
  }
  if (commentId === null) return { authorId: memberId, isPrivate: false, comment: null };
  const change = { reader: ANONYMOUS, credentialId: null, held: 'all', check: () => {} } as const;
  const comment = await lockComment(db, commentId, change);
  return { authorId: comment.memberId, isPrivate: !comment.isArticleReadable, comment };
}

/** @throws AppError ALREADY_DECIDED */
function requireState(isWaiting: boolean | undefined): void {
  if (!isWaiting) throw new AppError('ALREADY_DECIDED');
}

/** @throws AppError ALREADY_DECIDED; COMMENT_NOT_FOUND for a comment on a private article, which its author decides on */
function requireHeld(comment: LockedComment | null): LockedComment {
  if (!comment?.isHeld) throw new AppError('ALREADY_DECIDED');
  if (!comment.isArticleReadable) throw new AppError('COMMENT_NOT_FOUND');
  return comment;
}

const REMOVALS = [REMOVE_ARTICLE, REMOVE_COMMENT, 'CONTENT_REMOVED'] as const;
const RESTORATIONS = [RESTORE_ARTICLE, RESTORE_COMMENT, 'CONTENT_RESTORED'] as const;

/** @returns whether it was removed, and exists */
export function restore(locked: Locked): Promise<boolean> {
  return change(locked, RESTORATIONS);
}

/** @returns whether it had the other state */
async function change(
  locked: Locked,
  [ofArticle, ofComment, kind]: typeof REMOVALS | typeof RESTORATIONS,
): Promise<boolean> {
  const { verdict, db } = locked;
  const { articleId, commentId } = verdict.target;
  const [changed] =
    articleId === null ? await db.query(ofComment, [commentId ?? 0]) : await db.query(ofArticle, [articleId]);
  if (changed) await recordEffect(locked, kind);
  return changed !== undefined;
}

/** An operator replaces an earlier suspension; a moderator ends it first. */
async function suspend(locked: Locked): Promise<void> {
  const { concerned, verdict, moderatorId, db } = locked;
  const { until, rule, statement } = verdict.reasons;
  if (!concerned || (moderatorId !== null && concerned.suspension)) throw new AppError('ALREADY_DECIDED');
  await db.query(SUSPEND, [concerned.id, until, rule, statement]);
  await recordEffect(locked, 'MEMBER_SUSPENDED');
}

export async function unsuspend(locked: Locked): Promise<void> {
  const { concerned, db } = locked;
  if (!concerned?.suspension) throw new AppError('ALREADY_DECIDED');
  await db.query(UNSUSPEND, [concerned.id]);
  await recordEffect(locked, 'MEMBER_UNSUSPENDED');
}

/** In the audit trail of the member concerned, without the device of a moderator. */
async function recordEffect({ source, concerned, moderatorId, db }: Locked, kind: EventKind): Promise<void> {
  if (!concerned) return;
  const event = { kind, memberId: concerned.id };
  await recordEvent(db, moderatorId === null ? source : withoutActor(source), event);
}

/** The spam score learns from comments that were reported as spam; from held ones, `decideHeldComment` lets it learn. */
async function closeReports(
  { verdict, concerned, comment, moderatorId: deciderId, db }: Locked,
  { id, decidedId }: LockedCase,
): Promise<void> {
  const [closed] = await db.query(CLOSE_CASE, [id, decidedId]);
  if (!closed?.isSpam || !comment || comment.isHeld) return;
  const label = {
    text: comment.content,
    isSpam: verdict.action === 'REMOVE',
    memberId: concerned?.id ?? null,
    deciderId,
  };
  await recordSpamLabel(db, label);
}
