/** Changes of accounts by an operator, each with its event in the audit trail. */
import { randomBytes } from 'node:crypto';
import { LOCK_ACCOUNT, UNLOCK_ACCOUNT } from '../models/member/administration.js';
import { VERIFY_EMAIL } from '../models/member/member.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
import { endAllAccess } from '../services/auth/session.js';
import { addLink } from './one-time-link.js';

/** @returns whether the address is still that of the member, and not confirmed before */
export function verifyMember(source: EventSource, memberId: number, email: string): Promise<boolean> {
  const { database } = source;
  return database.inTransaction(async (transaction) => {
    const [verified] = await database.query(VERIFY_EMAIL, [memberId, email], transaction);
    if (verified) await recordEvent(source, { kind: 'EMAIL_VERIFIED', memberId }, transaction);
    return verified !== undefined;
  });
}

/** Locking ends all sessions and API tokens. */
export function setMemberLocked(source: EventSource, memberId: number, isLocked: boolean): Promise<void> {
  const { database } = source;
  return database.inTransaction(async (transaction) => {
    const [changed] = await database.query(isLocked ? LOCK_ACCOUNT : UNLOCK_ACCOUNT, [memberId], transaction);
    if (isLocked) await endAllAccess(database, memberId, transaction);
    const kind = isLocked ? 'ACCOUNT_LOCKED' : 'ACCOUNT_UNLOCKED';
    if (changed) await recordEvent(source, { kind, memberId }, transaction);
  });
}

/** Creates a link for a new password, which replaces an earlier one. Not sent by email, it proves no access to the address. @returns its token */
export function createResetLink(source: EventSource, memberId: number): Promise<string> {
  const { database } = source;
  // The service derives tokens of emails from its secret; this one is random.
  const jwtSecret = randomBytes(32).toString('hex');
  return database.inTransaction(async (transaction) => {
    await recordEvent(source, { kind: 'PASSWORD_RESET_REQUESTED', memberId }, transaction);
    const { token } = await addLink({ database, jwtSecret }, { memberId, purpose: 'reset', email: null }, transaction);
    return token;
  });
}
