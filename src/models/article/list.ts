/** Lists of articles. A slice of a list is read with one SQL statement; with two if more articles match its filter than are sorted. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { RowSlice } from '../../platform/database/columns.js';
import {
  Bindings,
  conditionsWith,
  inOrder,
  type KeysetQuery,
  keysetIds,
  type Order,
  type Slice,
  scannedOrder,
} from '../../platform/database/keyset.js';
import type { Database } from '../../platform/database/pool.js';
import { composedStatement } from '../../platform/database/statement.js';
import type { Version } from '../../platform/http/conditional.js';
import { JOURNAL_STAMP, readStamp } from '../stamp.js';
import { ARTICLE, type ArticleRow, articleSource } from './article.js';
import { type ArticleFilters, conditionsOf, hasFilters, partOfLanguage } from './filters.js';
import {
  type ArticleOrder,
  type ArticlePeriod,
  isByCount,
  joinCounts,
  type ListOrder,
  OF_ALL_TIME,
  orderIn,
} from './order.js';
import type { TranslationRow } from './translation.js';

export const SEARCH_TIMEOUT_MS = fixedLimit({
  area: 'Database',
  about: 'Maximum time that a search by keyword, or a list without an index, runs before PostgreSQL cancels it.',
  value: 3_000,
  unit: 'ms',
  error: 'SERVICE_UNAVAILABLE',
});

export const MAX_SORTED_ARTICLES = fixedLimit({
  area: 'Reading',
  about:
    'Articles that a list by likes or views with a tag, `from` or `to` sorts. If the filter matches more, the list has those that are among the first ' +
    'so many of the journal, its member or its category, or of the period, in this order.',
  value: 100_000,
  error: null,
});

/** Filters that define a list: of public articles, unless it is that of an owner. */
export interface ArticleScope extends ArticleFilters {
  /** The reader whose own articles it lists: the private ones too. */
  ownerId?: number | undefined;
  /** In the list of an owner: only the private ones, or only the public ones. */
  isPrivate?: boolean | undefined;
  memberId?: number | undefined;
  categoryId?: number | undefined;
  /** Normalized, see `normalizeTag`. */
  tag?: string | undefined;
  /** With an order by likes or views: only the articles that have some in this period, by their number in it. */
  period?: ArticlePeriod | undefined;
}

export interface ArticleListRequest {
  scope: ArticleScope;
  order: ArticleOrder;
  slice: Slice;
  includes: ArticleIncludes;
  /** Default: MAX_SORTED_ARTICLES; tests lower it. */
  maxSorted?: number;
}

/** Expensive data to fetch in addition to the default columns. */
export interface ArticleIncludes {
  content: boolean;
  tags: boolean;
  translations?: boolean;
  /** The text around the first match of a keyword; without a keyword there is none. */
  snippet?: boolean;
  /** The size of the whole list, for connections; numbered pages always have it. */
  total?: boolean;
}

/** An article of a list. Columns that were not requested are null. */
export type ListedArticle = Omit<ArticleRow, 'content' | 'tags' | 'translations' | 'stamp'> & {
  content: string | null;
  tags: string[] | null;
  translations: TranslationRow[] | null;
};

/** A part of a list; `total` is the size of the whole list, 0 if not requested. */
export type FoundArticles = RowSlice<ListedArticle> & { total: number };

/** One numbered page of a list. */
export type FoundArticlePage = FoundArticles & { version: Version | null };

/** A page with the total number of articles in the list. */
export async function findArticlePage(database: Database, request: ArticleListRequest): Promise<FoundArticlePage> {
  const { scope, order, slice, includes } = request;
  const found = await findPacked<PackedPage>(database, request, (bindings, sorted) => {
    const query = listQuery(scope, order, bindings, slice);
    const contentsOf = (ids: KeysetQuery) =>
      packedArticles(scope, includes, orderIn(order, scope.period), keysetIds(ids, slice, bindings));
    if (sorted) return `${sorted.with} ${packedPage(`(${sorted.total})`, contentsOf(query))}`;
    const page = packedPage('t.total', contentsOf({ ...query, total: 't.total' }));
    return `${page} from (select (${total(scope, order, bindings)}) as total offset 0) t`;
  });
  return unpackPage(found);
}

export async function findArticles(database: Database, request: ArticleListRequest): Promise<FoundArticles> {
  const { scope, order, slice, includes } = request;
  const found = await findPacked<Omit<PackedPage, 'stamp'>>(database, request, (bindings, sorted) => {
    const ids = keysetIds(listQuery(scope, order, bindings, slice), slice, bindings);
    const size = sorted ? sorted.total : includes.total ? total(scope, order, bindings) : 'select 0';
    const contents = packedArticles(scope, includes, orderIn(order, scope.period), ids);
    return `${sorted?.with ?? ''} select (${size})::integer as total, (${contents})::text as contents`;
  });
  return { ...ARTICLE.unpackRows(found?.contents), total: includes.total ? (found?.total ?? 0) : 0 };
}

/** @param textOf composes the statement; of a list for which `isSorted` holds, with the part that depends on the number of articles that match its filter */
async function findPacked<Packed extends { total: number | null }>(
  database: Database,
  request: ArticleListRequest,
  textOf: (bindings: Bindings, sorted: SortedList | null) => string,
): Promise<Packed | undefined> {
  const { scope, order } = request;
  const find = async (isLarge: boolean) => {
    const bindings = new Bindings();
    const sorted = isSorted(scope, order) ? sortedList(request, orderIn(order, scope.period), bindings, isLarge) : null;
    const statement = composedStatement<Packed>(textOf(bindings, sorted), bindings, timeoutOf(scope, order));
    return (await database.query(...statement))[0];
  };
  const found = await find(false);
  return found?.total === null ? find(true) : found;
}

/** The same slice of the article lists of several members, in the order of `memberIds`. */
export async function findArticlesOfMembers(
  database: Database,
  memberIds: readonly number[],
  { order, slice, includes }: Omit<ArticleListRequest, 'scope'>,
): Promise<FoundArticles[]> {
  const bindings = new Bindings();
  const owners = bindings.add(memberIds, 'bigint[]');
  const by = orderIn(order);
  const query = listQuery({}, order, bindings);
  const column = `${by.counts?.alias ?? 'a'}.member_id`;
  const owned = partOrCondition(by, column, 'o.id');
  const conditions = [...query.conditions, ...owned.conditions];
  const ids = keysetIds({ ...query, ...owned, conditions }, slice, bindings);
  const contents = packedArticles({}, includes, by, ids);
  const size = includes.total ? '(select c.articles from member_counts c where c.member_id = o.id)' : '0';
  const text = `select o.id, coalesce(${size}, 0) as total, (${contents})::text as contents from unnest(${owners}) o(id)`;
  const rows = await database.query(...composedStatement<PackedList>(text, bindings));
  return unpackLists(memberIds, rows);
}

export interface PackedList {
  id: number;
  total: number;
  contents: string | null;
}

/** The lists of several owners, in the order of their ids; of an owner without a row: an empty one. */
export function unpackLists(ownerIds: readonly number[], rows: readonly PackedList[]): FoundArticles[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  return ownerIds.map((id) => {
    const { contents, total = 0 } = found.get(id) ?? {};
    return { ...ARTICLE.unpackRows(contents), total };
  });
}

/** @param ids a query for articles in the scope @param snippet an SQL expression for the column */
export function packedArticles(
  scope: ArticleScope,
  includes: ArticleIncludes,
  order: ListOrder,
  ids: string,
  snippet = 'null',
): string {
  const replaced = { ...omittedColumns(includes), snippet };
  const source = articleSource(tablesOf(scope).articles);
  // The source has the counts of all time.
  const ofPeriod = order.counts?.table === 'article_trends' ? joinCounts(order) : '';
  return ARTICLE.packedRows({ from: source + ofPeriod, order, ids, replaced });
}

/** Null in place of the columns that are not requested. */
export function omittedColumns(includes: ArticleIncludes) {
  return {
    ...(!includes.content && { content: 'null', key: 'null' }),
    ...(!includes.tags && { tags: 'null' }),
    ...(!includes.translations && { translations: 'null' }),
  };
}

/** A list with its total. @param total a query; `contents` refers to its result as `t.total` */
export function countedList(total: string, contents: string, bindings: Bindings, timeoutMs?: number) {
  const text = `select t.total::integer as total, (${contents})::text as contents from (select (${total}) as total offset 0) t`;
  return composedStatement<Omit<PackedPage, 'stamp'>>(text, bindings, timeoutMs);
}

export interface PackedPage {
  /** Null for a list of more articles than are sorted, which has to be read as a large one. */
  total: number | null;
  stamp: string;
  contents: string | null;
}

/** The `select` clause of a `PackedPage`. @param total an SQL expression @param contents the query of `packedArticles` */
export function packedPage(total: string, contents: string): string {
  return `select ${total}::integer as total, (${JOURNAL_STAMP}) as stamp, (${contents})::text as contents`;
}

export function unpackPage(packed: PackedPage | undefined): FoundArticlePage {
  const { contents, total, stamp } = packed ?? {};
  return { ...ARTICLE.unpackRows(contents), total: total ?? 0, version: stamp === undefined ? null : readStamp(stamp) };
}

const PUBLIC = { articles: 'articles', articleTags: 'article_tags' } as const;
const ALL = { articles: 'all_articles', articleTags: 'all_article_tags' } as const;

/** The tables, or views, with the articles of a list and their tags. */
export function tablesOf({ ownerId, isPrivate }: ArticleScope): typeof PUBLIC | typeof ALL {
  return ownerId === undefined || isPrivate === false ? PUBLIC : ALL;
}

function timeoutOf(scope: ArticleScope, order: ArticleOrder): number | undefined {
  return isIndexed(scope, order) ? undefined : SEARCH_TIMEOUT_MS;
}

/**
 * Whether indexes cover this list in this order, and its total: tags are indexed by creation time only, likes and views for all articles and those
 * of an owner, a member or a category, also in a period, and articles with another filter are counted one by one. Without an index, all its articles
 * are read, of a list for which `isSorted` holds at most MAX_SORTED_ARTICLES.
 */
export function isIndexed(scope: ArticleScope, order: ArticleOrder): boolean {
  const { tag, period: _, ...others } = scope;
  if (hasFilters(scope)) return false;
  if (isByCount(order)) return tag === undefined;
  if (tag === undefined) return true;
  return Object.values(others).every((value) => value === undefined) && orderIn(order).key === 'a.created_at';
}

/**
 * A list by likes or views with a filter that the indexes of this order do not have. The articles of an owner with such a filter, other than a tag, are
 * joined with their numbers, as for other orders.
 */
function isSorted(scope: ArticleScope, order: ArticleOrder): boolean {
  const { ownerId, tag } = scope;
  return isByCount(order) && (tag !== undefined || (ownerId === undefined && hasFilters(scope)));
}

/** The articles with one value in a column: as a part of the table if indexes have this order for the table and for a part of it. */
function partOrCondition({ key, counts }: ListOrder, column: string, value: string) {
  const isIndexed = counts ? counts.table === 'article_counts' : key === 'a.created_at';
  return isIndexed ? { part: { column, value }, conditions: [] } : { conditions: [`${column} = ${value}`] };
}

/** The rows with the numbers of an order, of one owner, member or category. `inOrderOf`: the source for a scan of them. */
function countedRows(scope: ArticleScope, order: ListOrder, bindings: Bindings) {
  const { ownerId, isPrivate, memberId = ownerId, categoryId } = scope;
  const { table, alias, conditions } = order.counts ?? OF_ALL_TIME;
  const member = memberId === undefined ? undefined : bindings.add(memberId, 'bigint');
  const category = categoryId === undefined ? undefined : bindings.add(categoryId, 'bigint');
  // An index begins with the member or with the category, which has articles of its member only.
  const [column, value] = category ? [`${alias}.category_id`, category] : [`${alias}.member_id`, member];
  const { part = undefined, ...of } = value ? partOrCondition(order, column, value) : { conditions: [] };
  const [ofPublic, ofPrivate] = [`not ${alias}.is_private`, `${alias}.is_private`];
  const isMerged = ownerId !== undefined && isPrivate === undefined;
  const [source, id] = [`${table} ${alias}`, `${alias}.article_id`];
  return {
    source,
    id,
    part,
    conditions: [
      ...(isMerged ? [] : [isPrivate && ownerId !== undefined ? ofPrivate : ofPublic]),
      ...conditions,
      ...of.conditions,
      ...(category && member ? [`${memberOfCategory(category)} = ${member}`] : []),
    ],
    /** Public and private rows have indexes of their own, which are merged. @param order null: in none */
    inOrderOf(order: Order | null): string {
      if (!isMerged) return source;
      const by = order ? inOrder(order, id, part) : '';
      return `((select * from ${source} where ${ofPublic} ${by}) union all (select * from ${source} where ${ofPrivate} ${by})) ${alias}`;
    },
  };
}

/** Compared with a member in place of that of each article, which would be a second condition for the same rows. */
const memberOfCategory = (category: string) => `(select k.member_id from categories k where k.id = ${category})`;

/** Common table expressions of a list for which `isSorted` holds: `listed` has its ids and keys. */
interface SortedList {
  with: string;
  /** A query for the number of its articles; null if they are not in `listed`. */
  total: string;
}

/**
 * The articles that match the filter, with the key of each, if there are not more than a bound. With a tag, the filter matches articles of all members: if
 * the list has an owner or a member too, the bound is at most the number of articles of that member, since comparing these with the filter is less work.
 * The rows of the ids are read by their index in the order of the ids, so that each page of it is read once.
 *
 * If there are more (`isLarge`): those of the first `max` articles in the order that match the filter. As the operand of `is true`, a subquery is executed
 * once, whatever number of rows PostgreSQL expects: for a join, it could compare each row with all others.
 */
function sortedList(request: ArticleListRequest, by: ListOrder, bindings: Bindings, isLarge: boolean): SortedList {
  const { scope, maxSorted: max = MAX_SORTED_ARTICLES } = request;
  const { tag, ownerId, memberId = ownerId } = scope;
  const { articles, articleTags } = tablesOf(scope);
  const [source, id] = tag === undefined ? [`${articles} y`, 'y.id'] : [`${articleTags} y`, 'y.article_id'];
  const conditions = [
    ...(tag !== undefined ? [`y.tag_id = ${tagOf(tag, bindings)}`] : []),
    ...(tag === undefined && memberId !== undefined ? [`y.member_id = ${bindings.add(memberId, 'bigint')}`] : []),
    ...conditionsOf(scope, 'y', tag === undefined ? { alias: 'y' } : { id }, (...value) => bindings.add(...value)),
  ];
  const filter = conditions.join(' and ');
  const isBoundedByMember = !isLarge && tag !== undefined && memberId !== undefined;
  const bound = isBoundedByMember ? `least(${max}, (${sizeOf(scope, bindings)}))` : max;
  const rows = countedRows(scope, by, bindings);
  const where = conditionsWith(rows).join(' and ');
  if (isLarge)
    return {
      with: `with first as materialized (
        select ${rows.id} as id, ${by.key} as key from ${rows.inOrderOf(by)} where ${where} ${inOrder(by, rows.id, rows.part)} limit ${max}
      ), listed as materialized (
        select id, key from first
        where (id in (select ${id} from ${source} where ${id} = any(array(select id from first)) and ${filter})) is true
      )`,
      total: 'select count(*) from listed',
    };
  return {
    with: `with matching as materialized (
        select ${id} as id from ${source} where ${filter} limit ${bound} + 1
      ), size as materialized (
        select count(*) > ${bound} as is_exceeded from matching
      ), listed as materialized (
        select ${rows.id} as id, ${by.key} as key from ${rows.source}
        where ${rows.id} = any(array(select id from matching where not (select is_exceeded from size))) and ${where}
      )`,
    total: 'select count(*) from listed having not (select is_exceeded from size)',
  };
}

/** @param slice absent: in no order */
function listQuery(scope: ArticleScope, order: ArticleOrder, bindings: Bindings, slice?: Slice): KeysetQuery {
  const { ownerId, isPrivate, memberId, categoryId, tag, language, period } = scope;
  const by = orderIn(order, period);
  const { articles, articleTags } = tablesOf(scope);
  if (isSorted(scope, order)) return { source: 'listed l', id: 'l.id', conditions: [], order: { ...by, key: 'l.key' } };
  if (by.counts && isIndexed(scope, order)) {
    const { inOrderOf, ...rows } = countedRows(scope, by, bindings);
    return { ...rows, source: inOrderOf(slice ? scannedOrder(by, slice) : null), order: by };
  }
  if (tag !== undefined && isIndexed(scope, order)) {
    const conditions = [`x.tag_id = ${tagOf(tag, bindings)}`];
    return { source: `${articleTags} x`, id: 'x.article_id', conditions, order: { ...by, key: 'x.created_at' } };
  }
  const bind = (value: unknown, type: string) => bindings.add(value, type);
  const [first, ...others] = [
    ...equal('a.category_id', categoryId, bindings),
    ...equal('a.member_id', ownerId, bindings),
    ...equal('a.member_id', memberId, bindings),
  ];
  const rest = { id: 'a.id', order: by };
  if (language !== undefined && tag === undefined && !first && by.key === 'a.created_at') {
    const { part, condition } = partOfLanguage('a', bind(language, 'text'));
    const filters = conditionsOf({ ...scope, language: undefined }, 'a', { alias: 'a' }, bind);
    return { ...rest, source: `${articles} a`, part, conditions: [condition, ...filters] };
  }
  const { part = undefined, conditions: ofFirst } =
    first && tag === undefined
      ? partOrCondition(by, first.column, first.value)
      : { conditions: first ? [`${first.column} = ${first.value}`] : [] };
  const conditions = [
    ...ofFirst,
    ...others.map(({ column, value }) => `${first && categoryId ? memberOfCategory(first.value) : column} = ${value}`),
    ...(isPrivate === true ? ['a.is_private'] : []),
    ...conditionsOf(scope, tag === undefined ? 'a' : 'x', { alias: 'a' }, bind),
  ];
  if (tag === undefined) return { ...rest, source: `${articles} a${joinCounts(by)}`, part, conditions };
  const tagged = `x.tag_id = ${tagOf(tag, bindings)}`;
  const source = `${articleTags} x join ${articles} a on a.id = x.article_id`;
  return { ...rest, source, conditions: [tagged, ...conditions] };
}

const tagOf = (tag: string, bindings: Bindings) =>
  `(select t.id from tags t where t.name = ${bindings.add(tag, 'text')})`;

/** Empty without a value. */
const equal = (column: string, value: number | undefined, bindings: Bindings) =>
  value === undefined ? [] : [{ column, value: bindings.add(value, 'bigint') }];

/** SQL for the total: a stored counter for lists that may be large, else count(*). */
function total(scope: ArticleScope, order: ArticleOrder, bindings: Bindings): string {
  const { isPrivate: _, ...filters } = scope;
  const { ownerId, memberId, categoryId, ...others } = filters;
  const { tag, period } = others;
  const isOne = Object.values(filters).filter((value) => value !== undefined).length === 1;
  if (isOne && tag !== undefined) {
    return `select coalesce((select t.article_count from tags t where t.name = ${bindings.add(tag, 'text')}), 0)`;
  }
  if (Object.values(others).every((value) => value === undefined) && (isOne || categoryId !== undefined)) {
    return sizeOf(scope, bindings, categoryId);
  }
  if (isOne && period !== undefined) return orderIn(order, period).counts?.total ?? 'select 0';
  // The number of rows does not depend on the order, except in a period.
  const { source, conditions } = listQuery(scope, period === undefined ? 'updatedAt,desc' : order, bindings);
  if (conditions.length === 0) return 'select coalesce(sum(t.articles), 0) from article_totals t';
  return `select count(*) from ${source} where ${conditions.join(' and ')}`;
}

/** SQL for the number of articles of the owner or member, or of a category, if it is one of both, whatever the other filters are. */
function sizeOf({ ownerId, memberId, isPrivate }: ArticleScope, bindings: Bindings, categoryId?: number): string {
  const counted = ownerId === undefined ? 'c.articles' : OWN_TOTALS[`${isPrivate}`];
  if (categoryId === undefined) {
    const member = bindings.add(memberId ?? ownerId, 'bigint');
    return `select coalesce((select ${counted} from member_counts c where c.member_id = ${member}), 0)`;
  }
  const conditions = [
    ...equal('k.id', categoryId, bindings),
    ...equal('k.member_id', ownerId, bindings),
    ...equal('k.member_id', memberId, bindings),
  ].map(({ column, value }) => `${column} = ${value}`);
  return `select coalesce((
    select ${counted} from category_counts c join categories k on k.id = c.category_id where ${conditions.join(' and ')}
  ), 0)`;
}

const OWN_TOTALS = { undefined: 'c.articles + c.private_articles', true: 'c.private_articles', false: 'c.articles' };
