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
  return database.inTransaction(
    async (transaction) => {
      const [appealed] = await database.query(FIND_APPEALED, [appealId], transaction);
      if (!appealed) throw new AppError('DECISION_NOT_FOUND');
      const possible = ANSWERS[appealed.action] ?? [];
      if (!possible.includes(action)) throw invalid('action', createMessage('actionNotForTarget', possible, action));
      const { articleId, commentId } = appealed;
      // Content that was deleted since has no row to lock.
      const memberId = articleId === null && commentId === null ? appealed.memberId : null;
      const verdict = { target: { articleId, commentId, memberId }, action, reasons, ifMatch };
      const locked = await lock(source, viewer, verdict, transaction, { isDecided: true });
      const [open] = await database.query(LOCK_APPEAL, [appealId], transaction);
      if (!open) throw new AppError('ALREADY_DECIDED');
      await requireOther(locked, appealed);
      if (action !== 'UPHOLD') await reverse(locked, appealId);
      const about = { articleId, commentId, memberId: appealed.memberId, appealOf: appealId, reports: null };
      const decision = await recordDecision(locked, about);
      await database.query(ANSWER_APPEAL, [appealId, decision.id], transaction);
      return decision;
      // As `decide`.
    },
    { isLarge: action === 'RESTORE' },
  );
}

/** @throws AppError ROLE_MISSING for the moderator of the appealed decision, if another one could decide */
async function requireOther(
  { source, concerned, moderatorId, verdict, transaction }: Locked,
  appealed: AppealedDecision,
): Promise<void> {
  if (moderatorId === null || moderatorId !== appealed.moderatorId) return;
  const roles: Role[] = rolesFor(verdict.action, concerned?.role ?? 'MEMBER');
  const except = [moderatorId, appealed.memberId];
  const [other] = await source.database.query(HAS_OTHER_MODERATOR, [except, roles], transaction);
  if (other?.exists) throw new AppError('ROLE_MISSING', { message: createMessage('otherModeratorDecides') });
}

/** Content that was restored or deleted meanwhile stays as it is, as does a removal or a suspension by a later decision. */
async function reverse(locked: Locked, appealId: number): Promise<void> {
  const { source, concerned, verdict, transaction } = locked;
  const [found] = await source.database.query(IS_LAST_OF_ACTION, [appealId], transaction);
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
  return database.inTransaction(async (transaction) => {
    // Two appeals of a member are one after the other.
    await lockAccount(database, viewer, undefined, transaction, { isForSuspended: true });
    await database.query(LOCK_APPEALED_CONTENT, [decisionId, memberId], transaction);
    const [state] = await database.query(APPEAL_STATE, [decisionId, memberId], transaction);
    if (!state) throw new AppError('DECISION_NOT_FOUND');
    if (state.isAppealed) throw new AppError('ALREADY_APPEALED');
    if (!state.isAppealable) throw new AppError('ALREADY_DECIDED', { message: createMessage('notAppealable') });
    if (state.isLate) throw new AppError('ALREADY_DECIDED', { message: createMessage('appealTooLate', APPEAL_MONTHS) });
    await database.query(ADD_APPEAL, [decisionId, text], transaction);
    await recordEvent(caller, { kind: 'DECISION_APPEALED', memberId }, transaction);
    const [appealed] = await database.query(OWN_DECISION_BY_ID, [decisionId, memberId], transaction);
    return appealed as OwnDecisionRow;
  });
}
