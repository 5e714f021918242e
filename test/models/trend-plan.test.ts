/** The cost of a batch of likes and views of articles, with a plan from when the tables were empty. */
import { expect } from 'chai';
import { PLAN_BY_INDEX, refreshTrends } from '../../src/models/article/trend.js';
import { models } from '../../src/models/index.js';
import { type Database, openDatabase } from '../../src/platform/database/pool.js';
import { useApp } from '../support/app.js';
import { execute, inBulk, truncateAll } from '../support/database.js';
import { rowsOf } from '../support/imported.js';

const app = useApp();
const ARTICLES = 1_000;
/** Rows of one day that a batch reads of likes, and of views, and days. */
const READ = 250 * 30;

interface Node {
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  Plans?: Node[];
}

function rowsRead(node: Node, table: string): number {
  const own = node['Relation Name'] === table ? (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0) : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, table), own);
}

describe('The ranking of articles', () => {
  let database: Database;
  before(async () => {
    await truncateAll(app.database);
    // One connection, which keeps the plans of its statements.
    database = openDatabase(app.database.url, { models, poolSize: 1, statementTimeoutMs: 10_000 });
  });
  after(async () => {
    await database.close();
    await truncateAll(app.database);
  });

  it('reads the first rows of each day, although its statement was planned for empty tables, which are not analyzed', async () => {
    await refreshTrends(database);
    const loaded = [
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm', 'm' || n from generate_series(1, 100) n`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members`,
      inBulk(
        `insert into all_articles (member_id, category_id, title, content) select member_id, id, 'T', 'C' from categories, generate_series(1, ${ARTICLES / 100})`,
      ),
      `insert into reactions (article_id, kind, member_id, created_at)
       select a.id, 'LIKE', m.id, now() - m.id % 30 * interval '1 day' - interval '1 hour' from all_articles a, members m where m.id <= 90`,
      `insert into article_view_days (article_id, day, views) select id, (now() at time zone 'UTC')::date - n, 1 from all_articles, generate_series(0, 59) n`,
      `insert into article_trends (article_id, days, likes, views, is_private, member_id, category_id)
       select id, 7, 1, 1, false, member_id, category_id from all_articles where id % 2 = 0`,
    ];
    await execute(loaded, app.database.url);
    const [prepared] = await rowsOf<{ name: string }>(
      database,
      `select name from pg_prepared_statements where statement like '%refresh%' or statement like '%article_trends%reach%'`,
    );
    const plan = await database.sequelize.transaction(async (transaction) => {
      // As for a batch: if PostgreSQL has analyzed the tables meanwhile, it plans the statement again.
      await database.sequelize.query(PLAN_BY_INDEX.text, { transaction });
      const [rows] = await database.sequelize.query(
        `explain (analyze, format json) execute "${prepared?.name}" (0, date_trunc('hour', now()))`,
        { transaction },
      );
      return (rows[0] as { 'QUERY PLAN': { Plan: Node }[] })['QUERY PLAN'][0]?.Plan ?? {};
    });
    // Once for the end of the batch, and once for its sums.
    for (const table of ['reactions', 'article_view_days'])
      expect(rowsRead(plan, table), table).to.be.within(1, 2 * READ + 250);
  });
});
