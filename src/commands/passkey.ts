/** Logs in with passkeys; adds, renames and removes them. */
import {
  ADD_PASSKEY,
  COUNT_PASSKEYS,
  CREDENTIAL_RECORD,
  type CredentialRecord,
  MAX_PASSKEYS,
  type PasskeyRow,
  REMOVE_PASSKEY,
  RENAME_PASSKEY,
  USE_CHALLENGE,
  USE_PASSKEY,
} from '../models/member/passkey.js';
import type { EventKind } from '../models/session/security-event.js';
import { PASSKEY } from '../platform/config/settings/oauth.js';
import { AppError, invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { recordEvent } from '../services/auth/audit.js';
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAssertion,
  verifyAttestation,
} from '../services/auth/passkeys/verify.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import { loginError, openSession, type TokenPair } from '../services/auth/session.js';
import { guardLogin } from '../services/limits/logins.js';
import { lockAccount, requireLoginMethod } from './login-methods.js';

/**
 * All causes of a rejection get the same response.
 * @throws AppError INVALID_CREDENTIALS, ACCOUNT_LOCKED only after a valid assertion, RATE_LIMITED
 */
export async function logInWithPasskey(caller: Caller, assertion: AuthenticationResponseJSON): Promise<TokenPair> {
  const { database } = caller;
  const [record] = await database.query(CREDENTIAL_RECORD, [Buffer.from(assertion.id, 'base64url')]);
  const guard = guardLogin(caller, { method: 'passkey', identifier: assertion.id }, record?.memberId);
  await guard.requireMayTry();
  const rejection = await usePasskey(caller, assertion, record);
  if (!record || rejection) {
    await guard.countFailure();
    await recordEvent(database, caller, {
      kind: rejection ?? 'LOGIN_FAILED',
      memberId: record?.memberId ?? null,
      provider: PASSKEY,
    });
    throw new AppError('INVALID_CREDENTIALS', { message: createMessage('passkeyRejected') });
  }
  await guard.resetPair();
  const pair = await openSession(caller, record.memberId, { provider: PASSKEY, passkeyId: record.id });
  if (!pair) throw await loginError(caller, record.memberId, 'INVALID_CREDENTIALS');
  return pair;
}

/** @returns the security event of a rejection; null for a valid assertion, whose challenge is then used up */
async function usePasskey(
  caller: Caller,
  assertion: AuthenticationResponseJSON,
  record: CredentialRecord | undefined,
): Promise<EventKind | null> {
  const verified = record ? await verifyAssertion(caller, assertion, record) : null;
  if (!record || !verified) return 'LOGIN_FAILED';
  const { challenge, counter, isBackedUp, isBackupEligible } = verified;
  // WebAuthn Level 3 §7.2: an authenticator without a counter always sends 0.
  const isCounterOld = (counter > 0 || record.counter > 0) && counter <= record.counter;
  if (isCounterOld || isBackupEligible !== record.isBackupEligible) return 'PASSKEY_REFUSED';
  const { signature, expiresAt } = challenge;
  const [used] = await caller.database.query(USE_PASSKEY, [record.id, signature, expiresAt, counter, isBackedUp]);
  return used ? null : 'LOGIN_FAILED';
}

export interface NewPasskey {
  name: string;
  credential: RegistrationResponseJSON;
}

/**
 * @param passwordHash from requireProof
 * @throws AppError VALIDATION_FAILED, also above the limit of a member
 */
export async function createPasskey(
  caller: Caller,
  viewer: Viewer,
  { name, credential }: NewPasskey,
  passwordHash: string | null,
): Promise<PasskeyRow> {
  const { database } = caller;
  const { memberId } = viewer;
  const { challenge, credentialId, publicKey, counter, transports, isBackupEligible, isBackedUp } =
    await verifyAttestation(caller, viewer, credential);
  return database.transaction(async (db) => {
    await lockAccount(db, viewer, passwordHash);
    const [counted] = await db.query(COUNT_PASSKEYS, [memberId]);
    requirePasskeyQuota(counted?.count ?? 0);
    const [used] = await db.query(USE_CHALLENGE, [challenge.signature, challenge.expiresAt]);
    if (!used) throw invalid('credential', createMessage('credentialChallengeInvalid'));
    const key = [credentialId, publicKey, counter, transports, isBackupEligible, isBackedUp] as const;
    const [added] = await db.query(ADD_PASSKEY, [memberId, name, ...key]);
    if (!added) throw invalid('credential', createMessage('credentialRegistered'));
    await recordEvent(db, caller, { kind: 'PASSKEY_ADDED', memberId, name });
    return added;
  });
}

/** @param count the passkeys of a member. @throws AppError VALIDATION_FAILED */
export function requirePasskeyQuota(count: number): void {
  if (count < MAX_PASSKEYS) return;
  throw new AppError('VALIDATION_FAILED', { message: createMessage('passkeyLimitReached', MAX_PASSKEYS) });
}

/** @throws AppError PASSKEY_NOT_FOUND */
export function renamePasskey(caller: Caller, memberId: number, id: number, name: string): Promise<PasskeyRow> {
  const { database } = caller;
  return database.transaction(async (db) => {
    const [renamed] = await db.query(RENAME_PASSKEY, [id, memberId, name]);
    if (!renamed) throw new AppError('PASSKEY_NOT_FOUND');
    await recordEvent(db, caller, { kind: 'PASSKEY_RENAMED', memberId });
    return renamed;
  });
}

/**
 * @param passwordHash from requireProof
 * @throws AppError PASSKEY_NOT_FOUND; LAST_LOGIN_METHOD if it is the only login method of the account
 */
export function deletePasskey(
  caller: Caller,
  viewer: Viewer,
  id: number,
  passwordHash: string | null,
): Promise<PasskeyRow> {
  const { database } = caller;
  const { memberId } = viewer;
  return database.transaction(async (db) => {
    await lockAccount(db, viewer, passwordHash, { isForSuspended: true });
    const [removed] = await db.query(REMOVE_PASSKEY, [id, memberId]);
    if (!removed) throw new AppError('PASSKEY_NOT_FOUND');
    await requireLoginMethod(db, memberId);
    await recordEvent(db, caller, { kind: 'PASSKEY_REMOVED', memberId, name: removed.name });
    return removed;
  });
}
