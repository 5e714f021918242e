/** SIGTERM: the delay for proxies, and the deadline when the database is slow. */
import { expect } from 'chai';
import type pg from 'pg';
import { graphql } from '../support/client.js';
import { freshDatabase, holdLocks } from '../support/database.js';
import { describeFault, seconds } from '../support/faults.js';
import { type RunningService, startService } from '../support/process.js';
import { slowdown } from '../support/time-limits.js';
import { until } from '../support/until.js';

describeFault('stopping', function (measured) {
  this.timeout(60_000);
  let database: string;
  before(async () => {
    database = await freshDatabase('shutdown');
  });

  it('serves requests for SHUTDOWN_DELAY, but is not ready and closes their connections; /graphql formats its errors', async () => {
    const service = await startService(database, { SHUTDOWN_DELAY: '4s', DATABASE_LOCK_TIMEOUT: '1s' });
    const started = performance.now();
    const stopped = service.stop();
    const ready = await until(async () => {
      const response = await fetch(`${service.url}/readyz`);
      return response.status === 503 && response;
    });
    expect(await ready.json()).to.include({ status: 'stopping', database: 'reachable' });
    expect(ready.headers.get('Retry-After')).to.equal('5');
    const { status, headers } = await fetch(`${service.url}/api/articles`);
    expect([status, headers.get('Connection')]).to.deep.equal([200, 'close']);
    const locker = await holdLocks(database, 'lock table articles in access exclusive mode');
    try {
      const { errors } = await graphql(service.url, '{ articles { contents { id } } }');
      expect(errors?.map(({ extensions }) => extensions.code)).to.deep.equal(['SERVICE_UNAVAILABLE']);
    } finally {
      await locker.end();
    }
    await stopped;
    expect(performance.now() - started).to.be.within(4_000, 12_000 * slowdown());
  });

  describe('while a table is locked', () => {
    let service: RunningService;
    let locker: pg.Client;
    before(async () => {
      service = await startService(database, { DATABASE_LOCK_TIMEOUT: '1m', DATABASE_STATEMENT_TIMEOUT: '1m' });
      locker = await holdLocks(database, 'lock table articles in access exclusive mode');
    });
    after(() => locker.end());

    it('ends after ten seconds', async () => {
      const response = fetch(`${service.url}/api/articles/1`).then(
        ({ status }) => status,
        () => 'closed',
      );
      await until(async () => (await locker.query('select from pg_locks where not granted')).rowCount !== 0);
      const started = performance.now();
      await service.stop();
      expect(performance.now() - started).to.be.below(10_500 * slowdown());
      measured(`ended after ${seconds(performance.now() - started)}`);
      expect(await response).to.equal('closed');
    });
  });
});
