/** The floor (lower bound): node:http, pg and one prepared statement that builds the JSON, without other layers. */
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { findPage, jsonArray, pool, serve } from './floor-server.js';

/** The columns of one comment with the names, formats and order of REST. */
const columns = (c: string) => `
  ${c}.id, case when ${c}.deleted_at is null then ${c}.content else '(deleted)' end as content,
  case when ${c}.deleted_at is not null then '(deleted)'
       else coalesce((select m.nickname from members m where m.id = ${c}.member_id), '(withdrawn)') end as author,
  coalesce(${c}.member_id, 0) as "memberId",
  date_trunc('second', ${c}.created_at at time zone 'UTC') as "createdAt",
  date_trunc('second', ${c}.updated_at at time zone 'UTC') as "updatedAt"`;

const replies = `
  select ${columns('r')} from (
    select * from comments r where r.parent_id = c.id order by r.created_at, r.id limit 100
  ) r`;

/** Finds the last comment of the page with an index-only scan, as the service does. Values: article, size, offset. */
const page = `
  select ${columns('c')}, case when c.reply_count > 0 then ${jsonArray(replies)}::json else '[]' end as replies from (
    select c.* from comments c
    where c.article_id = a.id and c.parent_id is null and (c.created_at, c.id) <= (
      select k.created_at, k.id from comments k where k.article_id = a.id and k.parent_id is null
      order by k.created_at desc, k.id desc limit 1 offset $3
    )
    order by c.created_at desc, c.id desc limit $2
  ) c`;

const STATEMENT = `select a.top_level_count as total, ${jsonArray(page)} as contents from articles a where a.id = $1`;

/** Without authentication, validation and notification. The triggers of the database update counters and stamps. */
const INSERT = 'insert into comments (article_id, member_id, content) values ($1, 1, $2) returning id';

const ROUTE = /^\/api\/articles\/(\d+)\/comments(?:\?page=(\d+)&size=(\d+))?$/;

serve(async (url, request) => {
  const [, id, page, size] = ROUTE.exec(url)?.map(Number) ?? [];
  if (id && request.method === 'POST') return createComment(id, request);
  if (!id || !page || !size) return undefined;
  return findPage({ name: 'page', text: STATEMENT, values: [id, size, (page - 1) * size] }, page, size);
});

async function createComment(articleId: number, request: IncomingMessage): Promise<string> {
  const { content } = (await json(request)) as { content: string };
  const { rows } = await pool.query<{ id: string }>({ name: 'insert', text: INSERT, values: [articleId, content] });
  return `{"id":${rows[0]?.id}}`;
}
