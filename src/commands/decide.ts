/** Decisions of moderators and operators on what was reported, on comments that wait for approval, and on members. */
import type { Transaction } from 'sequelize';
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
import type { EventKind } from '../models/session/security-event.js';
import type { Database } from '../platform/database/pool.js';
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
  /** The header of the request: the `revision` that the moderator has read. */
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
  readonly transaction: Transaction;
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
    apply: ({ source, comment, moderatorId, transaction }) =>
      decideHeldComment(source, requireHeld(comment), { isApproved: true, deciderId: moderatorId }, transaction),
  },
  REMOVE: {
    decidesReports: true,
    apply: async (locked) =>
      locked.comment?.isHeld ? void requireHeld(locked.comment) : requireState(await change(locked, REMOVALS)),
    end: ({ source, comment, moderatorId, transaction }) =>
      comment?.isHeld
        ? decideHeldComment(source, comment, { isApproved: false, deciderId: moderatorId }, transaction)
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
  return source.database.inTransaction(
    async (transaction) => carryOut(await lock(source, viewer, verdict, transaction)),
    { isLarge },
  );
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
  { source, verdict, moderatorId, transaction }: Locked,
  about: Pick<NewDecision, 'articleId' | 'commentId' | 'memberId' | 'appealOf' | 'reports'>,
): Promise<DecisionRow> {
  const { action, reasons } = verdict;
  const decision = await addDecision(source.database, { action, ...about, ...reasons, moderatorId }, transaction);
  await mailDecision(source, decision.id, transaction);
  if (moderatorId !== null) await recordEvent(source, { kind: 'DECISION_MADE', memberId: moderatorId }, transaction);
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
  source: EventSource,
  viewer: Viewer | null,
  verdict: Verdict,
  transaction: Transaction,
  { isDecided = false } = {},
): Promise<Locked> {
  const { database } = source;
  const { target, action } = verdict;
  const [moderatorId, ids] = [viewer?.memberId ?? null, [target.articleId, target.commentId, target.memberId] as const];
  const missing = new AppError(MISSING[nameOf(target)]);
  const [found] = await database.query(FIND_TARGET, [...ids], transaction);
  if (!found) throw missing;
  const members = await database.query(
    LOCK_CONCERNED,
    [[moderatorId, found.authorId, found.articleAuthorId]],
    transaction,
  );
  const memberOf = (id: number | null) => members.find((one) => one.id === id) ?? null;
  const actor = memberOf(moderatorId);
  if (viewer) {
    const [access] = await database.query(HAS_ACCESS, [viewer.credentialId], transaction);
    if (!actor || !access?.hasAccess) throw new AppError('UNAUTHENTICATED');
  }
  const content = await lockContent(database, target, transaction);
  const concerned = memberOf(content.authorId);
  // The content has another author, or the member has withdrawn meanwhile.
  if (!concerned && (target.memberId !== null || ![null, found.authorId].includes(content.authorId))) throw missing;
  const [reported = null] = await database.query(LOCK_CASE, [...ids], transaction);
  if (actor) {
    // Of private content only what has open reports, and so was public when they were written, exists for moderators, who could read it after its removal.
    if (content.isPrivate && !found.isRemoved && !reported?.isOpen && !isDecided) throw missing;
    requirePermission(action, actor, concerned ?? WITHDRAWN_AUTHOR);
  }
  await requireUnchanged(database, verdict, transaction);
  return { source, verdict, moderatorId, concerned, comment: content.comment, reported, transaction };
}

/** Without the header, there is no statement. @throws AppError PRECONDITION_FAILED */
async function requireUnchanged(
  database: Database,
  { target: { articleId, commentId, memberId }, ifMatch = null }: Verdict,
  transaction: Transaction,
): Promise<void> {
  if (ifMatch === null) return;
  const [found] = await database.query(REVISION_OF_TARGET, [articleId, commentId, memberId], transaction);
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
  database: Database,
  { articleId, commentId, memberId }: Target,
  transaction: Transaction,
): Promise<{ authorId: number | null; isPrivate: boolean; comment: LockedComment | null }> {
  if (articleId !== null) {
    const article = await ARTICLES.lock(database, articleId, transaction, () => {});
    return { authorId: article.memberId, isPrivate: article.isPrivate && article.removedAt === null, comment: null };
  }
  if (commentId === null) return { authorId: memberId, isPrivate: false, comment: null };
  const change = { articleReaderId: 0, credentialId: null, heldFor: null, check: () => {} };
  const comment = await lockComment(database, commentId, transaction, change);
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
  const { source, verdict, transaction } = locked;
  const { articleId, commentId } = verdict.target;
  const [changed] =
    articleId === null
      ? await source.database.query(ofComment, [commentId ?? 0], transaction)
      : await source.database.query(ofArticle, [articleId], transaction);
  if (changed) await recordEffect(locked, kind);
  return changed !== undefined;
}

/** An operator replaces an earlier suspension; a moderator ends it first. */
async function suspend(locked: Locked): Promise<void> {
  const { source, concerned, verdict, moderatorId, transaction } = locked;
  const { until, rule, statement } = verdict.reasons;
  if (!concerned || (moderatorId !== null && concerned.suspension)) throw new AppError('ALREADY_DECIDED');
  await source.database.query(SUSPEND, [concerned.id, until, rule, statement], transaction);
  await recordEffect(locked, 'MEMBER_SUSPENDED');
}

export async function unsuspend(locked: Locked): Promise<void> {
  const { source, concerned, transaction } = locked;
  if (!concerned?.suspension) throw new AppError('ALREADY_DECIDED');
  await source.database.query(UNSUSPEND, [concerned.id], transaction);
  await recordEffect(locked, 'MEMBER_UNSUSPENDED');
}

/** In the audit trail of the member concerned, without the device of a moderator. */
async function recordEffect({ source, concerned, moderatorId, transaction }: Locked, kind: EventKind): Promise<void> {
  if (!concerned) return;
  const event = { kind, memberId: concerned.id };
  await recordEvent(moderatorId === null ? source : withoutActor(source), event, transaction);
}

/** The spam score learns from comments that were reported as spam; from held ones, `decideHeldComment` lets it learn. */
async function closeReports(
  { source, verdict, concerned, comment, moderatorId: deciderId, transaction }: Locked,
  { id, decidedId }: LockedCase,
): Promise<void> {
  const { database } = source;
  const [closed] = await database.query(CLOSE_CASE, [id, decidedId], transaction);
  if (!closed?.isSpam || !comment || comment.isHeld) return;
  const label = {
    text: comment.content,
    isSpam: verdict.action === 'REMOVE',
    memberId: concerned?.id ?? null,
    deciderId,
  };
  await recordSpamLabel(database, label, transaction);
}
