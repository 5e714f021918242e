/** The connection whose advisory lock shows that the workers of a process are alive. */
import { expect } from 'chai';
import pg from 'pg';
import { WorkerLocks } from '../../src/jobs/worker-locks.js';
import { freshDatabase } from '../support/database.js';
import { readableLog } from '../support/log.js';
import { type Relay, startRelay } from '../support/relay.js';
import { until } from '../support/until.js';

const RECONNECT_DELAY_MS = 20;

describe('The connection that holds the locks of workers', () => {
  let relay: Relay;
  let observer: pg.Client;
  let locks: WorkerLocks;
  let url: string;
  /** The number of further connections that are broken as soon as they take a lock. */
  let breaks = 0;

  before(async () => {
    url = await freshDatabase('liveness');
    observer = new pg.Client({ connectionString: url });
    await observer.connect();
    relay = await startRelay(
      () => url,
      (sent) => sent.includes('pg_advisory_lock_shared') && breaks-- > 0,
    );
    locks = new WorkerLocks(relay.through(url), readableLog().log, RECONNECT_DELAY_MS);
  });
  after(async () => {
    locks.stop();
    await relay.close();
    await observer.end();
  });

  /** The number of worker connections, and of the locks that they hold. */
  async function found(): Promise<unknown> {
    const { rows } = await observer.query(`select count(distinct a.pid)::int as connections, count(l.pid)::int as locks
      from pg_stat_activity a left join pg_locks l on l.pid = a.pid and l.locktype = 'advisory'
      where a.datname = current_database() and a.application_name = 'daybook-workers'`);
    return rows[0];
  }
  const is = async (wanted: object) => JSON.stringify(await found()) === JSON.stringify(wanted);

  it('is restored as one connection after two consecutive failures, and closed by stop()', async () => {
    await locks.hold('a-worker');
    expect(await found()).to.deep.equal({ connections: 1, locks: 1 });
    breaks = 1;
    await observer.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and application_name = 'daybook-workers'`);
    await until(() => breaks < 1);
    await until(() => is({ connections: 1, locks: 1 }));
    // Enough time for any additional reconnection to appear.
    await new Promise((resolve) => setTimeout(resolve, 10 * RECONNECT_DELAY_MS));
    expect(await found()).to.deep.equal({ connections: 1, locks: 1 });
    locks.stop();
    await until(() => is({ connections: 0, locks: 0 }));
  });

  it('deletes the jobs that a job with the same key has replaced, if they failed or their workers died, and leaves failed ones', async () => {
    const add = (key: string | null) =>
      observer.query(`select graphile_worker.add_job('learn-spam', job_key => $1)`, [key]);
    const jobs = 'graphile_worker._private_jobs';
    const start = () =>
      observer.query(`update ${jobs} set attempts = 1, locked_by = 'dead', locked_at = now() where key is not null`);
    await add('replaced');
    await start();
    await add('replaced');
    await add('running');
    await start();
    await add('failed');
    await add(null);
    await observer.query(`update ${jobs} set attempts = max_attempts, last_error = 'failed', locked_by = 'dead', locked_at = now()
      where key = 'failed' or key is null`);
    const checking = new WorkerLocks(relay.through(url), readableLog().log);
    checking.start();
    const left = async () => {
      const { rows } = await observer.query(
        `select key, attempts, last_error as error, locked_by as worker from ${jobs} order by id`,
      );
      return rows;
    };
    const expected = [
      { key: 'replaced', attempts: 1, error: null, worker: null },
      { key: 'running', attempts: 1, error: null, worker: null },
      { key: 'failed', attempts: 25, error: 'failed', worker: null },
    ];
    await until(async () => JSON.stringify(await left()) === JSON.stringify(expected)).finally(() => checking.stop());
    expect(await left()).to.deep.equal(expected);
  });
});
