/** Changes the email address of an account: the new one is confirmed by a link, and a link to the old one undoes the change. */
import { knownAddress } from '../models/member/address.js';
import {
  END_UNPROVEN_ACCESS,
  type LockedEmail,
  SET_EMAIL,
  SET_PASSWORD,
  VERIFY_EMAIL,
} from '../models/member/member.js';
import { SUPERSEDE_TOKENS } from '../models/member/one-time-token.js';
import type { Transaction } from '../platform/database/pool.js';
import { emailKey } from '../platform/email-address.js';
import { AppError, invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { recordEvent } from '../services/auth/audit.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import { endAllAccess } from '../services/auth/session.js';
import { networkTask } from '../services/limits/client-task.js';
import { requireRequestedMail } from '../services/limits/mails.js';
import { assertNotRateLimited } from '../services/limits/rate-limiter.js';
import { enqueueMail } from '../services/mail/enqueue.js';
import { lockAccount } from './login-methods.js';
import { addLink, mailConfirmation, requireValid, useToken } from './one-time-link.js';

/**
 * The current address remains until the new one is confirmed. A new address that has another account is not rejected before: only a person
 * who can read its emails can know that it has one.
 * @param passwordHash from requireProof
 * @throws AppError RATE_LIMITED, and the errors of `lockAccount`
 */
export async function changeEmail(
  caller: Caller,
  viewer: Viewer,
  given: string,
  passwordHash: string | null,
): Promise<void> {
  const { database, limits } = caller;
  const { memberId } = viewer;
  assertNotRateLimited(await limits.emailChanges.count(database, String(memberId)), 'changes of the email address');
  await requireRequestedMail(caller, given);
  const email = await knownAddress(database, given);
  await database.transaction(async (db) => {
    const member = await lockAccount(db, viewer, passwordHash, { isForSuspended: true });
    await mailConfirmation(db, caller, { memberId, email, changing: member.nickname });
    if (member.email !== null && emailKey(member.email) !== emailKey(email))
      await mailUndo(db, caller, { memberId, email: member.email });
    await recordEvent(db, caller, { kind: 'EMAIL_CHANGE_REQUESTED', memberId });
  });
}

async function mailUndo(
  db: Transaction,
  caller: Caller,
  { memberId, email }: { memberId: number; email: string },
): Promise<void> {
  const { reference: link } = await addLink(db, caller, { memberId, purpose: 'undo', email });
  await enqueueMail(db, caller, { template: 'addressChanged', memberId, address: email, values: { link } });
}

/**
 * Confirms the current address, or changes it to the one that the link was sent to. The first proof of an address ends all access, and removes the login
 * methods that were added before it, except the password.
 * @param password a new one; required if the address was registered again before, so that the current one may be that of another person
 * @throws AppError TOKEN_INVALID, RATE_LIMITED; VALIDATION_FAILED for `password`; EMAIL_TAKEN if another member has this address: the link remains
 *   valid
 */
export async function confirmEmail(caller: Caller, token: string, password: string | null): Promise<void> {
  const { database } = caller;
  const purposes = ['confirm', 'change'] as const;
  const memberId = await requireValid(caller, token, purposes);
  const passwordHash = password && (await caller.services.passwordHasher.hash(password, networkTask(caller)));
  await database.transaction(async (db) => {
    const { account, ...used } = await useToken(db, { token, purposes, memberId });
    const address = used.email as string;
    if (used.purpose === 'confirm') await confirmCurrent(db, caller, { memberId, account, address, passwordHash });
    else await confirmChange(db, caller, { memberId, address, passwordHash });
    if (account.email === null || account.isVerified) return;
    // The link to the previous address remains, in case a thief has changed the address of an account from before confirmations existed.
    await db.query(END_UNPROVEN_ACCESS, [memberId, address, used.purpose === 'change']);
  });
}

interface Confirmation {
  memberId: number;
  address: string;
  passwordHash: string | null;
}

async function confirmCurrent(
  db: Transaction,
  caller: Caller,
  { memberId, account, address, passwordHash }: Confirmation & { account: LockedEmail },
): Promise<void> {
  if (account.isRegisteredAgain && !account.isVerified && passwordHash === null)
    throw invalid('password', createMessage('passwordOfRepeatedRegistration'));
  // A link that confirms is valid for longer than one for a new password, which a confirmed address needs.
  if (account.isVerified && passwordHash !== null) throw new AppError('TOKEN_INVALID');
  const [verified] = await db.query(VERIFY_EMAIL, [memberId, address]);
  if (!verified) throw new AppError('TOKEN_INVALID');
  await recordEvent(db, caller, { kind: 'EMAIL_VERIFIED', memberId });
  if (passwordHash === null) return;
  await db.query(SET_PASSWORD, [memberId, passwordHash, address]);
  await recordEvent(db, caller, { kind: 'PASSWORD_RESET', memberId });
}

async function confirmChange(
  db: Transaction,
  caller: Caller,
  { memberId, address, passwordHash }: Confirmation,
): Promise<void> {
  if (passwordHash !== null) throw invalid('password', createMessage('passwordOnlyForRegistration'));
  await db.query(SET_EMAIL, [memberId, address, true]);
  // A link for a new password went to the old address.
  await db.query(SUPERSEDE_TOKENS, [memberId, null]);
  await recordEvent(db, caller, { kind: 'EMAIL_CHANGED', memberId });
}

/**
 * Restores the address that the link was sent to, or cancels a change that is not confirmed yet, and ends all sessions. Links that undo later
 * changes become invalid, since they went to addresses that this link replaces. An address that was not confirmed before the change is not
 * confirmed afterwards either: its next proof removes what a person added who registered it without being able to read its emails.
 * @throws AppError TOKEN_INVALID, RATE_LIMITED
 */
export async function undoEmailChange(caller: Caller, token: string): Promise<void> {
  const { database } = caller;
  const purposes = ['undo'] as const;
  const memberId = await requireValid(caller, token, purposes);
  await database.transaction(async (db) => {
    const { id, email, wasConfirmed } = await useToken(db, { token, purposes, memberId });
    await db.query(SET_EMAIL, [memberId, email as string, wasConfirmed]);
    await db.query(SUPERSEDE_TOKENS, [memberId, id]);
    await endAllAccess(db, memberId);
    await recordEvent(db, caller, { kind: 'EMAIL_CHANGE_UNDONE', memberId });
  });
}
