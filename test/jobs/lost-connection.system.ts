/** Jobs whose connection breaks or becomes silent when they are taken from the queue, or when they are completed. */
import { expect } from 'chai';
import pg from 'pg';
import { buildArticle } from '../support/build.js';
import { freshDatabase, holdLocks, waitingForLock } from '../support/database.js';
import { describeFault, seconds } from '../support/faults.js';
import { type RunningService, startService } from '../support/process.js';
import { type Relay, startRelay } from '../support/relay.js';
import { summaryOf } from '../support/summaries.js';
import { until } from '../support/until.js';

/** More than the number of jobs that a process runs at once. */
const BREAKS = 6;
const POLL_MS = 100;

describeFault('job-connection-lost', function (measured) {
  this.timeout(90_000);
  let database: string;
  let relay: Relay;
  let service: RunningService;
  let observer: pg.Client;
  let breaksAt = '';
  let isSilent = false;
  let breaks = 0;

  before(async () => {
    database = await freshDatabase('lost_connection');
    observer = new pg.Client(database);
    await observer.connect();
    relay = await startRelay(
      () => database,
      (sent) => breaksAt !== '' && sent.includes(breaksAt) && breaks-- > 0 && (!isSilent || 'silently'),
    );
    service = await startService(relay.through(database), { DATABASE_STATEMENT_TIMEOUT: '1s' });
  });
  after(async () => {
    await service.stop();
    await relay.close();
    await observer.end();
  });

  const statements = { 'takes a job': 'get_job', 'completes a job': 'complete_job' };
  const moments = Object.entries(statements).flatMap(([moment, text]) => [
    { moment, text, silent: false },
    { moment, text, silent: true },
  ]);
  for (const { moment, text, silent } of moments) {
    const name = `${silent ? 'silent' : 'broken'} when it ${moment}`;
    it(`${name}: the job is run again, and all workers continue`, async () => {
      [breaksAt, breaks, isSilent] = [text, BREAKS, silent];
      const startedAt = performance.now();
      const { id, author } = await buildArticle(service.url);
      const ids = [id];
      for (let count = 1; count < BREAKS; count++) ids.push((await buildArticle(service.url, {}, author)).id);
      await until(
        async () => {
          const summaries = await Promise.all(ids.map((one) => summaryOf(service.url, one)));
          return summaries.every(({ status }) => status === 'COMPLETED');
        },
        undefined,
        POLL_MS,
      );
      await until(async () => {
        const { rowCount } = await observer.query(
          'select from graphile_worker._private_jobs where locked_by is not null',
        );
        return rowCount === 0;
      });
      expect(breaks, 'the connection was broken').to.be.below(BREAKS - 1);
      measured(`${name}: all jobs done after ${seconds(performance.now() - startedAt)}`);
    });
  }

  it('workers whose first statement fails are replaced too', async () => {
    const locker = await holdLocks(database, 'lock table graphile_worker._private_tasks in share mode');
    [breaksAt, breaks, isSilent] = ['get_job', 1, false];
    await until(async () => (await waitingForLock(observer)) > 0);
    await until(async () => (await waitingForLock(observer)) === 0);
    await locker.end();
    const { id } = await buildArticle(service.url);
    await until(async () => (await summaryOf(service.url, id)).status === 'COMPLETED', undefined, POLL_MS);
  });
});
