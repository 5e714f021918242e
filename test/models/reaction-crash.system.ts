/** Counters of likes, bookmarks and follows after random changes, in the middle of which the database or a process is killed. */
import { expect } from 'chai';
import pg from 'pg';
import { randomFrom } from '../hostile/seeded-random.js';
import { findServer, readyServer, serverUrl } from '../support/embedded-server.js';
import { makeFolder } from '../support/folder.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { DIFFERENCES, RandomReactions } from '../support/reactions.js';
import { until } from '../support/until.js';

const ROUNDS = Number(process.env.REACTION_CRASHES ?? 4);
const SEED = Number(process.env.REACTION_SEED ?? 20_261_123);
const AT_ONCE = 100;

describe(`Counters of readers after ${ROUNDS} kills (seed ${SEED})`, function () {
  this.timeout(120_000 + ROUNDS * 60_000);
  const random = randomFrom(SEED);
  const services: ServiceProcess[] = [];
  let dataDir: string;
  const start = async () => {
    const limits = { LIMIT_WRITES: '1000000/1m', LIMIT_REGISTER: '1000000/1h' };
    const service = await startProcess({ DATA_DIR: dataDir, LOG_LEVEL: 'fatal', ...limits });
    services.push(service);
    await service.waitForOutput('Daybook is ready.');
  };
  before(async () => {
    dataDir = await makeFolder();
    await start();
    await start();
  });
  after(async () => {
    for (const { child } of services) child.kill('SIGKILL');
    const server = await findServer(dataDir);
    if (server) process.kill(server.pid, 'SIGKILL');
  });

  it('are exact', async () => {
    const reactions = new RandomReactions(random, () => random.pick(services).url);
    const statuses: Record<number, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      await reactions.grow();
      const sent = reactions.changes(AT_ONCE).map(async (send, index) => {
        if (index === AT_ONCE / 4) await kill(round % 2 === 0);
        // A connection that ends has the status 0.
        const { status } = await send().catch(() => ({ status: 0 }));
        statuses[status] = (statuses[status] ?? 0) + 1;
        return status;
      });
      expect((await Promise.all(sent)).filter((status) => status >= 500 && status !== 503)).to.deep.equal([]);
      if (services.length < 2) await start();
      await until(async () =>
        (await Promise.all(services.map(({ url }) => fetch(`${url}/readyz`).catch(() => null)))).every(
          (response) => response?.status === 200,
        ),
      );
      const client = new pg.Client(await serverUrl(dataDir));
      await client.connect();
      // Statements of a process that was killed may still run.
      await until(
        async () =>
          (
            await client.query(`select from pg_stat_activity where datname = current_database()
        and state <> 'idle' and application_name = 'daybook'`)
          ).rowCount === 0,
      );
      expect((await client.query(DIFFERENCES)).rows, `round ${round}`).to.deep.equal([]);
      await client.end();
    }
    process.stdout.write(`      statuses: ${JSON.stringify(statuses)}\n`);
  });

  async function kill(isDatabase: boolean): Promise<void> {
    if (isDatabase) return void process.kill((await readyServer(dataDir)).pid, 'SIGKILL');
    const [first] = services.splice(0, 1);
    first?.child.kill('SIGKILL');
    await first?.ended;
  }
});
