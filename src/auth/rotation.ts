/** Refresh tokens rotate (RFC 9700 §4.14.2): each is used once, and one that comes again later was stolen. */

import { AppError } from '../errors.js';
import { say } from '../messages/message.js';
import { END_SESSION, ROTATE_SESSION, SUCCESSOR } from '../models/session.js';
import { securityEvents } from '../observability/metrics/refusal.js';
import type { Caller } from './caller.js';
import { claimsFrom, secretsOf, signPair, type TokenPair } from './session.js';
import { hashToken, type TokenClaims, verifyRefreshToken } from './token.js';

/**
 * A new pair for a refresh token. Of many uses at once one wins in the database; the others, and whoever asks again
 * within the grace because the answer was lost, get the winner's pair, signed again.
 * @throws AppError REFRESH_TOKEN_INVALID; a token that was retired before that also ends its session
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
  const grace = caller.config.refreshGrace;
  const [successor] = await caller.database.query(SUCCESSOR, [sessionId, memberId, hash, grace]);
  if (!successor) throw new AppError('REFRESH_TOKEN_INVALID');
  if (successor.isJustRetired) {
    const issuedAt = successor.issuedAt.getTime() / 1000;
    const expiresAt = successor.expiresAt.getTime() / 1000;
    const again = { ...claims, generation: successor.generation, issuedAt, expiresAt };
    // The winner may run with the newer secret, or the older one, while a new one is rolled out.
    const pairs = secretsOf(caller).map((secret) => signPair(caller, again, secret));
    const pair = pairs.find(({ refreshToken }) => hashToken(refreshToken).equals(successor.refreshHash));
    if (pair) return pair;
  } else if (generation < successor.generation) {
    const { address, device } = caller.client;
    const [ended] = await caller.database.query(END_SESSION, [sessionId, memberId, 'REFRESH_REUSED', address, device]);
    if (ended) securityEvents.inc({ kind: 'REFRESH_REUSED' });
    throw new AppError('REFRESH_TOKEN_INVALID', { message: say('refreshTokenReused') });
  }
  throw new AppError('REFRESH_TOKEN_INVALID');
}
