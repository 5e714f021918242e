/** Logging in with a password, and proving it again. */

import { AppError, invalid } from '../errors.js';
import { memberTask, networkTask } from '../limits/client-task.js';
import { requireNoWait } from '../limits/limiter.js';
import { guardLogin, type LoginGuard } from '../limits/login-guard.js';
import { say } from '../messages/message.js';
import { MEMBER_BY_EMAIL, PASSWORD_OF_MEMBER, REPLACE_PASSWORD_HASH } from '../models/member.js';
import { recordEvent } from './audit.js';
import type { Caller, Viewer } from './caller.js';
import { hashing, hashPassword, isOutdated, matches } from './password.js';
import { openSession, type TokenPair } from './session.js';

/**
 * An unknown email, a wrong password and an account without one do the same things and get the same answer
 * (ASVS 5.0 §6.3.8).
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function logIn(caller: Caller, email: string, password: string): Promise<TokenPair> {
  const [member] = await caller.database.query(MEMBER_BY_EMAIL, [email]);
  const guard = guardLogin(caller, email, member?.id);
  const task = networkTask(caller);
  const isRight = await hashing.run(task, () => tryPassword(guard, password, member?.passwordHash));
  if (!member || !isRight) {
    await recordEvent(caller, { kind: 'LOGIN_FAILED', memberId: member?.id ?? null });
    throw new AppError('INVALID_CREDENTIALS');
  }
  await guard.forgive();
  const { passwordHash } = member;
  const pair = await openSession(caller, member.id, { passwordHash });
  if (!pair) throw new AppError('INVALID_CREDENTIALS');
  if (passwordHash !== null && isOutdated(passwordHash)) {
    const values = [member.id, passwordHash, await hashPassword(password, task)];
    await caller.database.query(REPLACE_PASSWORD_HASH, values);
  }
  return pair;
}

/** Asks and counts within its turn: as many as may hash at once, and no more, can be past the question together. */
async function tryPassword(guard: LoginGuard, password: string, hash: string | null | undefined): Promise<boolean> {
  await guard.requireMayTry();
  const isRight = await matches(password, hash);
  if (!isRight) await guard.countFailure();
  return isRight;
}

/**
 * For what needs the password beside the access token, which may be stolen.
 * @throws AppError VALIDATION_FAILED for `field`, RATE_LIMITED
 */
export async function requireOwnPassword(
  caller: Caller,
  { memberId, sessionId }: Viewer,
  password: string,
  field: string,
): Promise<void> {
  const [member] = await caller.database.query(PASSWORD_OF_MEMBER, [memberId, sessionId]);
  const task = memberTask(caller, memberId);
  if (await hashing.run(task, () => tryOwnPassword(caller, memberId, password, member?.passwordHash))) return;
  await recordEvent(caller, { kind: 'PASSWORD_REFUSED', memberId });
  throw invalid(field, say('currentPasswordWrong'));
}

/**
 * Counted before the comparison and given back after a right password, so that parallel guesses, also in other processes,
 * are never more than the limit.
 */
async function tryOwnPassword(
  { limits }: Caller,
  memberId: number,
  password: string,
  hash: string | null | undefined,
): Promise<boolean> {
  const key = String(memberId);
  const wait = await limits.password.count(key);
  const isRight = wait === 0 && (await matches(password, hash));
  if (wait > 0 || isRight) await limits.password.giveBack(key);
  requireNoWait(wait, 'wrong passwords');
  return isRight;
}

/**
 * A new password needs the current one. An account without one, which came through a provider, needs a login that was
 * a moment ago instead (ASVS 5.0 §7.5.1), so that a stolen token does not become an account.
 * @throws AppError VALIDATION_FAILED, RATE_LIMITED
 */
export async function requireMaySetPassword(
  caller: Caller,
  viewer: Viewer,
  currentPassword: string | null | undefined,
): Promise<void> {
  if (currentPassword != null) return requireOwnPassword(caller, viewer, currentPassword, 'currentPassword');
  const [member] = await caller.database.query(PASSWORD_OF_MEMBER, [viewer.memberId, viewer.sessionId]);
  if (member?.passwordHash !== null) throw invalid('currentPassword', say('currentPasswordNeeded'));
  if (!member.hasEmail) throw invalid('password', say('passwordNeedsEmail'));
  if (!member.isLoginRecent) {
    throw invalid('password', say('passwordNeedsLogin'));
  }
}

/**
 * Proof for what would hand an account over: its password, or where it has none a login within ten minutes, so that a stolen token is
 * not enough (ASVS 5.0 §7.5.1). A refresh does not make a login recent.
 * @returns the hash that the password was checked against; the transaction of the change has to find it unchanged
 * @throws AppError VALIDATION_FAILED for `password`, PROOF_REQUIRED, RATE_LIMITED
 */
export async function requireProof(
  caller: Caller,
  viewer: Viewer,
  password: string | null | undefined,
): Promise<string | null> {
  const [member] = await caller.database.query(PASSWORD_OF_MEMBER, [viewer.memberId, viewer.sessionId]);
  if (!member) throw new AppError('UNAUTHENTICATED');
  if (member.passwordHash === null) {
    if (!member.isLoginRecent) throw new AppError('PROOF_REQUIRED');
    return null;
  }
  if (password == null) throw invalid('password', say('passwordNeeded'));
  await requireOwnPassword(caller, viewer, password, 'password');
  return member.passwordHash;
}
