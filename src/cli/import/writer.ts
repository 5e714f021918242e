/** One transaction of an import, and what has been imported before. */
import type { Transaction } from 'sequelize';
import { IMPORT_LOCKS } from '../../database/locks.js';
import type { Database } from '../../database/pool.js';
import { type Statement, statement } from '../../database/statement.js';

export type RecordKind = 'member' | 'article' | 'comment';

/** What a part of an import writes with. */
export interface Writer {
  /** The blog that the records are from. */
  readonly source: string;
  run<Row>(prepared: Statement<Row>, values: unknown[]): Promise<Row[]>;
}

/**
 * A long post, and waiting for one, may take longer than a request may. A plan made while a table was empty would walk
 * through the whole of it for as long as the import lasts; without that choice it takes the index from the start.
 */
const SETTINGS = statement(
  'import_settings',
  `select set_config('statement_timeout', '0', true), set_config('enable_seqscan', 'off', true)`,
);

/** Values: the namespace, the source. */
const LOCK_SOURCE = statement('import_lock_source', 'select pg_advisory_xact_lock($1, hashtext($2))');

/** Values: source, kind, keys. */
const FIND_RECORDS = statement<{ key: string; rowId: number }>(
  'import_find_records',
  `select key, row_id as "rowId" from imported_records where source = $1 and kind = $2 and key = any($3::text[])`,
);

/** Values: source, kind, keys, row ids. */
const KEEP_RECORDS = statement(
  'import_keep_records',
  `insert into imported_records (source, kind, key, row_id)
   select $1, $2, key, row_id from unnest($3::text[], $4::bigint[]) as r(key, row_id)`,
);

/** Values: a table with an identity column `id`, how many. Ids known beforehand let rows refer to each other in bulk. */
const TAKE_IDS = statement<{ id: number }>(
  'import_take_ids',
  `select nextval(pg_get_serial_sequence($1::text, 'id')) as id from generate_series(1, $2::int)`,
);

/** Runs `work` in one transaction that no other import of the same source runs beside. */
export function writeFrom<Result>(
  database: Database,
  source: string,
  work: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  return database.inTransaction(async (transaction: Transaction) => {
    const writer: Writer = { source, run: (prepared, values) => database.query(prepared, values, transaction) };
    await writer.run(SETTINGS, []);
    await writer.run(LOCK_SOURCE, [IMPORT_LOCKS, source]);
    return work(writer);
  });
}

/** Rows that one statement takes. */
const BULK = 5_000;

export function* inBulks<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += BULK) yield items.slice(from, from + BULK);
}

/** The rows that were made from these records before, by key. The rows may be gone since. */
export async function findImported(
  { source, run }: Writer,
  kind: RecordKind,
  keys: string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const bulk of inBulks(keys)) {
    for (const { key, rowId } of await run(FIND_RECORDS, [source, kind, bulk])) found.set(key, rowId);
  }
  return found;
}

/** Keeps for the next import what has been made, in the transaction that makes it. */
export async function keepImported(
  { source, run }: Writer,
  kind: RecordKind,
  rows: readonly { key: string; id: number }[],
): Promise<void> {
  await run(KEEP_RECORDS, [source, kind, rows.map(({ key }) => key), rows.map(({ id }) => id)]);
}

/** @returns `count` ids in ascending order that no other row of the table will get. */
export async function takeIds({ run }: Writer, table: 'members' | 'comments', count: number): Promise<number[]> {
  const rows = await run(TAKE_IDS, [table, count]);
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}
