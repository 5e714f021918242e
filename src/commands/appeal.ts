/** Appeals of members against decisions, and decisions of moderators and operators on them. */
import {
  ADD_APPEAL,
  ANSWER_APPEAL,
  APPEAL_MONTHS,
  APPEAL_STATE,
  type AppealedDecision,
  FIND_APPEALED,
  HAS_OTHER_MODERATOR,
  IS_LAST_OF_ACTION,
  LOCK_APPEAL,
  LOCK_APPEALED_CONTENT,
  OWN_DECISION_BY_ID,
  type OwnDecisionRow,
} from '../models/decision/appeal.js';
import type { DecisionRow, Reasons } from '../models/decision/decision.js';
import type { DecisionAction } from '../models/moderation/action.js';
import type { Role } from '../models/moderation/role.js';
import { AppError, invalid } from '../platform/errors.js';
import type { Condition } from '../platform/http/if-match.js';
import { createMessage } from '../platform/messages/message.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
import { rolesFor } from '../services/auth/permission.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import { type Locked, lock, recordDecision, restore, unsuspend } from './decide.js';
import { lockAccount } from './login-methods.js';

/** The decisions on an appeal, by the action that was appealed. */
const ANSWERS: Readonly<Partial<Record<DecisionAction, readonly DecisionAction[]>>> = {
  REMOVE: ['UPHOLD', 'RESTORE'],
  SUSPEND: ['UPHOLD', 'UNSUSPEND'],
};

export interface AppealVerdict {
  /** Of the appealed decision. */
  readonly appealId: number;
  readonly action: DecisionAction;
  readonly reasons: Reasons;
  readonly ifMatch?: Condition | null;
}

/**
 * The locks are those of `decide`, and then that of the appeal. What the appealed decision changed is changed back if it still has an effect.
 * @param viewer null for an operator
 * @throws AppError DECISION_NOT_FOUND without an appeal; VALIDATION_FAILED for an action that does not answer it; ALREADY_DECIDED; ROLE_MISSING also for
 * the moderator of the appealed decision, if there is another one; the other errors of `decide`
 */
export function decideAppeal(
  source: EventSource,
  viewer: Viewer | null,
  { appealId, action, reasons, ifMatch = null }: AppealVerdict,
): Promise<DecisionRow> {
  const { database } = source;
  return database.transaction(
    async (db) => {
      const [appealed] = await db.query(FIND_APPEALED, [appealId]);
      if (!appealed) throw new AppError('DECISION_NOT_FOUND');
      const possible = ANSWERS[appealed.action] ?? [];
      if (!possible.includes(action)) throw invalid('action', createMessage('actionNotForTarget', possible, action));
      const { articleId, commentId } = appealed;
      // Content that was deleted since has no row to lock.
      const memberId = articleId === null && commentId === null ? appealed.memberId : null;
      const verdict = { target: { articleId, commentId, memberId }, action, reasons, ifMatch };
      const locked = await lock(db, source, viewer, verdict, { isDecided: true });
      const [open] = await db.query(LOCK_APPEAL, [appealId]);
      if (!open) throw new AppError('ALREADY_DECIDED');
      await requireOther(locked, appealed);
      if (action !== 'UPHOLD') await reverse(locked, appealId);
      const about = { articleId, commentId, memberId: appealed.memberId, appealOf: appealId, reports: null };
      const decision = await recordDecision(locked, about);
      await db.query(ANSWER_APPEAL, [appealId, decision.id]);
      return decision;
      // As `decide`.
    },
    { isLarge: action === 'RESTORE' },
  );
}

/** @throws AppError ROLE_MISSING for the moderator of the appealed decision, if another one could decide */
async function requireOther(
  { concerned, moderatorId, verdict, db }: Locked,
  appealed: AppealedDecision,
): Promise<void> {
  if (moderatorId === null || moderatorId !== appealed.moderatorId) return;
  const roles: Role[] = rolesFor(verdict.action, concerned?.role ?? 'MEMBER');
  const except = [moderatorId, appealed.memberId];
  const [other] = await db.query(HAS_OTHER_MODERATOR, [except, roles]);
  if (other?.exists) throw new AppError('ROLE_MISSING', { message: createMessage('otherModeratorDecides') });
}

/** Content that was restored or deleted meanwhile stays as it is, as does a removal or a suspension by a later decision. */
async function reverse(locked: Locked, appealId: number): Promise<void> {
  const { concerned, verdict, db } = locked;
  const [found] = await db.query(IS_LAST_OF_ACTION, [appealId]);
  if (!found?.isLast) return;
  if (verdict.action === 'RESTORE') await restore(locked);
  else if (concerned?.suspension) await unsuspend(locked);
}

/**
 * By the member concerned, who may be suspended. Moderators find the appeal in their queue; they get no notification or email.
 * @returns the decision with the appeal
 * @throws AppError DECISION_NOT_FOUND, ALREADY_APPEALED; ALREADY_DECIDED for a decision that cannot be appealed, or not any more; the errors of `lockAccount`
 */
export function appealDecision(
  caller: Caller,
  viewer: Viewer,
  { decisionId, text }: { decisionId: number; text: string },
): Promise<OwnDecisionRow> {
  const { database } = caller;
  const { memberId } = viewer;
  return database.transaction(async (db) => {
    // Two appeals of a member are one after the other.
    await lockAccount(db, viewer, undefined, { isForSuspended: true });
    await db.query(LOCK_APPEALED_CONTENT, [decisionId, memberId]);
    const [state] = await db.query(APPEAL_STATE, [decisionId, memberId]);
    if (!state) throw new AppError('DECISION_NOT_FOUND');
    if (state.isAppealed) throw new AppError('ALREADY_APPEALED');
    if (!state.isAppealable) throw new AppError('ALREADY_DECIDED', { message: createMessage('notAppealable') });
    if (state.isLate) throw new AppError('ALREADY_DECIDED', { message: createMessage('appealTooLate', APPEAL_MONTHS) });
    await db.query(ADD_APPEAL, [decisionId, text]);
    await recordEvent(db, caller, { kind: 'DECISION_APPEALED', memberId });
    const [appealed] = await db.query(OWN_DECISION_BY_ID, [decisionId, memberId]);
    return appealed as OwnDecisionRow;
  });
}
