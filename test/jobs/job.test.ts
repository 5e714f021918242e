/** The job queue: transactional enqueueing, retries after a failure, and graceful shutdown of the runner. */
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import type { Task } from '../../src/jobs/job.js';
import { startJobs } from '../../src/jobs/supervisor.js';
import { tasks } from '../../src/jobs/tasks.js';
import { QUEUE_DEPTH } from '../../src/platform/database/queue.js';
import { useApp } from '../support/app.js';
import { addJobs, runJobs, waitingJobs } from '../support/jobs.js';
import { until } from '../support/until.js';

const app = useApp();
const KEY = 'ab'.repeat(16);
const TASK = 'remove-unused-image';
const keyOf = ({ key }: { key: string }) => key;
/** About three times the time that replacing the runner takes on a machine that is not busy. */
const RETRY_MS = 90_000;

describe('A job', () => {
  let removed: string[];
  let remove: (key: string) => Promise<void>;
  const original = () => app.services.images;
  before(() => {
    remove = original().remove;
  });
  beforeEach(async () => {
    removed = [];
    original().remove = async (key) => void removed.push(key);
    await app.database.sequelize.query('delete from graphile_worker._private_jobs');
  });
  after(() => {
    original().remove = remove;
  });

  it('is enqueued if its transaction is committed, and not if it is rolled back', async () => {
    const add = (isRolledBack: boolean) =>
      app.database.transaction(async (db) => {
        await addJobs(db, TASK, [{ key: KEY }]);
        if (isRolledBack) throw new Error('rolled back');
      });
    await add(true).catch(() => {});
    expect(await waitingJobs(app)).to.deep.equal([]);
    await add(false);
    await runJobs(app);
    expect(removed).to.deep.equal([KEY]);
    expect(await waitingJobs(app)).to.deep.equal([]);
  });

  it('that fails after another one with its key has replaced it is not reported as failed', async () => {
    const fail = new Error('the store does not respond');
    const add = () => addJobs(app.database, TASK, [{ key: KEY }], { keyOf });
    original().remove = async (key) => {
      if (removed.push(key) > 1) return;
      await add();
      throw fail;
    };
    await add();
    await runJobs(app);
    expect(removed).to.deep.equal([KEY, KEY]);
    const depths = await app.database.query(QUEUE_DEPTH, []);
    expect(depths.filter(({ state }) => state === 'failed')).to.deep.equal([]);
    const jobs = await startJobs(app.services);
    await until(async () => (await waitingJobs(app)).every(({ lastError }) => lastError !== fail.message));
    await jobs.stop();
  });

  it('is retried after a failure with an increasing delay', async () => {
    original().remove = () => Promise.reject(new Error('the store does not respond'));
    await addJobs(app.database, TASK, [{ key: KEY }]);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
      await runJobs(app);
      const [job] = await waitingJobs(app);
      expect(job).to.include({ attempts: attempt, lastError: 'the store does not respond' });
      waits.push(job?.seconds ?? 0);
    }
    expect(waits).to.deep.equal([...waits].sort((a, b) => a - b));
    original().remove = async (key) => void removed.push(key);
    await app.database.sequelize.query('update graphile_worker._private_jobs set run_at = now()');
    await runJobs(app);
    expect(removed).to.deep.equal([KEY]);
  });

  it('replaces a waiting job with the same key', async () => {
    for (const delay of [3_600, 0]) await addJobs(app.database, TASK, [{ key: KEY }], { delaySeconds: delay, keyOf });
    expect(await waitingJobs(app)).to.have.length(1);
    await runJobs(app);
    expect(removed).to.deep.equal([KEY]);
  });

  it('succeeds if it runs twice, and keeps an image that is in use', async () => {
    original().remove = remove;
    for (let time = 0; time < 2; time++) await addJobs(app.database, TASK, [{ key: KEY }]);
    await runJobs(app);
    expect(await waitingJobs(app)).to.deep.equal([]);
    original().remove = async (key) => void removed.push(key);
    await app.database.sequelize.query(`insert into members (member_name, nickname, profile_image)
      values ('n', 'uses it', '${KEY}')`);
    await addJobs(app.database, TASK, [{ key: KEY }]);
    await runJobs(app);
    expect(removed).to.deep.equal([]);
  });
});

describe('A job that the end of the process interrupts', () => {
  const task = 'delete-expired-challenges';
  const handlers = tasks as Record<string, Task<unknown>>;
  const original = tasks[task];
  after(() => {
    handlers[task] = original as Task<unknown>;
  });

  const interruptions: Record<string, Task<unknown>> = {
    'ends with the abort signal': (_payload, _services, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    'does not end': () => new Promise(() => {}),
  };
  for (const [what, handler] of Object.entries(interruptions)) {
    it(`and ${what} is not counted as an attempt, and can run again at once`, async () => {
      await app.database.sequelize.query('delete from graphile_worker._private_jobs');
      let runs = 0;
      handlers[task] = (payload, services, run) => {
        runs++;
        return handler(payload, services, run);
      };
      await addJobs(app.database, task, [{}]);
      const jobs = await startJobs(app.services);
      await until(() => runs === 1, RETRY_MS);
      await jobs.stop();
      const [job] = (await waitingJobs(app)).filter((waiting) => waiting.task === task);
      expect(job).to.include({ attempts: 0 });
      expect(job?.seconds).to.be.at.most(0);
      handlers[task] = async () => void runs++;
      await runJobs(app);
      expect(runs).to.equal(2);
    }).timeout(3 * RETRY_MS);
  }
});

describe('The job runner', () => {
  it('runs a new job immediately, and finishes the running job before it stops', async () => {
    const { images } = app.services;
    const { remove } = images;
    const jobs = await startJobs(app.services);
    let isDone = false;
    const runner = new EventEmitter();
    images.remove = async () => {
      runner.emit('started');
      await once(runner, 'stopping');
      isDone = true;
    };
    const started = once(runner, 'started');
    await addJobs(app.database, TASK, [{ key: 'cd'.repeat(16) }]);
    await started;
    const stopped = jobs.stop();
    runner.emit('stopping');
    await stopped;
    images.remove = remove;
    expect(isDone).to.equal(true);
    expect(await waitingJobs(app)).to.deep.equal([]);
  });

  it('continues when the results of jobs could not be recorded, and runs these jobs again', async () => {
    const { images, database } = app.services;
    const { remove } = images;
    const removed = new Map<string, number>();
    images.remove = async (key) => void removed.set(key, (removed.get(key) ?? 0) + 1);
    const jobs = await startJobs(app.services);
    const keys = Array.from({ length: 8 }, (_, index) => String(index).repeat(32));
    await database.sequelize.query(`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'no disk space' using errcode = '53100'; end $$;
      create trigger refuse before delete on graphile_worker._private_jobs execute function refuse()`);
    try {
      await addJobs(
        database,
        TASK,
        keys.map((key) => ({ key })),
        { queueNumberOf: () => 0 },
      );
      // The runner is replaced, and the job tried again, each after a delay.
      await until(() => (removed.get(keys[0] as string) ?? 0) > 1, RETRY_MS);
      await database.sequelize.query('drop function refuse cascade');
      await until(async () => (await waitingJobs(app)).length === 0, RETRY_MS);
    } finally {
      await database.sequelize.query('drop function if exists refuse cascade');
      await jobs.stop();
      images.remove = remove;
    }
    expect([...removed.keys()].sort()).to.deep.equal(keys);
  }).timeout(3 * RETRY_MS);
});
