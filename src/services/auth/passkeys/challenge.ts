/**
 * Challenges of passkeys (WebAuthn Level 3 §13.4.3): a random number and an expiry, signed for one purpose. Nothing is stored until a
 * challenge is used, so that requests for options take no space.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { fixedLimit } from '../../../platform/config/fixed-limit.js';
import type { Caller, Viewer } from '../policy.js';
import { secretsOf } from '../session.js';

export const CHALLENGE_LIFETIME_MS = fixedLimit({
  area: 'Accounts',
  about:
    'Time in which a login with a passkey or the registration of one has to be completed. A later registration is `VALIDATION_FAILED`.',
  value: 300_000,
  unit: 'ms',
  error: 'INVALID_CREDENTIALS',
});

const RANDOM_BYTES = 32;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 32;
/** Divisible by three, so that each challenge has one form in base64url. */
const BYTES = RANDOM_BYTES + TIME_BYTES + SIGNATURE_BYTES;

type Keys = Pick<Caller, 'config' | 'database' | 'jwtSecret'>;

/** A valid challenge. The signature identifies it. */
export interface Challenge {
  signature: Buffer;
  expiresAt: Date;
}

/** The purpose of a challenge: a login, or a registration in one session. */
export function registrationIn({ memberId, credentialId }: Viewer): string {
  return `registration ${memberId} ${credentialId}`;
}
export const LOGIN = 'login';

/** @returns base64url */
export function issueChallenge({ database, jwtSecret }: Keys, purpose: string): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(Math.floor(database.now()) + CHALLENGE_LIFETIME_MS));
  const signed = Buffer.concat([randomBytes(RANDOM_BYTES), time]);
  return Buffer.concat([signed, sign(jwtSecret, purpose, signed)]).toString('base64url');
}

/** @returns null if the challenge was not issued for this purpose, or has expired */
export function readChallenge(keys: Keys, purpose: string, text: unknown): Challenge | null {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64url');
  if (bytes.length !== BYTES) return null;
  const signed = bytes.subarray(0, -SIGNATURE_BYTES);
  const signature = bytes.subarray(-SIGNATURE_BYTES);
  const isSigned = secretsOf(keys).some((secret) => timingSafeEqual(signature, sign(secret, purpose, signed)));
  const expiresAt = Number(signed.readBigUInt64BE(RANDOM_BYTES));
  return isSigned && expiresAt > keys.database.now() ? { signature, expiresAt: new Date(expiresAt) } : null;
}

function sign(secret: string, purpose: string, signed: Buffer): Buffer {
  return createHmac('sha256', secret).update(`passkey ${purpose}\n`).update(signed).digest();
}
