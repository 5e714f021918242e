/**
 * One-time tokens of links in emails: 256 bits, derived from an id and the secret of the service. The database stores their hashes,
 * and pending emails their ids, from which the token cannot be derived without the secret.
 */
import { createHmac, randomUUID } from 'node:crypto';
import type { LinkPurpose, TokenReference } from '../mail/link.js';
import { hashToken } from './token.js';

export interface OneTimeToken {
  /** For the output of a subcommand; an email takes the reference instead. */
  token: string;
  /** SHA-256 (`hashToken`), to be stored. */
  hash: Buffer;
  /** For the values of an email. Not secret. */
  reference: TokenReference;
}

/** @param id a UUID; given, the same token is created again */
export function createOneTimeToken(jwtSecret: string, purpose: LinkPurpose, id: string = randomUUID()): OneTimeToken {
  const token = derive(jwtSecret, purpose, id);
  const hash = hashToken(token);
  return { token, hash, reference: { purpose, id, hash: hash.toString('base64url') } };
}

/**
 * The token of a reference.
 * @param secrets the current one and the previous one, with which it may have been created
 * @returns null if none of the secrets is the one with which it was created
 */
export function tokenOf(secrets: readonly string[], { purpose, id, hash }: TokenReference): string | null {
  const tokens = secrets.map((secret) => derive(secret, purpose, id));
  return tokens.find((token) => hashToken(token).toString('base64url') === hash) ?? null;
}

/** JWTs are signed with the same secret: no JWT begins with these words. */
function derive(secret: string, purpose: LinkPurpose, id: string): string {
  return createHmac('sha256', secret).update(`one-time token ${purpose} ${id}`).digest('base64url');
}
