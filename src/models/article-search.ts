/** Finds articles by words, in one statement: the ids of a page, best match first, and how many there are. */
import { searchSql } from './article-search-sql.js';
import type { Database } from './database.js';
import { type Statement, statement } from './statement.js';

export interface ArticleSearchRequest {
  /** As it was typed: words parted by white space, each of which must occur somewhere in title, tags or content. */
  keyword: string;
  filter: ArticleSearchFilter;
  limit: number;
  offset: number;
}

export interface ArticleSearchFilter {
  /** The tag's name, exactly. */
  tag?: string | undefined;
  categoryId?: number | undefined;
  memberId?: number | undefined;
}

export interface FoundArticles {
  /** In order: by rank (the phrase in the title, every word in it, in title or tags, anywhere), then newest first, then id. */
  ids: number[];
  total: number;
}

/** @returns whether there is any word in it; without one, there is nothing to search for, and nothing is found. */
export function hasWords(keyword: string): boolean {
  return /[^\p{Cc}\s]/u.test(keyword);
}

export async function searchArticles(database: Database, request: ArticleSearchRequest): Promise<FoundArticles> {
  const { sql, name, values } = articleSearch(request);
  const [found] = await database.query(pageStatement(name, sql), values);
  // The driver reads an array of int8 as text.
  return { ids: found?.ids.map(Number) ?? [], total: found?.total ?? 0 };
}

/** What a statement of one's own is made of: `sql` begins with `with` and gives one row of `ids` and `total`. */
export interface ArticleSearchSql {
  /** The same for the same sql. */
  name: string;
  sql: string;
  /** $1, $2 and so on. */
  values: unknown[];
}

export function articleSearch({ keyword, filter, limit, offset }: ArticleSearchRequest): ArticleSearchSql {
  const values: unknown[] = [keyword, limit, offset];
  const names = ['article_search'];
  let where = '';
  for (const key of ['tag', 'categoryId', 'memberId'] as const) {
    if (filter[key] === undefined) continue;
    names.push(key);
    where += ` and ${FILTERS[key]} $${values.push(filter[key])}${key === 'tag' ? ')' : ''}`;
  }
  return { name: names.join('_'), sql: searchSql(where), values };
}

const FILTERS = {
  tag: 's.article_id in (select x.article_id from article_tags x join tags t on t.id = x.tag_id where t.name =',
  categoryId: 's.category_id =',
  memberId: 's.member_id =',
};

interface FoundRow {
  ids: string[];
  total: number;
}

const statements = new Map<string, Statement<FoundRow>>();

function pageStatement(name: string, sql: string): Statement<FoundRow> {
  const made = statements.get(name) ?? statement<FoundRow>(name, sql);
  statements.set(name, made);
  return made;
}
