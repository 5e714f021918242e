/** Refresh token rotation (RFC 9700 §4.14.2): each token is used once, and later reuse is treated as theft. */

import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { END_SESSION, ROTATE_SESSION, SUCCESSOR } from '../models/session.js';
import { securityEvents } from '../observability/metrics/error.js';
import type { Caller } from './caller.js';
import { claimsFrom, secretsOf, signPair, type TokenPair } from './session.js';
import { hashToken, type TokenClaims, verifyRefreshToken } from './token.js';

/**
 * Exchanges a refresh token for a new pair. Of concurrent requests, one rotates the token in the database. The others, and
 * retries within the grace period (`refreshGraceMs`) after a lost response, get the same pair, signed again.
 * @throws AppError REFRESH_TOKEN_INVALID; reuse of any other replaced token of the session also ends the session
 */
export async function refreshSession(caller: Caller, refreshToken: string): Promise<TokenPair> {
  const claims = verifyRefreshToken(refreshToken, secretsOf(caller));
  const next = claimsFrom(caller, { ...claims, generation: claims.generation + 1 });
  const pair = signPair(caller, next);
  const { address, device } = caller.client;
  const [rotated] = await caller.database.query(ROTATE_SESSION, [
    ...[claims.sessionId, claims.memberId, hashToken(refreshToken), hashToken(pair.refreshToken)],
    ...[new Date(next.issuedAt * 1000), new Date(next.expiresAt * 1000), address, device],
  ]);
  return rotated ? pair : repeatSuccessor(caller, claims, hashToken(refreshToken));
}

async function repeatSuccessor(caller: Caller, claims: TokenClaims, hash: Buffer): Promise<TokenPair> {
  const { sessionId, memberId, generation } = claims;
  const grace = caller.config.refreshGraceMs;
  const [successor] = await caller.database.query(SUCCESSOR, [sessionId, memberId, hash, grace]);
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
