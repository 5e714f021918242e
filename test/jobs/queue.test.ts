/** Shares of the job queue: jobs of one kind do not delay those of another, and many jobs do not delay a few of the same kind. */
import { expect } from 'chai';
import { startJobs } from '../../src/jobs/supervisor.js';
import { jobTypes, queuesByTask, schedule, tasks } from '../../src/jobs/tasks.js';
import { useApp } from '../support/app.js';
import { addJobs, runJobs } from '../support/jobs.js';
import { until } from '../support/until.js';

const app = useApp();
/** Of a condition that is reached at the latest after the polling interval of the runner, also on a busy machine. */
const TIMEOUT_MS = 60_000;
const handlers = tasks;
const query = async (text: string) =>
  (await app.database.sequelize.query(text)) as [Record<string, unknown>[], unknown];

describe('The job queue', function () {
  this.timeout(3 * TIMEOUT_MS);
  const originals = { ...tasks };
  beforeEach(() => query('delete from graphile_worker._private_jobs'));
  afterEach(() => {
    Object.assign(handlers, originals);
  });

  it('survives a failed statement of its schedule, such as during a restart of the database, and repeats it', async () => {
    const known = '_private_known_crontabs';
    await query(`delete from graphile_worker.${known};
      create sequence failed_schedules;
      create function fail() returns trigger language plpgsql as $$ begin
        perform nextval('failed_schedules'); raise exception 'the schedule fails'; end $$;
      create trigger fail before insert on graphile_worker.${known} execute function fail()`);
    const jobs = await startJobs(app.services);
    try {
      const countOf = async (text: string) => Number((await query(text))[0]?.[0]?.count);
      // Also in the runner that replaces the first one.
      await until(async () => (await countOf('select last_value as count from failed_schedules')) >= 2, TIMEOUT_MS);
      await query(`drop trigger fail on graphile_worker.${known}`);
      const all = async () =>
        (await countOf(`select count(*) from graphile_worker.${known}`)) ===
        new Set(schedule.map(({ task }) => task)).size;
      await until(all, TIMEOUT_MS);
    } finally {
      await jobs.stop();
      await query('drop function fail cascade; drop sequence failed_schedules');
    }
  });

  it('runs the jobs of all other queues while those of one queue do not end', async () => {
    const groups = queueGroups();
    /** Tasks that have run to their end, and the tasks that are running, since the last group was blocked. */
    const done = new Set<string>();
    let running: string[] = [];
    let blocked: readonly string[] = [];
    const releases: (() => void)[] = [];
    for (const task of groups.flatMap((group) => group.tasks)) {
      handlers[task] = async () => {
        if (!blocked.includes(task)) return void done.add(task);
        running.push(task);
        await new Promise<void>((resolve) => releases.push(resolve));
      };
    }
    const add = (task: string, count = 1) => addJobs(app.database, task, Array(count).fill({}));
    for (const group of groups) {
      await query('delete from graphile_worker._private_jobs');
      done.clear();
      running = [];
      blocked = group.tasks;
      const jobs = await startJobs(app.services);
      for (const task of group.tasks) await add(task, 20);
      await until(() => running.length > 0, TIMEOUT_MS);
      const others = groups.flatMap(({ tasks }) => tasks).filter((task) => !blocked.includes(task));
      for (const task of others) await add(task);
      await until(() => others.every((task) => done.has(task)), TIMEOUT_MS).catch((error) => {
        throw new Error(`${group.name} delays ${others.filter((task) => !done.has(task))}`, { cause: error });
      });
      expect(running.length, `running jobs of ${group.name}`).to.be.at.most(group.count);
      const stopped = jobs.stop();
      for (const release of releases.splice(0)) release();
      await stopped;
    }
  });

  it('is declared for every task, also in the schedule', () => {
    const groups = queueGroups();
    expect(groups.flatMap(({ tasks }) => tasks)).to.have.members(Object.keys(tasks));
    expect(new Set(groups.map(({ name }) => name)).size).to.equal(groups.length);
    for (const { task, options } of schedule) expect(options?.queueName, task).to.be.a('string');
  });

  it('runs the job of one member before most of the jobs that another member added at once', async () => {
    const removed: string[] = [];
    handlers['remove-unused-image'] = async (payload) => void removed.push((payload as { key: string }).key);
    const many = Array.from({ length: 50 }, (_, index) => ({ key: `many ${index}` }));
    await addJobs(app.database, 'remove-unused-image', many);
    await addJobs(app.database, 'remove-unused-image', [{ key: 'single' }]);
    await runJobs(app);
    expect(removed).to.have.length(51);
    expect(removed.indexOf('single')).to.be.at.most(2);
  });
});

/** The queues, with the names of the tasks in them. */
function queueGroups() {
  return [...new Set(queuesByTask.values())].map((queues) => ({
    ...queues,
    tasks: [...jobTypes.values()].filter((type) => type.queues === queues).map(({ name }) => name),
  }));
}
