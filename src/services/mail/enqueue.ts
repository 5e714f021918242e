/** Adds emails to the queue, in the transaction of their cause. */
import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { DECISION_TO_MAIL } from '../../models/decision/appeal.js';
import { ADD_MAIL } from '../../models/mail.js';
import type { Config } from '../../platform/config/index.js';
import type { Database, Transaction } from '../../platform/database/pool.js';
import { addJobs, jobType, memberTurn, networkTurn, queues, TURNS } from '../../platform/database/queue.js';
import { AppError } from '../../platform/errors.js';
import { networkOf } from '../../platform/http/client-address.js';
import type { ClientInfo } from '../../platform/http/request.js';
import { type MailTemplate, type MailValues, type SecurityNotice, TEMPLATES } from './templates.js';

/** The payload identifies a row of `mails`, which has the address. */
export const SEND_MAIL = jobType<{ messageId: string }>(
  'send-mail',
  queues('mails', 2, 'Emails of all processes together that are sent at the same time. Further ones wait.'),
);

export interface NewMail<Template extends MailTemplate> {
  template: Template;
  /** The recipient, whose language the email has. */
  memberId: number;
  /** Default: the address that the account has in this transaction. */
  address?: string;
  values: MailValues[Template];
  /** One of the emails to many members about the same article: all others are sent before it. */
  isFannedOut?: boolean;
  /** Whose turn it is sent in. Default: that of the network of the request, or of the member without a request. */
  turn?: string | undefined;
}

export interface MailSource {
  /** Null for `mail`: no emails are added. */
  readonly config: Pick<Config, 'mail'>;
  /** Of the request that causes the email. */
  readonly client?: Pick<ClientInfo, 'address'>;
}

/** Sent after the commit. No effect without SMTP_URL, and for a member without an address. */
export async function enqueueMail<Template extends MailTemplate>(
  db: Transaction,
  { config, client }: MailSource,
  { template, memberId, address, values, isFannedOut, turn }: NewMail<Template>,
): Promise<void> {
  if (config.mail === null) return;
  const { lifetimeMs, priority } = TEMPLATES[template];
  const domain = domainToASCII(config.mail.from.address.split('@')[1] ?? '');
  const messageId = `${randomUUID()}@${domain}`;
  const mail = [messageId, memberId, address ?? null, template, JSON.stringify(values), lifetimeMs] as const;
  const [added] = await db.query(ADD_MAIL, [...mail]);
  if (!added) return;
  // By member, so that the emails of one member keep their order.
  await addJobs(db, SEND_MAIL, [{ messageId }], {
    queueNumberOf: () => memberId,
    priority: isFannedOut ? priority + TURNS : priority,
    client: turn ?? (client?.address ? networkTurn(networkOf(client.address)) : memberTurn(memberId)),
  });
}

/** The values of a notice about the security of an account, from the request that caused it. */
export function securityNotice(db: Database, client: ClientInfo): SecurityNotice {
  return { at: new Date(db.now()).toISOString(), ...client };
}

/** Sends a decision to the member concerned, in its transaction. Reporters get no email: a flood of reports must not become one of emails. */
export async function mailDecision(db: Transaction, source: MailSource, id: number): Promise<void> {
  if (source.config.mail === null) return;
  const [found] = await db.query(DECISION_TO_MAIL, [id]);
  if (!found) return;
  const { memberId, until, appealableUntil, ...decision } = found;
  const times = { until: until?.toISOString() ?? null, appealableUntil: appealableUntil?.toISOString() ?? null };
  await enqueueMail(db, source, { template: 'decision', memberId, values: { id, ...decision, ...times } });
}

/** For operations that are useless without email. @throws AppError MAIL_NOT_CONFIGURED */
export function requireMail({ mail }: Pick<Config, 'mail'>): void {
  if (mail === null) throw new AppError('MAIL_NOT_CONFIGURED');
}
