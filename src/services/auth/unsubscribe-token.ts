/**
 * Tokens of the links that unsubscribe from notification emails: the id of the member with an HMAC of it. They permit nothing else, and are
 * valid as long as the secret, so that the links of old emails work. They are not stored.
 */
import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../platform/text.js';

export function createUnsubscribeToken(jwtSecret: string, memberId: number): string {
  // JWTs and one-time tokens are derived from the same secret, from texts that begin in other ways.
  const mac = createHmac('sha256', jwtSecret).update(`unsubscribe token ${memberId}`).digest('base64url');
  return `${memberId}.${mac}`;
}

/** @param secrets the current one and the previous one. @returns the id of the member; null for an invalid token */
export function memberOfUnsubscribeToken(secrets: readonly string[], token: unknown): number | null {
  const [, digits] = /^([1-9]\d{0,15})\.[\w-]{43}$/.exec(String(token)) ?? [];
  const memberId = Number(digits);
  const isValid = secrets.some((secret) => isSameSecret(createUnsubscribeToken(secret, memberId), String(token)));
  return isValid ? memberId : null;
}
