/** Changes of accounts by an operator, each with its event in the audit trail. */
import { randomBytes } from 'node:crypto';
import type { Transaction } from 'sequelize';
import { LOCK_ACCOUNT, SET_ROLE, UNLOCK_ACCOUNT } from '../models/member/administration.js';
import { VERIFY_EMAIL } from '../models/member/member.js';
import type { Role } from '../models/moderation/role.js';
import type { Database } from '../platform/database/pool.js';
import { MAX_NAME_LENGTH } from '../platform/display-name/rules.js';
import { type EventSource, recordEvent } from '../services/auth/audit.js';
import { endAllAccess } from '../services/auth/session.js';
import { addLink } from './one-time-link.js';
import { insertAccount } from './register.js';

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
  return database.inTransaction(async (transaction) => {
    await recordEvent(source, { kind: 'PASSWORD_RESET_REQUESTED', memberId }, transaction);
    return addResetLink(database, memberId, transaction);
  });
}

async function addResetLink(database: Database, memberId: number, transaction: Transaction): Promise<string> {
  // The service derives tokens of emails from its secret; this one is random.
  const jwtSecret = randomBytes(32).toString('hex');
  const { token } = await addLink({ database, jwtSecret }, { memberId, purpose: 'reset', email: null }, transaction);
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
export function createMember(
  source: EventSource,
  { email, nickname, role }: MemberToCreate,
): Promise<{ id: number; nickname: string; token: string }> {
  const { database } = source;
  const memberName = nickname ?? email.slice(0, Math.min(email.lastIndexOf('@'), MAX_NAME_LENGTH));
  return database.inTransaction(async (transaction) => {
    const account = { email, passwordHash: null, memberName, nickname };
    const created = await insertAccount(database, account, transaction);
    const { id: memberId } = created;
    await recordEvent(source, { kind: 'ACCOUNT_CREATED', memberId }, transaction);
    if (role !== 'MEMBER') {
      await database.query(SET_ROLE, [memberId, role], transaction);
      await recordEvent(source, { kind: 'ROLE_CHANGED', memberId }, transaction);
    }
    return { id: memberId, nickname: created.nickname, token: await addResetLink(database, memberId, transaction) };
  });
}
