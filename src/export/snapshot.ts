/** Reads of the database page by page while concurrent writes continue: from one consistent snapshot, or without one. */
import type { Database } from '../platform/database/pool.js';
import { type RunStatement, type Statement, statement } from '../platform/database/statement.js';

export interface Snapshot {
  read: RunStatement;
}

/** Must be the first statement of its transaction. */
const BEGIN_SNAPSHOT = statement<[]>('export_snapshot', 'set transaction isolation level repeatable read, read only');

/** Runs `work` in a read-only REPEATABLE READ transaction: all queries see the state at the first of them. */
export function inSnapshot<Result>(database: Database, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  return database.transaction(async (db) => {
    await db.query(BEGIN_SNAPSHOT, []);
    return work({ read: db.query });
  });
}

/**
 * Statements that each see the state at their own time. For archives that are sent to a client: a transaction would stay open, and keep a
 * connection, for as long as the client reads.
 */
export function withoutSnapshot(database: Database): Snapshot {
  return { read: database.query };
}

/** Keyset pagination over all rows. `page` takes `values`, the last id and the page size; it returns rows in order of id. */
export function pages<Values extends readonly unknown[], Row extends { id: number }>(
  { read }: Snapshot,
  page: Statement<[...Values, lastId: number, size: number], Row>,
  size: number,
  ...values: Values
): AsyncGenerator<Row[]> {
  return inPages(size, (last) => read(page, [...values, last?.id ?? 0, size]));
}

/** `page` takes `values`, the time and the id of the last row, and the page size; it returns rows in order of time and id. */
export function pagesByTime<Values extends readonly unknown[], Row extends { id: number; createdAt: Date }>(
  { read }: Snapshot,
  page: Statement<[...Values, lastTime: Date | '-infinity', lastId: number, size: number], Row>,
  size: number,
  ...values: Values
): AsyncGenerator<Row[]> {
  return inPages(size, (last) => read(page, [...values, last?.createdAt ?? '-infinity', last?.id ?? 0, size]));
}

/** `page` takes the id of a member, the article and the number of the last row, and the page size; it returns rows in this order. */
export function pagesByNumber<Row extends { articleId: number; number: number }>(
  { read }: Snapshot,
  page: Statement<[memberId: number, lastArticleId: number, lastNumber: number, size: number], Row>,
  size: number,
  memberId: number,
): AsyncGenerator<Row[]> {
  return inPages(size, (last) => read(page, [memberId, last?.articleId ?? 0, last?.number ?? 0, size]));
}

/** @param readAfter returns the rows after the last one, or the first ones */
export async function* inPages<Row>(
  size: number,
  readAfter: (last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let rows: Row[] | undefined; rows === undefined || rows.length === size; ) {
    rows = await readAfter(rows?.at(-1));
    if (rows.length > 0) yield rows;
  }
}
