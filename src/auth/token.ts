/** Access and refresh tokens: JWTs that name a session. Rules of RFC 8725: one algorithm, and every claim is checked. */
import { createHash, createHmac } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { AppError } from '../errors.js';
import { say } from '../messages/message.js';

const ISSUER = 'daybook';
const AUDIENCE = 'daybook';
const ALGORITHM = 'HS256';

/** RFC 8725 §3.11: an explicit type keeps a token of one kind from passing for another. Access tokens: RFC 9068. */
const HEADER_TYPES = { access: 'at+jwt', refresh: 'refresh+jwt' } as const;

export type TokenKind = keyof typeof HEADER_TYPES;

export interface TokenSubject {
  memberId: number;
  sessionId: string;
}

/** Everything a token says. Times are in whole seconds. */
export interface TokenClaims extends TokenSubject {
  /** How many tokens of its session came before. */
  generation: number;
  /** The session's login. */
  startedAt: number;
  issuedAt: number;
  expiresAt: number;
}

/** The same claims give the same token, to the byte: so a successor can be told again without being kept. */
export function signToken(kind: TokenKind, secret: string, claims: TokenClaims): string {
  const { memberId, sessionId: sid, generation: gen, startedAt, issuedAt: iat, expiresAt: exp } = claims;
  const jti = createHmac('sha256', secret).update(`${kind} ${sid} ${gen} ${iat}`).digest('base64url');
  const times = { iat, exp, auth_time: startedAt };
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: String(memberId), sid, gen, ...times, jti };
  return jwt.sign(payload, secret, { algorithm: ALGORITHM, header: { alg: ALGORITHM, typ: HEADER_TYPES[kind] } });
}

/**
 * @param secrets the current one, then older ones that still count
 * @returns everything that it says
 * @throws AppError TOKEN_EXPIRED, or UNAUTHENTICATED for anything else that is wrong with an access token
 */
export function verifyAccessToken(token: string, secrets: readonly string[]): TokenClaims {
  const claims = verifyToken('access', token, secrets);
  if (claims === 'expired') throw new AppError('TOKEN_EXPIRED');
  if (claims === 'bad') throw new AppError('UNAUTHENTICATED', { message: say('accessTokenInvalid') });
  return claims;
}

/** @throws AppError REFRESH_TOKEN_INVALID */
export function verifyRefreshToken(token: string, secrets: readonly string[]): TokenClaims {
  const claims = verifyToken('refresh', token, secrets);
  if (claims === 'expired' || claims === 'bad') throw new AppError('REFRESH_TOKEN_INVALID');
  return claims;
}

/** The form in which a refresh token is kept. It is random enough for a hash without salt. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function verifyToken(kind: TokenKind, token: string, secrets: readonly string[]): TokenClaims | 'expired' | 'bad' {
  const results = secrets.map((secret) => verifyWith(secret, kind, token));
  return results.find((result) => result !== 'bad') ?? 'bad';
}

function verifyWith(secret: string, kind: TokenKind, token: string): TokenClaims | 'expired' | 'bad' {
  try {
    const { header, payload } = jwt.verify(token, secret, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      complete: true,
    });
    return header.typ === HEADER_TYPES[kind] && typeof payload === 'object' ? claimsOf(payload) : 'bad';
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError) return 'expired';
    if (error instanceof jwt.JsonWebTokenError) return 'bad';
    throw error;
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A claim that is missing or has another type is as bad as a wrong one. */
function claimsOf({ sub, sid, gen, auth_time, iat, exp }: jwt.JwtPayload): TokenClaims | 'bad' {
  const memberId = Number(sub);
  const isWhole = [memberId, gen, auth_time, iat, exp].every(Number.isSafeInteger);
  if (!isWhole || !UUID.test(sid)) return 'bad';
  return {
    memberId,
    sessionId: sid,
    generation: gen,
    startedAt: auth_time,
    issuedAt: Number(iat),
    expiresAt: Number(exp),
  };
}
