/** Changes of accounts by an operator, each with its event in the audit trail. */
import { randomBytes } from 'node:crypto';
import { knownAddress } from '../models/member/address.js';
import { LOCK_ACCOUNT, SET_ROLE, UNLOCK_ACCOUNT } from '../models/member/administration.js';
import { VERIFY_EMAIL } from '../models/member/member.js';
import type { Role } from '../models/moderation/role.js';
import type { Transaction } from '../platform/database/pool.js';
import { MAX_NAME_LENGTH } from '../platform/display-name/rules.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
import { endAllAccess } from '../services/auth/session.js';
import { addLink } from './one-time-link.js';
import { insertAccount } from './register.js';

/** @returns whether the address is still that of the member, and not confirmed before */
export function verifyMember(source: EventSource, memberId: number, email: string): Promise<boolean> {
  const { database } = source;
  return database.transaction(async (db) => {
    const [verified] = await db.query(VERIFY_EMAIL, [memberId, email]);
    if (verified) await recordEvent(db, source, { kind: 'EMAIL_VERIFIED', memberId });
    return verified !== undefined;
  });
}

/** Locking ends all sessions and API tokens. */
export function setMemberLocked(source: EventSource, memberId: number, isLocked: boolean): Promise<void> {
  const { database } = source;
  return database.transaction(async (db) => {
    const [changed] = await db.query(isLocked ? LOCK_ACCOUNT : UNLOCK_ACCOUNT, [memberId]);
    if (isLocked) await endAllAccess(db, memberId);
    const kind = isLocked ? 'ACCOUNT_LOCKED' : 'ACCOUNT_UNLOCKED';
    if (changed) await recordEvent(db, source, { kind, memberId });
  });
}

/** Creates a link for a new password, which replaces an earlier one. Not sent by email, it proves no access to the address. @returns its token */
export function createResetLink(source: EventSource, memberId: number): Promise<string> {
  const { database } = source;
  return database.transaction(async (db) => {
    await recordEvent(db, source, { kind: 'PASSWORD_RESET_REQUESTED', memberId });
    return addResetLink(db, memberId);
  });
}

async function addResetLink(db: Transaction, memberId: number): Promise<string> {
  // The service derives tokens of emails from its secret; this one is random.
  const jwtSecret = randomBytes(32).toString('hex');
  const { token } = await addLink(db, { jwtSecret }, { memberId, purpose: 'reset', email: null });
  return token;
}

interface MemberToCreate {
  email: string;
  /** Null: derived from the address and made unique. */
  nickname: string | null;
  role: Role;
}

/**
 * Creates an account without a password, and a link for its first one, which proves no access to the address.
 * @returns the member and the token of the link
 * @throws AppError EMAIL_TAKEN, NICKNAME_TAKEN
 */
export async function createMember(
  source: EventSource,
  { email: given, nickname, role }: MemberToCreate,
): Promise<{ id: number; nickname: string; token: string }> {
  const { database } = source;
  const email = await knownAddress(database, given);
  const memberName = nickname ?? email.slice(0, Math.min(email.lastIndexOf('@'), MAX_NAME_LENGTH));
  return database.transaction(async (db) => {
    const account = { email, passwordHash: null, memberName, nickname };
    const created = await insertAccount(db, account);
    const { id: memberId } = created;
    await recordEvent(db, source, { kind: 'ACCOUNT_CREATED', memberId });
    if (role !== 'MEMBER') {
      await db.query(SET_ROLE, [memberId, role]);
      await recordEvent(db, source, { kind: 'ROLE_CHANGED', memberId });
    }
    return { id: memberId, nickname: created.nickname, token: await addResetLink(db, memberId) };
  });
}
