/** The invitations table: one-time tokens that allow a registration. Only their hashes are stored. */
import { statement } from '../../platform/database/statement.js';

/** Adds an invitation, and deletes expired ones. */
export const ADD_INVITATION = statement<[tokenHash: Buffer, lifetimeMs: number], { expiresAt: Date }>(
  'add_invitation',
  `with expired as (delete from invitations where expires_at < now())
   insert into invitations (token_hash, expires_at) values ($1, now() + $2::bigint * interval '1 ms')
   returning expires_at as "expiresAt"`,
);

/** One row if the invitation can be used. */
export const VALID_INVITATION = statement<[tokenHash: Buffer], { expiresAt: Date }>(
  'valid_invitation',
  'select expires_at as "expiresAt" from invitations where token_hash = $1 and expires_at > now()',
);

/** Of concurrent transactions that use an invitation, one gets a row. */
export const USE_INVITATION = statement<[tokenHash: Buffer], { expiresAt: Date }>(
  'use_invitation',
  'delete from invitations where token_hash = $1 and expires_at > now() returning expires_at as "expiresAt"',
);
