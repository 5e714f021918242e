/** The indexes of lists of one language, and the cost of the default list beside them. */
import { expect } from 'chai';
import { findArticles } from '../../../src/models/article/list.js';
import { useApp } from '../../support/app.js';
import { execute, inBulk, truncateAll } from '../../support/database.js';
import { costOf } from '../../support/statements.js';

const app = useApp();

const ROWS = 6_000;

describe(`Lists of one language among ${ROWS} articles`, function () {
  this.timeout(120_000);
  before(async () => {
    await truncateAll(app.database);
    const insertions = [
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm' || n, 'm' || n from generate_series(1, 20) n`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members`,
      // The oldest ones have a language.
      inBulk(`insert into all_articles (member_id, category_id, title, content, language, created_at)
       select c.member_id, c.id, 'Title ' || n, 'Content', case when n <= ${ROWS / 20} then (array['ko', 'ko-KR'])[1 + n % 2] end,
         now() - (${ROWS} - n) * interval '1 minute'
       from generate_series(1, ${ROWS}) n join categories c on c.member_id = 1 + n % 20`),
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  const find = (scope: object) =>
    findArticles(app.database, {
      scope,
      order: 'createdAt,desc',
      slice: { limit: 10 },
      includes: { content: false, tags: false },
    });

  it('are read by the index of languages, as the others by theirs', async () => {
    const { blocks, plan } = await costOf(app.database, ['ko', 10], () => find({ language: 'ko' }));
    expect(plan).to.match(/using articles_public_language\b/);
    const reference = await costOf(app.database, [10], () => find({}));
    expect(reference.plan).to.match(/using articles_public_created\b/);
    process.stdout.write(`      ${blocks} blocks, ${reference.blocks} without the filter\n`);
    expect(blocks).to.be.below(reference.blocks * 2);
  });

  it('are read by the index of languages of a member for their author', async () => {
    const { plan } = await costOf(app.database, [3, 'ko', 10], () => find({ ownerId: 3, language: 'ko' }));
    expect(plan).to.match(/using articles_member_language\b/);
  });
});
