/** Articles that are listed, read and searched: those of the search benchmark, with the excerpts and totals of the service; some with comments and series. */
import type pg from 'pg';
import { approximateExcerpt } from '../src/models/article/text.js';
import { withClient } from './database.js';
import { prepareSearchData } from './search-data.js';

const BATCH = 1000;

/** The first articles have comments, and a series. */
export const ARTICLES_WITH_PAGES = 1000;

/**
 * @param serverUrl superuser URL of a server used only by the benchmark
 * @returns URL of the database, which is shared with the search benchmark. Ids start at 1 and have no gaps.
 */
export async function prepareArticles(serverUrl: string, articles: number) {
  const url = await prepareSearchData(serverUrl, articles);
  await withClient(url, async (client) => {
    await client.query('set session_replication_role = replica');
    const isChanged = await storeExcerpts(client);
    const isAdded = await addPages(client);
    await client.query(TOTALS);
    await client.query(POPULAR);
    if (isChanged || isAdded) await client.query('vacuum analyze');
  });
  return url;
}

/** Stores excerpts as the service does when it writes an article. */
async function storeExcerpts(client: pg.Client): Promise<boolean> {
  for (let batch = 0; ; batch++) {
    const { rows } = await client.query<{ id: string; head: string }>(HEADS, [BATCH]);
    if (rows.length === 0) return batch > 0;
    await client.query(EXCERPTS, [rows.map(({ id }) => id), rows.map(({ head }) => approximateExcerpt(head))]);
  }
}

const HEADS = 'select id, left(content, 4000) as head from articles where excerpt is null order by id limit $1';

const EXCERPTS = `update articles a set excerpt = u.excerpt
  from unnest($1::bigint[], $2::text[]) u(id, excerpt) where a.id = u.id`;

/** @returns whether an earlier run has not added them */
async function addPages(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(SERIES);
  if (rowCount === 0) return false;
  for (const statement of [IN_SERIES, COMMENTS, REPLIES]) await client.query(statement, [ARTICLES_WITH_PAGES]);
  return true;
}

const SERIES = `insert into series (member_id, title) select id, 'Journal of ' || nickname from members
  where not exists (select from series) order by id`;

const IN_SERIES = `update all_articles a set series_id = s.id, series_position = a.id, comment_count = 18, top_level_count = 12
  from series s where s.member_id = a.member_id and a.id <= $1`;

/** Twelve comments, and a reply to each second one. */
const COMMENTS = `insert into comments (article_id, member_id, received_by, content, reply_count, created_at, updated_at)
  select a.id, m.id, nullif(a.member_id, m.id), 'What I thought of it: ' || left(a.content, 100), n % 2, a.created_at + n * interval '1 hour', a.created_at + n * interval '1 hour'
  from all_articles a cross join generate_series(1, 12) n join members m on m.id = 1 + (a.id * 7 + n) % 1000 where a.id <= $1 order by n, a.id`;
const REPLIES = `insert into comments (article_id, parent_id, member_id, content, created_at, updated_at)
  select a.id, c.id, a.member_id, 'Thank you.', c.created_at + interval '1 hour', c.updated_at + interval '1 hour'
  from comments c join all_articles a on a.id = c.article_id where c.reply_count > 0 and a.id <= $1 order by c.id`;

/** Executed on every run: the search benchmark inserts articles with triggers and deletes them without. */
const TOTALS = `
delete from article_totals;
insert into article_totals select 0, count(*) from articles`;

/** Executed on every run: one of ten articles has likes in the last week, whose number the service computes when it starts. */
const POPULAR = `
delete from reactions;
insert into reactions (article_id, kind, member_id, created_at)
select a.id, 'LIKE', m.id, now() - interval '2 days' from all_articles a join members m on m.id <= 1 + a.id / 10 % 10 where a.id % 10 = 0;
insert into article_counts as c (article_id, is_private, member_id, category_id, month, likes)
select id, is_private, member_id, category_id, month_of(created_at), id * 7919 % 1009 from all_articles
on conflict (article_id) do update set likes = excluded.likes, is_private = excluded.is_private where c.likes <> excluded.likes`;
