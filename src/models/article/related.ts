/** Articles that are related to another one: docs/decisions/discovery.md explains the ranking. */
import { Bindings, type Order } from '../../platform/database/keyset.js';
import type { Database } from '../../platform/database/pool.js';
import { composedStatement } from '../../platform/database/statement.js';
import type { Reader } from '../reader.js';
import { ARTICLE, readableBy } from './article.js';
import { type ArticleIncludes, type ListedArticle, packedArticles } from './list.js';

/** The newest public articles of each tag that are compared. */
const COMPARED_PER_TAG = 100;
/** The newest public articles that are compared by words if fewer articles than requested have a tag in common. */
const COMPARED_BY_WORDS = 500;
const MAX_WORDS = 10;

/** Spaces and punctuation, between the words of a title. */
const BETWEEN_WORDS = '[\\s!-/:-@\\x5b-\\x60{-~‘’“”「」『』·…、。！？]+';

/** The ids of public articles for the article `a`, best first. Words are compared as in a search: case-folded, also inside of other words. */
export const relatedIds = (size: string) => `with given as materialized (
    select array(select x.tag_id from all_article_tags x where x.article_id = a.id) as tags,
      -- Shorter ones, such as "the", say little.
      array(select distinct word from regexp_split_to_table(search_fold(a.title), '${BETWEEN_WORDS}') word
        where octet_length(word) > 3 limit ${MAX_WORDS}) as words
  ), tagged as materialized (
    select distinct x.article_id from given cross join unnest(given.tags) w(tag_id) cross join lateral (
      select x.article_id from article_tags x where x.tag_id = w.tag_id
      order by x.created_at desc, x.article_id desc limit ${COMPARED_PER_TAG + 1}
    ) x where x.article_id <> a.id
  ), newest as materialized (
    select s.article_id from article_search s where (select count(*) from tagged) < ${size}
    order by s.created_at desc, s.article_id desc limit ${COMPARED_BY_WORDS}
  )
  select s.article_id
  from article_search s cross join given cross join lateral (
    select (select count(*) from article_tags y where y.article_id = s.article_id and y.tag_id = any(given.tags)) as tags,
      (select count(*) from unnest(given.words) word where strpos(s.title || ' ' || s.tags, word) > 0) as words
    offset 0
  ) n
  where s.article_id = any(array(select article_id from tagged union select article_id from newest where article_id <> a.id))
    and (n.tags > 0 or n.words > 0)
  order by n.tags desc, n.words desc, s.created_at desc, s.article_id desc limit ${size}`;

const BEST_FIRST: Order = { key: 'array_position(f.ids, a.id)', type: 'integer', isDescending: false };

/** @returns null if the reader does not see the article */
export async function findRelated(
  database: Database,
  { articleId, reader, size }: { articleId: number; reader: Reader; size: number },
  includes: ArticleIncludes,
): Promise<ListedArticle[] | null> {
  const bindings = new Bindings();
  const id = bindings.add(articleId, 'bigint');
  const ids = `select array(${relatedIds(bindings.add(size, 'integer'))}) as ids from all_articles a where a.id = ${id} and ${readableBy(bindings.add(reader, 'reader'))}`;
  const contents = packedArticles({}, includes, { ...BEST_FIRST, counts: null }, 'select unnest(f.ids)');
  const text = `select (${contents})::text as contents from (${ids} offset 0) f`;
  const [found] = await database.query(...composedStatement<{ contents: string | null }>(text, bindings));
  return found ? ARTICLE.unpackRows(found.contents).contents : null;
}
