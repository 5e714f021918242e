/** Faults of the embedded PostgreSQL while the service runs: killed, and frozen. */
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { findServer, readyServer, serverUrl } from '../support/embedded-server.js';
import { describeFault, seconds } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { closeLiveClients } from '../support/live.js';
import { inProgress, startLoad } from '../support/load.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { slowdown } from '../support/time-limits.js';
import { until } from '../support/until.js';

describe('The embedded PostgreSQL', function () {
  this.timeout(120_000);
  let dataDir: string;
  const services: ServiceProcess[] = [];
  let article: BuiltArticle;

  const start = async () => {
    const environment = {
      DATA_DIR: dataDir,
      DATABASE_STATEMENT_TIMEOUT: '1s',
      RESPONSE_CACHE_MB: '0',
      LIMIT_WRITES: '1000000/1h',
    };
    const service = await startProcess(environment);
    services.push(service);
    await service.waitForOutput('Daybook is ready.');
    return service;
  };
  const statusOf = async ({ url }: ServiceProcess) => (await call(url, `GET /api/articles/${article.id}`)).status;

  before(async () => {
    dataDir = await makeFolder();
    article = await buildArticle((await start()).url);
    await start();
  });
  after(async () => {
    closeLiveClients();
    for (const { child } of services) child.kill('SIGKILL');
    const server = await findServer(dataDir);
    if (server) process.kill(server.pid, 'SIGKILL');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  describeFault('server-restarted', (measured) => {
    const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', 'kill -9': 'SIGKILL' } as const;
    for (const [kind, signal] of Object.entries(signals)) {
      it(`(${kind}) is ended by a new start on the same port, and loses no acknowledged write`, async () => {
        const load = await startLoad(
          services.map(({ url }) => url),
          { maxMs: 10_000 },
        );
        const ended = await readyServer(dataDir);
        const endedAt = performance.now();
        process.kill(ended.pid, signal);
        // Not until a request is rejected: all may wait for a connection until the server is back.
        const { pid, port } = await readyServer(dataDir, ended.pid);
        const recoveredAt = await load.recovered();
        await load.stop();
        expect(port).to.equal(ended.port);
        const lines = services.flatMap(({ output }) => output.stdout.match(/PostgreSQL ended unexpectedly.*/g) ?? []);
        expect(lines).to.include(`PostgreSQL ended unexpectedly and was started again (process ${pid}).`);
        const committed = inProgress(await load.verify(await serverUrl(dataDir)));
        measured(`${kind}: reads and writes after ${seconds(recoveredAt - endedAt)}, ${committed}`);
      });
    }

    it('is started again by the process that remains when the one that started it is killed before', async () => {
      const [owner, remaining] = services as [ServiceProcess, ServiceProcess];
      services.shift();
      owner.child.kill('SIGKILL');
      await owner.ended;
      const { pid: killed } = await readyServer(dataDir);
      expect(await statusOf(remaining)).to.equal(200);
      process.kill(killed, 'SIGKILL');
      const killedAt = performance.now();
      const { pid } = await readyServer(dataDir, killed);
      await until(async () => (await statusOf(remaining)) === 200);
      measured(
        `started by the other process after kill -9 of both: reads after ${seconds(performance.now() - killedAt)}`,
      );
      expect(await serversOf(join(dataDir, 'postgres'))).to.deep.equal([pid]);
      await start();
    });
  });

  describeFault('server-frozen', (measured) => {
    it('does not hold up SIGTERM while it is frozen, and is still used by the other process', async () => {
      const [leaving, staying] = services as [ServiceProcess, ServiceProcess];
      const { pid } = await readyServer(dataDir);
      // Its backends continue, but no connection can be opened; then they are frozen too.
      process.kill(pid, 'SIGSTOP');
      // From now on it starts no backend, and the process of one that ends keeps its ID.
      const backends = await childrenOf(pid);
      let endedMs: number;
      try {
        for (const frozen of backends) process.kill(frozen, 'SIGSTOP');
        const interrupted = statusOf(leaving).catch(() => 0);
        const started = performance.now();
        leaving.child.kill('SIGTERM');
        await leaving.ended;
        endedMs = performance.now() - started;
        expect(endedMs).to.be.below(10_500 * slowdown());
        await interrupted;
        const { child } = staying;
        // A failure shows the cause, and whether the process has ended.
        const failed = ({ cause }: Error) => `${cause}; process ended: ${child.exitCode ?? child.signalCode}`;
        expect(await statusOf(staying).catch(failed), staying.output.stderr).to.equal(503);
      } finally {
        for (const frozen of [pid, ...backends]) process.kill(frozen, 'SIGCONT');
      }
      const continuedAt = performance.now();
      await until(async () => (await statusOf(staying)) === 200);
      const recoveredMs = performance.now() - continuedAt;
      measured(`ended ${seconds(endedMs)} after SIGTERM; reads succeed ${seconds(recoveredMs)} after it continues`);
    });
  });

  describe('after that', () => {
    it('stops with the last process', async () => {
      const last = services.at(-1);
      const client = new pg.Client(await serverUrl(dataDir));
      await client.connect();
      // The connections that ended while the server was frozen.
      await until(async () => {
        const { rows } = await client.query(
          `select from pg_stat_activity where application_name = 'daybook server lock'`,
        );
        return rows.length === 1;
      });
      await client.end();
      last?.child.kill('SIGTERM');
      expect(await last?.ended).to.equal(0);
      expect(await findServer(dataDir)).to.equal(undefined);
    });
  });
});

/** The processes of PostgreSQL with this folder that are no child of another one. */
async function serversOf(folder: string): Promise<number[]> {
  const found = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    if (cwd !== folder) continue;
    // Its children have a title instead of the command.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.split('\0').includes('-D')) found.push(Number(pid));
  }
  return found;
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').map(Number);
}
