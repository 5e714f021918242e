/** Jobs and schedules after the clock of a process or of the database was wrong. */
import { expect } from 'chai';
import { startJobs } from '../../src/jobs/supervisor.js';
import { schedule } from '../../src/jobs/tasks.js';
import { useApp } from '../support/app.js';
import { addJobs, waitingJobs } from '../support/jobs.js';
import { until } from '../support/until.js';

const app = useApp();
const query = async (text: string) => (await app.database.sequelize.query(text))[0] as Record<string, unknown>[];
const TIMEOUT_MS = 60_000;

describe('After a process whose clock was ten years ahead', function () {
  this.timeout(3 * TIMEOUT_MS);
  const tasks = schedule.map(({ task }) => task);
  const setAhead = () =>
    query(`insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
      select identifier, now() + interval '10 years', now() + interval '10 years'
      from unnest(string_to_array('${tasks}', ',')) identifier
      on conflict (identifier) do update set last_execution = excluded.last_execution`);
  const ahead = () =>
    query('select identifier from graphile_worker._private_known_crontabs where last_execution > now()');

  it('the scheduled jobs run again from the next start on, and those of the last day are made up for', async () => {
    await setAhead();
    await query('delete from graphile_worker._private_jobs');
    const ran = new Set<string>();
    await query(`create table schedule_runs (task text); create function note() returns trigger language plpgsql as $$
      begin insert into schedule_runs select identifier from graphile_worker._private_tasks where id = old.task_id;
      return old; end $$;
      create trigger note after delete on graphile_worker._private_jobs for each row execute function note()`);
    const jobs = await startJobs(app.services);
    try {
      await until(async () => {
        for (const { task } of await query('select task from schedule_runs')) ran.add(String(task));
        return tasks.every((task) => ran.has(task));
      }, TIMEOUT_MS);
    } finally {
      await jobs.stop();
      await query('drop function note cascade; drop table schedule_runs');
    }
    expect(await ahead()).to.deep.equal([]);
  });

  it('the schedule is corrected in processes that run already', async () => {
    const jobs = await startJobs(app.services);
    try {
      await setAhead();
      await until(async () => (await ahead()).length === 0, TIMEOUT_MS);
    } finally {
      await jobs.stop();
    }
  });

  it('a job that was added for a time in years runs now', async () => {
    await query('delete from graphile_worker._private_jobs');
    await addJobs(app.database, 'delete-expired-challenges', [{}], { delaySeconds: 10 * 365 * 86_400 });
    await addJobs(app.database, 'delete-expired-idempotency-keys', [{}], { delaySeconds: 3_600 });
    const jobs = await startJobs(app.services);
    try {
      await until(async () => (await waitingJobs(app)).every(({ seconds }) => seconds <= 3_600), TIMEOUT_MS);
    } finally {
      await jobs.stop();
    }
    // The start may also have added the jobs that the schedule has missed.
    const later = (await waitingJobs(app)).filter(({ seconds }) => seconds > 0);
    expect(later.map(({ task }) => task)).to.deep.equal(['delete-expired-idempotency-keys']);
  });
});
