/** Secrets of webhooks, encrypted at rest with a key from the secret of access tokens: AES-256-GCM. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** As a receiver enters it (Standard Webhooks). */
export const WEBHOOK_SECRET_LENGTH = PREFIX.length + 44;

export function generateSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The key of its signatures. */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

export function sealSecret(secret: string, jwtSecret: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, deriveKey(jwtSecret), iv);
  const data = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), data]);
}

/**
 * @param jwtSecrets the current one and the previous one, with which it may have been encrypted
 * @returns null if it was encrypted with none of them
 */
export function openSecret(sealed: Buffer, jwtSecrets: readonly string[]): string | null {
  const [iv, tag] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  for (const jwtSecret of jwtSecrets) {
    const decipher = createDecipheriv(CIPHER, deriveKey(jwtSecret), iv).setAuthTag(tag);
    const data = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([data, decipher.final()]).toString();
    } catch {
      // Of another key.
    }
  }
  return null;
}

function deriveKey(jwtSecret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', jwtSecret, '', 'secrets of webhooks', 32));
}

interface SealedSecrets {
  readonly secret: Buffer;
  readonly formerSecret: Buffer | null;
  readonly formerUntil: Date | null;
}

/** @returns those that sign at this time, the current one first; empty if it cannot be decrypted */
export function openSecrets(
  { secret, formerSecret, formerUntil }: SealedSecrets,
  jwtSecrets: readonly string[],
  now: number,
): string[] {
  const current = openSecret(secret, jwtSecrets);
  const former = formerSecret && Number(formerUntil) > now ? openSecret(formerSecret, jwtSecrets) : null;
  return current === null ? [] : [current, ...(former === null ? [] : [former])];
}
