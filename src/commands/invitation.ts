/** Registration control (REGISTRATION): whether an account may be created, and the one-time invitations that allow it. */
import { randomBytes } from 'node:crypto';
import { ADD_INVITATION, USE_INVITATION, VALID_INVITATION } from '../models/member/invitation.js';
import type { Config } from '../platform/config/index.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { hashToken } from '../services/auth/token.js';

/** 256 bits. */
const TOKEN_BYTES = 32;

/** The hash of an invitation that a registration uses; null if it needs none. */
export type Admission = Buffer | null;

/** Creates an invitation. @returns the token, which is not stored */
export async function createInvitation(
  database: Database,
  lifetimeMs: number,
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const [added] = await database.query(ADD_INVITATION, [hashToken(token), lifetimeMs]);
  return { token, expiresAt: added?.expiresAt as Date };
}

/**
 * Checks whether an account may be created. The invitation is used up by `useInvitation` only.
 * @throws AppError REGISTRATION_CLOSED, also without an invitation where one is required; TOKEN_INVALID
 */
export async function requireAdmission(
  { config, database }: { config: Config; database: Database },
  invitation: string | null | undefined,
): Promise<Admission> {
  if (config.registration === 'open') return null;
  if (config.registration === 'closed' || invitation == null) throw new AppError('REGISTRATION_CLOSED');
  const hash = hashToken(invitation);
  const [valid] = await database.query(VALID_INVITATION, [hash]);
  if (!valid) throw new AppError('TOKEN_INVALID');
  return hash;
}

/** Part of the transaction that creates the account: if it fails, the invitation can be used again. @throws AppError TOKEN_INVALID */
export async function useInvitation(db: Transaction, admission: Admission): Promise<void> {
  if (admission === null) return;
  const [used] = await db.query(USE_INVITATION, [admission]);
  if (!used) throw new AppError('TOKEN_INVALID');
}
