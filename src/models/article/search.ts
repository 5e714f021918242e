/**
 * Keyword search for articles: one statement returns a page, with the search as a subquery of the query for the rows. The column `snippet` of
 * its rows is a passage, of which `rendering/snippet.ts` makes the snippet.
 */
import { Bindings, keysetIds, type Order, type Slice } from '../../platform/database/keyset.js';
import type { Database } from '../../platform/database/pool.js';
import { composedStatement } from '../../platform/database/statement.js';
import { conditionsOf } from './filters.js';
import {
  type ArticleListRequest,
  type ArticleScope,
  type FoundArticlePage,
  type PackedPage,
  packedArticles,
  packedPage,
  SEARCH_TIMEOUT_MS,
  tablesOf,
  unpackPage,
} from './list.js';
import { type ArticleOrder, joinCounts, orderIn } from './order.js';
import { allHitsSql, passageSql, type Searched, searchedOf, searchSql } from './search-sql.js';
import { spellingsOf } from './spellings.js';

export interface KeywordRequest extends Pick<ArticleListRequest, 'scope' | 'includes'> {
  keyword: string;
  /** Null: sorted by rank, best match first. */
  order: ArticleOrder | null;
  slice: Slice;
}

/** The order of the ids in the search result (`f.ids`). */
const BEST_FIRST: Order = { key: 'array_position(f.ids, a.id)', type: 'integer', isDescending: false };

export async function findArticlesByKeyword(
  database: Database,
  { keyword, scope: filter, order, slice, includes }: KeywordRequest,
): Promise<FoundArticlePage> {
  const { limit, offset = 0 } = slice;
  const { sql, values, searched } = articleSearch({ keyword, filter, page: order === null ? { limit, offset } : null });
  const bindings = new Bindings([...values]);
  const by = order === null ? { ...BEST_FIRST, counts: null } : orderIn(order, filter.period);
  const source = `unnest(f.ids) s(id) join ${tablesOf(filter).articles} a on a.id = s.id${joinCounts(by)}`;
  const hits = { source, id: 'a.id', conditions: [], order: by, total: 'f.total' };
  const ids = order === null ? 'select unnest(f.ids)' : keysetIds(hits, slice, bindings);
  const passage = includes.snippet ? passageSql(searched, 'a', 'f.words') : undefined;
  const contents = packedArticles(filter, includes, by, ids, passage);
  const total = filter.period === undefined ? 'f.total' : `(select count(*) from ${source})`;
  const text = `${packedPage(total, contents)} from (${sql}) f`;
  const [found] = await database.query(...composedStatement<PackedPage>(text, bindings, SEARCH_TIMEOUT_MS));
  return unpackPage(found);
}

interface ArticleSearch {
  /** The user's input: words separated by white space, each of which must occur in title, tags or content. */
  keyword: string;
  filter: ArticleScope;
  /**
   * Sorted by rank (the phrase in the title; all words in the title; all words in title or tags; anywhere), then newest first, then id.
   * Null: all hits, in no order.
   */
  page: { limit: number; offset: number } | null;
}

interface SearchQuery {
  /** A subquery: it begins with `with` and returns one row with `ids`, `total` and the `words`. */
  readonly sql: string;
  /** $1, $2 and so on. */
  readonly values: unknown[];
  readonly searched: Searched;
}

export function articleSearch({ keyword, filter, page }: ArticleSearch): SearchQuery {
  const values: unknown[] = page ? [keyword, page.limit, page.offset] : [keyword];
  const spelled = spellingsOf(keyword);
  const spellings = spelled ? `$${values.push(JSON.stringify(spelled))}` : undefined;
  // The first of the filters.
  const owner = filter.ownerId === undefined ? null : `$${values.length + 1}`;
  let where = '';
  for (const key of ['ownerId', 'tag', 'categoryId', 'memberId'] as const) {
    if (filter[key] === undefined) continue;
    where += ` and ${INDEXED[key](`$${values.push(filter[key])}`, filter)}`;
  }
  const conditions = conditionsOf(filter, 's', { id: 's.article_id' }, (value) => `$${values.push(value)}`);
  where += conditions.map((condition) => ` and ${condition}`).join('');
  const searched = { ...searchedOf(owner, filter.isPrivate), ...(spellings && { spellings }) };
  return { sql: page ? searchSql(searched, where, page.offset) : allHitsSql(searched, where), values, searched };
}

const INDEXED = {
  ownerId: (value: string) => `s.member_id = ${value}`,
  tag: (value: string, filter: ArticleScope) =>
    `s.article_id in (select x.article_id from ${tablesOf(filter).articleTags} x join tags t on t.id = x.tag_id where t.name = ${value})`,
  categoryId: (value: string) => `s.category_id = ${value}`,
  memberId: (value: string) => `s.member_id = ${value}`,
};
