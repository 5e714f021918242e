/** The floor (lower bound) for articles: node:http, pg and one prepared statement per kind of response. */
import { createServer } from 'node:http';
import pg from 'pg';
import { searchSql } from '../src/models/article/search-sql.js';
import { paginate, send } from './floor-answer.js';

/** The columns of one article with the names, formats and order of REST. */
const COLUMNS = `
  a.id, a.title, coalesce(a.excerpt, left(a.content, 200)) as excerpt, m.nickname as author, a.member_id as "memberId",
  k.name as category, a.category_id as "categoryId", a.image as "articleImg",
  array(select t.name from article_tags x join tags t on t.id = x.tag_id
        where x.article_id = a.id order by x.position) as tags,
  a.comment_count as "commentCount", date_trunc('second', a.created_at at time zone 'UTC') as "createdAt",
  date_trunc('second', a.updated_at at time zone 'UTC') as "updatedAt"`;

const TABLES = 'articles a join members m on m.id = a.member_id join categories k on k.id = a.category_id';

// Not json_agg, which inserts a space and a line break between elements.
const array = (ids: string, order: string) => `(
  select '[' || coalesce(string_agg(row_to_json(x)::text, ','), '') || ']'
  from (select ${COLUMNS} from ${TABLES} where a.id = any(${ids}) order by ${order}) x)`;

/** Uses an index-only scan, as the service does. Values: size, offset. */
const NEWEST = 'array(select n.id from articles n order by n.created_at desc, n.id desc limit $1 offset $2)';

const PAGE = `select (select sum(t.articles) from article_totals t)::integer as total,
  ${array(NEWEST, 'a.created_at desc, a.id desc')} as contents`;

/** The search statement of the service. Values: keyword, size, offset. */
const SEARCH = `select f.total::integer as total, ${array('f.ids', 'array_position(f.ids, a.id)')} as contents
  from (${searchSql('')}) f`;

const DETAIL = `select row_to_json(x)::text as detail from (
  select ${COLUMNS}, a.content, a.ai_summary as "aiSummary", a.version from ${TABLES} where a.id = $1) x`;

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE),
  options: '-c plan_cache_mode=force_generic_plan -c jit=off',
});

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://floor');
  if (pathname === '/readyz') return send(response, 200, '{}');
  const [, id] = /^\/api\/articles\/(\d+)$/.exec(pathname) ?? [];
  const answered = id === undefined ? page(searchParams) : detail(Number(id));
  answered.then(
    (data) => send(response, data ? 200 : 404, `{"code":"1","message":"OK","data":${data}}`),
    (error: Error) => send(response, 500, JSON.stringify({ message: error.message })),
  );
}).listen(Number(process.env.PORT), '127.0.0.1');

async function detail(id: number): Promise<string | undefined> {
  const { rows } = await pool.query<{ detail: string }>({ name: 'detail', text: DETAIL, values: [id] });
  return rows[0]?.detail;
}

async function page(wanted: URLSearchParams): Promise<string | undefined> {
  const [number, size, keyword] = [Number(wanted.get('page')), Number(wanted.get('size')), wanted.get('keyword')];
  const slice = [size, (number - 1) * size];
  const query =
    keyword === null
      ? { name: 'page', text: PAGE, values: slice }
      : { name: 'search', text: SEARCH, values: [keyword, ...slice] };
  const { rows } = await pool.query<{ total: number; contents: string }>(query);
  const [found] = rows;
  return found && `{"contents":${found.contents},"pagination":${JSON.stringify(paginate(number, size, found.total))}}`;
}
