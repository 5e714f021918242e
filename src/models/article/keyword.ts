/** Keyword search for articles: one statement returns a page, with the search as a subquery of the query for the rows. */

import { Bindings, keysetIds, type Order } from '../../database/keyset.js';
import type { Database } from '../../database/pool.js';
import { composedStatement } from '../../database/statement.js';
import { type ArticleListRequest, SEARCH_TIMEOUT_MS } from './list.js';
import { ARTICLE_ORDERS, type ArticleOrder } from './order.js';
import { type FoundArticlePage, type PackedPage, packedPage, packedRows, unpackPage } from './row.js';
import { articleSearch } from './search.js';

export interface KeywordRequest extends Pick<ArticleListRequest, 'scope' | 'parts'> {
  keyword: string;
  /** Null: sorted by rank, best match first. */
  order: ArticleOrder | null;
  limit: number;
  offset: number;
}

/** The order of the ids in the search result (`f.ids`). */
const BEST_FIRST: Order = { key: 'array_position(f.ids, a.id)', type: 'integer', isDescending: false };

export async function findArticlesByKeyword(
  database: Database,
  { keyword, scope: filter, order, limit, offset, parts }: KeywordRequest,
): Promise<FoundArticlePage> {
  const { sql, values } = articleSearch({ keyword, filter, page: order === null ? { limit, offset } : null });
  const bindings = new Bindings([...values]);
  const by = order === null ? BEST_FIRST : ARTICLE_ORDERS[order];
  const ids = order === null ? 'select unnest(f.ids)' : keysetIds(hitsBy(by), { limit, offset }, bindings);
  const text = `select ${packedPage('f.total', packedRows(parts, by, ids))} from (${sql}) f`;
  const [found] = await database.query(composedStatement<PackedPage>(text, SEARCH_TIMEOUT_MS), bindings.values);
  return unpackPage(found, parts);
}

function hitsBy(order: Order) {
  return {
    source: 'unnest(f.ids) s(id) join articles a on a.id = s.id',
    id: 'a.id',
    conditions: [],
    order,
    total: 'f.total',
  };
}
