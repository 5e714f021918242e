/** How many blocks a statement touches: the work that it is, whatever the machine does meanwhile. */
import type { Database } from '../../src/models/database.js';
import type { Statement } from '../../src/models/statement.js';

/** Runs the statement in a transaction that is rolled back. @returns the blocks of tables and indexes that it touched */
export async function blocksOf(database: Database, { text }: Statement<unknown>, values: unknown[]): Promise<number> {
  const transaction = await database.sequelize.transaction();
  try {
    const statement = { name: '', text: `explain (analyze, buffers, format json) ${text}` };
    const [row] = await database.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
      statement,
      values,
      transaction,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
    return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  } finally {
    await transaction.rollback();
  }
}
