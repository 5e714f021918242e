/** Waiting e-mails, and runs of their jobs on demand. */
import { QueryTypes } from 'sequelize';
import { enqueueMail, type NewMail } from '../../src/mail/enqueue.js';
import type { MailTemplate } from '../../src/mail/templates.js';
import type { TestApp } from './app.js';
import { runJobs } from './jobs.js';

export function addMail<Template extends MailTemplate>(
  { database, services: { config } }: TestApp,
  mail: NewMail<Template>,
): Promise<void> {
  return database.inTransaction((transaction) => enqueueMail({ database, config }, mail, transaction));
}

/** Runs the jobs, including those that wait for a retry. */
export async function sendMails(app: TestApp): Promise<void> {
  await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
  await runJobs(app);
}

export function waitingMails({ database }: TestApp): Promise<{ messageId: string; template: string }[]> {
  return database.sequelize.query('select message_id as "messageId", template from mails order by created_at', {
    type: QueryTypes.SELECT,
  });
}
