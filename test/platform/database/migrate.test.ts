/** The files of migrations: their numbers determine the order, and databases store their names. And how they are applied. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { ROOT } from '../../../src/cli/generate/files.js';
import {
  BLOCK_LOCKS,
  CHANGES_LOCK,
  HELD_COMMENT_LOCKS,
  SHARD_LOCKS,
  SLUG_LOCKS,
} from '../../../src/platform/database/locks.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { type Migration, statementsOf, type TableLock } from '../../../src/platform/database/migration.js';
import { emptyDatabase, execute } from '../../support/database.js';
import { until } from '../../support/until.js';

/** From the weakest to the strongest; a stronger lock includes the weaker ones. */
const LOCKS: readonly TableLock[] = ['share row exclusive', 'access exclusive'];
const MODES = ['ShareRowExclusiveLock', 'AccessExclusiveLock'];
/** The lock of `create index`. */
const INDEX_MODE = 'ShareLock';
/** The names of the released migrations, with the SHA-256 of their statements. */
const RELEASED = [['0001', '44b51e4364a4dc4cffd42786e2d76820cd4420e90a801efd47cbe53f4e00f858']];
/** Of the tests about the runner. */
const STEPS: readonly Migration[] = [
  { name: '0001', locks: {}, up: ['create table notes (id bigint primary key)'] },
  {
    name: '0002-texts',
    locks: { notes: 'access exclusive' },
    up: ['alter table notes add column text text'],
    indexes: ['create index notes_text on notes (text)'],
  },
];
const [FIRST, SECOND] = STEPS.map(({ name }) => name);
const ONE = { steps: STEPS.slice(0, 1) };
const BOTH = { steps: STEPS };

/** What statements of a process can name. */
const NAMED = `
  select format('column %s.%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod)) as name
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and a.attnum > 0 and not a.attisdropped
  union all select format('function %s returns %s', oid::regprocedure, pg_get_function_result(oid)) from pg_proc
  where pronamespace = 'public'::regnamespace
  union all select format('trigger %s on %s', tgname, tgrelid::regclass) from pg_trigger where not tgisinternal`;

describe('Migrations', function () {
  this.timeout(120_000);

  it('have the numbers 0001, 0002, …, each once, and the names of their files', async () => {
    const files = (await readdir(new URL('migrations/', ROOT))).filter((file) => /^\d/.test(file)).sort();
    const numbers = files.map((_, index) => String(index + 1).padStart(4, '0'));
    expect(files.map((file) => file.slice(0, 4))).to.deep.equal(numbers);
    expect(migrations.map(({ name }) => (name === '0001' ? name : `${name}.ts`))).to.deep.equal(files);
  });

  it('do not change after their release', () => {
    const digests = migrations
      .slice(0, RELEASED.length)
      .map((migration) => [
        migration.name,
        createHash('sha256').update(statementsOf(migration).join('\n')).digest('hex'),
      ]);
    const message =
      'A released migration never changes, since databases have applied it: add another one (CONTRIBUTING.md)';
    expect(digests, message).to.deep.equal(RELEASED);
  });

  it('describe each table of the first one', () => {
    const tables =
      migrations[0]?.up.flatMap((sql) => [...sql.matchAll(/(.*)\ncreate (?:unlogged )?table (\w+)/g)]) ?? [];
    expect(tables).to.have.length.above(60);
    expect(tables.filter(([, before = '']) => !before.startsWith('--')).map(([, , name]) => name)).to.deep.equal([]);
  });

  it('lock with the keys of the application', () => {
    const sql = migrations[0]?.up.join('') ?? '';
    const keys = [...sql.matchAll(/advisory_xact_lock(?:_shared)?\((\d+)/g)].map(([, key]) => Number(key));
    expect([...new Set(keys)].sort()).to.deep.equal(
      [BLOCK_LOCKS, CHANGES_LOCK, HELD_COMMENT_LOCKS, SHARD_LOCKS, SLUG_LOCKS].sort(),
    );
  });

  it('declare the locks that their statements take on existing tables', async () => {
    const client = new pg.Client({ connectionString: await emptyDatabase('daybook_locks') });
    await client.connect();
    try {
      for (const { name, locks, up, indexes = [] } of migrations) {
        await client.query('begin');
        // With their names before the migration, which can rename them.
        const { rows: tables } = await client.query(
          "select oid, relname as name from pg_class where relkind in ('r', 'v')",
        );
        const nameOf = new Map(tables.map(({ oid, name }) => [oid, name]));
        for (const sql of up) await client.query(sql);
        const { rows: found } = await client.query<{ oid: number; mode: string }>(
          `select relation as oid, mode from pg_locks
           where pid = pg_backend_pid() and relation = any($1) and mode = any($2)`,
          [[...nameOf.keys()], [...MODES, INDEX_MODE]],
        );
        const rows = found.map(({ oid, mode }) => ({ table: nameOf.get(oid), mode }));
        await client.query('commit');
        const taken = rows.filter(({ mode }) => mode !== INDEX_MODE);
        const isDeclared = ({ table, mode }: (typeof rows)[number]) =>
          locks[table] !== undefined && LOCKS.indexOf(locks[table]) >= MODES.indexOf(mode);
        expect(
          taken.filter((row) => !isDeclared(row)),
          name,
        ).to.deep.equal([]);
        const unneeded = Object.keys(locks).filter((table) => !taken.some((row) => row.table === table));
        expect(unneeded, `tables that ${name} declares and does not lock`).to.deep.equal([]);
        expect(rows, `indexes of existing tables in ${name}`).to.deep.equal(taken);
        for (const sql of indexes) await client.query(sql);
      }
    } finally {
      await client.end();
    }
  });

  it('keep the columns, functions and triggers of the first release', async () => {
    const step: Migration = {
      name: '9999-without',
      locks: {},
      up: ['alter table share_links drop column expires_at', 'drop function stamp_journal(text)'],
    };
    expect(await namesLostBy(migrations)).to.deep.equal([]);
    expect(await namesLostBy([...migrations, step])).to.deep.equal([
      'column share_links.expires_at timestamp(3) with time zone',
      'function stamp_journal(text) returns void',
    ]);
  });

  it('are applied once by processes that start at the same time, of which one is killed within a step', async () => {
    const url = await emptyDatabase('daybook_together');
    await migrate(url, ONE);
    const up = ["insert into notes values (1, 'owl')", 'select pg_advisory_xact_lock(1)'];
    const steps = STEPS.map((step) => (step.name === SECOND ? { ...step, up: [...step.up, ...up] } : step));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    /** In the last statement of the step. */
    const processes = async (): Promise<number[]> =>
      (
        await client.query(
          `select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
        )
      ).rows.map(({ pid }) => pid);
    try {
      await client.query('select pg_advisory_lock(1)');
      const migrated = [1, 2, 3].map(() => migrate(url, { steps }).catch(({ message }: Error) => message));
      const killed = await until(async () => (await processes())[0]);
      await client.query('select pg_terminate_backend($1)', [killed]);
      await until(async () => (await processes()).some((pid) => pid !== killed));
      await client.query('select pg_advisory_unlock(1)');
      const results = await Promise.all(migrated);
      expect(results.filter((result) => typeof result === 'string')).to.have.lengthOf(1);
      expect(results.filter((result) => typeof result !== 'string').flat()).to.deep.equal([SECOND]);
      expect((await client.query('select text from notes')).rows).to.deep.equal([{ text: 'owl' }]);
    } finally {
      await client.end();
    }
  });

  it('wait for a transaction that has locked a table until they are stopped, and name it when they give up', async () => {
    const url = await emptyDatabase('daybook_waiting');
    await migrate(url, ONE);
    const reader = new pg.Client({ connectionString: url, application_name: 'a long export' });
    await reader.connect();
    try {
      await reader.query('begin; lock table notes in access share mode');
      const error = await migrate(url, { ...BOTH, giveUpAfterMs: 0 }).catch((reason: Error) => reason);
      expect(String(error)).to.match(
        /0002-texts waits for .*process \d+ of PostgreSQL \(a long export, notes, \d+ s\)/,
      );
      const stopping = new AbortController();
      const waiting = migrate(url, { ...BOTH, signal: stopping.signal }).catch(({ name }: Error) => name);
      setTimeout(() => stopping.abort(), 300);
      expect(await waiting).to.equal('AbortError');
      const migrated = migrate(url, BOTH);
      await reader.query('rollback');
      expect(await migrated).to.deep.equal([SECOND]);
    } finally {
      await reader.end();
    }
  });

  it('stop before the next one', async () => {
    const url = await emptyDatabase('daybook_stopped');
    const signal = AbortSignal.abort();
    expect(await migrate(url, { ...BOTH, signal }).catch(({ name }: Error) => name)).to.equal('AbortError');
    expect(await migrate(url, BOTH)).to.deep.equal([FIRST, SECOND]);
    expect(await migrate(url, { ...BOTH, signal })).to.deep.equal([]);
  });

  it('build indexes again whose build was interrupted', async () => {
    const url = await emptyDatabase('daybook_indexes');
    await migrate(url, BOTH);
    await execute(
      [
        "update pg_index set indisvalid = false where indexrelid = 'notes_text'::regclass",
        `update migrations set applied_at = 'infinity' where name = '${SECOND}'`,
      ],
      url,
    );
    expect(await migrate(url, BOTH)).to.deep.equal([SECOND]);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      "select indisvalid as valid from pg_index where indexrelid = 'notes_text'::regclass",
    );
    await client.end();
    expect(rows).to.deep.equal([{ valid: true }]);
    expect(await migrate(url, BOTH)).to.deep.equal([]);
  });
});

/** @returns what the first of these steps creates and the further ones remove or change */
async function namesLostBy([first, ...further]: readonly Migration[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: await emptyDatabase('daybook_names') });
  await client.connect();
  const names = async (): Promise<string[]> => (await client.query(NAMED)).rows.map(({ name }) => name);
  const run = async (step: Migration | undefined) => {
    for (const sql of step ? statementsOf(step) : []) await client.query(sql);
  };
  try {
    await run(first);
    const before = await names();
    for (const step of further) await run(step);
    const after = new Set(await names());
    return before.filter((name) => !after.has(name)).sort();
  } finally {
    await client.end();
  }
}
