/** A table that is locked for longer than a request waits, while two processes read and write. */
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase } from '../support/database.js';
import { describeFault, pause, seconds } from '../support/faults.js';
import { closeLiveClients } from '../support/live.js';
import { startLoad } from '../support/load.js';
import { type RunningService, startService } from '../support/process.js';

/** `npm run faults` measures the time in docs/reliability.md. */
const LOCKED_MS = process.env.FAULT_RESULTS ? 30_000 : 15_000;
/** `DATABASE_LOCK_TIMEOUT`, twice: of a request that first waited for another one. */
const MAX_MS = 10_000;

describeFault('table-locked', function (measured) {
  this.timeout(120_000);
  const services: RunningService[] = [];
  let database: string;
  let locker: pg.Client;

  before(async () => {
    database = await freshDatabase('locked_for_long');
    const environment = { LIMIT_WRITES: '1000000/1h', RESPONSE_CACHE_MB: '0' };
    services.push(await startService(database, environment), await startService(database, environment));
    locker = new pg.Client(database);
    await locker.connect();
  });
  after(async () => {
    closeLiveClients();
    await locker.end();
    await Promise.all(services.map(({ stop }) => stop()));
  });

  it('makes only the statements on it fail, and only meanwhile', async () => {
    const load = await startLoad(
      services.map(({ url }) => url),
      { maxMs: MAX_MS },
    );
    await load.recovered();
    await locker.query('begin; lock table comments in access exclusive mode');
    const lockedAt = performance.now();
    const before = load.succeeded();
    while (performance.now() - lockedAt < LOCKED_MS) {
      for (const { url } of services) {
        const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1_000) });
        expect(status).to.equal(200);
      }
      await pause(200);
    }
    expect(load.rejected, 'requests on the table').to.not.have.lengthOf(0);
    expect(load.succeeded() - before, 'requests on other tables').to.be.above(100);
    await locker.query('rollback');
    const unlockedAt = performance.now();
    const recoveredAt = await load.recovered();
    await load.stop();
    measured(
      `slowest response ${seconds(load.slowestMs())}; all requests succeed ${seconds(recoveredAt - unlockedAt)} after the lock`,
    );
    expect(await load.verify(database), 'writes that received 503 and exist').to.deep.equal([]);
  });
});
