/** The cost of reactions and of a reader's lists, with many followers, likes and articles. */
import { expect } from 'chai';
import { findArticlePage, findArticles, findArticlesOfMembers } from '../../src/models/article/list.js';
import { findBookmarks } from '../../src/models/bookmark.js';
import { findOwnDecisions } from '../../src/models/decision/appeal.js';
import { FOLLOW_MEMBER, findFollowedArticles, findFollowing } from '../../src/models/follow.js';
import { findNotifications } from '../../src/models/notification/list.js';
import { ADD_REACTION } from '../../src/models/reaction.js';
import { Reader } from '../../src/models/reader.js';
import { useApp } from '../support/app.js';
import { execute, inBulk, truncateAll } from '../support/database.js';
import { blocksOf, costOf, genericPlanOf, statementsDuring } from '../support/statements.js';

const app = useApp();

/** Overridden to measure. */
const ROWS = Number(process.env.READING_ROWS ?? 4_000);
/** Members whom the reader, who is the last member, follows. */
const FOLLOWED = 50;
const READER = ROWS;

describe(`Lists of readers, with ${ROWS} articles, likes and followers`, function () {
  this.timeout(600_000);
  before(async () => {
    await truncateAll(app.database);
    const insertions = [
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm' || n, 'm' || n from generate_series(1, ${ROWS}) n`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members`,
      // Most of them by the first member, the others by the next ones; the newest are the last.
      inBulk(`insert into all_articles (member_id, category_id, title, content, created_at)
       select c.member_id, c.id, 'Title ' || n, 'Content', now() - (${ROWS} - n) * interval '1 minute'
       from generate_series(1, ${ROWS}) n join categories c on c.member_id = case when n % 10 > 0 then 1 else 2 + n / 10 % 200 end`),
      `insert into reactions (article_id, kind, member_id) select 1, 'LIKE', id from members`,
      `insert into follows (follower_id, member_id) select id, 1 from members where id > 1`,
      `insert into follows (follower_id, member_id) select ${READER}, id from members where id between 2 and ${FOLLOWED}`,
      `insert into bookmarks (member_id, article_id, created_at) select ${READER}, id, created_at from all_articles where id % 20 = 0`,
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  const includes = { content: false, tags: false };
  const slice = { limit: 10, offset: 20 };

  it('read the articles of followed members by the index of articles by member', async () => {
    const { blocks, plan } = await costOf(app.database, [READER, 30, 6, 10, 20], () =>
      findFollowedArticles(app.database, READER, slice, includes),
    );
    process.stdout.write(`      ${blocks} blocks\n`);
    expect(plan)
      .to.match(/using articles_(?:public_)?member\b/)
      .and.not.match(/Seq Scan on (?:all_articles|follows|member_counts)/);
    // One article of each followed member, then 30 articles of 30 members.
    expect(blocks).to.be.below(40 * FOLLOWED);
    const { contents, total } = await findFollowedArticles(app.database, READER, slice, includes);
    expect(contents).to.have.lengthOf(10);
    expect(total).to.be.above(ROWS * 0.9);
  });

  it('read followed members and bookmarks by an index', async () => {
    const following = await costOf(app.database, [READER, 10, 20], () => findFollowing(app.database, READER, slice));
    const reader = new Reader(READER, READER, READER, 0);
    const bookmarks = await costOf(app.database, [READER, reader, 10, 20], () =>
      findBookmarks(app.database, { memberId: READER, reader }, slice, includes),
    );
    process.stdout.write(`      ${following.blocks} and ${bookmarks.blocks} blocks\n`);
    expect(following.plan)
      .to.match(/using follows_\w+/)
      .and.not.match(/Seq Scan on (?:follows|members)/);
    expect(following.blocks).to.be.below(400);
    expect(bookmarks.plan).to.match(/using bookmarks_\w+/);
  });

  it('change one row and its counters, whatever the number of likes and followers', async () => {
    // The first execution on a connection reads the catalog.
    await blocksOf(app.database, ADD_REACTION.LIKE, [1, 3, new Reader(3, 3, 3, 0)]);
    await blocksOf(app.database, FOLLOW_MEMBER, [1, 2]);
    const [like, follow] = [
      await blocksOf(app.database, ADD_REACTION.LIKE, [1, 3, new Reader(3, 3, 3, 0)]),
      await blocksOf(app.database, FOLLOW_MEMBER, [1, 2]),
    ];
    process.stdout.write(`      ${like} and ${follow} blocks\n`);
    expect(Math.max(like, follow)).to.be.below(400);
  });
});

describe('Lists of one member, in a journal of which nearly everything is that of another one', () => {
  before(async () => {
    await truncateAll(app.database);
    const insertions = [
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm' || n, 'm' || n from generate_series(1, 3) n`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members order by id`,
      inBulk(`insert into all_articles (member_id, category_id, title, content, is_private)
       select 1, 1, 'Title ' || n, 'Content', n % 4 = 0 from generate_series(1, ${ROWS}) n`),
      `insert into notifications (member_id, type, article_id, actor_id) select 2, 'ARTICLE', id, 1 from articles`,
      `insert into decisions (member_id, action, rule, statement, note) select 1, 'SUSPEND', 'R', 'S', '' from generate_series(1, ${ROWS}) n`,
      `insert into follows (follower_id, member_id) values (3, 1), (3, 2)`,
      // Before the first vacuum, no index is read without the table.
      'analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  const includes = { content: false, tags: false };
  const slice = { limit: 10, offset: 20 };
  const [order, byLikes] = ['createdAt,desc', 'likeCount,desc'] as const;
  const OWNER = new Reader(3, 3, 3, 0);
  const LISTS: Record<string, () => Promise<unknown>> = {
    'public articles': () => findArticlePage(app.database, { scope: { memberId: 3 }, order, slice, includes }),
    'liked articles': () => findArticles(app.database, { scope: { memberId: 3 }, order: byLikes, slice, includes }),
    'articles of a category': () => findArticles(app.database, { scope: { categoryId: 3 }, order, slice, includes }),
    'own articles': () => findArticlePage(app.database, { scope: { ownerId: 3 }, order, slice, includes }),
    'own liked articles': () =>
      findArticlePage(app.database, { scope: { ownerId: 3 }, order: byLikes, slice, includes }),
    'articles of several members': () =>
      findArticlesOfMembers(app.database, [3], { order, slice: { limit: 10 }, includes }),
    'articles of followed members': () => findFollowedArticles(app.database, 3, slice, includes),
    notifications: () => findNotifications(app.database, { memberId: 3, reader: OWNER, unreadOnly: false }, slice),
    decisions: () => findOwnDecisions(app.database, 3, slice),
  };

  for (const [name, find] of Object.entries(LISTS)) {
    it(`do not read the index of all rows in their order: ${name}`, async () => {
      const [text = ''] = await statementsDuring(find);
      expect(await genericPlanOf(app.database, text)).to.not.match(/Scan Backward using .*\n +Filter: \(?member_id/);
    });
  }
});
