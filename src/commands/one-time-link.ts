/** One-time links, as parts of other commands: their creation, the email that confirms an address, and their use. */
import { LOCK_EMAIL, type LockedEmail } from '../models/member/member.js';
import {
  ADD_ONE_TIME_TOKEN,
  TOKEN_LIFETIMES_MS,
  type TokenPurpose,
  USE_ONE_TIME_TOKEN,
  type UsedToken,
  VALID_ONE_TIME_TOKEN,
} from '../models/member/one-time-token.js';
import type { Transaction } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { networkOf } from '../platform/http/client-address.js';
import { createOneTimeToken, type OneTimeToken } from '../services/auth/one-time-token.js';
import type { Caller } from '../services/auth/policy.js';
import { hashToken } from '../services/auth/token.js';
import { assertNotRateLimited } from '../services/limits/rate-limiter.js';
import { enqueueMail } from '../services/mail/enqueue.js';

/** The part of a request or a process that creates links. */
export type LinkSource = Pick<Caller, 'config' | 'database' | 'jwtSecret'>;

/** @param changing the nickname of the account, if the address is not its current one */
export async function mailConfirmation(
  db: Transaction,
  source: LinkSource,
  { memberId, email, changing }: { memberId: number; email: string; changing?: string },
): Promise<void> {
  const purpose = changing === undefined ? 'confirm' : 'change';
  const { reference: link } = await addLink(db, source, { memberId, purpose, email });
  const values = { link, ...(changing !== undefined && { nickname: changing }) };
  const mail = { template: 'addressConfirmation', memberId, address: email, values } as const;
  await enqueueMail(db, source, mail);
}

export interface NewLink {
  memberId: number;
  purpose: TokenPurpose;
  /** Null for a link that is not sent by email. */
  email: string | null;
}

/** Creates the token of a link, which replaces an earlier one of the same purpose. */
export async function addLink(
  db: Transaction,
  { jwtSecret }: Pick<LinkSource, 'jwtSecret'>,
  { memberId, purpose, email }: NewLink,
): Promise<OneTimeToken> {
  const created = createOneTimeToken(jwtSecret, purpose === 'change' ? 'confirm' : purpose);
  const values = [created.hash, memberId, purpose, email, TOKEN_LIFETIMES_MS[purpose]] as const;
  await db.query(ADD_ONE_TIME_TOKEN, [...values]);
  return created;
}

/** @returns the id of the member. @throws AppError TOKEN_INVALID; RATE_LIMITED after too many from one network */
export async function requireValid(caller: Caller, token: string, purposes: readonly TokenPurpose[]): Promise<number> {
  const [valid] = await caller.database.query(VALID_ONE_TIME_TOKEN, [hashToken(token), purposes]);
  if (valid) return valid.memberId;
  await countForNetwork(caller);
  throw new AppError('TOKEN_INVALID');
}

/** Locks the account, then uses the token: of concurrent requests, one succeeds. @throws AppError TOKEN_INVALID */
export async function useToken(
  db: Transaction,
  { token, purposes, memberId }: { token: string; purposes: readonly TokenPurpose[]; memberId: number },
): Promise<UsedToken & { account: LockedEmail }> {
  const [account] = await db.query(LOCK_EMAIL, [memberId]);
  const [used] = await db.query(USE_ONE_TIME_TOKEN, [hashToken(token), purposes]);
  if (!used || !account) throw new AppError('TOKEN_INVALID');
  return { ...used, account };
}

/** @throws AppError RATE_LIMITED after too many requests for links and rejected links from one network */
export async function countForNetwork({ limits, database, client }: Caller): Promise<void> {
  assertNotRateLimited(await limits.recovery.count(database, networkOf(client.address)), 'requests for links');
}
