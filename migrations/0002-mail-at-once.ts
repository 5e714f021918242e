/** A function in place of the same part of nine statements. */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0002-mail-at-once',
  locks: {},
  up: [
    `
-- Adds the job that mails new notifications of a member to whom they are sent at once, in the turns of the member who causes them: the priority is that
-- of the first waiting job, or the one after the last job of that member (src/platform/database/queue-tables.ts). A waiting job, which the limit of
-- emails can delay, keeps its client and its priority.
create function mail_at_once(recipient bigint, actor bigint) returns void language plpgsql as $$
declare
  job text := 'mail-notifications:' || recipient;
  causer text := 'm' || coalesce(actor, recipient);
  task integer := (select id from graphile_worker._private_tasks where identifier = 'mail-notifications');
  waiting record;
begin
  select j.payload->>'client' as client, j.priority into waiting
  from graphile_worker._private_jobs j where j.key = job and j.is_available;
  perform graphile_worker.add_job(
    'mail-notifications',
    json_build_object('memberId', recipient, 'client', coalesce(waiting.client, causer)),
    queue_name => 'notifications-' || recipient % 2,
    job_key => job,
    job_key_mode => 'preserve_run_at',
    priority => coalesce(waiting.priority, least(9999, greatest(
      0,
      (select min(j.priority) from graphile_worker._private_jobs j
       where j.task_id = task and j.priority between 0 and 9999 and j.is_available),
      (select max(j.priority) + 1 from graphile_worker._private_jobs j
       where j.task_id = task and j.priority between 0 and 9999 and j.payload->>'client' = causer
         and (j.is_available or j.locked_at is not null))
    )))
  );
end $$;
`,
  ],
};
