/** The limit of registrations, and brute-force protection of logins that does not let attackers lock out the account's owner (ASVS 5.0 §6.3.1). */
import { IS_KNOWN_NETWORK } from '../../models/session/security-event.js';
import type { Database } from '../../platform/database/pool.js';
import { networkOf } from '../../platform/http/client-address.js';
import type { ClientInfo } from '../../platform/http/request.js';
import type { Limits } from './limits.js';
import { assertNotRateLimited } from './rate-limiter.js';

const WHAT = 'failed logins';

/** The part of a request that a login attempt is counted by. */
export interface LoginAttempt {
  readonly limits: Limits;
  readonly database: Database;
  readonly client: ClientInfo;
}

export interface LoginCredential {
  /** Failures of one method do not block the other: a passkey cannot be guessed, and wrong passwords of others must not make it useless. */
  readonly method: 'password' | 'passkey';
  /** What the client sent: the key of an email, or the id of a credential. */
  readonly identifier: string;
}

export interface LoginGuard {
  /** @throws AppError RATE_LIMITED */
  requireMayTry(): Promise<void>;
  countFailure(): Promise<void>;
  /** Resets the limit of account and network together; the limits of the network and of the account keep their counts. */
  resetPair(): Promise<void>;
}

/**
 * Failures are counted apart for each login method. A pair of account and network has a low limit of failed logins; a network and an account each have a higher one in total.
 * Where a member has logged in from the network before, only the limit of the pair applies.
 * @param memberId undefined for an unknown account, which is counted like an existing one
 */
export function guardLogin(
  { limits, database, client }: LoginAttempt,
  { method, identifier }: LoginCredential,
  memberId: number | undefined,
): LoginGuard {
  const account = [method, memberId === undefined ? identifier : `#${memberId}`] as const;
  const network = [method, networkOf(client.address)] as const;
  return {
    requireMayTry: async () => {
      const [pair, fromNetwork, toAccount] = await Promise.all([
        limits.loginPair.retryAfterMs(database, ...account, ...network),
        limits.loginNetwork.retryAfterMs(database, ...network),
        limits.loginAccount.retryAfterMs(database, ...account),
      ]);
      assertNotRateLimited(pair, WHAT);
      const wait = Math.max(fromNetwork, toAccount);
      if (wait === 0) return;
      const [known] = memberId ? await database.query(IS_KNOWN_NETWORK, [memberId, network[1]]) : [];
      if (!known) assertNotRateLimited(wait, WHAT);
    },
    countFailure: async () => {
      await Promise.all([
        limits.loginPair.count(database, ...account, ...network),
        limits.loginNetwork.count(database, ...network),
        limits.loginAccount.count(database, ...account),
      ]);
    },
    resetPair: () => limits.loginPair.reset(database, ...account, ...network),
  };
}

/** Counts an attempt to create an account, after validation and before expensive work. @throws AppError RATE_LIMITED */
export async function countRegistration({ limits, database, client }: LoginAttempt): Promise<void> {
  assertNotRateLimited(await limits.register.count(database, networkOf(client.address)), 'registrations');
}
