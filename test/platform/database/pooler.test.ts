/** PgBouncer between the database pool of the service and PostgreSQL. */
import { expect } from 'chai';
import type { Finding } from '../../../src/cli/doctor/finding.js';
import { connectDatabase } from '../../../src/models/connect-database.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { type Database, openDatabase, sqlState } from '../../../src/platform/database/pool.js';
import { isTransactionPooler } from '../../../src/platform/database/pooler-mode.js';
import { statement } from '../../../src/platform/database/statement.js';
import { runDaybook } from '../../support/cli.js';
import { execute, freshDatabase } from '../../support/database.js';
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

  const declared = (url: string) => ({
    DATABASE_URL: url,
    DATABASE_POOLER: 'transaction',
    DATABASE_DIRECT_URL: direct,
  });

  describe('in transaction mode', () => {
    let database: Database;
    before(() => {
      const limits = { statementTimeoutMs: 1_000, lockTimeoutMs: 200, urlBehindPooler: direct };
      database = openDatabase(poolers.transaction.url, { poolSize: 8, ...limits });
    });
    after(() => database.close());

    const SETTINGS = statement<[], { timeout: string; lock: string; plans: string; zone: string }>(
      'settings',
      `select current_setting('statement_timeout') as timeout, current_setting('lock_timeout') as lock,
         current_setting('plan_cache_mode') as plans, current_setting('timezone') as zone`,
    );
    const OURS = { timeout: '1s', lock: '200ms', plans: 'force_generic_plan', zone: 'UTC' };

    it('has its limits for statements and transactions, without changing sessions of the server', async () => {
      const read = () => database.query(SETTINGS, []);
      for (const [settings] of await Promise.all(Array.from({ length: 20 }, read)))
        expect(settings).to.deep.equal(OURS);
      const [inTransaction] = await database.inTransaction((transaction) => database.query(SETTINGS, [], transaction));
      expect(inTransaction).to.deep.equal(OURS);
      const [[plain]] = await database.sequelize.query(SETTINGS.text);
      expect(plain).to.deep.equal(OURS);
      const other = openDatabase(poolers.transaction.url, {
        poolSize: 1,
        statementTimeoutMs: 0,
        urlBehindPooler: direct,
      });
      const sessions = statement<[], { pid: number; statements: number }>(
        'sessions',
        `select pg_backend_pid() as pid, (select count(*) from pg_prepared_statements)::integer as statements`,
      );
      for (let count = 0; count < 10; count++) {
        const [session] = await other.query(sessions, []);
        expect(session?.statements).to.equal(0);
      }
      await other.close();
    });

    it('has its own settings where those of the database differ', async () => {
      const name = new URL(direct).pathname.slice(1);
      await execute([
        `alter database ${name} set datestyle = 'German'`,
        `alter database ${name} set default_transaction_isolation = 'serializable'`,
      ]);
      const pooler = await startPgBouncer(direct, { pool_mode: 'transaction' });
      const other = openDatabase(pooler.url, { poolSize: 2, statementTimeoutMs: 1_000, urlBehindPooler: direct });
      const settings = statement<[], { dates: string; isolation: string }>(
        'dates_and_isolation',
        `select current_setting('datestyle') as dates, current_setting('transaction_isolation') as isolation`,
      );
      try {
        const [plain] = await other.query(settings, []);
        expect(plain?.dates).to.match(/^ISO/);
        const [inTransaction] = await other.inTransaction((transaction) => other.query(settings, [], transaction));
        expect(inTransaction?.dates).to.match(/^ISO/);
        expect(inTransaction?.isolation).to.equal('read committed');
      } finally {
        await other.close();
        await pooler.stop();
        await execute([`alter database ${name} reset all`]);
      }
    });

    it('cancels statements after their timeout, in and outside of transactions', async () => {
      const sleep = statement<[]>('sleep', 'select pg_sleep(5)');
      const short = { ...sleep, timeoutMs: 100 };
      const run = () => database.inTransaction((transaction) => database.query(sleep, [], transaction));
      const codeOf = (result: Promise<unknown>) => result.then(() => 'no error', sqlState);
      const cancelled = async (result: Promise<unknown>) => {
        const started = performance.now();
        expect(await codeOf(result)).to.equal('57014');
        return performance.now() - started;
      };
      // The other two have the timeout of the pool, and are as slow on a busy machine.
      const times = [cancelled(database.query(short, [])), cancelled(database.query(sleep, [])), cancelled(run())];
      const [shortMs = 0, ...others] = await Promise.all(times);
      expect(shortMs).to.be.below(Math.min(...others));
      expect((await database.query(SETTINGS, []))[0]).to.deep.equal(OURS);
    });

    it('rolls back a statement that fails, and the transaction of one', async () => {
      const fail = statement<[]>('fail', 'select 1 / 0');
      const codeOf = (result: Promise<unknown>) => result.then(() => 'no error', sqlState);
      const run = () => database.inTransaction((transaction) => database.query(fail, [], transaction));
      for (let count = 0; count < 10; count++) {
        expect([await codeOf(database.query(fail, [])), await codeOf(run())]).to.deep.equal(['22012', '22012']);
      }
    });
  });

  it('in transaction mode stops the start if it is not declared, before anything is changed', async () => {
    const start = (environment: Record<string, string>) =>
      connectDatabase(loadConfig(environment), () => {}).then(
        () => 'connected',
        ({ message }: Error) => message,
      );
    for (const { url } of [poolers.transaction, poolers.inTurn]) {
      const message = 'cannot be used: it is a pooler in transaction mode. Set DATABASE_POOLER to transaction,';
      expect(await start({ DATABASE_URL: url })).to.contain(`(DATABASE_URL) ${message}`);
      expect(await start({ ...declared(url), DATABASE_DIRECT_URL: poolers.inTurn.url })).to.contain(message);
    }
  });

  it('is detected in transaction mode with any number of sessions, and not in session mode', async () => {
    for (const server_round_robin of [0, 1]) {
      for (const sessions of [1, 2, 3, 4]) {
        const options = { pool_mode: 'transaction', default_pool_size: sessions, server_round_robin };
        const pooler = await startPgBouncer(direct, options);
        const limits = { poolSize: sessions, statementTimeoutMs: 0, urlBehindPooler: direct };
        const database = openDatabase(pooler.url, limits);
        const open = statement<[]>('open_session', 'select pg_sleep(0.2)');
        await Promise.all(Array.from({ length: sessions }, () => database.query(open, [])));
        const name = `${sessions} sessions, server_round_robin ${server_round_robin}`;
        for (let count = 0; count < 3; count++) expect(await isTransactionPooler(pooler.url), name).to.equal(true);
        await database.close();
        await pooler.stop();
      }
    }
    expect(await isTransactionPooler(poolers.session.url)).to.equal(false);
    expect(await isTransactionPooler(direct)).to.equal(false);
  });

  it('is examined by doctor', async () => {
    const examine = async (environment: Record<string, string>) => {
      const own = { DATA_DIR: await makeFolder(), PORT: '0' };
      const { stdout } = await runDaybook(['doctor', '--json'], { ...own, ...environment });
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      return findings.filter(({ about }) => about === 'Database' || about === 'Pooler');
    };
    for (const { url } of [poolers.transaction, poolers.inTurn]) {
      const [undeclared, ...others] = await examine({ DATABASE_URL: url });
      expect(others).to.deep.equal([]);
      expect(undeclared?.message).to.match(/^127\.0\.0\.1:\d+\/behind_pooler is a pooler in transaction mode\.$/);
      expect([undeclared?.health, undeclared?.advice]).to.deep.equal([
        'failure',
        'Set DATABASE_POOLER to transaction, and DATABASE_DIRECT_URL to the server itself or a pooler in session mode.',
      ]);
      expect((await examine(declared(url))).map(({ health }) => health)).to.deep.equal(['ok', 'ok']);
    }
    expect((await examine({ DATABASE_URL: poolers.session.url })).map(({ health }) => health)).to.deep.equal(['ok']);
    const [, needless] = await examine(declared(poolers.session.url));
    expect([needless?.health, needless?.advice]).to.deep.equal([
      'warning',
      'Set DATABASE_POOLER to none: prepared statements take less time.',
    ]);
  });
});

describe('Settings of a pooler', () => {
  const DATABASE_URL = 'postgres://localhost/daybook';
  const cases: [string, NodeJS.ProcessEnv][] = [
    ['DATABASE_URL must be set, since DATABASE_POOLER is transaction.', { DATABASE_POOLER: 'transaction' }],
    [
      'DATABASE_DIRECT_URL must be set, since DATABASE_POOLER is transaction.',
      { DATABASE_POOLER: 'transaction', DATABASE_URL },
    ],
    ['DATABASE_URL must be set, since DATABASE_DIRECT_URL is set.', { DATABASE_DIRECT_URL: DATABASE_URL }],
    [
      'DATABASE_POOLER must be none (also for a pooler in session mode) or transaction, not "statement".',
      { DATABASE_POOLER: 'statement' },
    ],
  ];
  for (const [message, environment] of cases) {
    it(`are checked: ${message}`, () => {
      expect(() => loadConfig(environment)).to.throw(message);
    });
  }
});
