/** Reads a database for a backup: all rows, sequences and jobs, in one transaction. */
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type CatalogTable, rowsOf, sequencesOf, tablesOf } from '../../platform/database/catalog.js';
import { ALL_JOBS, HAS_JOBS } from '../../platform/database/queue-tables.js';
import { OperatorError } from '../../platform/errors.js';
import { type Contents, type EntryKind, entryName, once } from './archive.js';
import type { TarEntry } from './tar.js';

export interface DatabaseSnapshot {
  tables: CatalogTable[];
  migrations: string[];
  /** Version of the server. */
  postgres: string;
}

/** For the text format of COPY, which every version of PostgreSQL reads in the same way, and for transactions of any duration. */
export const COPY_SETTINGS = `select set_config(name, value, true) from (values
    ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'), ('bytea_output', 'hex'),
    ('extra_float_digits', '1'), ('row_security', 'off'), ('statement_timeout', '0'), ('lock_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0')) as s(name, value)
  where name in (select lower(p.name) from pg_settings p)`;

/** Tables whose rows are not part of a backup: hashes of readers, which are deleted after a day. */
export const OMITTED: ReadonlySet<string> = new Set(['view_salts', 'view_readers']);

const ATTEMPTS = 5;

/**
 * Begins a read-only transaction in which all tables are locked against changes of their definition, and have the rows of one
 * point in time. Writes continue meanwhile.
 */
export async function beginSnapshot(client: pg.ClientBase): Promise<DatabaseSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const expected = await tablesOf(client);
    if (!expected.some(({ name }) => name === 'migrations'))
      throw new OperatorError('The database contains no journal');
    await client.query('begin isolation level repeatable read, read only');
    // Before the first query, which determines the point in time: a migration that holds the locks has ended then.
    await client.query(
      `lock table ${expected.map(({ name }) => pg.escapeIdentifier(name)).join(', ')} in access share mode`,
    );
    await client.query(COPY_SETTINGS);
    const tables = await tablesOf(client);
    if (JSON.stringify(tables) === JSON.stringify(expected) || attempt === ATTEMPTS) {
      const rows = await rowsOf<{ name: string }>(client, 'select name from migrations order by name');
      const migrations = rows.map(({ name }) => name);
      const [server] = await rowsOf<{ version: string }>(client, `select current_setting('server_version') as version`);
      return { tables, migrations, postgres: server?.version ?? '' };
    }
    await client.query('rollback');
  }
}

/**
 * Files of this size hold the rows of a table: a tar file states the size of each file before its content, so the content has to be
 * in memory. A row is never split.
 */
const PART_BYTES = 1024 * 1024;

/** @param contents receives the counts */
export async function* databaseEntries(
  client: pg.ClientBase,
  { tables }: DatabaseSnapshot,
  contents: Contents,
): AsyncGenerator<TarEntry> {
  for (const { name, columns } of tables) {
    contents.rows[name] = 0;
    if (OMITTED.has(name)) continue;
    const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
    // The list of a table without columns would be a syntax error.
    const sql = `copy ${pg.escapeIdentifier(name)} ${list && `(${list})`} to stdout`;
    for await (const { rows, ...entry } of copied(client, sql, 'rows', name)) {
      contents.rows[name] += rows;
      yield entry;
    }
  }
  if (await hasJobs(client)) {
    for await (const { rows, ...entry } of copied(client, COPY_JOBS, 'jobs', '')) {
      contents.jobs += rows;
      yield entry;
    }
  }
  // After the rows: sequences are not part of the snapshot, and their values must not be lower than the ids in it.
  for (const name of await sequencesOf(client)) {
    const sql = `select last_value::text as value, is_called as "isCalled" from ${pg.escapeIdentifier(name)}`;
    const [sequence] = await rowsOf<{ value: string; isCalled: boolean }>(client, sql);
    if (sequence) contents.sequences.push({ name, ...sequence });
  }
}

async function* copied(client: pg.ClientBase, sql: string, kind: EntryKind, subject: string) {
  let part = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const entryOf = (content: Buffer) => {
    part++;
    let rows = 0;
    for (let at = content.indexOf(NEWLINE); at >= 0; at = content.indexOf(NEWLINE, at + 1)) rows++;
    return { name: entryName(kind, subject, part), size: content.length, content: once(content), rows };
  };
  for await (const chunk of client.query(copyTo(sql)) as AsyncIterable<Buffer>) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    // COPY escapes newlines in values: each newline is the end of a row.
    if (pendingBytes < PART_BYTES || !chunk.includes(NEWLINE)) continue;
    const content = Buffer.concat(pending);
    const end = content.lastIndexOf(NEWLINE) + 1;
    yield entryOf(content.subarray(0, end));
    pending = [content.subarray(end)];
    pendingBytes = content.length - end;
  }
  if (pendingBytes > 0) yield entryOf(Buffer.concat(pending));
}

const NEWLINE = 0x0a;

async function hasJobs(client: pg.ClientBase): Promise<boolean> {
  const [queue] = await rowsOf<{ exists: boolean }>(client, HAS_JOBS);
  return queue?.exists ?? false;
}

/** Jobs are stored by the meaning of their values, not as rows of the tables of graphile-worker, which another version of it may change. */
const COPY_JOBS = `copy (${ALL_JOBS}) to stdout`;
