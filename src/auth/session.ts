/** Sessions. A token is valid only as long as its session's row exists. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.js';
import type { ClientFacts } from '../http/request.js';
import { createMessage } from '../messages/message.js';
import { LIVE_SESSION, OPEN_SESSION, TOUCH_SESSION } from '../models/session.js';
import { securityEvents } from '../observability/metrics/error.js';
import type { Services } from '../services.js';
import type { Caller, Viewer } from './caller.js';
import { hashToken, signToken, type TokenClaims, verifyAccessToken } from './token.js';

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** How a member authenticated: the social login provider, or the hash that matched the password. */
export type Proof = { provider: string } | { passwordHash: string | null };

/**
 * Opens a session for an authenticated member.
 * @returns null where the proof is no longer valid: the member has deleted the account or changed the password
 */
export async function openSession(caller: Caller, memberId: number, proof: Proof): Promise<TokenPair | null> {
  const { address, device } = caller.client;
  const claims = claimsFrom(caller, { memberId, sessionId: randomUUID(), generation: 0, startedAt: nowInSeconds() });
  const pair = signPair(caller, claims);
  const { provider = null, passwordHash = null } = { ...proof } as Partial<{ provider: string; passwordHash: string }>;
  const [opened] = await caller.database.query(OPEN_SESSION, [
    ...[claims.sessionId, memberId, hashToken(pair.refreshToken)],
    ...[new Date(claims.issuedAt * 1000), new Date(claims.expiresAt * 1000), address, device, provider, passwordHash],
  ]);
  if (!opened) return null;
  securityEvents.inc({ kind: 'LOGIN' });
  return pair;
}

/**
 * The member behind an Authorization header (RFC 6750 §2.1).
 * @throws AppError UNAUTHENTICATED or TOKEN_EXPIRED
 */
export async function authenticate(services: Services, authorization: string, client: ClientFacts): Promise<Viewer> {
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new AppError('UNAUTHENTICATED');
  const { memberId, sessionId, expiresAt } = verifyAccessToken(token, secretsOf(services));
  const [live] = await services.database.query(LIVE_SESSION, [sessionId, memberId]);
  if (!live) throw new AppError('UNAUTHENTICATED', { message: createMessage('sessionEnded') });
  if (live.isStale) await services.database.query(TOUCH_SESSION, [sessionId, client.address, client.device]);
  return { memberId, sessionId, expiresAt: expiresAt * 1000 };
}

/** The secrets that verify tokens: the current one first, then the previous one during a secret rotation. */
export function secretsOf({ jwtSecret, config }: Services): string[] {
  return config.jwtSecretPrevious === null ? [jwtSecret] : [jwtSecret, config.jwtSecretPrevious];
}

/** Claims for a pair that is issued now. ASVS 5.0 §7.3.2: a session has an absolute maximum lifetime, which a refresh does not extend. */
export function claimsFrom(
  { config }: Services,
  begun: Pick<TokenClaims, 'memberId' | 'sessionId' | 'generation' | 'startedAt'>,
): TokenClaims {
  const issuedAt = nowInSeconds();
  const seconds = Math.floor(config.refreshTokenTtlMs / 1000);
  const end = begun.startedAt + Math.floor(config.sessionMaxAgeMs / 1000);
  return { ...begun, issuedAt, expiresAt: Math.min(issuedAt + seconds, end) };
}

/** @param claims those of the refresh token; the access token expires earlier, or at the same time */
export function signPair({ config, jwtSecret }: Services, claims: TokenClaims, secret = jwtSecret): TokenPair {
  const seconds = Math.floor(config.accessTokenTtlMs / 1000);
  const expiresAt = Math.min(claims.issuedAt + seconds, claims.expiresAt);
  return {
    accessToken: signToken('access', secret, { ...claims, expiresAt }),
    refreshToken: signToken('refresh', secret, claims),
  };
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
