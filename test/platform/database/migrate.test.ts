/** The files of migrations: their numbers determine the order, and databases store their names. And the locks that they declare. */
import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { ROOT } from '../../../src/cli/generate/files.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import type { TableLock } from '../../../src/platform/database/migration.js';
import { emptyDatabase, execute } from '../../support/database.js';

/** From the weakest to the strongest; a stronger lock includes the weaker ones. */
const LOCKS: readonly TableLock[] = ['share row exclusive', 'access exclusive'];
const MODES = ['ShareRowExclusiveLock', 'AccessExclusiveLock'];
/** The lock of `create index`. */
const INDEX_MODE = 'ShareLock';
/** Earlier migrations are applied to empty databases only. */
const WITH_INDEXES = '0008-stamps';

describe('Migrations', function () {
  this.timeout(120_000);

  it('have the numbers 0001, 0002, …, each once, and the names of their files', async () => {
    const files = (await readdir(new URL('migrations/', ROOT))).filter((file) => /^\d.*\.ts$/.test(file)).sort();
    const numbers = files.map((_, index) => String(index + 1).padStart(4, '0'));
    expect(files.map((file) => file.slice(0, 4))).to.deep.equal(numbers);
    expect(migrations.map(({ name }) => `${name}.ts`)).to.deep.equal(files);
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
        if (name > WITH_INDEXES) expect(rows, `indexes of existing tables in ${name}`).to.deep.equal(taken);
        for (const sql of indexes) await client.query(sql);
      }
    } finally {
      await client.end();
    }
  });

  it('wait for a transaction that has locked a table until they are stopped, and name it when they give up', async () => {
    const url = await emptyDatabase('daybook_waiting');
    const last = migrations.findIndex(({ locks }) => locks.comments === 'access exclusive');
    await migrate(url, { upTo: last });
    const reader = new pg.Client({ connectionString: url, application_name: 'a long export' });
    await reader.connect();
    try {
      await reader.query('begin; lock table comments in access share mode');
      const options = { upTo: last + 1, giveUpAfterMs: 0 };
      const error = await migrate(url, options).catch((reason: Error) => reason);
      expect(String(error)).to.match(
        new RegExp(
          `${migrations[last]?.name} waits for .*process \\d+ of PostgreSQL \\(a long export, comments, \\d+ s\\)`,
        ),
      );
      const stopping = new AbortController();
      const waiting = migrate(url, { upTo: last + 1, signal: stopping.signal }).catch(({ name }: Error) => name);
      setTimeout(() => stopping.abort(), 300);
      expect(await waiting).to.equal('AbortError');
      const migrated = migrate(url, { upTo: last + 1 });
      await reader.query('rollback');
      expect(await migrated).to.deep.equal([migrations[last]?.name]);
    } finally {
      await reader.end();
    }
  });

  it('stop before the next one', async () => {
    const url = await emptyDatabase('daybook_stopped');
    const signal = AbortSignal.abort();
    expect(await migrate(url, { upTo: 2, signal }).catch(({ name }: Error) => name)).to.equal('AbortError');
    expect(await migrate(url, { upTo: 2 })).to.have.length(2);
    expect(await migrate(url, { upTo: 2, signal })).to.deep.equal([]);
  });

  it('build indexes again whose build was interrupted', async () => {
    const url = await emptyDatabase('daybook_indexes');
    const place = migrations.findIndex(({ indexes }) => indexes !== undefined);
    const { name = '', indexes = [] } = migrations[place] ?? {};
    const [, index = ''] = /index (\w+)/.exec(indexes[0] ?? '') ?? [];
    await migrate(url, { upTo: place + 1 });
    await execute(
      [
        `update pg_index set indisvalid = false where indexrelid = '${index}'::regclass`,
        `update migrations set applied_at = 'infinity' where name = '${name}'`,
      ],
      url,
    );
    expect(await migrate(url, { upTo: place + 1 })).to.deep.equal([name]);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select indisvalid as valid from pg_index where indexrelid = $1::regclass', [
      index,
    ]);
    await client.end();
    expect(rows).to.deep.equal([{ valid: true }]);
    expect(await migrate(url, { upTo: place + 1 })).to.deep.equal([]);
  });
});
