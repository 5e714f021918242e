/** Limits of emails to one address, which protect mailboxes from requests of others. */
import ms from 'ms';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { Database } from '../../platform/database/pool.js';
import { mailboxKey } from '../../platform/email-address.js';
import { assertNotRateLimited, type RateLimiter } from './rate-limiter.js';

export const REQUESTED_MAILS = {
  points: fixedLimit({
    area: 'Accounts',
    about:
      'Emails in an hour to one address that were requested without a token, or while the address was not confirmed; links that one member requests in an hour. Further ones are not sent; the responses are the same.',
    value: 3,
    error: null,
  }),
  durationMs: ms('1h'),
};

export const NOTICE_MAILS = {
  points: fixedLimit({
    area: 'Accounts',
    about:
      'Emails of each kind in an hour to one member about the account: notices about its security, decisions of moderators, and links. Further ones are not sent; the audit trail has all events, and the notifications have all decisions.',
    value: 10,
    error: null,
  }),
  durationMs: ms('1h'),
};

export const NOTIFICATION_MAILS = {
  points: fixedLimit({
    area: 'Accounts',
    about:
      'Emails in an hour to one member about notifications, with the setting `AT_ONCE`. Further notifications are combined in the first email after this hour.',
    value: 5,
    error: null,
  }),
  durationMs: ms('1h'),
};

export const MAX_LISTED_NOTIFICATIONS = fixedLimit({
  area: 'Accounts',
  about: 'Notifications that one email lists. The number of the others follows.',
  value: 50,
  error: null,
});

interface Counting<Name extends string> {
  readonly limits: Readonly<Record<Name, RateLimiter>>;
  readonly database: Database;
}

/**
 * Counts an email that was requested without a token, or for an unconfirmed address, whether or not the address has an account.
 * Call it before the transaction, and before a token replaces an earlier one.
 * @returns whether it may be sent
 */
export async function countRequestedMail(
  { limits, database }: Counting<'requestedMails'>,
  address: string,
): Promise<boolean> {
  return (await limits.requestedMails.count(database, mailboxKey(address))) === 0;
}

/**
 * The same for a request of a member. It reveals nothing about the address, since all requests for it are counted.
 * @throws AppError RATE_LIMITED
 */
export async function requireRequestedMail(
  { limits, database }: Counting<'requestedMails'>,
  address: string,
): Promise<void> {
  assertNotRateLimited(await limits.requestedMails.count(database, mailboxKey(address)), 'emails to one address');
}

export const EMAIL_CHANGES = {
  points: fixedLimit({
    area: 'Accounts',
    about: 'Changes of the email address that one member requests in an hour.',
    value: 10,
    error: 'RATE_LIMITED',
  }),
  durationMs: ms('1h'),
};

/**
 * Counts a link that a job is about to send to a member. The limit of addresses applies too; this one does not depend on how an address is
 * written. @returns whether it may be sent
 */
export async function countMailToMember(
  { limits, database }: Counting<'requestedMails'>,
  memberId: number,
): Promise<boolean> {
  return (await limits.requestedMails.count(database, 'member', String(memberId))) === 0;
}

/** Counts an email about an account that is about to be sent. @returns whether it may be sent */
export async function countNotice(
  { limits, database }: Counting<'notices'>,
  memberId: number,
  template: string,
): Promise<boolean> {
  return (await limits.notices.count(database, String(memberId), template)) === 0;
}
