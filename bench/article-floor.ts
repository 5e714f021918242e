/** The floor (lower bound) for articles: node:http, pg and one prepared statement per kind of response. */
import type { IncomingMessage } from 'node:http';
import type pg from 'pg';
import { relatedIds } from '../src/models/article/related.js';
import { searchedOf, searchSql } from '../src/models/article/search-sql.js';
import { commentPage } from './floor-comments.js';
import { findPage, jsonArray, pool, serve } from './floor-server.js';

/** The columns of one article with the names, formats and order of REST. No article or member of the benchmark has an image. */
const COLUMNS = `
  a.id, a.title, a.slug, a.description, a.canonical_url as "canonicalUrl", a.language, coalesce(a.excerpt, left(a.content, 200)) as excerpt, m.nickname as author,
  m.profile_image as "authorImg", a.member_id as "memberId", k.name as category, a.category_id as "categoryId", a.image as "articleImg", a.image_alt as "articleImgAlt",
  a.image_width as "articleImgWidth", a.image_height as "articleImgHeight",
  '[]'::json as "articleImgSizes",
  array(select t.name from article_tags x join tags t on t.id = x.tag_id
        where x.article_id = a.id order by x.position) as tags,
  case when a.is_private then 'PRIVATE' else 'PUBLIC' end as visibility,
  a.comment_count as "commentCount", coalesce(r.likes, 0) as "likeCount", coalesce(r.views, 0) as "viewCount", a.series_id as "seriesId", a.word_count as "wordCount", a.reading_minutes as "readingMinutes", date_trunc('second', a.created_at at time zone 'UTC') as "publishedAt",
  date_trunc('second', a.created_at at time zone 'UTC') as "createdAt",
  date_trunc('second', a.updated_at at time zone 'UTC') as "updatedAt"`;

const TABLES = `articles a join members m on m.id = a.member_id join categories k on k.id = a.category_id
  left join article_counts r on r.article_id = a.id`;

const array = (ids: string, order: string, columns = COLUMNS) =>
  jsonArray(`select ${columns} from ${TABLES} where a.id = any(${ids}) order by ${order}`);

/** Uses an index-only scan, as the service does. Values: size, offset. */
const NEWEST = 'array(select n.id from articles n order by n.created_at desc, n.id desc limit $1 offset $2)';

const PAGE = `select (select sum(t.articles) from article_totals t)::integer as total,
  ${array(NEWEST, 'a.created_at desc, a.id desc')} as contents`;

/** What a member has done with the article. @param member SQL for the id; null for a reader without a token */
const viewer = (member: string) => `case when ${member}::bigint is not null then (select row_to_json(v) from (select
  exists (select from reactions where article_id = a.id and kind = 'LIKE' and member_id = ${member}) as liked,
  exists (select from bookmarks where article_id = a.id and member_id = ${member}) as bookmarked,
  exists (select from follows where member_id = a.member_id and follower_id = ${member}) as "followsAuthor") v) end as viewer`;

/** Values: size, offset, member. */
const PAGE_WITH_VIEWER = `select (select sum(t.articles) from article_totals t)::integer as total,
  ${array(NEWEST, 'a.created_at desc, a.id desc', `${COLUMNS}, ${viewer('$3')}`)} as contents`;

/** By likes of all time, and of a week. */
const popular = (total: string, ids: string, key: string, tables = TABLES) =>
  `select (${total})::integer as total, ${jsonArray(`select ${COLUMNS} from ${tables} where a.id = any(array(${ids})) order by ${key} desc, a.id desc`)} as contents`;
const LIKES = popular(
  'select sum(t.articles) from article_totals t',
  'select n.article_id from article_counts n where not n.is_private order by n.likes desc, n.article_id desc limit $1 offset $2',
  'r.likes',
);
const WEEK = popular(
  'select sum(t.liked) from trend_totals t where t.days = 7',
  `select n.article_id from article_trends n where n.days = 7 and n.likes > 0 and not n.is_private
   order by n.likes desc, n.article_id desc limit $1 offset $2`,
  'd.likes',
  `${TABLES} join article_trends d on d.article_id = a.id and d.days = 7`,
);

/** The search statement of the service. Values: keyword, size, offset. */
const SEARCH = `select f.total::integer as total, ${array('f.ids', 'array_position(f.ids, a.id)')} as contents
  from (${searchSql(searchedOf(null, undefined), '', 0)}) f`;

const neighbor = (comparison: string, direction: string) => `(
  select row_to_json(l) from (
    select b.id, b.slug, b.title from articles b where b.member_id = a.member_id and (b.created_at, b.id) ${comparison} (a.created_at, a.id)
    order by b.created_at ${direction}, b.id ${direction} limit 1
  ) l)`;

/** The parts of the page of an article, in one statement with it. The query for related articles is that of the service. Values: article, member. */
const PARTS = `, (select h.html from article_html h where h.article_id = a.id) as "contentHtml",
  (select row_to_json(p) from (select ${commentPage('10', '0')}::json as contents, (select row_to_json(n) from (
    select 1 as "currentPage", 10 as "pageSize", a.top_level_count as "totalElements", pages as "totalPages", pages <= 1 as last, true as first
    from ceil(a.top_level_count / 10.0) pages
  ) n) as pagination) p) as comments,
  (select row_to_json(n) from (select ${neighbor('<', 'desc')} as previous, ${neighbor('>', 'asc')} as next) n) as neighbors,
  (select ${array('f.ids', 'array_position(f.ids, a.id)')}::json from (select array(${relatedIds('5')}) as ids offset 0) f) as related,
  (select row_to_json(s) from (
    select s.id, s.title, s.description, s.member_id as "memberId", (select count(*) from articles n where n.series_id = s.id) as "articleCount",
      date_trunc('second', s.updated_at at time zone 'UTC') as "updatedAt"
    from series s where s.id = a.series_id
  ) s) as series,
  ${viewer('$2')}`;

const HAS_SLUG = 'a.id = (select article_id from article_slugs where slug = $1)';

const detail = (condition: string, parts = '') => `select row_to_json(x)::text as detail from (
  select ${COLUMNS}, a.content, a.ai_summary as "aiSummary", a.revision, a.removed_at as "removedAt", '[]'::json as translations ${parts} from ${TABLES} where ${condition}) x`;

serve((url, { headers }) => {
  const { pathname, searchParams } = new URL(url, 'http://floor');
  const [, id, slug] = /^\/api\/articles\/(?:(\d+)|by-slug\/(.+))$/.exec(pathname) ?? [];
  if (slug !== undefined) return findArticle({ name: 'slug', text: detail(HAS_SLUG), values: [slug] });
  if (id === undefined) return findList(searchParams, headers);
  return searchParams.has('include')
    ? findArticle({
        name: 'page of an article',
        text: detail('a.id = $1', PARTS),
        values: [Number(id), memberOf(headers)],
      })
    : findArticle({ name: 'detail', text: detail('a.id = $1'), values: [Number(id)] });
});

/** The member of all tokens of the benchmark, without a check of the token. */
function memberOf({ authorization }: IncomingMessage['headers']): number | null {
  return authorization === undefined ? null : 1;
}

async function findArticle(query: pg.QueryConfig): Promise<string | undefined> {
  const { rows } = await pool.query<{ detail: string }>(query);
  return rows[0]?.detail;
}

function findList(query: URLSearchParams, headers: IncomingMessage['headers']): Promise<string | undefined> {
  const [page, size, keyword] = [Number(query.get('page')), Number(query.get('size')), query.get('keyword')];
  const slice = [size, (page - 1) * size];
  if (query.has('period')) return findPage({ name: 'week', text: WEEK, values: slice }, page, size);
  if (query.has('include'))
    return findPage({ name: 'viewer', text: PAGE_WITH_VIEWER, values: [...slice, memberOf(headers)] }, page, size);
  if (query.has('sort')) return findPage({ name: 'likes', text: LIKES, values: slice }, page, size);
  if (keyword === null) return findPage({ name: 'page', text: PAGE, values: slice }, page, size);
  return findPage({ name: 'search', text: SEARCH, values: [keyword, ...slice] }, page, size);
}
