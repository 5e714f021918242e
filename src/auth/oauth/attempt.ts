/** The secrets of one attempt to log in at a provider. Nothing is kept: everything follows from the code verifier. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Attempt {
  /** RFC 7636 §4.1. The client keeps it to itself until it brings the code. */
  codeVerifier: string;
  /** RFC 7636 §4.2, method S256. */
  codeChallenge: string;
  /** The client compares it with what comes back (RFC 6749 §10.12). */
  state: string;
  /** Comes back in the ID token (OpenID Connect Core 1.0 §15.5.2). */
  nonce: string;
}

/** @param secret of the service: makes the verifier recognisable to every one of its processes */
export function beginAttempt(secret: string): Attempt {
  const random = randomBytes(32).toString('base64url');
  return attemptOf(`${random}.${sign(secret, 'verifier', random)}`, secret);
}

/** The attempt that a verifier belongs to; null where the client made it up itself, as it may. */
export function recogniseAttempt(codeVerifier: string, secrets: readonly string[]): Attempt | null {
  const [random = '', signature = ''] = codeVerifier.split('.');
  const secret = secrets.find((candidate) => isSame(signature, sign(candidate, 'verifier', random)));
  return secret === undefined ? null : attemptOf(codeVerifier, secret);
}

function attemptOf(codeVerifier: string, secret: string): Attempt {
  return {
    codeVerifier,
    codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    state: sign(secret, 'state', codeVerifier),
    nonce: sign(secret, 'nonce', codeVerifier),
  };
}

function sign(secret: string, purpose: string, text: string): string {
  return createHmac('sha256', secret).update(`oauth ${purpose} ${text}`).digest('base64url');
}

export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
