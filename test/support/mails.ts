/** Waiting emails, and runs of their jobs on demand. */
import { QueryTypes } from 'sequelize';
import { enqueueMail, type NewMail } from '../../src/services/mail/enqueue.js';
import type { MailTemplate } from '../../src/services/mail/templates.js';
import type { TestApp } from './app.js';
import { type BuiltMember, buildMember } from './build.js';
import { runJobs } from './jobs.js';

export function addMail<Template extends MailTemplate>(
  { database, services: { config } }: TestApp,
  mail: NewMail<Template>,
): Promise<void> {
  return database.transaction((db) => enqueueMail(db, { config }, mail));
}

/** Runs the jobs, including those that wait for a retry. */
export async function sendMails(app: TestApp): Promise<void> {
  await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
  await runJobs(app);
}

/** A member with a confirmed address, without the email about the confirmation, which the registration adds. */
export async function buildRecipient(app: TestApp): Promise<BuiltMember> {
  const member = await buildMember(app.url);
  await app.database.sequelize.query(`update members set email_verified_at = now() where id = ${member.id}`);
  await discardMails(app, member.id);
  return member;
}

/** Removes the waiting emails of a member. */
export async function discardMails({ database: { sequelize } }: TestApp, memberId: number): Promise<void> {
  await sequelize.query(`with removed as (delete from mails where member_id = ${memberId} returning message_id)
    select graphile_worker.complete_jobs(array(
      select id from graphile_worker._private_jobs where payload->>'messageId' in (select message_id from removed)))`);
}

export function waitingMails({ database }: TestApp): Promise<{ messageId: string; template: string }[]> {
  return database.sequelize.query('select message_id as "messageId", template from mails order by created_at', {
    type: QueryTypes.SELECT,
  });
}
