/** Lists by likes and views: those of an owner, and those whose filter has no index in this order, complete up to a number of articles and bounded beyond it. */
import { expect } from 'chai';
import { type ArticleScope, findArticlePage, findArticles } from '../../../src/models/article/list.js';
import type { ArticleOrder } from '../../../src/models/article/order.js';
import { useApp } from '../../support/app.js';
import { execute, truncateAll } from '../../support/database.js';
import { rowsOf } from '../../support/imported.js';
import { planOf, statementsDuring } from '../../support/statements.js';

const app = useApp();

/** In place of the limit. */
const maxSorted = 1_500;
const ARTICLES = 4_000;
const includes = { content: false, tags: false, total: true };

describe(`Lists by likes of ${ARTICLES} articles`, function () {
  this.timeout(120_000);
  before(async () => {
    await truncateAll(app.database);
    const insertions = [
      `set session_replication_role = replica`,
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm' || n, 'm' || n from generate_series(1, 3) n`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members order by id`,
      // Two members have most articles.
      `insert into all_articles (slug, member_id, category_id, title, content, is_private, created_at)
       select gen_random_uuid(), m, m, 'T', 'C', n % 100 = 0, '2026-01-01Z'::timestamptz + n * interval '1 minute' from generate_series(1, ${ARTICLES}) n
         cross join lateral (select case when n % 50 = 7 then 3 else 1 + n % 2 end as m) m`,
      `insert into member_counts (member_id, articles, private_articles)
       select member_id, count(*) filter (where not is_private), count(*) filter (where is_private) from all_articles group by 1`,
      `insert into tags (name) values ('most'), ('few')`,
      // Most articles, and a few of those with few likes.
      `insert into all_article_tags (article_id, position, tag_id, created_at, is_private)
       select id, 0, 1, created_at, is_private from all_articles where id % 5 > 0
       union all select id, 1, 2, created_at, is_private from all_articles where id % 200 = 1`,
      `insert into article_counts (article_id, is_private, member_id, category_id, month, likes, views)
       select id, is_private, member_id, category_id, '2026-01-01', id * 7919 % 10007, id % 3 from all_articles`,
      `insert into article_trends (article_id, days, likes, views, is_private, member_id, category_id)
       select id, 7, id % 11, id % 13, is_private, member_id, category_id from all_articles`,
      'set session_replication_role = origin',
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  interface Expected {
    /** With the condition on its rows. */
    counts?: string;
    /** The rows of which only the first ones are compared. */
    among?: string;
    limit?: number;
    articles?: 'articles' | 'all_articles';
  }

  /** The ids of the list, in its order, by the simplest query. */
  async function expected(condition: string, key: string, options: Expected = {}): Promise<number[]> {
    const { counts = 'article_counts r on true', among = 'true', limit = 1e9, articles = 'articles' } = options;
    const rows = await rowsOf<{ id: number }>(
      app.database,
      `select id from (
         select a.*, ${key} as sorted_by, row_number() over (order by ${key} desc, a.id desc) as place
         from ${articles} a join ${counts} and r.article_id = a.id where ${among}
       ) a where place <= ${limit} and ${condition} order by sorted_by desc, id desc`,
    );
    return rows.map(({ id }) => Number(id));
  }

  const HAS = (tag: number) =>
    `exists (select from all_article_tags x where x.article_id = a.id and x.tag_id = ${tag})`;
  const PERIOD = 'article_trends r on days = 7 and likes > 0';
  const cases: [name: string, scope: ArticleScope, order: ArticleOrder, list: () => Promise<number[]>][] = [
    ['a tag of a few articles', { tag: 'few' }, 'likeCount,desc', () => expected(HAS(2), 'likes')],
    [
      'and a member',
      { tag: 'few', memberId: 2 },
      'viewCount,desc',
      () => expected(`${HAS(2)} and member_id = 2`, 'views'),
    ],
    [
      'some days',
      { from: '2026-01-03T00:00:00Z', to: '2026-01-05T00:00:00Z', categoryId: 1 },
      'likeCount,desc',
      () => expected(`created_at >= '2026-01-03Z' and created_at < '2026-01-05Z' and category_id = 1`, 'likes'),
    ],
    [
      'a tag in a period',
      { tag: 'few', period: 'week' },
      'likeCount,desc',
      () => expected(HAS(2), 'likes', { counts: PERIOD }),
    ],
    [
      'a tag of most articles',
      { tag: 'most' },
      'likeCount,desc',
      () => expected(HAS(1), 'likes', { limit: maxSorted }),
    ],
    [
      'most days in a period',
      { from: '2026-01-02T00:00:00Z', period: 'week' },
      'likeCount,desc',
      () => expected(`created_at >= '2026-01-02Z'`, 'likes', { counts: PERIOD, limit: maxSorted }),
    ],
    [
      'all articles of an owner',
      { ownerId: 2 },
      'likeCount,desc',
      () => expected('member_id = 2', 'likes', { articles: 'all_articles' }),
    ],
    [
      'those of a category of an owner in a period',
      { ownerId: 1, categoryId: 1, period: 'week' },
      'viewCount,desc',
      () =>
        expected('member_id = 1', 'r.views', {
          counts: 'article_trends r on days = 7 and views > 0',
          articles: 'all_articles',
        }),
    ],
    [
      'the private articles of an owner',
      { ownerId: 1, isPrivate: true },
      'likeCount,desc',
      () => expected('member_id = 1 and is_private', 'likes', { articles: 'all_articles' }),
    ],
    [
      'most articles of a member with few articles',
      { tag: 'most', memberId: 3 },
      'likeCount,desc',
      () => expected(`${HAS(1)} and member_id = 3`, 'likes'),
    ],
    [
      'most articles of an owner with few articles',
      { tag: 'most', ownerId: 3 },
      'viewCount,desc',
      () => expected(`${HAS(1)} and member_id = 3`, 'views', { articles: 'all_articles' }),
    ],
    [
      'a tag of a few articles of an owner in a period',
      { tag: 'few', ownerId: 2, period: 'week' },
      'likeCount,desc',
      () => expected(`${HAS(2)} and member_id = 2`, 'likes', { counts: PERIOD, articles: 'all_articles' }),
    ],
    [
      'a tag of most articles of an owner',
      { tag: 'most', ownerId: 2 },
      'likeCount,desc',
      () => expected(HAS(1), 'likes', { among: 'a.member_id = 2', limit: maxSorted, articles: 'all_articles' }),
    ],
    [
      'the private articles of some days of an owner',
      { from: '2026-01-02T00:00:00Z', ownerId: 1, isPrivate: true },
      'viewCount,desc',
      () =>
        expected(`created_at >= '2026-01-02Z' and is_private and member_id = 1`, 'views', { articles: 'all_articles' }),
    ],
    [
      'most days of an owner',
      { from: '2026-01-01T03:00:00Z', ownerId: 2, categoryId: 2 },
      'likeCount,desc',
      () => expected(`created_at >= '2026-01-01 03:00Z' and member_id = 2`, 'likes', { articles: 'all_articles' }),
    ],
  ];
  for (const [name, scope, order, list] of cases) {
    it(`have the same articles and totals on pages and with cursors, for ${name}`, async () => {
      const ids = await list();
      expect(ids).to.not.have.lengthOf(0);
      const page = (offset: number) =>
        findArticlePage(app.database, { scope, order, slice: { limit: 7, offset }, includes, maxSorted });
      for (const offset of [0, 7, ids.length - 3, ids.length + 5]) {
        const { contents, total } = await page(Math.max(offset, 0));
        expect(contents.map(({ id }) => id)).to.deep.equal(ids.slice(Math.max(offset, 0), Math.max(offset, 0) + 7));
        expect(total).to.equal(ids.length);
      }
      const { positions } = await page(0);
      const after = { limit: 5, after: positions[2] };
      const next = await findArticles(app.database, { scope, order, slice: after, includes, maxSorted });
      expect(next.contents.map(({ id }) => id)).to.deep.equal(ids.slice(3, 8));
      expect(next.total).to.equal(ids.length);
      const before = { limit: 2, before: positions[2], isBackward: true };
      const previous = await findArticles(app.database, { scope, order, slice: before, includes, maxSorted });
      expect(previous.contents.map(({ id }) => id).sort()).to.deep.equal(ids.slice(0, 2).sort());
    });
  }

  it('have no articles of a category of another member', async () => {
    const slice = { limit: 7, offset: 0 };
    for (const scope of [{ ownerId: 1 }, { ownerId: 1, tag: 'most' }, { memberId: 1, period: 'week' as const }]) {
      const request = {
        scope: { ...scope, categoryId: 2 },
        order: 'likeCount,desc',
        slice,
        includes,
        maxSorted,
      } as const;
      const { contents, total } = await findArticlePage(app.database, request);
      expect({ contents, total }).to.deep.equal({ contents: [], total: 0 });
    }
  });

  it('read a bounded number of rows, by the indexes of the filter and of the order', async () => {
    const request = {
      scope: { tag: 'most' },
      order: 'likeCount,desc',
      slice: { limit: 7, offset: 0 },
      includes,
      maxSorted,
    } as const;
    const texts = await statementsDuring(() => findArticlePage(app.database, request));
    expect(texts).to.have.lengthOf(2);
    expect(await planOf(app.database, texts[0] ?? '', ['most', 7, 0])).to.match(/(?:using|on) article_tags_\w+/);
    expect(await planOf(app.database, texts[1] ?? '', ['most', 7, 0]))
      .to.match(/using article_counts_likes\b/)
      .and.match(/(?:using|on) article_tags_\w+/);
  });
});
