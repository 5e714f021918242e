/** PgBouncer between the database pool of the service and PostgreSQL. */
import { expect } from 'chai';
import type { Finding } from '../../../src/cli/doctor/finding.js';
import { connectDatabase } from '../../../src/models/connect-database.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { isTransactionPooler } from '../../../src/platform/database/connection-advice.js';
import { openDatabase } from '../../../src/platform/database/pool.js';
import { statement } from '../../../src/platform/database/statement.js';
import { runDaybook } from '../../support/cli.js';
import { freshDatabase } from '../../support/database.js';
import { makeFolder } from '../../support/folder.js';
import { type PgBouncer, startPgBouncer } from '../../support/pgbouncer.js';
import { describeWith } from '../../support/programs.js';

describeWith(['pgbouncer'], 'PgBouncer', function () {
  this.timeout(90_000);
  let direct: string;
  const poolers: Record<'session' | 'transaction' | 'inTurn', PgBouncer> = {} as never;

  before(async () => {
    direct = await freshDatabase('behind_pooler');
    poolers.session = await startPgBouncer(direct, { pool_mode: 'session', default_pool_size: 40 });
    const transaction = { pool_mode: 'transaction', default_pool_size: 4 };
    poolers.transaction = await startPgBouncer(direct, transaction);
    poolers.inTurn = await startPgBouncer(direct, { ...transaction, server_round_robin: 1 });
  });
  after(() => Promise.all(Object.values(poolers).map(({ stop }) => stop())));

  it('in session mode has the limits of the service for statements and transactions', async () => {
    const limits = { statementTimeoutMs: 1_000, lockTimeoutMs: 200 };
    const database = openDatabase(poolers.session.url, { poolSize: 8, ...limits });
    const settings = statement<[], { timeout: string; lock: string; plans: string; cost: string; zone: string }>(
      'settings',
      `select current_setting('statement_timeout') as timeout, current_setting('lock_timeout') as lock,
         current_setting('plan_cache_mode') as plans, current_setting('random_page_cost') as cost,
         current_setting('timezone') as zone`,
    );
    const own = { timeout: '1s', lock: '200ms', plans: 'force_generic_plan', cost: '1.1', zone: 'UTC' };
    const read = () => database.query(settings, []);
    for (const rows of await Promise.all(Array.from({ length: 20 }, read))) expect(rows).to.deep.equal([own]);
    const inTransaction = await database.transaction((db) => db.query(settings, []));
    expect(inTransaction).to.deep.equal([own]);
    await database.close();
  });

  it('in transaction mode stops the start, before anything is changed', async () => {
    for (const { url } of [poolers.transaction, poolers.inTurn]) {
      const message = await connectDatabase(loadConfig({ DATABASE_URL: url }), () => {}).then(
        () => 'connected',
        (error: Error) => error.message,
      );
      expect(message).to.match(
        /\(DATABASE_URL\) cannot be used: it is a pooler in transaction mode\. Set DATABASE_URL to [^.]*session mode$/,
      );
    }
  });

  it('is detected in transaction mode with any number of sessions, and not in session mode', async () => {
    const open = statement<[]>('open_session', 'select pg_sleep(0.2)');
    for (const server_round_robin of [0, 1]) {
      for (const sessions of [1, 2, 3, 4]) {
        const options = { pool_mode: 'transaction', default_pool_size: sessions, server_round_robin };
        const pooler = await startPgBouncer(direct, options);
        // One connection for each session of the server, which PgBouncer opens for statements at the same time.
        const databases = Array.from({ length: sessions }, () =>
          openDatabase(pooler.url, { poolSize: 1, statementTimeoutMs: 0 }),
        );
        await Promise.all(databases.map((database) => database.query({ ...open, name: '' }, [])));
        const name = `${sessions} sessions, server_round_robin ${server_round_robin}`;
        for (let count = 0; count < 3; count++) expect(await isTransactionPooler(pooler.url), name).to.equal(true);
        await Promise.all(databases.map((database) => database.close()));
        await pooler.stop();
      }
    }
    expect(await isTransactionPooler(poolers.session.url)).to.equal(false);
    expect(await isTransactionPooler(direct)).to.equal(false);
  });

  it('is examined by doctor', async () => {
    const examine = async (url: string) => {
      const environment = { DATA_DIR: await makeFolder(), PORT: '0', DATABASE_URL: url };
      const { stdout } = await runDaybook(['doctor', '--json'], environment);
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      return findings.filter(({ about }) => about === 'Database');
    };
    for (const { url } of [poolers.transaction, poolers.inTurn]) {
      const [found, ...others] = await examine(url);
      expect(others).to.deep.equal([]);
      expect(found?.message).to.match(/^127\.0\.0\.1:\d+\/behind_pooler is a pooler in transaction mode\.$/);
      expect([found?.health, found?.advice]).to.deep.equal([
        'failure',
        'Set DATABASE_URL to the server itself, or to a pooler in session mode.',
      ]);
    }
    expect((await examine(poolers.session.url)).map(({ health }) => health)).to.deep.equal(['ok']);
  });
});
