/** The filters of lists and searches of articles that have no stored total: conditions on the columns of an article, which is read to compare them. */
import type { Part } from '../../platform/database/keyset.js';

interface Filter {
  /** The SQL type of the value. */
  readonly type: string;
  /** @param row alias of an article @param value an SQL expression */
  condition(row: string, value: string): string;
  /** Whether the rows of tags and of searches have copies of the columns. */
  readonly isCopied?: true;
}

/** The values, by the names of the filters. Absent: no condition. */
export interface ArticleFilters {
  /** A canonical tag. */
  language?: string | undefined;
  /** Earliest time of publication, inclusive, as `parseTime` returns it. */
  from?: string | undefined;
  /** Latest time of publication, exclusive. */
  to?: string | undefined;
}

/** The articles of one language as a part of the table, and the condition on its rows. @param value an SQL expression for a canonical tag */
export const partOfLanguage = (row: string, value: string): { part: Part; condition: string } => ({
  part: { column: `${row}.primary_language`, value: `split_part(${value}, '-', 1)` },
  condition: `is_language(${row}.language, ${value})`,
});

/** @param value an SQL expression for a canonical tag */
export const hasLanguage = (row: string, value: string): string =>
  `has_language(${row}.primary_language, ${row}.language, ${value})`;

const FILTERS: Readonly<Record<keyof ArticleFilters, Filter>> = {
  language: { type: 'text', condition: hasLanguage },
  from: { type: 'timestamptz', condition: (row, value) => `${row}.created_at >= ${value}`, isCopied: true },
  to: { type: 'timestamptz', condition: (row, value) => `${row}.created_at < ${value}`, isCopied: true },
};

const NAMES = Object.keys(FILTERS) as (keyof ArticleFilters)[];

export function hasFilters(filters: ArticleFilters): boolean {
  return NAMES.some((name) => filters[name] !== undefined);
}

/** Those of the values that are filters, without null. */
export function filtersOf(values: { [Name in keyof ArticleFilters]?: ArticleFilters[Name] | null }): ArticleFilters {
  const given = NAMES.filter((name) => values[name] != null).map((name) => [name, values[name]]);
  return Object.fromEntries(given);
}

/**
 * The conditions of the filters on a row.
 * @param row alias of the article, or of a row that has copies of its columns
 * @param article its alias, if it is another one; or its id, if the source of the row does not contain it
 * @param bind returns the placeholder of a value
 */
export function conditionsOf(
  filters: ArticleFilters,
  row: string,
  article: { alias: string } | { id: string },
  bind: (value: unknown, type: string) => string,
): string[] {
  return NAMES.filter((name) => filters[name] !== undefined).map((name) => {
    const { type, condition, isCopied } = FILTERS[name];
    const value = bind(filters[name], type);
    if (isCopied) return condition(row, value);
    if ('alias' in article) return condition(article.alias, value);
    return `exists (select from all_articles f where f.id = ${article.id} and ${condition('f', value)})`;
  });
}
