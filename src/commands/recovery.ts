/** One-time links by e-mail: requests for them, their creation and use; and the new password of a member who has forgotten it. */
import type { Transaction } from 'sequelize';
import { recordEvent } from '../auth/audit.js';
import { createOneTimeToken, type OneTimeToken } from '../auth/one-time-token.js';
import { hashPassword } from '../auth/password.js';
import type { Caller } from '../auth/policy.js';
import { endAllAccess } from '../auth/session.js';
import { hashToken } from '../auth/token.js';
import type { Database } from '../database/pool.js';
import { addJobs } from '../database/queue.js';
import { AppError } from '../errors.js';
import { networkOf } from '../http/client-address.js';
import { networkTask } from '../limits/client-task.js';
import { countRequestedMail } from '../limits/mails.js';
import { requireNoWait } from '../limits/rate-limiter.js';
import { enqueueMail, requireMail } from '../mail/enqueue.js';
import { LOCK_BY_EMAIL, LOCK_EMAIL, SET_PASSWORD } from '../models/member/member.js';
import {
  ADD_LINK_REQUEST,
  ADD_ONE_TIME_TOKEN,
  type LinkRequest,
  RENEW_CHANGE_TOKEN,
  SUPERSEDE_TOKENS,
  TAKE_LINK_REQUEST,
  TOKEN_LIFETIMES_MS,
  type TokenPurpose,
  USE_ONE_TIME_TOKEN,
  type UsedToken,
  VALID_ONE_TIME_TOKEN,
} from '../models/member/one-time-token.js';

/** The part of a request or a process that creates links. */
type LinkSource = Pick<Caller, 'config' | 'database' | 'jwtSecret'>;

/**
 * Stores the request for a job, whether or not the address has an account, so that the response and its time do not depend on it.
 * @throws AppError MAIL_NOT_CONFIGURED, RATE_LIMITED
 */
export async function requestLink(caller: Caller, purpose: LinkRequest['purpose'], email: string): Promise<void> {
  requireMail(caller.config);
  await countForNetwork(caller);
  if (!(await countRequestedMail(caller, email))) return;
  const { database, client } = caller;
  await database.inTransaction(async (transaction) => {
    const values = [purpose, email, client.address, client.device] as const;
    const requests = await database.query(ADD_LINK_REQUEST, [...values], transaction);
    // Before summaries, which can take minutes.
    await addJobs(database, 'send-link', requests, { transaction, priority: -1 });
  });
}

/** Sends the link of a request if the address has an account. No effect if it was handled already. */
export function answerLinkRequest(source: LinkSource, id: string): Promise<void> {
  const { database } = source;
  return database.inTransaction(async (transaction) => {
    const [request] = await database.query(TAKE_LINK_REQUEST, [id], transaction);
    if (!request) return;
    const [member] = await database.query(LOCK_BY_EMAIL, [request.email], transaction);
    if (request.purpose === 'confirm') await answerConfirmation(source, request.email, member, transaction);
    else if (member) await mailReset({ ...source, client: request, viewer: null }, member, transaction);
  });
}

async function mailReset(
  source: LinkSource & Pick<Caller, 'client' | 'viewer'>,
  { id: memberId, email }: { id: number; email: string },
  transaction: Transaction,
): Promise<void> {
  const { reference: link } = await addLink(source, { memberId, purpose: 'reset', email }, transaction);
  await enqueueMail(source, { template: 'passwordReset', memberId, values: { link } }, transaction);
  await recordEvent(source, { kind: 'PASSWORD_RESET_REQUESTED', memberId }, transaction);
}

/** For an address that is not confirmed yet, or to which a member is changing. */
async function answerConfirmation(
  source: LinkSource,
  email: string,
  member: { id: number; email: string; isVerified: boolean } | undefined,
  transaction: Transaction,
): Promise<void> {
  if (member && !member.isVerified) {
    return mailConfirmation(source, { memberId: member.id, email: member.email }, transaction);
  }
  const { hash, reference: link } = createOneTimeToken(source.jwtSecret, 'confirm');
  const [change] = await source.database.query(RENEW_CHANGE_TOKEN, [email, hash], transaction);
  if (!change) return;
  const { memberId, email: address } = change;
  await enqueueMail(source, { template: 'addressConfirmation', memberId, address, values: { link } }, transaction);
}

/** @param purpose `change` if the address is not the current one */
export async function mailConfirmation(
  source: LinkSource,
  { memberId, email, purpose = 'confirm' }: { memberId: number; email: string; purpose?: 'confirm' | 'change' },
  transaction: Transaction,
): Promise<void> {
  const { reference: link } = await addLink(source, { memberId, purpose, email }, transaction);
  const mail = { template: 'addressConfirmation', memberId, address: email, values: { link } } as const;
  await enqueueMail(source, mail, transaction);
}

export interface NewLink {
  memberId: number;
  purpose: TokenPurpose;
  /** Null for a link that is not sent by e-mail. */
  email: string | null;
}

/** Creates the token of a link, which replaces an earlier one of the same purpose. */
export async function addLink(
  { database, jwtSecret }: Pick<LinkSource, 'database' | 'jwtSecret'>,
  { memberId, purpose, email }: NewLink,
  transaction: Transaction,
): Promise<OneTimeToken> {
  const created = createOneTimeToken(jwtSecret, purpose === 'change' ? 'confirm' : purpose);
  const values = [created.hash, memberId, purpose, email, TOKEN_LIFETIMES_MS[purpose]] as const;
  await database.query(ADD_ONE_TIME_TOKEN, [...values], transaction);
  return created;
}

/**
 * Sets a new password, and ends all sessions. A locked account remains locked.
 * @throws AppError TOKEN_INVALID, RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function resetPassword(caller: Caller, token: string, password: string): Promise<void> {
  const { database } = caller;
  const purposes = ['reset'] as const;
  // Before the expensive hash.
  const memberId = await requireValid(caller, token, purposes);
  const passwordHash = await hashPassword(password, networkTask(caller));
  await database.inTransaction(async (transaction) => {
    const { email } = await useToken(database, { token, purposes, memberId }, transaction);
    await database.query(SET_PASSWORD, [memberId, passwordHash, email], transaction);
    await database.query(SUPERSEDE_TOKENS, [memberId, null], transaction);
    await endAllAccess(database, memberId, transaction);
    await recordEvent(caller, { kind: 'PASSWORD_RESET', memberId }, transaction);
  });
}

/** @returns the member of a token that can be used. @throws AppError TOKEN_INVALID; RATE_LIMITED after too many from one network */
export async function requireValid(caller: Caller, token: string, purposes: readonly TokenPurpose[]): Promise<number> {
  const [valid] = await caller.database.query(VALID_ONE_TIME_TOKEN, [hashToken(token), purposes]);
  if (valid) return valid.memberId;
  await countForNetwork(caller);
  throw new AppError('TOKEN_INVALID');
}

/** Locks the account, then uses the token: of concurrent requests, one succeeds. @throws AppError TOKEN_INVALID */
export async function useToken(
  database: Database,
  { token, purposes, memberId }: { token: string; purposes: readonly TokenPurpose[]; memberId: number },
  transaction: Transaction,
): Promise<UsedToken> {
  await database.query(LOCK_EMAIL, [memberId], transaction);
  const [used] = await database.query(USE_ONE_TIME_TOKEN, [hashToken(token), purposes], transaction);
  if (!used) throw new AppError('TOKEN_INVALID');
  return used;
}

async function countForNetwork({ limits, client }: Pick<Caller, 'limits' | 'client'>): Promise<void> {
  requireNoWait(await limits.recovery.count(networkOf(client.address)), 'requests for links');
}
