/** The statement that finds articles by words: the ids of a page, best match first, or of all hits; and how many there are. */
import { allHitsSql, searchSql } from './article-search-sql.js';

export interface ArticleSearch {
  /** As it was typed: words parted by white space, each of which must occur somewhere in title, tags or content. */
  keyword: string;
  filter: ArticleSearchFilter;
  /**
   * In order: by rank (the phrase in the title, every word in it, in title or tags, anywhere), then newest first, then id.
   * Null: all hits, in no order.
   */
  page: { limit: number; offset: number } | null;
}

export interface ArticleSearchFilter {
  /** The tag's name, exactly. */
  tag?: string | undefined;
  categoryId?: number | undefined;
  memberId?: number | undefined;
}

/** Part of a statement: `sql` begins with `with` and gives one row of `ids` and `total`. */
export interface ArticleSearchSql {
  sql: string;
  /** $1, $2 and so on. */
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
