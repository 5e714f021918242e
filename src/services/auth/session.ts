/** Sessions: opening, authentication, and refresh token rotation (RFC 9700 §4.14.2). A token is valid only while its session has a row. */
import { randomUUID } from 'node:crypto';
import { LOCK_OF_MEMBER } from '../../models/member/member.js';
import {
  END_ALL_ACCESS,
  END_SESSION,
  LIVE_SESSION,
  LOCK_LOGIN,
  OPEN_SESSION,
  REMOVE_OLD_SESSIONS,
  ROTATE_SESSION,
  SUCCESSOR,
  TOUCH_SESSION,
  UPDATE_LOGGED_IN,
} from '../../models/session/session.js';
import type { Transaction } from '../../platform/database/pool.js';
import type { ErrorKey } from '../../platform/error-keys.js';
import { AppError } from '../../platform/errors.js';
import type { ClientInfo } from '../../platform/http/request.js';
import { createMessage } from '../../platform/messages/message.js';
import { databaseClient } from '../limits/client-task.js';
import { enqueueMail, securityNotice } from '../mail/enqueue.js';
import { API_TOKEN_PREFIX, type ApiTokens, authenticateApiToken } from './api-token.js';
import { securityEvents } from './audit.js';
import { type Caller, type Viewer } from './policy.js';
import {
  hashToken,
  signToken,
  type TokenCheck,
  type TokenClaims,
  verifyAccessToken,
  verifyRefreshToken,
} from './token.js';

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** What signs and verifies tokens: secrets, and the clock of the database, which all processes share. */
export type TokenKeys = Pick<Caller, 'config' | 'jwtSecret' | 'database'>;

/**
 * How a member authenticated: the hash that matched the password, a passkey, or the account at a provider, with the address that the provider has
 * verified.
 */
export type Proof =
  | { passwordHash: string | null }
  | { provider: string; passkeyId: number }
  | { provider: string; subject: string; email: string | null };

/**
 * Opens a session for an authenticated member, with an email to the member if the device is new.
 * @returns null if the account is locked, its address is not verified although a login with a password requires it, or the proof is no longer valid: the member has deleted the account, changed the password, or removed the passkey or the link to the provider
 */
export async function openSession(caller: Caller, memberId: number, proof: Proof): Promise<TokenPair | null> {
  const { config, database, client, language } = caller;
  const { address, device } = client;
  const claims = claimsFrom(caller, {
    memberId,
    sessionId: randomUUID(),
    generation: 0,
    startedAt: nowInSeconds(caller),
  });
  const pair = signPair(caller, claims);
  const {
    provider = null,
    email = null,
    passwordHash = null,
    passkeyId = null,
    subject = null,
  } = { ...proof } as Partial<
    Record<'provider' | 'email' | 'passwordHash' | 'subject', string> & { passkeyId: number }
  >;
  const requiresVerified = config.requireVerifiedEmail && passwordHash !== null;
  const lifetime = [new Date(claims.issuedAt * 1000), new Date(claims.expiresAt * 1000)] as const;
  const isOpened = await database.transaction(async (db) => {
    const method = [passwordHash, requiresVerified, passkeyId, provider, subject] as const;
    const [login] = await db.query(LOCK_LOGIN, [memberId, ...method, device]);
    if (!login) return false;
    await db.query(UPDATE_LOGGED_IN, [memberId, language, email]);
    await db.query(REMOVE_OLD_SESSIONS, [memberId]);
    if (login.isNewDevice && config.mail !== null)
      await enqueueMail(db, caller, { template: 'newDevice', memberId, values: securityNotice(db, client) });
    const session = [claims.sessionId, memberId, hashToken(pair.refreshToken), ...lifetime, address, device] as const;
    await db.last(OPEN_SESSION, [...session, provider]);
    return true;
  });
  if (!isOpened) return null;
  securityEvents.inc({ kind: 'LOGIN' });
  return pair;
}

/** The error of a login for which `openSession` returned null. @param otherwise its key unless the account is locked, or its address is not verified */
export async function loginError(
  { config, database }: Caller,
  memberId: number,
  otherwise: ErrorKey,
): Promise<AppError> {
  const [member] = await database.query(LOCK_OF_MEMBER, [memberId]);
  if (member?.lockedAt) return new AppError('ACCOUNT_LOCKED');
  const isUnverified =
    config.requireVerifiedEmail && otherwise === 'INVALID_CREDENTIALS' && member?.isVerified === false;
  return new AppError(isUnverified ? 'EMAIL_NOT_VERIFIED' : otherwise);
}

/**
 * Ends all sessions and API tokens of a member, their streams, and all share links. The transaction must have locked the row of the member in an earlier
 * statement: what another transaction created while it held this lock is then visible, and ended too.
 */
export async function endAllAccess(db: Transaction, memberId: number): Promise<void> {
  await db.query(END_ALL_ACCESS, [memberId]);
}

/**
 * The member behind an Authorization header (RFC 6750 §2.1).
 * @throws AppError UNAUTHENTICATED or TOKEN_EXPIRED; MEMBER_SUSPENDED for an API token of a suspended member
 */
export async function authenticate(
  services: TokenKeys & ApiTokens,
  authorization: string,
  client: ClientInfo,
): Promise<Viewer> {
  const token = bearerToken(authorization);
  if (token === undefined) throw new AppError('UNAUTHENTICATED');
  if (token.startsWith(API_TOKEN_PREFIX)) {
    const database = services.database.forClient(databaseClient(client, undefined));
    return authenticateApiToken({ database, apiTokenUses: services.apiTokenUses }, token);
  }
  const { memberId, sessionId, expiresAt } = verifyAccessToken(token, tokenCheck(services));
  const database = services.database.forClient(databaseClient(client, memberId));
  const [live] = await database.query(LIVE_SESSION, [sessionId, memberId]);
  if (!live) throw new AppError('UNAUTHENTICATED', { message: createMessage('sessionEnded') });
  if (live.isStale) await database.query(TOUCH_SESSION, [sessionId, client.address, client.device]);
  const { role, suspension } = live;
  return { memberId, credentialId: sessionId, scopes: null, role, suspension, expiresAt: expiresAt * 1000 };
}

/**
 * The member whom the signature of an access token names, without a statement: the token may have expired, and its session may have ended. So it proves
 * nothing that gives access. 0 for any other header; API tokens are not signed.
 */
export function signedMemberId(services: TokenKeys, authorization = ''): number {
  const token = bearerToken(authorization);
  if (token === undefined || token.startsWith(API_TOKEN_PREFIX)) return 0;
  try {
    return verifyAccessToken(token, { secrets: secretsOf(services), nowMs: BEFORE_ANY_EXPIRY_MS }).memberId;
  } catch (error) {
    if (error instanceof AppError) return 0;
    throw error;
  }
}

/** jsonwebtoken takes 0 for the current time. */
const BEFORE_ANY_EXPIRY_MS = 1_000;

/**
 * Exchanges a refresh token for a new pair. Of concurrent requests, one rotates the token in the database. The others, and
 * retries within the grace period (`refreshGrace`) after a lost response, get the same pair, signed again.
 * @throws AppError REFRESH_TOKEN_INVALID; reuse of any other replaced token of the session also ends the session
 */
export async function refreshSession(caller: Caller, refreshToken: string): Promise<TokenPair> {
  const claims = verifyRefreshToken(refreshToken, tokenCheck(caller));
  const next = claimsFrom(caller, { ...claims, generation: claims.generation + 1 });
  const pair = signPair(caller, next);
  const { address, device } = caller.client;
  const [rotated] = await caller.database.query(ROTATE_SESSION, [
    ...([claims.sessionId, claims.memberId, hashToken(refreshToken), hashToken(pair.refreshToken)] as const),
    ...([new Date(next.issuedAt * 1000), new Date(next.expiresAt * 1000), address, device] as const),
  ]);
  return rotated ? pair : repeatSuccessor(caller, claims, hashToken(refreshToken));
}

/** The secrets that verify tokens: the current one first, then the previous one during a secret rotation. */
export function secretsOf({ jwtSecret, config }: Pick<TokenKeys, 'jwtSecret' | 'config'>): string[] {
  return config.jwtSecretPrevious === null ? [jwtSecret] : [jwtSecret, config.jwtSecretPrevious];
}

/** Claims for a pair that is issued now. ASVS 5.0 §7.3.2: a session has an absolute maximum lifetime, which a refresh does not extend. */
function claimsFrom(
  { config, database }: TokenKeys,
  begun: Pick<TokenClaims, 'memberId' | 'sessionId' | 'generation' | 'startedAt'>,
): TokenClaims {
  const issuedAt = nowInSeconds({ database });
  const seconds = Math.floor(config.refreshTokenTtlMs / 1000);
  const end = begun.startedAt + Math.floor(config.sessionMaxAgeMs / 1000);
  return { ...begun, issuedAt, expiresAt: Math.min(issuedAt + seconds, end) };
}

/** @param claims those of the refresh token; the access token expires earlier, or at the same time */
function signPair({ config, jwtSecret }: TokenKeys, claims: TokenClaims, secret = jwtSecret): TokenPair {
  const seconds = Math.floor(config.accessTokenTtlMs / 1000);
  const expiresAt = Math.min(claims.issuedAt + seconds, claims.expiresAt);
  return {
    accessToken: signToken('access', secret, { ...claims, expiresAt }),
    refreshToken: signToken('refresh', secret, claims),
  };
}

function bearerToken(authorization: string): string | undefined {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
}

function tokenCheck(keys: TokenKeys): TokenCheck {
  return { secrets: secretsOf(keys), nowMs: keys.database.now() };
}

function nowInSeconds({ database }: Pick<TokenKeys, 'database'>): number {
  return Math.floor(database.now() / 1000);
}

async function repeatSuccessor(caller: Caller, claims: TokenClaims, hash: Buffer): Promise<TokenPair> {
  const { sessionId, memberId, generation } = claims;
  const graceMs = caller.config.refreshGraceMs;
  const [successor] = await caller.database.query(SUCCESSOR, [sessionId, memberId, hash, graceMs]);
  if (!successor) throw new AppError('REFRESH_TOKEN_INVALID');
  if (successor.isJustRetired) {
    const issuedAt = successor.issuedAt.getTime() / 1000;
    const expiresAt = successor.expiresAt.getTime() / 1000;
    const again = { ...claims, generation: successor.generation, issuedAt, expiresAt };
    // During a secret rotation, the process that rotated the token may have signed with the current or the previous secret.
    const pairs = secretsOf(caller).map((secret) => signPair(caller, again, secret));
    const pair = pairs.find(({ refreshToken }) => hashToken(refreshToken).equals(successor.refreshHash));
    if (pair) return pair;
  } else if (generation < successor.generation) {
    const { address, device } = caller.client;
    const [ended] = await caller.database.query(END_SESSION, [sessionId, memberId, 'REFRESH_REUSED', address, device]);
    if (ended) securityEvents.inc({ kind: 'REFRESH_REUSED' });
    throw new AppError('REFRESH_TOKEN_INVALID', { message: createMessage('refreshTokenReused') });
  }
  throw new AppError('REFRESH_TOKEN_INVALID');
}
