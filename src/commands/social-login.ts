/** Social login and account linking. An account is identified by provider and subject, never by its email. */
import { knownAddress } from '../models/member/address.js';
import { OWNER_OF_EMAIL } from '../models/member/one-time-token.js';
import {
  ADD_LINK,
  LINK_BY_SUBJECT,
  MEMBER_LINKS,
  REMOVE_LINK,
  type SocialLinkRow,
} from '../models/member/social-link.js';
import { MAX_NAME_LENGTH } from '../platform/display-name/rules.js';
import { type ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { isVisible } from '../platform/text.js';
import { recordEvent } from '../services/auth/audit.js';
import type { Identity } from '../services/auth/oauth/provider.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import { loginError, openSession, type TokenPair } from '../services/auth/session.js';
import { countRegistration } from '../services/limits/logins.js';
import { type Admission, requireAdmission, useInvitation } from './invitation.js';
import { lockAccount, requireLoginMethod } from './login-methods.js';
import { insertAccount, REGISTRATION_ATTEMPTS, registerAgain } from './register.js';

/** Violations that a concurrent registration causes. */
const CONFLICTS: readonly ErrorKey[] = ['EMAIL_TAKEN', 'NICKNAME_TAKEN', 'OAUTH_REJECTED'];

/**
 * Logs in the linked member, or creates one.
 * @param invitation for a new account, as required by `requireAdmission`
 * @throws AppError OAUTH_REJECTED if the provider's verified email belongs to an account that is not linked: another
 *   person may have created that account, so its owner has to log in first (RFC 9700 has no rule for it; the attack is
 *   known as pre-hijacking: https://arxiv.org/abs/2205.10174)
 */
export async function logInWithProvider(
  caller: Caller,
  given: Identity,
  invitation: string | null | undefined,
): Promise<TokenPair> {
  const email = given.email && (await knownAddress(caller.database, given.email));
  const identity = { ...given, email };
  const memberId = (await linkedMember(caller, identity)) ?? (await createLinked(caller, identity, invitation));
  const pair = await openSession(caller, memberId, identity);
  if (!pair) throw await loginError(caller, memberId, 'OAUTH_REJECTED');
  return pair;
}

async function linkedMember({ database }: Caller, { provider, subject }: Identity): Promise<number | undefined> {
  const [link] = await database.query(LINK_BY_SUBJECT, [provider, subject]);
  return link?.memberId;
}

/** Of several concurrent first logins one creates the member. The others fail because the email or the link exists, and then find the link. */
async function createLinked(
  caller: Caller,
  identity: Identity,
  invitation: string | null | undefined,
): Promise<number> {
  await countRegistration(caller);
  const admission = await requireAdmission(caller, invitation);
  for (let attempt = 1; ; attempt++) {
    await requireFreeEmail(caller, identity);
    try {
      return await tryToCreate(caller, identity, admission);
    } catch (error) {
      const memberId = await linkedMember(caller, identity);
      if (memberId !== undefined) return memberId;
      const isTaken = error instanceof AppError && CONFLICTS.includes(error.key);
      if (!isTaken || attempt === REGISTRATION_ATTEMPTS) throw error;
    }
  }
}

/** @throws AppError OAUTH_REJECTED */
async function requireFreeEmail(caller: Caller, { provider, subject, email }: Identity): Promise<void> {
  const [owner] = email === null ? [] : await caller.database.query(OWNER_OF_EMAIL, [email]);
  const [link] = owner ? await caller.database.query(LINK_BY_SUBJECT, [provider, subject]) : [];
  if (!owner || link) return;
  await registerAgain(caller.database, caller, owner, false);
  await recordEvent(caller.database, caller, { kind: 'LOGIN_FAILED', memberId: owner.id, provider });
  throw new AppError('OAUTH_REJECTED', { message: createMessage('accountExists', provider) });
}

function tryToCreate(
  { database, language }: Caller,
  { provider, subject, email, name }: Identity,
  admission: Admission,
): Promise<number> {
  return database.transaction(async (db) => {
    await useInvitation(db, admission);
    const memberName = memberNameFrom(name);
    const account = { email, passwordHash: null, memberName, nickname: null, language };
    const { id } = await insertAccount(db, account);
    await db.query(ADD_LINK, [id, provider, subject, email]);
    return id;
  });
}

/** One line, as required for member names; `Member` if nothing is visible. */
function memberNameFrom(name: string | null): string {
  const line = (name ?? '')
    .toWellFormed()
    .normalize('NFC')
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  return isVisible(line) ? [...line].slice(0, MAX_NAME_LENGTH).join('').trim() : 'Member';
}

/**
 * Links a social account to the authenticated member. Idempotent.
 * @param passwordHash from requireProof
 * @throws AppError OAUTH_REJECTED if it is linked to another member, or this member to another account of that provider
 */
export async function linkSocialAccount(
  caller: Caller,
  viewer: Viewer,
  identity: Identity,
  passwordHash: string | null,
): Promise<SocialLinkRow> {
  const { memberId } = viewer;
  const { provider, subject, email } = identity;
  const [link] = await caller.database.query(LINK_BY_SUBJECT, [provider, subject]);
  if (link?.memberId === memberId) return link;
  if (link) throw new AppError('OAUTH_REJECTED', { message: createMessage('linkedToAnother', provider) });
  return caller.database.transaction(async (db) => {
    await lockAccount(db, viewer, passwordHash);
    const [link] = await db.query(ADD_LINK, [memberId, provider, subject, email]);
    await recordEvent(db, caller, { kind: 'SOCIAL_LINKED', memberId, provider });
    return link as SocialLinkRow;
  });
}

/** @throws AppError SOCIAL_ACCOUNT_NOT_FOUND */
export async function requireLink({ database }: Caller, memberId: number, provider: string): Promise<void> {
  const links = await database.query(MEMBER_LINKS, [memberId]);
  if (!links.some((link) => link.provider === provider)) throw new AppError('SOCIAL_ACCOUNT_NOT_FOUND');
}

/**
 * @param passwordHash from requireProof
 * @throws AppError SOCIAL_ACCOUNT_NOT_FOUND; LAST_LOGIN_METHOD if it is the only login method of the account
 */
export function unlinkSocialAccount(
  caller: Caller,
  viewer: Viewer,
  provider: string,
  passwordHash: string | null,
): Promise<SocialLinkRow> {
  const { database } = caller;
  const { memberId } = viewer;
  return database.transaction(async (db) => {
    await lockAccount(db, viewer, passwordHash, { isForSuspended: true });
    const [link] = await db.query(REMOVE_LINK, [memberId, provider]);
    if (!link) throw new AppError('SOCIAL_ACCOUNT_NOT_FOUND');
    await requireLoginMethod(db, memberId);
    await recordEvent(db, caller, { kind: 'SOCIAL_UNLINKED', memberId, provider });
    return link;
  });
}
