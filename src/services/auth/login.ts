/** Login with a password, and re-authentication before sensitive changes. */
import { knownAddress } from '../../models/member/address.js';
import { MEMBER_BY_EMAIL, PASSWORD_OF_MEMBER, REPLACE_PASSWORD_HASH } from '../../models/member/member.js';
import { emailKey } from '../../platform/email-address.js';
import { AppError, invalid } from '../../platform/errors.js';
import { createMessage } from '../../platform/messages/message.js';
import { memberTask, networkTask } from '../limits/client-task.js';
import { guardLogin, type LoginGuard } from '../limits/logins.js';
import { assertNotRateLimited } from '../limits/rate-limiter.js';
import { recordEvent } from './audit.js';
import { hashing } from './password.js';
import type { Caller, Viewer } from './policy.js';
import { loginError, openSession, type TokenPair } from './session.js';

/**
 * An unknown email, a wrong password and an account without a password run the same steps and get the same response, which
 * prevents user enumeration (ASVS 5.0 §6.3.8).
 * @throws AppError INVALID_CREDENTIALS, ACCOUNT_LOCKED and EMAIL_NOT_VERIFIED only after the correct password, RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function logIn(caller: Caller, given: string, password: string): Promise<TokenPair> {
  const email = await knownAddress(caller.database, given);
  const [member] = await caller.database.query(MEMBER_BY_EMAIL, [email]);
  const guard = guardLogin(caller, { method: 'password', identifier: emailKey(email) }, member?.id);
  const task = networkTask(caller);
  const isRight = await hashing.run(task, () => tryPassword(caller, guard, password, member?.passwordHash));
  if (!member || !isRight) {
    await recordEvent(caller.database, caller, { kind: 'LOGIN_FAILED', memberId: member?.id ?? null });
    throw new AppError('INVALID_CREDENTIALS');
  }
  await guard.resetPair();
  const { passwordHash } = member;
  const pair = await openSession(caller, member.id, { passwordHash });
  if (!pair) throw await loginError(caller, member.id, 'INVALID_CREDENTIALS');
  if (passwordHash !== null && caller.services.passwordHasher.isOutdated(passwordHash)) {
    // The session is open: a failure must not hide its tokens, and the next login tries again.
    await renewHash(caller, member.id, passwordHash, password).catch(() => {});
  }
  return pair;
}

async function renewHash(caller: Caller, memberId: number, passwordHash: string, password: string): Promise<void> {
  const newHash = await caller.services.passwordHasher.hash(password, networkTask(caller));
  await caller.database.query(REPLACE_PASSWORD_HASH, [memberId, passwordHash, newHash]);
}

/** Checks and counts while it holds a hashing permit: at most as many attempts as permits can be between the check and the count. */
async function tryPassword(
  { services }: Caller,
  guard: LoginGuard,
  password: string,
  hash: string | null | undefined,
): Promise<boolean> {
  await guard.requireMayTry();
  const isRight = await services.passwordHasher.matches(password, hash);
  if (!isRight) await guard.countFailure();
  return isRight;
}

/**
 * Requires the member's password in addition to the access token, which may be stolen.
 * @returns the hash that the password was compared with
 * @throws AppError VALIDATION_FAILED for `field`, RATE_LIMITED
 */
async function requireOwnPassword(
  caller: Caller,
  { memberId, credentialId }: Viewer,
  password: string,
  field: string,
): Promise<string> {
  const [member] = await caller.database.query(PASSWORD_OF_MEMBER, [memberId, credentialId]);
  const passwordHash = member?.passwordHash ?? null;
  const task = memberTask(caller, memberId);
  const isRight = await hashing.run(task, () => tryOwnPassword(caller, memberId, password, passwordHash));
  if (isRight && passwordHash !== null) return passwordHash;
  await recordEvent(caller.database, caller, { kind: 'PASSWORD_REFUSED', memberId });
  throw invalid(field, createMessage('currentPasswordWrong'));
}

/**
 * Counted before the comparison and refunded after a correct password, so that parallel guesses, also in other processes,
 * never exceed the limit.
 */
async function tryOwnPassword(
  { limits, database, services }: Caller,
  memberId: number,
  password: string,
  hash: string | null | undefined,
): Promise<boolean> {
  const key = String(memberId);
  const wait = await limits.password.count(database, key);
  const isRight = wait === 0 && (await services.passwordHasher.matches(password, hash));
  if (wait > 0 || isRight) await limits.password.refund(database, key);
  assertNotRateLimited(wait, 'wrong passwords');
  return isRight;
}

/**
 * A new password requires the current one. An account without a password, created by a social login, requires a login
 * within the last ten minutes instead (ASVS 5.0 §7.5.1), so that a stolen token does not suffice to take over the account.
 * @returns the hash that the password was compared with, null without one; the change's transaction must find it unchanged
 * @throws AppError VALIDATION_FAILED, RATE_LIMITED
 */
export async function requireMaySetPassword(
  caller: Caller,
  viewer: Viewer,
  currentPassword: string | null | undefined,
): Promise<string | null> {
  if (currentPassword != null) return requireOwnPassword(caller, viewer, currentPassword, 'currentPassword');
  const [member] = await caller.database.query(PASSWORD_OF_MEMBER, [viewer.memberId, viewer.credentialId]);
  if (member?.passwordHash !== null) throw invalid('currentPassword', createMessage('currentPasswordRequired'));
  if (!member.hasEmail) throw invalid('password', createMessage('passwordRequiresEmail'));
  if (!member.isLoginRecent) {
    throw invalid('password', createMessage('passwordRequiresRecentLogin'));
  }
  return null;
}

/**
 * The first part of `requireProof`, for operations that precede a change with proof.
 * @returns the password hash; null without one
 * @throws AppError PROOF_REQUIRED if the account has no password, and its login is too old
 */
export async function requireCanProve(caller: Caller, viewer: Viewer): Promise<string | null> {
  const [member] = await caller.database.query(PASSWORD_OF_MEMBER, [viewer.memberId, viewer.credentialId]);
  if (!member) throw new AppError('UNAUTHENTICATED');
  if (member.passwordHash === null && !member.isLoginRecent) throw new AppError('PROOF_REQUIRED');
  return member.passwordHash;
}

/**
 * Re-authentication before changes that could transfer an account: its password, or without one a login within the last ten
 * minutes, so that a stolen token does not suffice (ASVS 5.0 §7.5.1). A token refresh does not count as a login.
 * @returns the hash that the password was compared with, null without one; the change's transaction must find it unchanged
 * @throws AppError VALIDATION_FAILED for `password`, PROOF_REQUIRED, RATE_LIMITED
 */
export async function requireProof(
  caller: Caller,
  viewer: Viewer,
  password: string | null | undefined,
): Promise<string | null> {
  const passwordHash = await requireCanProve(caller, viewer);
  if (passwordHash === null) return null;
  if (password == null) throw invalid('password', createMessage('passwordRequired'));
  return requireOwnPassword(caller, viewer, password, 'password');
}

/**
 * For reads of all data of an account, which take no password: a login within the last ten minutes, with or without a password.
 * @throws AppError PROOF_REQUIRED
 */
export async function requireRecentLogin(caller: Caller, { memberId, credentialId }: Viewer): Promise<void> {
  const [member] = await caller.database.query(PASSWORD_OF_MEMBER, [memberId, credentialId]);
  if (!member) throw new AppError('UNAUTHENTICATED');
  if (!member.isLoginRecent) throw new AppError('PROOF_REQUIRED');
}
