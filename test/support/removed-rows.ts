/** The rows that each transaction deletes from some tables, in the tests of a suite. */
import { expect } from 'chai';
import type { TestApp } from './app.js';
import { rowsOf } from './imported.js';

/** Creates the table `removed_rows` and fills it by triggers. */
export function useRemovedRows(app: TestApp, tables: readonly string[]): void {
  const run = (sql: string) => app.database.sequelize.query(sql);
  before(async () => {
    await run('create table removed_rows (name text, xid xid8, rows bigint)');
    await run(`create function count_removed_rows() returns trigger language plpgsql as $$
      begin
        insert into removed_rows select tg_table_name, pg_current_xact_id(), count(*) from removed;
        return null;
      end $$`);
    for (const table of tables)
      await run(`create trigger count_removed_rows after delete on ${table}
        referencing old table as removed for each statement execute function count_removed_rows()`);
  });
  after(async () => {
    await run('drop function count_removed_rows cascade');
    await run('drop table removed_rows');
  });
}

/** @param maxRows rows of one table in one transaction */
export async function expectShortTransactions({ database }: TestApp, maxRows: number): Promise<void> {
  const [largest] = await rowsOf<{ rows: number }>(
    database,
    'select max(rows)::int as rows from (select sum(rows) as rows from removed_rows group by name, xid) n',
  );
  expect(largest?.rows).to.be.at.most(maxRows);
}
