/** Changes of an account are serialized, and what was checked before the transaction is checked again in it. One login method always remains. */
import { HAS_LOGIN_METHOD, LOCK_ACCOUNT, type LockedAccount } from '../models/member/account.js';
import type { Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { requireNotSuspended, type Viewer } from '../services/auth/policy.js';

/**
 * Locks the account of a session (FOR UPDATE) for a change, before the first other statement of the transaction: a password is hashed, an image
 * processed or a provider asked between the check of the access token and this lock, and meanwhile the owner of the account may have
 * ended the session.
 * @param passwordHash from requireProof; undefined for a change without proof
 * @param isForSuspended whether a suspended member may make this change
 * @throws AppError MEMBER_SUSPENDED; UNAUTHENTICATED if the password has changed since requireProof, the session has ended, or the account was locked or deleted
 */
export async function lockAccount(
  db: Transaction,
  { memberId, credentialId }: Viewer,
  passwordHash: string | null | undefined,
  { isForSuspended = false } = {},
): Promise<LockedAccount> {
  const [account] = await db.query(LOCK_ACCOUNT, [memberId, credentialId]);
  const isUnchanged = passwordHash === undefined || account?.passwordHash === passwordHash;
  if (!account || !isUnchanged) throw new AppError('UNAUTHENTICATED');
  if (!isForSuspended) requireNotSuspended(account);
  return account;
}

/** After the removal of a login method, under the lock of `lockAccount`. @throws AppError LAST_LOGIN_METHOD */
export async function requireLoginMethod(db: Transaction, memberId: number): Promise<void> {
  const [found] = await db.query(HAS_LOGIN_METHOD, [memberId]);
  if (!found?.exists) throw new AppError('LAST_LOGIN_METHOD');
}
