/** Cost of the search index for writes: time per article, and disk space. */
import type pg from 'pg';
import { withClient } from './database.js';
import { percentile, timesOf } from './search-cases.js';
import { type MadeArticle, makeArticles } from './search-text.js';

export interface WriteFigures {
  /** Median milliseconds for an article with two tags, in a separate transaction. */
  with: number;
  withP95: number;
  without: number;
  indexMb: number;
  textMb: number;
  articlesMb: number;
}

/** Inserts articles with and without the search triggers, and deletes them again. */
export async function measureWrites(url: string, rounds: number): Promise<WriteFigures> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(SIZES);
    const full = await writeTimes(client, rounds);
    await client.query('set session_replication_role = replica');
    const bare = await writeTimes(client, rounds);
    await client.query("delete from article_tags where article_id in (select id from articles where image = 'bench')");
    await client.query(
      "delete from article_search where article_id in (select id from articles where image = 'bench')",
    );
    await client.query("delete from articles where image = 'bench'");
    return { with: percentile(full, 0.5), withP95: percentile(full, 0.95), without: percentile(bare, 0.5), ...rows[0] };
  });
}

async function writeTimes(client: pg.Client, rounds: number): Promise<number[]> {
  const articles = makeArticles(rounds, 2000, 7);
  const times = await timesOf(rounds, async () => {
    const { value } = articles.next() as IteratorYieldResult<MadeArticle>;
    await client.query('begin');
    const { rows } = await client.query(ARTICLE, [value.title, value.content]);
    await client.query(TAG, [rows[0].id, value.tags]);
    await client.query('commit');
  });
  return times.sort((a, b) => a - b);
}

const ARTICLE = `insert into articles (member_id, category_id, title, content, image)
  select member_id, id, $1, $2, 'bench' from categories where member_id = 1 returning id`;

const TAG = `insert into article_tags (article_id, position, tag_id, created_at)
  select $1, row_number() over () - 1, id, now() from tags where name = any($2::text[])`;

const SIZES = `select pg_relation_size('article_search_keys')::float8 / 1e6 as "indexMb",
  (pg_total_relation_size('article_search') - pg_relation_size('article_search_keys'))::float8 / 1e6 as "textMb",
  pg_total_relation_size('all_articles')::float8 / 1e6 as "articlesMb"`;
