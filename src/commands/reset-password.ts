/** The new password of a member who has forgotten it. */
import { END_UNPROVEN_ACCESS, SET_PASSWORD } from '../models/member/member.js';
import { SUPERSEDE_TOKENS } from '../models/member/one-time-token.js';
import { recordEvent } from '../services/auth/audit.js';
import type { Caller } from '../services/auth/policy.js';
import { endAllAccess } from '../services/auth/session.js';
import { networkTask } from '../services/limits/client-task.js';
import { requireValid, useToken } from './one-time-link.js';

/**
 * Sets a new password, and ends all sessions. The first proof of the address also removes the login methods that were added before it. A locked
 * account remains locked.
 * @throws AppError TOKEN_INVALID, RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function resetPassword(caller: Caller, token: string, password: string): Promise<void> {
  const { database } = caller;
  const purposes = ['reset'] as const;
  // Before the expensive hash.
  const memberId = await requireValid(caller, token, purposes);
  const passwordHash = await caller.services.passwordHasher.hash(password, networkTask(caller));
  await database.transaction(async (db) => {
    const { email, account } = await useToken(db, { token, purposes, memberId });
    await db.query(SET_PASSWORD, [memberId, passwordHash, email]);
    if (email !== null && !account.isVerified) {
      await db.query(END_UNPROVEN_ACCESS, [memberId, email, false]);
    } else {
      await db.query(SUPERSEDE_TOKENS, [memberId, null]);
      await endAllAccess(db, memberId);
    }
    await recordEvent(db, caller, { kind: 'PASSWORD_RESET', memberId });
  });
}
