/** The login methods of an account (a password, social accounts, passkeys): their changes are serialized, and one always remains. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';

const LOCK_LOGIN_METHODS = statement<[memberId: number], { passwordHash: string | null }>(
  'lock_login_methods',
  'select password_hash as "passwordHash" from members where id = $1 for update',
);

/** A statement of its own: one that waits for a lock does not see what was committed meanwhile. */
const HAS_LOGIN_METHOD = statement<[memberId: number], { exists: boolean }>(
  'has_login_method',
  `select exists (select from members where id = $1 and password_hash is not null)
       or exists (select from social_links where member_id = $1)
       or exists (select from passkeys where member_id = $1) as exists`,
);

/**
 * @param passwordHash from requireProof
 * @throws AppError UNAUTHENTICATED if the password has changed since requireProof, or the member has withdrawn
 */
export async function lockLoginMethods(
  database: Database,
  memberId: number,
  passwordHash: string | null,
  transaction: Transaction,
): Promise<void> {
  const [member] = await database.query(LOCK_LOGIN_METHODS, [memberId], transaction);
  if (!member || member.passwordHash !== passwordHash) throw new AppError('UNAUTHENTICATED');
}

/** After the removal of a login method, under the lock of `lockLoginMethods`. @throws AppError LAST_LOGIN_METHOD */
export async function requireLoginMethod(
  database: Database,
  memberId: number,
  transaction: Transaction,
): Promise<void> {
  const [found] = await database.query(HAS_LOGIN_METHOD, [memberId], transaction);
  if (!found?.exists) throw new AppError('LAST_LOGIN_METHOD');
}
