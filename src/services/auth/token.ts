/** Access and refresh tokens: JWTs with a session id. As RFC 8725 requires, one algorithm is accepted, and claims are validated. */
import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { AppError } from '../../platform/errors.js';
import { createMessage } from '../../platform/messages/message.js';
import { parseObject } from '../../platform/text.js';

const ISSUER = 'daybook';
const AUDIENCE = 'daybook';
const ALGORITHM = 'HS256';

/** Explicit `typ` headers prevent that one kind of token is accepted as another (RFC 8725 §3.11). Access tokens: RFC 9068. */
const HEADER_TYPES = { access: 'at+jwt', refresh: 'refresh+jwt' } as const;

export type TokenKind = keyof typeof HEADER_TYPES;

interface TokenSubject {
  memberId: number;
  sessionId: string;
}

/** The claims of a token. Times are in whole seconds since 1970. */
export interface TokenClaims extends TokenSubject {
  /** Number of earlier refresh tokens of the session. */
  generation: number;
  /** Time of the session's login (`auth_time`). */
  startedAt: number;
  issuedAt: number;
  expiresAt: number;
}

/** Deterministic: the same claims give the same token byte for byte, so a successor can be sent again without being stored. */
export function signToken(kind: TokenKind, secret: string, claims: TokenClaims): string {
  const { memberId, sessionId: sid, generation: gen, startedAt, issuedAt: iat, expiresAt: exp } = claims;
  const jti = createHmac('sha256', secret).update(`${kind} ${sid} ${gen} ${iat}`).digest('base64url');
  const times = { iat, exp, auth_time: startedAt };
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: String(memberId), sid, gen, ...times, jti };
  return jwt.sign(payload, signingKey(secret), {
    algorithm: ALGORITHM,
    header: { alg: ALGORITHM, typ: HEADER_TYPES[kind] },
  });
}

/** What verifies a token. */
export interface TokenCheck {
  /** The current secret, then older ones that are still accepted. */
  readonly secrets: readonly string[];
  /** The time of the check, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** @throws AppError TOKEN_EXPIRED; UNAUTHENTICATED for a token that is invalid in any other way */
export function verifyAccessToken(token: string, check: TokenCheck): TokenClaims {
  const claims = verifyToken('access', token, check);
  if (claims === 'expired') throw new AppError('TOKEN_EXPIRED');
  if (claims === 'bad') {
    const header = parseObject(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    const isRefresh = Object(header).typ === HEADER_TYPES.refresh;
    throw new AppError('UNAUTHENTICATED', {
      message: createMessage(isRefresh ? 'refreshTokenAsAccess' : 'accessTokenInvalid'),
    });
  }
  return claims;
}

/** @throws AppError REFRESH_TOKEN_INVALID */
export function verifyRefreshToken(token: string, check: TokenCheck): TokenClaims {
  const claims = verifyToken('refresh', token, check);
  if (claims === 'expired' || claims === 'bad') throw new AppError('REFRESH_TOKEN_INVALID');
  return claims;
}

/** SHA-256, the form in which a refresh token is stored. Its entropy is high enough for a hash without salt. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function verifyToken(kind: TokenKind, token: string, check: TokenCheck): TokenClaims | 'expired' | 'bad' {
  const results = check.secrets.map((secret) => verifyWith(secret, kind, token, check.nowMs));
  return results.find((result) => result !== 'bad') ?? 'bad';
}

/** jsonwebtoken tries to parse a string as a PEM key first, which takes 40 times as long as the rest. */
function signingKey(secret: string): KeyObject {
  return createSecretKey(secret, 'utf8');
}

function verifyWith(secret: string, kind: TokenKind, token: string, nowMs: number): TokenClaims | 'expired' | 'bad' {
  try {
    const { header, payload } = jwt.verify(token, signingKey(secret), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      clockTimestamp: Math.floor(nowMs / 1000),
      complete: true,
    });
    return header.typ === HEADER_TYPES[kind] && typeof payload === 'object' ? claimsOf(payload) : 'bad';
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError) return 'expired';
    // A SyntaxError: the payload is not JSON.
    if (error instanceof jwt.JsonWebTokenError || error instanceof SyntaxError) return 'bad';
    throw error;
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Rejects tokens with missing claims or claims of another type. */
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
