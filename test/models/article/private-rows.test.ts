/** Private rows: counters and copies after changes of the visibility, and plans with nine private rows of ten. */
import { expect } from 'chai';
import { type ArticleScope, findArticlePage } from '../../../src/models/article/list.js';
import type { ArticleOrder } from '../../../src/models/article/order.js';
import { refreshTrends } from '../../../src/models/article/trend.js';
import { statements } from '../../../src/platform/database/observed-client.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, buildArticle, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { execute, inBulk, truncateAll } from '../../support/database.js';
import { blocksOf, planOf } from '../../support/statements.js';

const app = useApp();

/** Each row that differs from the count of what it counts, or copies. */
const DIFFERENCES = [
  `select 'member', m.id from members m join member_counts c on c.member_id = m.id
   where (c.articles, c.private_articles) <> (select count(*) filter (where not is_private), count(*) filter (where is_private)
     from all_articles where member_id = m.id)`,
  `select 'tag', t.id from tags t where (t.article_count, t.private_count) <>
     (select count(*) filter (where not is_private), count(*) filter (where is_private) from all_article_tags where tag_id = t.id)`,
  `select 'unused tag', id from tags where article_count = 0 and private_count = 0`,
  `select 'tag of a member', member_id from (
     select a.member_id, x.tag_id, count(*) filter (where not a.is_private) as article_count,
       count(*) filter (where a.is_private) as private_count
     from all_article_tags x join all_articles a on a.id = x.article_id group by 1, 2
   ) n full join member_tags m using (member_id, tag_id)
   where (n.article_count, n.private_count) is distinct from (m.article_count, m.private_count)`,
  `select 'articles', 0 where (select coalesce(sum(articles), 0) from article_totals) <> (select count(*) from articles)`,
  `select 'tags', 0 where (select coalesce(sum(tags), 0) from tag_totals) <> (select count(*) from tags where article_count > 0)`,
  `select 'copy', a.id from all_article_tags x join all_articles a on a.id = x.article_id where x.is_private <> a.is_private`,
  `select 'search', coalesce(s.article_id, a.id) from (
     select article_id, tags, title, member_id, false as is_private from article_search
     union all select article_id, tags, title, member_id, true from private_article_search
   ) s full join all_articles a on a.id = s.article_id
   where (s.is_private, s.tags, s.title, s.member_id) is distinct from
     (a.is_private, search_tags(a.id), search_fold(a.title), a.member_id)`,
  `select 'counts', a.id from all_articles a left join article_counts c on c.article_id = a.id
   where (c.is_private, c.member_id, c.category_id, c.month) is distinct from (a.is_private, a.member_id, a.category_id, month_of(a.created_at))`,
  `select 'month of a member', member_id from (
     select member_id, month_of(created_at) as month, count(*) as articles from articles group by 1, 2
   ) n full join member_months m using (member_id, month) where coalesce(n.articles, 0) <> coalesce(m.articles, 0)`,
  `select 'month', 0 from (select month_of(created_at) as month, count(*) as articles from articles group by 1) n
   full join (select month, sum(articles) as articles from journal_months group by 1) m using (month)
   where coalesce(n.articles, 0) <> coalesce(m.articles, 0)`,
  `select 'period', t.article_id from article_trends t join all_articles a on a.id = t.article_id
   where (t.is_private, t.member_id, t.category_id) <> (a.is_private, a.member_id, a.category_id)`,
  `select 'total of a period', 0 from (select days, count(*) filter (where likes > 0) as liked, count(*) filter (where views > 0) as viewed
     from article_trends where not is_private group by 1) n
   full join (select days, sum(liked) as liked, sum(viewed) as viewed from trend_totals group by 1) t using (days)
   where (coalesce(n.liked, 0), coalesce(n.viewed, 0)) <> (coalesce(t.liked, 0), coalesce(t.viewed, 0))`,
];

describe('Counters, copies and the search index', () => {
  it('are exact after parallel changes of visibility, tags, author and existence, without deadlocks', async () => {
    const members = [await buildMember(app.url), await buildMember(app.url), await buildMember(app.url)];
    const names = ['a', 'b', 'c', 'd'];
    const rank = () => refreshTrends(app.database, { until: '2099-01-01Z' });
    for (let round = 0; round < 3; round++) {
      const articles = await Promise.all(
        Array.from({ length: 9 }, (_, index) => {
          const visibility = (index + round) % 2 === 0 ? 'PUBLIC' : 'PRIVATE';
          return buildArticle(app.url, { visibility, tags: names.slice(index % 4) }, members[index % 3]);
        }),
      );
      const changes = ({ id, author: { token } }: BuiltArticle, index: number) => {
        const path = `/api/articles/${id}`;
        const set = (visibility: string) => call(app.url, `PUT ${path}/visibility`, { token, json: { visibility } });
        const tags = index % 2 === 0 ? names.toReversed() : ['b', `own ${index}`];
        const visibility = index % 3 === 0 ? 'PUBLIC' : 'PRIVATE';
        const json = { title: `Round ${round}`, content: 'Content', tags, ...(index % 4 !== 0 && { visibility }) };
        return [
          set('PRIVATE'),
          call(app.url, `PUT ${path}`, { token, json }),
          set('PUBLIC'),
          ...(index % 3 === round % 3 ? [call(app.url, `DELETE ${path}`, { token })] : []),
        ];
      };
      const give = ({ id }: BuiltArticle, index: number) => {
        const to = members[index % 3]?.id;
        return app.database.sequelize.query(`update all_articles set member_id = ${to}, is_private = not is_private,
          category_id = (select id from categories where member_id = ${to} and is_default) where id = ${id}`);
      };
      await app.database.sequelize.query(`insert into reactions (article_id, kind, member_id, created_at)
        select a.id, 'LIKE', m.id, '2098-12-20Z' from all_articles a cross join members m on conflict do nothing`);
      const [responses] = await Promise.all([Promise.all(articles.flatMap(changes)), rank(), rank()]);
      expect(responses.filter(({ status }) => ![200, 404].includes(status))).to.deep.equal([]);
      // First from their authors, and then as private ones.
      for (const step of [1, 2])
        await Promise.all(articles.map((article, index) => index % 4 === 1 && give(article, index + step)));
      for (const text of DIFFERENCES) expect((await app.database.sequelize.query(text))[0], text).to.deep.equal([]);
    }
  });
});

describe('Lists of a journal whose articles are mostly private', () => {
  const MEMBERS = 20;
  before(async () => {
    await truncateAll(app.database);
    // On a connection without a statement timeout.
    const insertions = [
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm' || n, 'm' || n from generate_series(1, ${MEMBERS}) n`,
      `insert into categories (member_id, name, is_default) select id, 'General', true from members order by id`,
      inBulk(`insert into all_articles (member_id, category_id, title, content, is_private, created_at)
       select c.member_id, c.id, 'Title ' || n, 'Content', n % 10 > 0, now() - n * interval '1 minute'
       from generate_series(1, 6000) n join categories c on c.is_default and c.member_id = n / 10 % ${MEMBERS} + 1`),
      `insert into tags (name) values ('sea'), ('land')`,
      `insert into all_article_tags (article_id, position, tag_id) select a.id, 0, t.id from all_articles a join tags t on t.id = a.id % 2 + 1`,
      `insert into article_trends (article_id, days, likes, views, is_private, member_id, category_id)
       select id, d, 1 + id % 5, 1 + id % 7, is_private, member_id, category_id from all_articles, unnest('{1, 7, 30}'::integer[]) d`,
      'vacuum analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(() => truncateAll(app.database));

  /** A pattern: the index of public rows and that of private ones, in this order. */
  const both = (table: string, columns: string) => `${table}_${columns}\\b[^]*using ${table}_private_${columns}`;
  const cases: [name: string, scope: ArticleScope, order: ArticleOrder, index: string][] = [
    ['all, by time', {}, 'createdAt,desc', 'articles_public_created'],
    ['all, by last edit', {}, 'updatedAt,desc', 'articles_public_updated'],
    ['all, by title', {}, 'title,asc', 'articles_public_title'],
    ['all, by comments', {}, 'commentCount,desc', 'articles_public_comments'],
    ['all, by likes', {}, 'likeCount,desc', 'article_counts_likes'],
    ['all, by views', {}, 'viewCount,desc', 'article_counts_views'],
    ['all, by likes of a week', { period: 'week' }, 'likeCount,desc', 'article_trends_likes'],
    ['all, by views of a day', { period: 'day' }, 'viewCount,desc', 'article_trends_views'],
    ['of a member, by likes', { memberId: 7 }, 'likeCount,desc', 'article_counts_member_likes'],
    ['of a member, by views', { memberId: 7 }, 'viewCount,desc', 'article_counts_member_views'],
    ['of a category, by likes', { categoryId: 7 }, 'likeCount,desc', 'article_counts_category_likes'],
    ['of a category, by views', { categoryId: 7 }, 'viewCount,desc', 'article_counts_category_views'],
    [
      'of a member, by likes of a week',
      { memberId: 7, period: 'week' },
      'likeCount,desc',
      'article_trends_member_likes',
    ],
    ['of a member, by views of a day', { memberId: 7, period: 'day' }, 'viewCount,desc', 'article_trends_member_views'],
    [
      'of a category, by likes of a month',
      { categoryId: 7, period: 'month' },
      'likeCount,desc',
      'article_trends_category_likes',
    ],
    [
      'of a category, by views of a week',
      { categoryId: 7, period: 'week' },
      'viewCount,desc',
      'article_trends_category_views',
    ],
    // Those of an owner are merged.
    ['of the owner, by likes', { ownerId: 7 }, 'likeCount,desc', both('article_counts', 'member_likes')],
    ['of the owner, by views', { ownerId: 7 }, 'viewCount,desc', both('article_counts', 'member_views')],
    [
      'of the owner, private, by likes',
      { ownerId: 7, isPrivate: true },
      'likeCount,desc',
      'article_counts_private_member_likes',
    ],
    [
      'of the owner, public, by views',
      { ownerId: 7, isPrivate: false },
      'viewCount,desc',
      'article_counts_member_views',
    ],
    [
      'of a category of the owner, by likes',
      { ownerId: 7, categoryId: 7 },
      'likeCount,desc',
      both('article_counts', 'category_likes'),
    ],
    [
      'of a category of the owner, by views',
      { ownerId: 7, categoryId: 7 },
      'viewCount,desc',
      both('article_counts', 'category_views'),
    ],
    [
      'of the owner, by likes of a week',
      { ownerId: 7, period: 'week' },
      'likeCount,desc',
      both('article_trends', 'member_likes'),
    ],
    [
      'of the owner, by views of a day',
      { ownerId: 7, period: 'day' },
      'viewCount,desc',
      both('article_trends', 'member_views'),
    ],
    [
      'of a category of the owner, by likes of a month',
      { ownerId: 7, categoryId: 7, period: 'month' },
      'likeCount,desc',
      both('article_trends', 'category_likes'),
    ],
    [
      'of a category of the owner, private, by views of a week',
      { ownerId: 7, isPrivate: true, categoryId: 7, period: 'week' },
      'viewCount,desc',
      'article_trends_private_category_views',
    ],
    ['of a member', { memberId: 7 }, 'createdAt,desc', 'articles_public_member'],
    ['of a category', { categoryId: 7 }, 'createdAt,desc', 'articles_public_category'],
    ['with a tag', { tag: 'sea' }, 'createdAt,desc', 'article_tags_public_created'],
    ['of the owner', { ownerId: 7 }, 'createdAt,desc', 'articles_member'],
    ['of the owner, private', { ownerId: 7, isPrivate: true }, 'createdAt,desc', 'articles_private_member'],
    ['of the owner, public', { ownerId: 7, isPrivate: false }, 'createdAt,desc', 'articles_public_member'],
    ['of a category of the owner', { ownerId: 7, categoryId: 7 }, 'createdAt,desc', 'articles_(category|member)'],
  ];
  for (const [name, scope, order, index] of cases) {
    it(`read few blocks, with the index for the list: ${name}`, async () => {
      const sent: { text: string; values?: readonly unknown[] }[] = [];
      const listen = (message: unknown) => void sent.push(message as { text: string });
      const request = { scope, order, slice: { limit: 10, offset: 0 }, includes: { content: false, tags: false } };
      statements.subscribe(listen);
      const page = await findArticlePage(app.database, request).finally(() => statements.unsubscribe(listen));
      expect(page.contents).to.have.lengthOf(10);
      const [{ text = '' } = {}] = sent;
      const found = Object.values(scope).filter((value) => typeof value === 'number' || value === 'sea');
      const { isPrivate: _, ...filters } = scope;
      const counted = scope.tag === undefined && Object.keys(filters).length > 1;
      const values = [...found, 10, 0, ...found];
      const plan = await planOf(app.database, text, values);
      expect(plan).to.match(new RegExp(`using ${index}\\b`));
      if (!counted) expect(await blocksOf(app.database, { text }, values)).to.be.below(200);
    });
  }
});
