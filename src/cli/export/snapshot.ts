/** The journal as it is at one moment, read page after page while others go on writing. */
import type { Database } from '../../database/pool.js';
import { type Statement, statement } from '../../database/statement.js';

export interface Snapshot {
  read<Row>(prepared: Statement<Row>, values: unknown[]): Promise<Row[]>;
}

/** Must come before anything else in its transaction. */
const HOLD_STILL = statement<never>('export_snapshot', 'set transaction isolation level repeatable read, read only');

/** All that `work` reads is of the moment of its first statement. */
export function inSnapshot<Result>(database: Database, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  return database.sequelize.transaction(async (transaction) => {
    const read: Snapshot['read'] = (prepared, values) => database.query(prepared, values, transaction);
    await read(HOLD_STILL, []);
    return work({ read });
  });
}

/** All rows, a page at a time: `page` takes `values`, then the last id and how many, and gives rows by id. */
export async function* pages<Row extends { id: number }>(
  { read }: Snapshot,
  page: Statement<Row>,
  size: number,
  values: unknown[] = [],
): AsyncGenerator<Row[]> {
  for (let last = 0, rows: Row[] | undefined; rows === undefined || rows.length === size; ) {
    rows = await read(page, [...values, last, size]);
    last = rows.at(-1)?.id ?? last;
    if (rows.length > 0) yield rows;
  }
}
