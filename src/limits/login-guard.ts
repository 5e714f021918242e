/** Decides who may try a password, so that guessing is slow and nobody can lock the owner out (ASVS 5.0 §6.3.1). */

import type { Database } from '../database/pool.js';
import { networkOf } from '../http/client-address.js';
import type { ClientFacts } from '../http/request.js';
import { IS_KNOWN_NETWORK } from '../models/security-event.js';
import { requireNoWait } from './limiter.js';
import type { Limits } from './limits.js';

const WHAT = 'failed logins';

/** What an attempt to log in is counted by. */
export interface LoginAttempt {
  readonly limits: Limits;
  readonly database: Database;
  readonly client: ClientFacts;
}

export interface LoginGuard {
  /** @throws AppError RATE_LIMITED */
  requireMayTry(): Promise<void>;
  countFailure(): Promise<void>;
  /** The pair begins anew; what others did from this network or to this account stays counted. */
  forgive(): Promise<void>;
}

/**
 * Account and network together may fail a few times. A network, or an account, may fail more often in all; past that
 * they are closed, except between a member and a network that they have logged in from before: there only the pair counts.
 * @param memberId undefined: no such account, which is counted like one
 */
export function guardLogin(attempt: LoginAttempt, email: string, memberId: number | undefined): LoginGuard {
  const { limits, database, client } = attempt;
  // By id where there is one: PostgreSQL and JavaScript disagree about capitals such as İ, which would be one more key.
  const account = memberId === undefined ? email.toLowerCase() : `#${memberId}`;
  const network = networkOf(client.address);
  return {
    requireMayTry: async () => {
      const [pair, fromNetwork, toAccount] = await Promise.all([
        limits.loginPair.waitOf(account, network),
        limits.loginAddress.waitOf(network),
        limits.loginAccount.waitOf(account),
      ]);
      requireNoWait(pair, WHAT);
      const wait = Math.max(fromNetwork, toAccount);
      if (wait === 0) return;
      const [known] = memberId ? await database.query(IS_KNOWN_NETWORK, [memberId, network]) : [];
      if (!known) requireNoWait(wait, WHAT);
    },
    countFailure: async () => {
      await Promise.all([
        limits.loginPair.count(account, network),
        limits.loginAddress.count(network),
        limits.loginAccount.count(account),
      ]);
    },
    forgive: () => limits.loginPair.forget(account, network),
  };
}
