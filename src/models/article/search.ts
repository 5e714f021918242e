/** The search statement for articles: the ids of one page (best match first) or of all hits, and the total number of hits. */
import { allHitsSql, searchSql } from './search-sql.js';

export interface ArticleSearch {
  /** The user's input: words separated by white space, each of which must occur in title, tags or content. */
  keyword: string;
  filter: ArticleSearchFilter;
  /**
   * Sorted by rank (the phrase in the title; all words in the title; all words in title or tags; anywhere), then newest first, then id.
   * Null: all hits, in no order.
   */
  page: { limit: number; offset: number } | null;
}

export interface ArticleSearchFilter {
  /** Exact name of the tag. */
  tag?: string | undefined;
  categoryId?: number | undefined;
  memberId?: number | undefined;
}

/** A subquery: `sql` begins with `with` and returns one row with `ids` and `total`. */
export interface ArticleSearchSql {
  sql: string;
  /** Parameters $1, $2 and so on. */
  values: unknown[];
}

export function articleSearch({ keyword, filter, page }: ArticleSearch): ArticleSearchSql {
  const values: unknown[] = page ? [keyword, page.limit, page.offset] : [keyword];
  let where = '';
  for (const key of ['tag', 'categoryId', 'memberId'] as const) {
    if (filter[key] === undefined) continue;
    where += ` and ${FILTERS[key]} $${values.push(filter[key])}${key === 'tag' ? ')' : ''}`;
  }
  return { sql: page ? searchSql(where) : allHitsSql(where), values };
}

const FILTERS = {
  tag: 's.article_id in (select x.article_id from article_tags x join tags t on t.id = x.tag_id where t.name =',
  categoryId: 's.category_id =',
  memberId: 's.member_id =',
};
