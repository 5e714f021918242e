/** Transactions of an import, and the records of earlier imports. */
import { createHash } from 'node:crypto';
import { IMPORT_LOCKS } from '../platform/database/locks.js';
import type { Database } from '../platform/database/pool.js';
import { type RunStatement, statement } from '../platform/database/statement.js';

export type RecordKind = 'member' | 'article' | 'draft' | 'comment' | 'image' | 'series';

/** Database access of an import: within one transaction, or each statement by itself. */
export interface Writer {
  /** `ImportSource.origin`. */
  readonly source: string;
  run: RunStatement;
}

/** Where an import reads and writes: the database, or in a dry run what only looks like it (`Preview`). */
export interface Journal extends Writer {
  /** Serialized with other imports of the same source by an advisory lock. */
  transaction<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result>;
}

/**
 * statement_timeout: a long post, or waiting for the lock of another import, may take longer than the limit for a request.
 * enable_seqscan: a cached plan from when a table was empty would use sequential scans for the whole import; with it off, the plan
 * uses the index from the start.
 */
export const SETTINGS = statement<[]>(
  'import_settings',
  `select set_config('statement_timeout', '0', true), set_config('enable_seqscan', 'off', true)`,
);

const LOCK_SOURCE = statement<[namespace: number, source: string]>(
  'import_lock_source',
  'select pg_advisory_xact_lock($1, hashtext($2))',
);

export const FIND_RECORDS = statement<
  [source: string, kind: RecordKind, keys: string[]],
  { key: string; rowId: number }
>(
  'import_find_records',
  `select key, row_id as "rowId" from imported_records where source = $1 and kind = $2 and key = any($3::text[])`,
);

export const ADD_RECORDS = statement<[source: string, kind: RecordKind, keys: string[], rowIds: number[]]>(
  'import_add_records',
  `insert into imported_records (source, kind, key, row_id)
   select $1, $2, key, row_id from unnest($3::text[], $4::bigint[]) as r(key, row_id)`,
);

/** Ids reserved beforehand let rows of one batch reference each other. */
export const RESERVE_IDS = statement<[table: string, count: number], { id: number }>(
  'import_reserve_ids',
  `select nextval(pg_get_serial_sequence($1::text, 'id')) as id from generate_series(1, $2::int)`,
);

export function journalOf(database: Database, source: string): Journal {
  return {
    source,
    run: (prepared, values) => database.query(prepared, values),
    transaction: (work) =>
      database.transaction(async (db) => {
        const writer: Writer = { source, run: (prepared, values) => db.query(prepared, values) };
        await writer.run(SETTINGS, []);
        await writer.run(LOCK_SOURCE, [IMPORT_LOCKS, source]);
        return work(writer);
      }),
  };
}

/** Maximum rows per statement. */
const BATCH_ROWS = 5_000;

export function* inRowBatches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += BATCH_ROWS) yield items.slice(from, from + BATCH_ROWS);
}

/** Longer keys, such as those of files, are stored as a hash: an index entry has at most 2,700 bytes, and a dry run has all keys in memory. PostgreSQL stores no NUL. */
const MAX_KEY_LENGTH = 100;

export function storedKey(key: string): string {
  return key.length > MAX_KEY_LENGTH ? createHash('sha256').update(key).digest('base64url') : key.replaceAll('\0', '');
}

/** The row ids of records imported before, by key. The rows may have been deleted since. */
export async function findImported(
  { source, run }: Writer,
  kind: RecordKind,
  keys: string[],
): Promise<Map<string, number>> {
  const rowIds = new Map<string, number>();
  for (const batch of inRowBatches(keys)) {
    const given = new Map(batch.map((key) => [storedKey(key), key]));
    for (const { key, rowId } of await run(FIND_RECORDS, [source, kind, [...given.keys()]]))
      rowIds.set(given.get(key) ?? key, rowId);
  }
  return rowIds;
}

/** Stores the keys of imported rows for later imports, in the transaction that inserts the rows. */
export async function recordImported(
  { source, run }: Writer,
  kind: RecordKind,
  rows: readonly { key: string; id: number }[],
): Promise<void> {
  await run(ADD_RECORDS, [source, kind, rows.map(({ key }) => storedKey(key)), rows.map(({ id }) => id)]);
}

/** @returns `count` ids in ascending order, reserved from the sequence of the table */
export async function reserveIds({ run }: Writer, table: 'members' | 'comments', count: number): Promise<number[]> {
  const rows = await run(RESERVE_IDS, [table, count]);
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}
