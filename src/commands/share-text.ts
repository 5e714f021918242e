/** Creates the link with which anyone can read a draft or an article. */
import { randomBytes } from 'node:crypto';
import { LOCK_SHARING_MEMBER, SHARES, type SharedKind } from '../models/share-link.js';
import type { Database } from '../platform/database/pool.js';
import type { ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';
import type { Viewer } from '../services/auth/policy.js';
import { hashToken } from '../services/auth/token.js';

/** 256 random bits in base64url. */
const TOKEN_BYTES = 32;

export const MISSING_TEXT: Readonly<Record<SharedKind, ErrorKey>> = {
  draft: 'DRAFT_NOT_FOUND',
  article: 'ARTICLE_NOT_FOUND',
};

export interface NewShare {
  token: string;
  expiresAt: Date;
}

/**
 * Replaces the current link of the text.
 * @returns the token, of which only the hash is stored
 * @throws AppError DRAFT_NOT_FOUND, ARTICLE_NOT_FOUND if it is not a text of the member; UNAUTHENTICATED if the session or API token has ended meanwhile
 */
export function shareText(
  database: Database,
  { memberId, credentialId }: Viewer,
  { kind, id, lifetimeSeconds }: { kind: SharedKind; id: number; lifetimeSeconds: number },
): Promise<NewShare> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return database.transaction(async (db) => {
    const [member] = await db.query(LOCK_SHARING_MEMBER, [memberId]);
    if (!member) throw new AppError('UNAUTHENTICATED');
    const values = [id, memberId, credentialId, hashToken(token), lifetimeSeconds] as const;
    const [added] = await db.query(SHARES[kind].add, [...values]);
    if (!added?.exists) throw new AppError(MISSING_TEXT[kind]);
    if (!added.expiresAt) throw new AppError('UNAUTHENTICATED');
    return { token, expiresAt: added.expiresAt };
  });
}
