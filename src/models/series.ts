/** Series: articles of one author in an order that the author sets. An article is in at most one (columns of `all_articles`). */
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { ColumnList, column, type Row, type RowSlice, timestamp } from '../platform/database/columns.js';
import { Bindings, keysetIds, type Order, type Slice } from '../platform/database/keyset.js';
import type { Database } from '../platform/database/pool.js';
import { composedStatement, statement } from '../platform/database/statement.js';
import type { ErrorKey } from '../platform/error-keys.js';
import type { Version } from '../platform/http/conditional.js';
import { ARTICLE, articleSource } from './article/article.js';
import {
  type ArticleIncludes,
  type FoundArticles,
  omittedColumns,
  type PackedList,
  unpackLists,
} from './article/list.js';
import { IS_PENDING } from './member/member.js';
import type { Reader } from './reader.js';
import { JOURNAL_STAMP, readStamp } from './stamp.js';

/** The function save_series enforces it. */
export const MAX_SERIES = fixedLimit({
  area: 'Writing',
  about: 'Series of a member.',
  value: 100,
  error: 'SERIES_LIMIT_REACHED',
});

/** A list is replaced as a whole, so that the validation of the input enforces it; an import counts. */
export const MAX_SERIES_ARTICLES = fixedLimit({
  area: 'Writing',
  about: 'Articles of a series.',
  value: 200,
  error: 'VALIDATION_FAILED',
});

export const MAX_SERIES_TITLE_LENGTH = 100;

export const MAX_SERIES_DESCRIPTION_LENGTH = 500;

/** The readable columns of `series s`. */
export const SERIES = new ColumnList({
  id: column<number>('s.id'),
  memberId: column<number>('s.member_id'),
  title: column<string>('s.title'),
  description: column<string>('s.description'),
  /** Of public articles. */
  articleCount: column<number>('(select count(*)::integer from articles a where a.series_id = s.id)'),
  /** With private ones, in their order; null for everyone but the author. */
  articleIds: column<number[] | null>('null::bigint[]'),
  updatedAt: timestamp('s.updated_at'),
});

export type SeriesRow = Row<typeof SERIES>;

const articleIdsFor = (reader: string) => `case when s.member_id = ${reader} then array(
  select a.id from all_articles a where a.series_id = s.id order by a.series_position, a.id) end`;

/** Without the ids of their articles. */
export const SERIES_BY_ID = statement<[ids: readonly number[]], SeriesRow>(
  'series_by_id',
  `select ${SERIES.select} from series s where s.id = any($1::bigint[])`,
);

/** With the ids of their public articles in their order, as an anonymous reader sees them. */
export const PUBLIC_SERIES_BY_ID = statement<[ids: readonly number[]], SeriesRow>(
  'public_series_by_id',
  `select ${SERIES.select.replace(SERIES.columns.articleIds.sql, 'to_json(public_articles_of_series(s.id))')} from series s where s.id = any($1::bigint[])`,
);

/** The last changed one first. */
export const SERIES_ORDER: Order = { key: 's.updated_at', type: 'timestamptz', isDescending: true };

/** Of public articles among each other, since cursors contain it: the positions that are stored count private ones too. */
export const SERIES_ARTICLE_ORDER: Order = { key: 'p.place', type: 'integer', isDescending: false };

/** The public articles of a series: `p.id` and `p.place`. */
const publicPlaces = (series: string): string =>
  `(select id, row_number() over (order by series_position, id) as place from articles where series_id = ${series}) p`;

const articleReader = (reader: string): string => `(${reader}).article_reader_id`;

export type FoundSeriesList = RowSlice<SeriesRow> & { total: number; version: Version };

/**
 * The same slice of the series of several members, in the order of `memberIds`.
 * @param by sees the ids of the articles in their own series @returns null for a member that does not exist
 */
export async function findSeriesOfMembers(
  database: Database,
  memberIds: readonly number[],
  by: Reader,
  slice: Slice,
): Promise<(FoundSeriesList | null)[]> {
  const bindings = new Bindings();
  const [members, reader] = [bindings.add(memberIds, 'bigint[]'), articleReader(bindings.add(by, 'reader'))];
  const query = {
    source: 'series s',
    id: 's.id',
    conditions: ['s.member_id = t.id'],
    order: SERIES_ORDER,
    total: 't.total',
  };
  const contents = SERIES.packedRows({
    from: 'series s',
    order: SERIES_ORDER,
    ids: keysetIds(query, slice, bindings),
    replaced: { articleIds: articleIdsFor(reader) },
  });
  const text = `select t.id, t.total::integer as total, (${JOURNAL_STAMP}) as stamp, (${contents})::text as contents from (
    select m.id, (select count(*) from series s where s.member_id = m.id) as total
    from members m where m.id = any(${members}) and (m.id = ${reader} or not (${IS_PENDING})) offset 0) t`;
  const rows = await database.query(
    ...composedStatement<{ id: number; total: number; stamp: string; contents: string | null }>(text, bindings),
  );
  const found = new Map(
    rows.map(({ id, total, stamp, contents }) => {
      return [id, { ...SERIES.unpackRows(contents), total, version: readStamp(stamp) }] as const;
    }),
  );
  return memberIds.map((id) => found.get(id) ?? null);
}

/** The same slice of the public articles of several series, in the order of `seriesIds`; of a series that does not exist: none. */
export async function findArticlesOfSeries(
  database: Database,
  seriesIds: readonly number[],
  slice: Slice,
  includes: ArticleIncludes,
): Promise<FoundArticles[]> {
  const bindings = new Bindings();
  const series = bindings.add(seriesIds, 'bigint[]');
  const text = `select s.id, s.total, (${articlesOf('s.id', slice, includes, bindings)})::text as contents
    from (select s.id, ${SERIES.columns.articleCount.sql} as total from series s where s.id = any(${series}) offset 0) s`;
  return unpackLists(seriesIds, await database.query(...composedStatement<PackedList>(text, bindings)));
}

/** A slice of the public articles of the series `s`, whose number is `s.total`. @param series SQL for its id */
function articlesOf(series: string, slice: Slice, includes: ArticleIncludes, bindings: Bindings): string {
  const order = SERIES_ARTICLE_ORDER;
  const query = { source: publicPlaces(series), id: 'p.id', conditions: [], order, total: 's.total' };
  return ARTICLE.packedRows({
    from: `${articleSource('articles')} join ${publicPlaces(series)} on p.id = a.id`,
    order,
    ids: keysetIds(query, slice, bindings),
    replaced: omittedColumns(includes),
  });
}

export interface FoundSeries {
  series: SeriesRow;
  /** Public ones. */
  articles: FoundArticles;
  version: Version;
}

/** @param by as in `findSeriesOfMember` @returns null if there is no such series */
export async function findSeries(
  database: Database,
  { id, by }: { id: number; by: Reader },
  slice: Slice,
  includes: ArticleIncludes,
): Promise<FoundSeries | null> {
  const bindings = new Bindings();
  const [series, reader] = [bindings.add(id, 'bigint'), articleReader(bindings.add(by, 'reader'))];
  const contents = articlesOf(series, slice, includes, bindings);
  const columns = SERIES.packed({ articleCount: 's.total', articleIds: articleIdsFor(reader) });
  const text = `select json_build_array(${columns}) as series, (${JOURNAL_STAMP}) as stamp, (${contents})::text as contents
    from (select s.*, ${SERIES.columns.articleCount.sql} as total from series s where s.id = ${series} offset 0) s`;
  const [found] = await database.query(
    ...composedStatement<{ series: unknown[]; stamp: string; contents: string | null }>(text, bindings),
  );
  if (!found) return null;
  const row = SERIES.unpack(found.series);
  const articles = { ...ARTICLE.unpackRows(found.contents), total: row.articleCount };
  return { series: row, articles, version: readStamp(found.stamp) };
}

/** `missing`: the article that does not exist, or is one of another member. */
export type SavedSeries = SeriesRow | { failure: ErrorKey; missing?: number | null };

/** One statement each, with all checks (migrations/0001/05-tags-and-series.sql). @param seriesId null for a new one @param articleIds null if unchanged */
export const SAVE_SERIES = statement<
  [
    memberId: number,
    seriesId: number | null,
    title: string,
    description: string | null,
    articleIds: readonly number[] | null,
  ],
  { saved: SavedSeries }
>('save_series', 'select save_series($1, $2, $3, $4, $5) as saved where require_not_suspended($1)');

/** Returns the series as it was. Its articles stay. */
export const DELETE_SERIES = statement<[memberId: number, seriesId: number], { saved: SavedSeries }>(
  'delete_series',
  'select delete_series($1, $2) as saved',
);
