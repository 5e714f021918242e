/** Access and refresh tokens: JWTs that name a session. Rules of RFC 8725: one algorithm, and every claim is checked. */
import { createHash, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { AppError } from '../errors.js';

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

/** `ttl` is in milliseconds. Two tokens for one subject differ, even in the same second. */
export function signToken(kind: TokenKind, secret: string, { memberId, sessionId }: TokenSubject, ttl: number): string {
  return jwt.sign({ sid: sessionId }, secret, {
    algorithm: ALGORITHM,
    header: { alg: ALGORITHM, typ: HEADER_TYPES[kind] },
    subject: String(memberId),
    issuer: ISSUER,
    audience: AUDIENCE,
    expiresIn: Math.floor(ttl / 1000),
    jwtid: randomUUID(),
  });
}

/** @throws AppError TOKEN_EXPIRED, or UNAUTHENTICATED for anything else that is wrong with an access token. */
export function verifyAccessToken(token: string, secret: string): TokenSubject {
  try {
    const { header, payload } = jwt.verify(token, secret, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      complete: true,
    });
    const subject = typeof payload === 'object' && payload.exp !== undefined ? subjectOf(payload) : null;
    if (header.typ === HEADER_TYPES.access && subject) return subject;
  } catch (cause) {
    if (cause instanceof jwt.TokenExpiredError) throw new AppError('TOKEN_EXPIRED', { cause });
    if (!(cause instanceof jwt.JsonWebTokenError)) throw cause;
  }
  throw new AppError('UNAUTHENTICATED', { message: 'The access token is not valid.' });
}

/** The form in which a refresh token is kept. It is random enough for a hash without salt. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Null where the claims are none that a session could have. */
function subjectOf({ sub, sid }: jwt.JwtPayload): TokenSubject | null {
  const memberId = Number(sub);
  return Number.isSafeInteger(memberId) && UUID.test(sid) ? { memberId, sessionId: sid } : null;
}
