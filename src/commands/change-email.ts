/** Changes the email address of an account: the new one is confirmed by a link, and a link to the old one undoes the change. */
import type { Transaction } from 'sequelize';
import { recordEvent } from '../auth/audit.js';
import type { Caller, Viewer } from '../auth/policy.js';
import { endAllAccess } from '../auth/session.js';
import { emailKey } from '../email-address.js';
import { AppError } from '../errors.js';
import { requireRequestedMail } from '../limits/mails.js';
import { requireNoWait } from '../limits/rate-limiter.js';
import { enqueueMail } from '../mail/enqueue.js';
import { SET_EMAIL, VERIFY_EMAIL } from '../models/member/member.js';
import { SUPERSEDE_TOKENS } from '../models/member/one-time-token.js';
import { lockAccount } from './login-methods.js';
import { addLink, mailConfirmation, requireValid, useToken } from './one-time-link.js';

/**
 * The current address remains until the new one is confirmed. A new address that has another account is not rejected before: only a person
 * who can read its emails learns it.
 * @param passwordHash from requireProof
 * @throws AppError RATE_LIMITED, and the errors of `lockAccount`
 */
export async function changeEmail(
  caller: Caller,
  viewer: Viewer,
  email: string,
  passwordHash: string | null,
): Promise<void> {
  const { database, limits } = caller;
  const { memberId } = viewer;
  requireNoWait(await limits.emailChanges.count(String(memberId)), 'changes of the email address');
  await requireRequestedMail(caller, email);
  await database.inTransaction(async (transaction) => {
    const member = await lockAccount(database, viewer, passwordHash, transaction);
    await mailConfirmation(caller, { memberId, email, purpose: 'change' }, transaction);
    if (member.email !== null && emailKey(member.email) !== emailKey(email))
      await mailUndo(caller, { memberId, email: member.email }, transaction);
    await recordEvent(caller, { kind: 'EMAIL_CHANGE_REQUESTED', memberId }, transaction);
  });
}

async function mailUndo(
  caller: Caller,
  { memberId, email }: { memberId: number; email: string },
  transaction: Transaction,
): Promise<void> {
  const { reference: link } = await addLink(caller, { memberId, purpose: 'undo', email }, transaction);
  await enqueueMail(caller, { template: 'addressChanged', memberId, address: email, values: { link } }, transaction);
}

/**
 * Confirms the current address, or changes it to the one that the link was sent to.
 * @throws AppError TOKEN_INVALID, RATE_LIMITED; EMAIL_TAKEN if another member has this address: the link remains valid
 */
export async function confirmEmail(caller: Caller, token: string): Promise<void> {
  const { database } = caller;
  const purposes = ['confirm', 'change'] as const;
  const memberId = await requireValid(caller, token, purposes);
  await database.inTransaction(async (transaction) => {
    const { purpose, email } = await useToken(database, { token, purposes, memberId }, transaction);
    const address = email as string;
    if (purpose === 'confirm') {
      const [verified] = await database.query(VERIFY_EMAIL, [memberId, address], transaction);
      if (!verified) throw new AppError('TOKEN_INVALID');
    } else {
      await database.query(SET_EMAIL, [memberId, address], transaction);
      // A link for a new password went to the old address.
      await database.query(SUPERSEDE_TOKENS, [memberId, null], transaction);
    }
    const kind = purpose === 'confirm' ? 'EMAIL_VERIFIED' : 'EMAIL_CHANGED';
    await recordEvent(caller, { kind, memberId }, transaction);
  });
}

/**
 * Restores the address that the link was sent to, or cancels a change that is not confirmed yet, and ends all sessions. Links that undo later
 * changes become invalid, since they went to addresses that this link replaces.
 * @throws AppError TOKEN_INVALID, RATE_LIMITED
 */
export async function undoEmailChange(caller: Caller, token: string): Promise<void> {
  const { database } = caller;
  const purposes = ['undo'] as const;
  const memberId = await requireValid(caller, token, purposes);
  await database.inTransaction(async (transaction) => {
    const { id, email } = await useToken(database, { token, purposes, memberId }, transaction);
    await database.query(SET_EMAIL, [memberId, email as string], transaction);
    await database.query(SUPERSEDE_TOKENS, [memberId, id], transaction);
    await endAllAccess(database, memberId, transaction);
    await recordEvent(caller, { kind: 'EMAIL_CHANGE_UNDONE', memberId }, transaction);
  });
}
