/** Sessions: what a token stands on. A token is good for as long as its session's row is there. */
import { randomUUID } from 'node:crypto';
import type { Viewer } from '../context.js';
import { AppError } from '../errors.js';
import { LIVE_SESSION, Session } from '../models/session.js';
import type { Services } from '../services.js';
import { hashToken, signToken, type TokenSubject, verifyAccessToken } from './token.js';

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** Opens a session for a member who has proved who they are. */
export async function openSession(services: Services, memberId: number): Promise<TokenPair> {
  const { accessTokenTtl, refreshTokenTtl } = services.config;
  const subject: TokenSubject = { memberId, sessionId: randomUUID() };
  const refreshToken = signToken('refresh', services.jwtSecret, subject, refreshTokenTtl);
  await Session.create({
    id: subject.sessionId,
    memberId,
    refreshHash: hashToken(refreshToken),
    expiresAt: new Date(Date.now() + refreshTokenTtl),
  });
  return { accessToken: signToken('access', services.jwtSecret, subject, accessTokenTtl), refreshToken };
}

/**
 * The member behind an Authorization header (RFC 6750 §2.1).
 * @throws AppError UNAUTHENTICATED or TOKEN_EXPIRED
 */
export async function authenticate(services: Services, authorization: string): Promise<Viewer> {
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new AppError('UNAUTHENTICATED');
  const subject = verifyAccessToken(token, services.jwtSecret);
  const [live] = await services.database.query(LIVE_SESSION, [subject.sessionId, subject.memberId]);
  if (!live) throw new AppError('UNAUTHENTICATED', { message: 'The session of this access token has ended.' });
  return subject;
}
