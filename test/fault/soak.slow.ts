/** Two processes under load for a long time: `npm run faults -- soak --minutes 60`. */
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import pg from 'pg';
import { JWT_SECRET } from '../support/app.js';
import { freshDatabase } from '../support/database.js';
import { describeFault, pause } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { closeLiveClients } from '../support/live.js';
import { startLoad } from '../support/load.js';
import { type ServiceProcess, startProcess } from '../support/process.js';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
const SAMPLES = 60;
/** Long, since the soak may run at the lowest priority. */
const MAX_MS = 60_000;
/** The load does not refresh its tokens. */
const ACCESS_TOKEN_TTL = '2h';
/** Beyond the noise of the garbage collector. */
const MAX_GROWTH_MB = 30;
const MAX_GROWTH_DESCRIPTORS = 5;

interface Sample {
  memoryMb: number;
  descriptors: number;
  connections: number;
}

describeFault('soak', function (measured) {
  // The comparison at the end takes minutes, as it requests the summary of each article.
  this.timeout((MINUTES + 30) * 60_000);
  const services: ServiceProcess[] = [];
  let database: string;
  let observer: pg.Client;

  before(async () => {
    database = await freshDatabase('soak');
    observer = new pg.Client(database);
    await observer.connect();
    for (let count = 0; count < 2; count++) {
      const own = { HOST: '127.0.0.1', DATABASE_URL: database, DATA_DIR: await makeFolder(), JWT_SECRET };
      const service = await startProcess({
        ...own,
        LIMIT_WRITES: '1000000/10m',
        LIMIT_WRITE_BYTES: '1GB/1d',
        ACCESS_TOKEN_TTL,
      });
      await service.waitForOutput('Daybook is ready.');
      services.push(service);
    }
  });
  after(async () => {
    closeLiveClients();
    for (const { child } of services) child.kill('SIGTERM');
    await Promise.all(services.map(({ ended }) => ended));
    await observer.end();
  });

  /** Sums of both processes. */
  async function sample(): Promise<Sample> {
    let [memoryMb, descriptors] = [0, 0];
    for (const { child } of services) {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      memoryMb += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
      descriptors += (await readdir(`/proc/${child.pid}/fd`)).length;
    }
    const { rows } = await observer.query(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    return { memoryMb, descriptors, connections: rows[0].count };
  }

  it('keeps memory, descriptors and connections flat', async () => {
    const load = await startLoad(
      services.map(({ url }) => url),
      { maxMs: MAX_MS },
    );
    const samples: Sample[] = [];
    for (let count = 0; count < SAMPLES; count++) {
      await pause((MINUTES * 60_000) / SAMPLES);
      samples.push(await sample());
    }
    await load.stop();
    // The first half includes the growth of caches, pools and compiled code.
    const before = middle(samples.slice(SAMPLES / 2, (SAMPLES * 3) / 4));
    const after = middle(samples.slice((SAMPLES * 3) / 4));
    const text = (label: string, from: number, to: number) => `${label} ${Math.round(from)} → ${Math.round(to)}`;
    measured(
      `${MINUTES} min, ${load.succeeded()} successful requests and ${load.rejected.length} with 503; from the third to the last quarter, both processes: ` +
        `${text('MB', before.memoryMb, after.memoryMb)}, ${text('descriptors', before.descriptors, after.descriptors)}, ` +
        text('connections', before.connections, after.connections),
    );
    expect(after.memoryMb - before.memoryMb, 'MB').to.be.below(MAX_GROWTH_MB);
    expect(after.descriptors - before.descriptors, 'descriptors').to.be.below(MAX_GROWTH_DESCRIPTORS);
    expect(after.connections - before.connections, 'connections').to.be.below(MAX_GROWTH_DESCRIPTORS);
    await load.verify(database);
  });
});

/** The medians. */
function middle(samples: readonly Sample[]): Sample {
  const of = (key: keyof Sample) => samples.map((one) => one[key]).sort((a, b) => a - b)[samples.length >> 1] ?? 0;
  return { memoryMb: of('memoryMb'), descriptors: of('descriptors'), connections: of('connections') };
}
