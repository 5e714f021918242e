/** SQL statements: those that are sent while a function runs, their plans, and the number of blocks that one accesses. */
import { expect } from 'chai';
import { statements } from '../../src/platform/database/observed-client.js';
import type { Database } from '../../src/platform/database/pool.js';
import type { Statement } from '../../src/platform/database/statement.js';

/** @returns the texts of the statements, in order */
export async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const listen = (message: unknown) => {
    const { text } = message as { text: string };
    // Excludes the setup statements of new connections.
    if (!/^(?:SET|SHOW) /.test(text)) texts.push(text);
  };
  statements.subscribe(listen);
  try {
    await work();
  } finally {
    statements.unsubscribe(listen);
  }
  return texts;
}

/** @param options of EXPLAIN, such as `(analyze)` @returns the plan as PostgreSQL prints it */
export async function planOf(
  database: Database,
  text: string,
  values: readonly unknown[],
  options = '',
): Promise<string> {
  const explained: Statement<readonly unknown[], { 'QUERY PLAN': string }> = {
    name: '',
    text: `explain ${options} ${text}`,
  };
  return (await database.query(explained, values)).map((row) => row['QUERY PLAN']).join('\n');
}

/** @returns the plan that a connection keeps, which does not depend on the values of the parameters, with the costs of a PostgreSQL server that nobody has configured */
export function genericPlanOf({ sequelize }: Database, text: string): Promise<string> {
  const count = Math.max(...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  const ofEach = (value: string) => Array.from({ length: count }, () => value).join(', ');
  return sequelize.transaction(async (transaction) => {
    const run = (sql: string) => sequelize.query(sql, { transaction });
    await run('set local plan_cache_mode = force_generic_plan; set local random_page_cost = 4');
    await run(`prepare planned (${ofEach('unknown')}) as ${text}`);
    const [rows] = await run(`explain execute planned (${ofEach('null')})`);
    await run('deallocate planned');
    return rows.map((row) => Object.values(row as object)[0]).join('\n');
  });
}

/** @param values of the only statement that `find` sends @returns the blocks that it accesses, and its plan */
export async function costOf(
  database: Database,
  values: readonly unknown[],
  find: () => Promise<unknown>,
): Promise<{ blocks: number; plan: string }> {
  const [text = '', ...others] = await statementsDuring(find);
  expect(others).to.deep.equal([]);
  return { blocks: await blocksOf(database, { text }, values), plan: await planOf(database, text, values) };
}

interface PlanNode {
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  'Subplan Name'?: string;
  Plans?: PlanNode[];
}

/** Runs the statement in a transaction that is rolled back. @returns an upper bound of the table and index blocks that it accessed */
export async function blocksOf(
  database: Database,
  { text }: { text: string },
  values: readonly unknown[],
): Promise<number> {
  const statement: Statement<readonly unknown[], { 'QUERY PLAN': { Plan: PlanNode }[] }> = {
    name: '',
    text: `explain (analyze, buffers, format json) ${text}`,
  };
  const explained = await database.begin((db) => db.query(statement, values));
  await explained.rollBack();
  return totalBlocks(explained.result[0]?.['QUERY PLAN'][0]?.Plan ?? {}, true);
}

/** The blocks of a node include its children, except CTEs that write, which run after the rest. */
function totalBlocks(node: PlanNode, isCounted: boolean): number {
  const own = isCounted ? (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0) : 0;
  const children = node.Plans ?? [];
  return children.reduce(
    (blocks, child) => blocks + totalBlocks(child, child['Subplan Name']?.startsWith('CTE ') ?? false),
    own,
  );
}
