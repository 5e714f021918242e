/** The cost of series in a journal with many articles: pages, lists and changes read the index of series, and an article is read as before. */
import { expect } from 'chai';
import { ARTICLES_BY_ID } from '../../src/models/article/article.js';
import { ANONYMOUS, Reader } from '../../src/models/reader.js';
import { findSeries, findSeriesOfMembers, SAVE_SERIES } from '../../src/models/series.js';
import { useApp } from '../support/app.js';
import { execute, inBulk, truncateAll } from '../support/database.js';
import { blocksOf, costOf } from '../support/statements.js';

const app = useApp();

/** Overridden to measure. */
const ROWS = Number(process.env.SERIES_ROWS ?? 6_000);
const SERIES = 100;
const LENGTH = 20;

const AUTHOR = new Reader(1, 1, 1, 0);

describe(`Series in a journal with ${ROWS} articles of their author`, function () {
  this.timeout(600_000);
  before(async () => {
    await truncateAll(app.database);
    const insertions = [
      `insert into members (email, member_name, nickname) values ('mina@example.org', 'Mina', 'mina')`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members`,
      `insert into series (member_id, title) select 1, 'Series ' || n from generate_series(1, ${SERIES}) n`,
      // Those of a series are far from each other in the table, and the last ones are in none.
      inBulk(`insert into all_articles (member_id, category_id, title, content, is_private, series_id, series_position)
       select 1, 1, 'Title ' || n, 'Content', n % 7 = 0, case when n <= ${SERIES * LENGTH} then 1 + n % ${SERIES} end,
         case when n <= ${SERIES * LENGTH} then 1 + n / ${SERIES} end from generate_series(1, ${ROWS}) n`),
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  const includes = { content: false, tags: false };

  it('are read by the index of series, in pages and as connections', async () => {
    const found = (slice: { limit: number; offset?: number; after?: { key: string; id: number } }) => () =>
      findSeries(app.database, { id: 1, by: AUTHOR }, slice, includes);
    const page = await costOf(app.database, [1, AUTHOR, 10, 10], found({ limit: 10, offset: 10 }));
    const after = { key: '10', id: 1 };
    const connection = await costOf(app.database, [1, AUTHOR, 10, 1, 11], found({ limit: 11, after }));
    for (const { plan, blocks } of [page, connection]) {
      expect(plan)
        .to.match(/Index Only Scan using articles_series\b/)
        .and.not.match(/Seq Scan on all_articles/);
      expect(blocks).to.be.below(300);
    }
    process.stdout.write(`      ${page.blocks} and ${connection.blocks} blocks\n`);
  });

  it('are listed and counted by the indexes', async () => {
    const { plan, blocks } = await costOf(app.database, [[1], ANONYMOUS, 10, 10], () =>
      findSeriesOfMembers(app.database, [1], ANONYMOUS, { limit: 10, offset: 10 }),
    );
    process.stdout.write(`      ${blocks} blocks\n`);
    expect(plan)
      .to.match(/Index Only Scan using articles_series\b/)
      .and.match(/using series_of_member\b/);
    expect(plan).to.not.match(/Seq Scan on all_articles/);
    expect(blocks).to.be.below(300);
  });

  it('are changed without reading other articles', async () => {
    const ids = Array.from({ length: LENGTH }, (_, index) => index + 1);
    const values = [1, 2, 'Changed', null, ids] as const;
    await blocksOf(app.database, SAVE_SERIES, values);
    const blocks = await blocksOf(app.database, SAVE_SERIES, values);
    process.stdout.write(`      ${blocks} blocks for ${LENGTH} articles\n`);
    // Each changed article is in all indexes.
    expect(blocks).to.be.below(200 * LENGTH);
  });

  it('add no table to the reads of articles', async () => {
    const explained = { name: '', text: `explain ${ARTICLES_BY_ID.text}` };
    const rows = await app.database.query<readonly unknown[], { 'QUERY PLAN': string }>(explained, [[1], ANONYMOUS]);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).to.not.match(/ series\b/);
  });
});
