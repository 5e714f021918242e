/** The floor (lower bound): node:http, pg and one prepared statement that builds the JSON, without other layers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { paginate, send } from './floor-answer.js';

/** The columns of one comment with the names, formats and order of REST. */
const columns = (c: string) => `
  ${c}.id, case when ${c}.deleted_at is null then ${c}.content else '(deleted)' end as content,
  case when ${c}.deleted_at is not null then '(deleted)'
       else coalesce((select m.nickname from members m where m.id = ${c}.member_id), '(withdrawn)') end as author,
  coalesce(${c}.member_id, 0) as "memberId",
  date_trunc('second', ${c}.created_at at time zone 'UTC') as "createdAt",
  date_trunc('second', ${c}.updated_at at time zone 'UTC') as "updatedAt"`;

// Not json_agg, which inserts a space and a line break between elements.
const array = (rows: string) =>
  `(select '[' || coalesce(string_agg(row_to_json(x)::text, ','), '') || ']' from (${rows}) x)`;

const replies = `
  select ${columns('r')} from (
    select * from comments r where r.parent_id = c.id order by r.created_at, r.id limit 100
  ) r`;

/** Finds the last comment of the page with an index-only scan, as the service does. Values: article, size, offset. */
const page = `
  select ${columns('c')}, case when c.reply_count > 0 then ${array(replies)}::json else '[]' end as replies from (
    select c.* from comments c
    where c.article_id = a.id and c.parent_id is null and (c.created_at, c.id) <= (
      select k.created_at, k.id from comments k where k.article_id = a.id and k.parent_id is null
      order by k.created_at desc, k.id desc limit 1 offset $3
    )
    order by c.created_at desc, c.id desc limit $2
  ) c`;

const STATEMENT = `select a.top_level_count as total, ${array(page)} as contents from articles a where a.id = $1`;

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE),
  options: '-c plan_cache_mode=force_generic_plan -c jit=off',
});

const ROUTE = /^\/api\/articles\/(\d+)\/comments(?:\?page=(\d+)&size=(\d+))?$/;

createServer((request, response) => {
  if (request.url === '/readyz') return send(response, 200, '{}');
  const [, id, number, size] = ROUTE.exec(request.url ?? '') ?? [];
  if (id === undefined) return send(response, 404, '{}');
  const responded =
    request.method === 'POST'
      ? write(request, response, Number(id))
      : respond(response, Number(id), Number(number), Number(size));
  responded.catch((error: Error) => send(response, 500, JSON.stringify({ message: error.message })));
}).listen(Number(process.env.PORT), '127.0.0.1');

async function respond(response: ServerResponse, articleId: number, number: number, size: number): Promise<void> {
  const values = [articleId, size, (number - 1) * size];
  const { rows } = await pool.query<{ total: number; contents: string }>({ name: 'page', text: STATEMENT, values });
  const [found] = rows;
  if (!found) return send(response, 404, '{}');
  const pagination = JSON.stringify(paginate(number, size, found.total));
  const data = `{"contents":${found.contents},"pagination":${pagination}}`;
  send(response, 200, `{"code":"1","message":"OK","data":${data}}`);
}

/** Without authentication, validation and notification. The triggers of the database update counters and stamps. */
const INSERT = 'insert into comments (article_id, member_id, content) values ($1, 1, $2) returning id';

async function write(request: IncomingMessage, response: ServerResponse, articleId: number): Promise<void> {
  const { content } = (await json(request)) as { content: string };
  const { rows } = await pool.query<{ id: string }>({ name: 'insert', text: INSERT, values: [articleId, content] });
  send(response, 201, `{"code":"1","message":"OK","data":{"id":${rows[0]?.id}}}`);
}
