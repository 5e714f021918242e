/** Loads the articles of the search benchmark into a separate database, once per number of articles. */
import type pg from 'pg';
import { createDatabase, loadOnce } from './database.js';
import { makeArticles } from './search-text.js';
import { log } from './session.js';

/** Characters of an article on average, unless an option says otherwise. */
export const CHARACTERS = 2000;

const MEMBERS = 1000;
const BATCH = 1000;

/**
 * @param serverUrl superuser URL of a server used only by the benchmark
 * @returns URL of the database; data of an earlier run is reused unchanged
 */
export async function prepareSearchData(serverUrl: string, articles: number, characters = CHARACTERS): Promise<string> {
  const url = await createDatabase(serverUrl, `bench_search_${articles}_${characters}`);
  await loadOnce(url, (client) => load(client, articles, characters));
  return url;
}

/** The index is built afterwards, which takes a tenth of the time. */
async function load(client: pg.Client, articles: number, characters: number): Promise<void> {
  await client.query('truncate members, comments, tags restart identity cascade');
  const { rows } = await client.query("select pg_get_indexdef('article_search_keys'::regclass) as sql");
  await client.query('drop index article_search_keys');
  await client.query('alter table all_articles add made_tags text[]');
  await client.query(SHELVES, [MEMBERS]);
  let batch: object[] = [];
  let done = 0;
  for (const article of makeArticles(articles, characters)) {
    batch.push(article);
    if (batch.length < BATCH && done + batch.length < articles) continue;
    await client.query(ARTICLES, [JSON.stringify(batch), MEMBERS]);
    done += batch.length;
    batch = [];
    if (done % 20_000 === 0) log(`${done} articles written.`);
  }
  await client.query(TAGS);
  await client.query(SEARCH);
  log('Building the index; this takes some minutes.');
  // With the default of 64 MB, a million articles are merged from thousands of parts.
  await client.query("set maintenance_work_mem = '1GB'");
  await client.query(rows[0].sql);
  await client.query('alter index article_search_keys alter column 1 set statistics 0');
  await client.query('alter table all_articles drop column made_tags');
}

const SHELVES = `
with m as (
  insert into members (member_name, nickname) select 'writer', 'writer ' || n from generate_series(1, $1::int) n returning id
)
insert into categories (member_id, name, is_default) select id, 'General', true from m order by id`;

/** One article every three minutes. */
const ARTICLES = `
insert into all_articles (slug, member_id, category_id, title, content, made_tags, created_at)
select gen_random_uuid(), c.member_id, c.id, made.title, made.content, made.tags,
       timestamptz '2026-01-01Z' + (number + (select count(*) from articles)) * interval '3 minutes'
from rows from (jsonb_to_recordset($1::jsonb) as (title text, content text, tags text[])) with ordinality
     as made (title, content, tags, number)
join categories c on c.member_id = 1 + number % $2::int
order by number`;

const TAGS = `
with added as (
  insert into tags (name) select distinct unnest(made_tags) from all_articles order by 1 returning id, name
)
insert into article_tags (article_id, position, tag_id, created_at)
select a.id, place - 1, t.id, a.created_at
from all_articles a, unnest(a.made_tags) with ordinality u (name, place) join added t on t.name = u.name`;

const SEARCH = `
insert into article_search
select id, created_at, member_id, category_id, search_fold(title), search_tags(id), search_fold(content)
from all_articles`;
