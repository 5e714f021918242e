/** Requests for one-time links by email, for a new password or to confirm an address, and the responses to them. */
import { knownAddress } from '../models/member/address.js';
import { LOCK_BY_EMAIL } from '../models/member/member.js';
import {
  ADD_LINK_REQUEST,
  type LinkRequest,
  MEMBER_OF_LINK_REQUEST,
  RENEW_CHANGE_TOKEN,
  TAKE_LINK_REQUEST,
} from '../models/member/one-time-token.js';
import type { Transaction } from '../platform/database/pool.js';
import { addJobs, jobType, networkTurn, queues } from '../platform/database/queue.js';
import { networkOf } from '../platform/http/client-address.js';
import { recordEvent } from '../services/auth/audit.js';
import { createOneTimeToken } from '../services/auth/one-time-token.js';
import type { Caller } from '../services/auth/policy.js';
import { countMailToMember, countRequestedMail } from '../services/limits/mails.js';
import { enqueueMail, requireMail } from '../services/mail/enqueue.js';
import { addLink, countForNetwork, type LinkSource, mailConfirmation } from './one-time-link.js';

/** The payload identifies a row of `link_requests`, which has the address. */
export const SEND_LINK = jobType<{ id: string }>(
  'send-link',
  queues(
    'links',
    2,
    'Requests for links by email that are handled at the same time, in all processes together. Further ones wait.',
  ),
);

/**
 * Stores the request for a job, whether or not the address has an account, so that the response and its time do not depend on it.
 * @throws AppError MAIL_NOT_CONFIGURED, RATE_LIMITED
 */
export async function requestLink(caller: Caller, purpose: LinkRequest['purpose'], email: string): Promise<void> {
  requireMail(caller.config);
  await countForNetwork(caller);
  if (!(await countRequestedMail(caller, email))) return;
  const { database, client } = caller;
  const address = await knownAddress(database, email);
  await database.transaction(async (db) => {
    const values = [purpose, address, client.address, client.device] as const;
    const requests = await db.query(ADD_LINK_REQUEST, [...values]);
    await addJobs(db, SEND_LINK, requests, { client: networkTurn(networkOf(client.address)) });
  });
}

/** Sends the link of a request if the address has an account, and its member has not received too many. No effect if it was handled already. */
export async function handleLinkRequest(source: LinkSource & Pick<Caller, 'limits'>, id: string): Promise<void> {
  const { database } = source;
  const [target] = await database.query(MEMBER_OF_LINK_REQUEST, [id]);
  // Before the transaction, which must not wait for another connection, and before a token replaces an earlier one.
  const isAllowed = !target || (await countMailToMember(source, target.memberId));
  await database.transaction(async (db) => {
    const [request] = await db.query(TAKE_LINK_REQUEST, [id]);
    if (!request || !isAllowed) return;
    const [member] = await db.query(LOCK_BY_EMAIL, [request.email]);
    if (request.purpose === 'confirm') await handleConfirmation(db, source, request.email, member);
    else if (member) await mailReset(db, { ...source, client: request, viewer: null }, member);
  });
}

async function mailReset(
  db: Transaction,
  source: LinkSource & Pick<Caller, 'client' | 'viewer'>,
  { id: memberId, email }: { id: number; email: string },
): Promise<void> {
  const { reference: link } = await addLink(db, source, { memberId, purpose: 'reset', email });
  await enqueueMail(db, source, { template: 'passwordReset', memberId, values: { link } });
  await recordEvent(db, source, { kind: 'PASSWORD_RESET_REQUESTED', memberId });
}

/** For an address that is not confirmed yet, or to which a member is changing. */
async function handleConfirmation(
  db: Transaction,
  source: LinkSource,
  email: string,
  member: { id: number; email: string; isVerified: boolean } | undefined,
): Promise<void> {
  if (member && !member.isVerified) {
    return mailConfirmation(db, source, { memberId: member.id, email: member.email });
  }
  const { hash, reference: link } = createOneTimeToken(source.jwtSecret, 'confirm');
  const [change] = await db.query(RENEW_CHANGE_TOKEN, [email, hash]);
  if (!change) return;
  const { memberId, email: address, nickname } = change;
  await enqueueMail(db, source, { template: 'addressConfirmation', memberId, address, values: { link, nickname } });
}
