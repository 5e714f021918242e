/** The cost of what moderators read, with many members, held comments and reports. */
import { expect } from 'chai';
import { findDecisions, HAS_OTHER_MODERATOR } from '../../src/models/decision/appeal.js';
import { COUNT_QUEUE, QUEUE_PAGE } from '../../src/models/decision/queue.js';
import { useApp } from '../support/app.js';
import { execute, inBulk, truncateAll } from '../support/database.js';
import { costOf, genericPlanOf } from '../support/statements.js';

const app = useApp();

/** Overridden to measure. */
const ROWS = Number(process.env.MODERATION_ROWS ?? 4_000);
/** The last member. */
const MODERATOR = ROWS;

describe(`Reads of moderators, with ${ROWS} members, articles, held comments and reports`, function () {
  this.timeout(600_000);
  before(async () => {
    await truncateAll(app.database);
    const insertions = [
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm' || n, 'm' || n from generate_series(1, ${ROWS}) n`,
      `update members set role = 'MODERATOR' where id >= ${MODERATOR - 1}`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members`,
      inBulk(
        `insert into all_articles (member_id, category_id, title, content) select member_id, id, 'Title', 'Content' from categories order by id`,
      ),
      `insert into held_comments (id, article_id, member_id, content, created_at, updated_at)
       select nextval(pg_get_serial_sequence('comments', 'id')), id, 1, 'Held', now(), now() from all_articles`,
      `insert into comments (article_id, member_id, content, created_at, updated_at)
       select id, member_id, 'Comment', now(), now() from all_articles, generate_series(1, 3)`,
      `insert into decisions (action, member_id, moderator_id, comment_id, rule, statement, note)
       select 'REMOVE', member_id, ${MODERATOR}, id, '', '', '' from comments`,
      `insert into appeals (decision_id, text, answer_id) select id, 'Text', id from decisions`,
      `insert into moderation_cases (comment_id, opened_at) select id, null from comments`,
      `insert into moderation_cases (article_id, opened_at) select id, now() - interval '1 day' from all_articles`,
      `insert into reports (case_id, reporter_id, reason, text) select id, 1, 'SPAM', '' from moderation_cases`,
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  it('find another moderator by the index of members with a role', async () => {
    const plan = await genericPlanOf(app.database, HAS_OTHER_MODERATOR.text);
    expect(plan).to.match(/members_with_role\b/);
    const values = [[MODERATOR], ['MODERATOR', 'ADMIN']] as const;
    expect(await app.database.query(HAS_OTHER_MODERATOR, [...values])).to.deep.equal([{ exists: true }]);
    const both = [
      [MODERATOR, MODERATOR - 1],
      ['MODERATOR', 'ADMIN'],
    ] as const;
    expect(await app.database.query(HAS_OTHER_MODERATOR, [...both])).to.deep.equal([{ exists: false }]);
  });

  it('count the newest decisions by an index', async () => {
    const page = () => findDecisions(app.database, MODERATOR, { limit: 10, offset: 0 });
    const { blocks, plan } = await costOf(app.database, [MODERATOR, 10, 0], page);
    process.stdout.write(`      ${blocks} blocks\n`);
    expect(plan).to.match(/Index Only Scan Backward using decisions_newest\b/);
    expect(blocks).to.be.below(150);
    expect((await page()).total).to.equal(Math.min(10_000, 3 * ROWS) - 3);
  });

  it('read the first entries of the queue only, which do not concern the moderator', async () => {
    const page = [10, 0, MODERATOR] as const;
    const { blocks, plan } = await costOf(app.database, page, () => app.database.query(QUEUE_PAGE, [...page]));
    const count = await costOf(app.database, [MODERATOR], () => app.database.query(COUNT_QUEUE, [MODERATOR]));
    process.stdout.write(`      ${blocks} blocks, and ${count.blocks} for the total\n`);
    expect(plan)
      .to.match(/using moderation_cases_oldest\b/)
      .and.match(/using held_comments_newest\b/);
    expect(blocks).to.be.below(400);
    expect(await app.database.query(COUNT_QUEUE, [MODERATOR])).to.deep.equal([{ total: 2 * ROWS - 1 }]);
  });
});
