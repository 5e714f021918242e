/** The SQL of the floors for pages of comments. */
import { jsonArray } from './floor-server.js';

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

/** JSON of a page of the article `a`. Finds its last comment with an index-only scan, as the service does. */
export const commentPage = (size: string, offset: string) =>
  jsonArray(`
  select ${columns('c')}, case when c.reply_count > 0 then ${jsonArray(replies)}::json else '[]' end as replies from (
    select c.* from comments c
    where c.article_id = a.id and c.parent_id is null and (c.created_at, c.id) <= (
      select k.created_at, k.id from comments k where k.article_id = a.id and k.parent_id is null
      order by k.created_at desc, k.id desc limit 1 offset ${offset}
    )
    order by c.created_at desc, c.id desc limit ${size}
  ) c`);
