/** The log of the PostgreSQL server of the tests, in which tests look for deadlocks: an empty log would show none. */
import { expect } from 'chai';
import pg from 'pg';
import { useApp } from '../../support/app.js';
import { countDeadlocksOf, untilWaiting } from '../../support/interleave.js';

describe('The log of the server', () => {
  const app = useApp();
  const clients: pg.Client[] = [];
  const lock = (client: pg.Client | undefined, key: number) =>
    client?.query(`select 'provoked deadlock', pg_advisory_xact_lock(${key})`);

  before(async () => {
    for (let count = 0; count < 2; count++) {
      const client = new pg.Client({ connectionString: app.database.url });
      await client.connect();
      clients.push(client);
    }
  });
  after(() => Promise.all(clients.map((client) => client.end())));

  it('has the deadlocks of this process, by their statements', async () => {
    const [one, other] = clients;
    const before = await countDeadlocksOf('provoked deadlock');
    await Promise.all(clients.map((client) => client.query('begin')));
    await Promise.all([lock(one, 7_001), lock(other, 7_002)]);
    const waiting = lock(one, 7_002);
    await untilWaiting(app.database, 1);
    const failed = await Promise.allSettled([waiting, lock(other, 7_001)]);
    expect(failed.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    expect(await countDeadlocksOf('provoked deadlock')).to.equal(before + 1);
    expect(await countDeadlocksOf('another statement')).to.equal(0);
  });
});
