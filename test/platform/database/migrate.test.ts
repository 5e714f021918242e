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
