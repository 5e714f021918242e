/** The cost of the numbers of articles in categories, with many articles. */
import { expect } from 'chai';
import { type ArticleScope, findArticlePage } from '../../src/models/article/list.js';
import { COUNTS_BY_CATEGORY } from '../../src/models/category.js';
import { ANONYMOUS, Reader } from '../../src/models/reader.js';
import { useApp } from '../support/app.js';
import { execute, inBulk, truncateAll } from '../support/database.js';
import { rowsOf } from '../support/imported.js';
import { DIFFERENCES } from '../support/reactions.js';
import { blocksOf, costOf } from '../support/statements.js';

const app = useApp();
const ROWS = 4_000;

const AUTHOR = new Reader(1, 1, 1, 0);

describe(`A category with ${ROWS} articles`, () => {
  before(async () => {
    await truncateAll(app.database);
    const insertions = [
      `insert into members (email, member_name, nickname) values ('mina@example.org', 'Mina', 'mina')`,
      `insert into categories (member_id, name, is_default) values (1, 'General', true), (1, 'Sea', false)`,
      inBulk(`insert into all_articles (member_id, category_id, title, content, is_private)
       select 1, 1, 'Title ' || n, 'Content', n % 4 = 0 from generate_series(1, ${ROWS}) n`),
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  const counts = async (reader: Reader) =>
    (await app.database.query(COUNTS_BY_CATEGORY, [[1, 2], reader]))
      .sort((one, other) => one.id - other.id)
      .map(({ articles }) => articles);

  it('has its number of articles in its row, for the owner and for others', async () => {
    await blocksOf(app.database, COUNTS_BY_CATEGORY, [[1, 2], AUTHOR]);
    expect(await blocksOf(app.database, COUNTS_BY_CATEGORY, [[1, 2], AUTHOR])).to.be.below(100);
    expect([await counts(AUTHOR), await counts(ANONYMOUS)]).to.deep.equal([
      [ROWS, 0],
      [(ROWS * 3) / 4, 0],
    ]);
  });

  it('is listed without counting its articles', async () => {
    const list = (scope: ArticleScope) => {
      const request = {
        order: 'createdAt,desc',
        slice: { limit: 10, offset: 0 },
        includes: { content: false, tags: false },
      } as const;
      return findArticlePage(app.database, { scope: { categoryId: 1, ...scope }, ...request });
    };
    const { blocks } = await costOf(app.database, [1, 1, 10, 0, 1, 1], () => list({ ownerId: 1 }));
    process.stdout.write(`      ${blocks} blocks\n`);
    expect(blocks).to.be.below(100);
    const totals = [{}, { memberId: 1 }, { memberId: 2 }, { ownerId: 1 }, { ownerId: 2 }];
    const found = await Promise.all([...totals, { ownerId: 1, isPrivate: true }].map(list));
    expect(found.map(({ total }) => total)).to.deep.equal([3000, 3000, 0, ROWS, 0, 1000]);
  });

  it('has the exact number after each change', async () => {
    const changes = [
      'update all_articles set category_id = 2 where id <= 10',
      'update all_articles set is_private = not is_private where id between 5 and 20',
      'update all_articles set is_private = not is_private, category_id = 3 - category_id where id between 7 and 30',
      'delete from all_articles where id between 15 and 25',
      "insert into all_articles (member_id, category_id, title, content) values (1, 2, 'T', 'C'), (1, 1, 'T', 'C')",
    ];
    for (const change of changes) {
      const [before] = [await counts(AUTHOR)];
      await execute([change], app.database.url);
      expect(await rowsOf(app.database, DIFFERENCES), change).to.deep.equal([]);
      if (!change.startsWith('update all_articles set is_private = not is_private where'))
        expect(await counts(AUTHOR), change).to.not.deep.equal(before);
    }
  });
});
