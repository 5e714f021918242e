/** Transactions end within a limited time, whatever their process waits for; snapshots read one state of the data. */
import { expect } from 'chai';
import { type Database, openDatabase, type Transaction } from '../../../src/platform/database/pool.js';
import { Snapshot } from '../../../src/platform/database/snapshot.js';
import { statement } from '../../../src/platform/database/statement.js';
import { useApp } from '../../support/app.js';
import { until } from '../../support/until.js';

const LOCK_ROW = statement<[], { id: number }>('lock_row_t', 'select id from transaction_test where id = 1 for update');
const ADD_ROW = statement<[number]>('add_row_t', 'insert into transaction_test values ($1)');
const COUNT = statement<[], { n: number }>('count_t', 'select count(*)::int as n from transaction_test');
const SLEEP = statement<[], { pg_sleep: string }>('sleep_t', 'select pg_sleep(30)');
const WRONG = statement<[], object>('wrong_t', 'select 1 / 0');

describe('A transaction', () => {
  const app = useApp();
  let limited: Database;
  let patient: Database;
  before(async () => {
    await app.database.sequelize.query(`create table if not exists transaction_test (id integer primary key);
      create function fail_t() returns trigger language plpgsql as $$ begin raise 'a negative id'; end $$;
      create constraint trigger checked_at_end after insert on transaction_test deferrable initially deferred
        for each row when (new.id < 0) execute function fail_t()`);
    const { url } = app.database;
    limited = openDatabase(url, { poolSize: 1, statementTimeoutMs: 30_000, transactionTimeoutMs: 500 });
    patient = openDatabase(url, { poolSize: 2, statementTimeoutMs: 30_000, lockTimeoutMs: 20_000 });
  });
  beforeEach(() => app.database.sequelize.query('truncate transaction_test; insert into transaction_test values (1)'));
  after(async () => {
    await Promise.all([limited.close(), patient.close()]);
    await app.database.sequelize.query('drop table transaction_test; drop function fail_t');
  });

  const countRows = async () => (await patient.query(COUNT, []))[0]?.n;

  for (const [reason, wait] of [
    ['for something other than the database', () => new Promise<never>(() => {})],
    ['for a statement', (db: Database) => db.query(SLEEP, [])],
  ] as const) {
    it(`is rolled back after its maximum time if it waits ${reason}: its locks and its connection are free then`, async () => {
      const work = limited.transaction(async (db) => {
        await db.query(LOCK_ROW, []);
        await db.query(ADD_ROW, [2]);
        await wait(db);
      });
      const error = await work.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect((error as { code: string }).code).to.be.oneOf(['ETIMEDOUT', '25P04']);
      expect(await patient.transaction((db) => db.query(LOCK_ROW, []))).to.have.length(1);
      expect(await countRows()).to.equal(1);
      await until(async () => limited.poolState().inUse === 0);
      expect(await limited.transaction((db) => db.query(COUNT, []))).to.deep.equal([{ n: 1 }]);
    });
  }

  it('ends with its last statement, whose locks and connection are free before the next round trip', async () => {
    const work = limited.transaction(async (db) => {
      await db.query(LOCK_ROW, []);
      await db.last(ADD_ROW, [2]);
      expect(await patient.transaction((other) => other.query(LOCK_ROW, []))).to.have.length(1);
      expect(await countRows()).to.equal(2);
      expect(limited.poolState().inUse).to.equal(0);
      await db.query(COUNT, []);
    });
    expect(await work.catch((error: Error) => error.message)).to.equal('The transaction has ended');
    expect(await countRows()).to.equal(2);
  });

  for (const [reason, last] of [
    ['its last statement', (db: Transaction) => db.last(WRONG, [])],
    ['a constraint that is checked at its end', (db: Transaction) => db.last(ADD_ROW, [-1])],
  ] as const) {
    it(`is rolled back if ${reason} fails, and its connection is used again`, async () => {
      const work = limited.transaction(async (db) => {
        await db.query(ADD_ROW, [2]);
        await last(db);
      });
      expect(
        await work.then(
          () => 'committed',
          () => 'rolled back',
        ),
      ).to.equal('rolled back');
      expect(await limited.query(COUNT, [])).to.deep.equal([{ n: 1 }]);
    });
  }

  it('that was joined, or that its caller ends, does not end with the last statement of its work', async () => {
    await limited.transaction(async (db) => {
      await db.transaction((joined) => joined.last(ADD_ROW, [2]));
      await db.query(ADD_ROW, [3]);
    });
    const open = await limited.begin((db) => db.last(ADD_ROW, [4]));
    expect(await countRows()).to.equal(3);
    await open.commit();
    expect(await countRows()).to.equal(4);
  });

  it('of a process that has stopped is ended by the server', async () => {
    const { sequelize } = limited;
    const [rows] = await sequelize.query("select current_setting('idle_in_transaction_session_timeout') as t");
    expect(rows).to.deep.equal([{ t: '10s' }]);
  });
});

describe('A snapshot', () => {
  const app = useApp();
  before(() => app.database.sequelize.query('create table if not exists transaction_test (id integer primary key)'));
  after(() => app.database.sequelize.query('drop table transaction_test'));

  const idle = () => app.database.poolState().inUse === 0;

  it('shows one state of the data in all of its statements, one after another, on one connection', async () => {
    const snapshot = new Snapshot(app.database);
    const { database } = snapshot;
    expect(await database.query(COUNT, [])).to.deep.equal([{ n: 0 }]);
    await app.database.query(ADD_ROW, [7]);
    expect(await Promise.all([database.query(COUNT, []), database.query(COUNT, [])])).to.deep.equal([
      [{ n: 0 }],
      [{ n: 0 }],
    ]);
    expect(app.database.poolState().inUse).to.equal(1);
    await snapshot.end();
    expect(idle()).to.equal(true);
    expect(await app.database.query(COUNT, [])).to.deep.equal([{ n: 1 }]);
    const late = await database.query(COUNT, []).catch((error: Error) => error.message);
    expect(late).to.equal('The snapshot has ended');
  });

  it('holds no connection before its first statement, and while it waits', async () => {
    const snapshot = new Snapshot(app.database);
    let finish = () => {};
    const wait = snapshot.beginAfter(new Promise<void>((resolve) => (finish = resolve)));
    const rows = snapshot.database.query(COUNT, []);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(idle()).to.equal(true);
    finish();
    await wait;
    expect(await rows).to.have.length(1);
    await snapshot.end();
    await new Snapshot(app.database).end();
    expect(idle()).to.equal(true);
  });

  it('cannot write, and frees its connection after a failed statement', async () => {
    for (const failing of [WRONG, statement<[], object>('write_t', 'delete from transaction_test')]) {
      const snapshot = new Snapshot(app.database);
      const error = await snapshot.database.query(failing, []).catch((thrown: Error) => thrown);
      expect(error).to.be.an('error');
      await snapshot.end();
      expect(idle()).to.equal(true);
    }
    expect(await app.database.query(COUNT, [])).to.have.length(1);
  });
});
