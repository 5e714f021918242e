/** The secrets of one social login attempt. Stateless: all of them are derived from the code verifier. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../../platform/text.js';

export interface Attempt {
  /** RFC 7636 §4.1. The client keeps it secret until it sends the authorization code. */
  codeVerifier: string;
  /** RFC 7636 §4.2, method S256. */
  codeChallenge: string;
  /** The client compares it with the state in the callback (RFC 6749 §10.12). */
  state: string;
  /** The ID token contains it (OpenID Connect Core 1.0 §15.5.2). */
  nonce: string;
}

/** @param secret the service's secret, which signs the verifier so that every process can recognize it */
export function beginAttempt(secret: string): Attempt {
  const random = randomBytes(32).toString('base64url');
  return attemptOf(`${random}.${sign(secret, 'verifier', random)}`, secret);
}

/** The attempt of a verifier; null for a verifier that the client has generated itself, which is allowed. */
export function recognizeAttempt(codeVerifier: string, secrets: readonly string[]): Attempt | null {
  const [random = '', signature = ''] = codeVerifier.split('.');
  const secret = secrets.find((candidate) => isSameSecret(signature, sign(candidate, 'verifier', random)));
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
