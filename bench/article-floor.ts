/** The floor (lower bound) for articles: node:http, pg and one prepared statement per kind of response. */
import type pg from 'pg';
import { searchedOf, searchSql } from '../src/models/article/search-sql.js';
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

const array = (ids: string, order: string) =>
  jsonArray(`select ${COLUMNS} from ${TABLES} where a.id = any(${ids}) order by ${order}`);

/** Uses an index-only scan, as the service does. Values: size, offset. */
const NEWEST = 'array(select n.id from articles n order by n.created_at desc, n.id desc limit $1 offset $2)';

const PAGE = `select (select sum(t.articles) from article_totals t)::integer as total,
  ${array(NEWEST, 'a.created_at desc, a.id desc')} as contents`;

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

const detail = (condition: string) => `select row_to_json(x)::text as detail from (
  select ${COLUMNS}, a.content, a.ai_summary as "aiSummary", a.revision, a.removed_at as "removedAt", '[]'::json as translations from ${TABLES} where ${condition}) x`;

serve((url) => {
  const { pathname, searchParams } = new URL(url, 'http://floor');
  const [, id, slug] = /^\/api\/articles\/(?:(\d+)|by-slug\/(.+))$/.exec(pathname) ?? [];
  if (slug !== undefined) return findArticle({ name: 'slug', text: detail('a.slug = $1'), values: [slug] });
  return id === undefined
    ? findList(searchParams)
    : findArticle({ name: 'detail', text: detail('a.id = $1'), values: [Number(id)] });
});

async function findArticle(query: pg.QueryConfig): Promise<string | undefined> {
  const { rows } = await pool.query<{ detail: string }>(query);
  return rows[0]?.detail;
}

function findList(query: URLSearchParams): Promise<string | undefined> {
  const [page, size, keyword] = [Number(query.get('page')), Number(query.get('size')), query.get('keyword')];
  const slice = [size, (page - 1) * size];
  if (query.has('period')) return findPage({ name: 'week', text: WEEK, values: slice }, page, size);
  if (query.has('sort')) return findPage({ name: 'likes', text: LIKES, values: slice }, page, size);
  if (keyword === null) return findPage({ name: 'page', text: PAGE, values: slice }, page, size);
  return findPage({ name: 'search', text: SEARCH, values: [keyword, ...slice] }, page, size);
}
