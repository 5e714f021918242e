/** Changes of an account are serialized, and what was checked before the transaction is checked again in it. One login method always remains. */
import type { InferAttributes, Transaction } from 'sequelize';
import type { Viewer } from '../auth/policy.js';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';
import type { Member } from '../models/member/member.js';

type LockedAccount = Pick<
  InferAttributes<Member>,
  'id' | 'email' | 'passwordHash' | 'memberName' | 'nickname' | 'nicknameSkeleton' | 'bio' | 'profileImage'
>;

/**
 * The lock of the session finds it deleted if another transaction has ended it while this one waited for the member, as
 * `endAllAccess` does: a condition on it would read what was visible before.
 */
const LOCK_ACCOUNT = statement<[memberId: number, sessionId: string], LockedAccount>(
  'lock_account_of_session',
  `select m.id, m.email, m.password_hash as "passwordHash", m.member_name as "memberName", m.nickname,
          m.nickname_skeleton as "nicknameSkeleton", m.bio, m.profile_image as "profileImage"
   from members m join sessions s on s.member_id = m.id
   where m.id = $1 and m.locked_at is null and s.id = $2 and s.expires_at > now()
   for update of m for key share of s`,
);

/** A statement of its own: one that waits for a lock does not see what was committed meanwhile. */
const HAS_LOGIN_METHOD = statement<[memberId: number], { exists: boolean }>(
  'has_login_method',
  `select exists (select from members where id = $1 and password_hash is not null)
       or exists (select from social_links where member_id = $1)
       or exists (select from passkeys where member_id = $1) as exists`,
);

/**
 * Locks the account of a session (FOR UPDATE) for a change, before the first other statement of the transaction: a password is hashed, an image
 * processed or a provider asked between the check of the access token and this lock, and meanwhile the owner of the account may have
 * ended the session.
 * @param passwordHash from requireProof; undefined for a change without proof
 * @throws AppError UNAUTHENTICATED if the password has changed since requireProof, the session has ended, or the account was locked or deleted
 */
export async function lockAccount(
  database: Database,
  { memberId, sessionId }: Viewer,
  passwordHash: string | null | undefined,
  transaction: Transaction,
): Promise<LockedAccount> {
  const [account] = await database.query(LOCK_ACCOUNT, [memberId, sessionId], transaction);
  const isUnchanged = passwordHash === undefined || account?.passwordHash === passwordHash;
  if (!account || !isUnchanged) throw new AppError('UNAUTHENTICATED');
  return account;
}

/** After the removal of a login method, under the lock of `lockAccount`. @throws AppError LAST_LOGIN_METHOD */
export async function requireLoginMethod(
  database: Database,
  memberId: number,
  transaction: Transaction,
): Promise<void> {
  const [found] = await database.query(HAS_LOGIN_METHOD, [memberId], transaction);
  if (!found?.exists) throw new AppError('LAST_LOGIN_METHOD');
}
