/** Registration with REQUIRE_VERIFIED_EMAIL: free and taken addresses have the same response, and cause the same work. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../auth/policy.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';
import { enqueueMail } from '../mail/enqueue.js';
import { OWNER_OF_EMAIL } from '../models/member/one-time-token.js';
import { type Admission, useInvitation } from './invitation.js';
import { addLink } from './recovery.js';
import { insertAccount, type NewAccount, REGISTRATION_ATTEMPTS } from './register.js';

const BEGIN_ACCOUNT = statement<[]>('begin_account', 'savepoint account');
const KEEP_ACCOUNT = statement<[]>('keep_account', 'release savepoint account');
const DISCARD_ACCOUNT = statement<[]>('discard_account', 'rollback to savepoint account');

/**
 * Creates an account, and sends a confirmation link. If the address is taken, an account with another address is created and rolled back, and
 * the owner receives an email.
 * @param isMailed false if the address has received too many emails
 * @returns the id of the account; null if the address is taken
 * @throws AppError NICKNAME_TAKEN, TOKEN_INVALID
 */
export async function registerByEmail(
  caller: Caller,
  account: NewAccount & { email: string },
  admission: Admission,
  isMailed: boolean,
): Promise<number | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToRegister(caller, account, admission, isMailed);
    } catch (error) {
      const { key = null } = error instanceof AppError ? error : {};
      // A concurrent request took the address or the generated nickname.
      const isTaken = key === 'EMAIL_TAKEN' || (key === 'NICKNAME_TAKEN' && account.nickname === null);
      if (!isTaken || attempt === REGISTRATION_ATTEMPTS) throw error;
    }
  }
}

async function tryToRegister(
  caller: Caller,
  account: NewAccount & { email: string },
  admission: Admission,
  isMailed: boolean,
): Promise<number | null> {
  const { database } = caller;
  const { email: address } = account;
  const [owner] = await database.query(OWNER_OF_EMAIL, [address]);
  return database.inTransaction(async (transaction) => {
    await useInvitation(database, admission, transaction);
    await database.query(BEGIN_ACCOUNT, [], transaction);
    const email = owner ? `${randomUUID()}@taken.invalid` : address;
    // The operator has invited this member.
    const pendingSince = admission === null ? new Date(database.now()) : null;
    const { id } = await insertAccount(database, { ...account, email, pendingSince }, transaction);
    const { reference: link } = await addLink(caller, { memberId: id, purpose: 'confirm', email }, transaction);
    await database.query(owner ? DISCARD_ACCOUNT : KEEP_ACCOUNT, [], transaction);
    const confirmation = { template: 'addressConfirmation', memberId: id, address, values: { link } } as const;
    if (isMailed && owner) {
      const attempted = { template: 'registrationAttempted', memberId: owner.id, address, values: {} } as const;
      await enqueueMail(caller, attempted, transaction);
    } else if (isMailed) await enqueueMail(caller, confirmation, transaction);
    return owner ? null : id;
  });
}
