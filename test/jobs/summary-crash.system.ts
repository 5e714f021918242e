/** Processes that end in the middle of a job: another process takes it over immediately and completes it once. */
import { expect } from 'chai';
import pg from 'pg';
import { type AiProvider, pauseResponse, respond, startAiProvider } from '../support/ai-provider.js';
import { JWT_SECRET, MANY_REGISTRATIONS, useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { describeFault, seconds } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { runSummaries, waitingSummaries } from '../support/jobs.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { summaryJson, summaryOf, summaryOutcomesOf } from '../support/summaries.js';
import { until } from '../support/until.js';

describeFault('killed-in-job', function (measured) {
  this.timeout(120_000);
  let provider: AiProvider;
  let dataDir: string;
  const running: ServiceProcess[] = [];
  const environment: Record<string, string> = {};

  before(async () => {
    provider = await startAiProvider();
    Object.assign(environment, provider.environment);
    dataDir = await makeFolder();
  });
  // After the hook that completes its settings. It runs jobs only on demand.
  const app = useApp(environment);
  after(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    await provider.close();
  });

  async function start(): Promise<ServiceProcess> {
    const own = {
      HOST: '127.0.0.1',
      DATABASE_URL: app.database.url,
      DATA_DIR: dataDir,
      JWT_SECRET,
      LIMIT_REGISTER: MANY_REGISTRATIONS,
    };
    const started = await startProcess({ ...own, ...provider.environment });
    running.push(started);
    await started.waitForOutput('Daybook is ready.');
    return started;
  }

  async function completed(url: string, articleId: number): Promise<string | null> {
    const { aiSummary } = await until(async () => {
      const summary = await summaryOf(url, articleId);
      expect(summary.status).to.be.oneOf(['COMPLETED', 'PENDING', 'PROCESSING']);
      return summary.status === 'COMPLETED' && summary;
    });
    return aiSummary;
  }

  /** Waits until each of so many connected processes has checked for dead workers since it has connected. */
  async function checkForDeadWorkers(processes: number): Promise<void> {
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await until(async () => {
      const { rowCount } = await client.query(`select from pg_stat_activity where datname = current_database()
        and application_name = 'daybook-workers' and state = 'idle' and query like '%delete from graphile_worker%'`);
      return rowCount === processes;
    });
    await client.end();
  }

  it('leaves the job to the next process on SIGKILL, with one summary and one notification', async () => {
    const paused = pauseResponse(respond.withText(summaryJson('Nobody hears this.')));
    provider.setResponses(paused.behavior, respond.withText(summaryJson('Taken over.')));
    const first = await start();
    const { id, author } = await buildArticle(first.url);
    await paused.received;
    expect((await summaryOf(first.url, id)).status).to.equal('PROCESSING');
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await start();
    expect(await completed(second.url, id)).to.equal('Taken over.');
    paused.release();
    expect(provider.requests).to.have.length(2);
    expect(await summaryOutcomesOf(second.url, author.token)).to.deep.equal(['COMPLETED']);
  });

  it('keeps the job while it runs, and loses it to another process when killed', async () => {
    const paused = pauseResponse(respond.withText(summaryJson('Too late.')));
    provider.setResponses(paused.behavior, respond.withText(summaryJson('By the neighbor.')));
    const neighbor = running.at(-1) as ServiceProcess;
    const { id, author } = await buildArticle(neighbor.url);
    await paused.received;
    const third = await start();
    await checkForDeadWorkers(2);
    expect(provider.requests).to.have.length(1);
    expect((await summaryOf(third.url, id)).status).to.equal('PROCESSING');
    neighbor.child.kill('SIGKILL');
    await neighbor.ended;
    const killedAt = performance.now();
    expect(await completed(third.url, id)).to.equal('By the neighbor.');
    measured(`summary by another process after ${seconds(performance.now() - killedAt)}`);
    paused.release();
    expect(provider.requests).to.have.length(2);
    expect(await summaryOutcomesOf(third.url, author.token)).to.deep.equal(['COMPLETED']);
  });

  it('returns the job to the queue on SIGTERM, and exits with 0 without waiting for the provider', async () => {
    const paused = pauseResponse(respond.withText(summaryJson('Too late.')));
    provider.setResponses(paused.behavior, respond.withText(summaryJson('By another process.')));
    const last = running.at(-1) as ServiceProcess;
    const { id, author } = await buildArticle(last.url);
    await paused.received;
    last.child.kill('SIGTERM');
    expect(await last.ended).to.equal(0);
    const [waiting] = await waitingSummaries(app);
    expect(waiting).to.include({ attempts: 0 });
    expect(waiting?.seconds).to.be.at.most(0);
    await runSummaries(app);
    expect(await completed(app.url, id)).to.equal('By another process.');
    paused.release();
    expect(await summaryOutcomesOf(app.url, author.token)).to.deep.equal(['COMPLETED']);
  });
});
