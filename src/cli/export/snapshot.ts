/** A consistent snapshot of the database, read page by page while concurrent writes continue. */
import type { Database } from '../../database/pool.js';
import { type RunStatement, type Statement, statement } from '../../database/statement.js';

export interface Snapshot {
  read: RunStatement;
}

/** Must be the first statement of its transaction. */
const BEGIN_SNAPSHOT = statement<[]>('export_snapshot', 'set transaction isolation level repeatable read, read only');

/** Runs `work` in a read-only REPEATABLE READ transaction: all queries see the state at the first of them. */
export function inSnapshot<Result>(database: Database, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  return database.sequelize.transaction(async (transaction) => {
    const read: Snapshot['read'] = (prepared, values) => database.query(prepared, values, transaction);
    await read(BEGIN_SNAPSHOT, []);
    return work({ read });
  });
}

/** Keyset pagination over all rows. `page` takes `values`, the last id and the page size; it returns rows in order of id. */
export async function* pages<Values extends readonly unknown[], Row extends { id: number }>(
  { read }: Snapshot,
  page: Statement<[...Values, lastId: number, size: number], Row>,
  size: number,
  ...values: Values
): AsyncGenerator<Row[]> {
  for (let last = 0, rows: Row[] | undefined; rows === undefined || rows.length === size; ) {
    rows = await read(page, [...values, last, size]);
    last = rows.at(-1)?.id ?? last;
    if (rows.length > 0) yield rows;
  }
}
