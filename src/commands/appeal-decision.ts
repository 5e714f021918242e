/** Appeals a decision of a moderator. */
import {
  ADD_APPEAL,
  APPEAL_MONTHS,
  APPEAL_STATE,
  LOCK_APPEALED_CONTENT,
  OWN_DECISION_BY_ID,
  type OwnDecisionRow,
} from '../models/decision/appeal.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { recordEvent } from '../services/auth/audit.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import { lockAccount } from './login-methods.js';

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
