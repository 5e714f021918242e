/** Adds emails to the queue, in the transaction of their cause. */
import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Transaction } from 'sequelize';
import type { Config } from '../config/index.js';
import type { Database } from '../database/pool.js';
import { addJobs } from '../database/queue.js';
import { AppError } from '../errors.js';
import type { ClientInfo } from '../http/request.js';
import { ADD_MAIL } from '../models/mail.js';
import { type MailTemplate, type MailValues, type SecurityNotice, TEMPLATES } from './templates.js';

export interface NewMail<Template extends MailTemplate> {
  template: Template;
  /** The recipient, whose language the email has. */
  memberId: number;
  /** Default: the address that the account has in this transaction. */
  address?: string;
  values: MailValues[Template];
}

/** Null for `config.mail`: no emails are added. */
export interface MailSource {
  readonly config: Pick<Config, 'mail'>;
  readonly database: Database;
}

/** Sent after the commit. No effect without SMTP_URL, and for a member without an address. */
export async function enqueueMail<Template extends MailTemplate>(
  { config, database }: MailSource,
  { template, memberId, address, values }: NewMail<Template>,
  transaction: Transaction,
): Promise<void> {
  if (config.mail === null) return;
  const { lifetimeMs, priority } = TEMPLATES[template];
  const domain = domainToASCII(config.mail.from.address.split('@')[1] ?? '');
  const messageId = `${randomUUID()}@${domain}`;
  const [added] = await database.query(
    ADD_MAIL,
    [messageId, memberId, address ?? null, template, JSON.stringify(values), lifetimeMs],
    transaction,
  );
  if (!added) return;
  // By member, so that the emails of one member keep their order.
  await addJobs(database, 'send-mail', [{ messageId }], { transaction, queueNumberOf: () => memberId, priority });
}

/** The values of a notice about the security of an account, from the request that caused it. */
export function securityNotice({
  database,
  client,
}: Pick<MailSource, 'database'> & { readonly client: ClientInfo }): SecurityNotice {
  return { at: new Date(database.now()).toISOString(), ...client };
}

/** For operations that are useless without email. @throws AppError MAIL_NOT_CONFIGURED */
export function requireMail({ mail }: Pick<Config, 'mail'>): void {
  if (mail === null) throw new AppError('MAIL_NOT_CONFIGURED');
}
