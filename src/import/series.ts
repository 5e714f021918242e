/** Adds series, and articles to them. */
import { createHash } from 'node:crypto';
import { MAX_SERIES, MAX_SERIES_ARTICLES } from '../models/series.js';
import { statement } from '../platform/database/statement.js';
import type { Person } from './person.js';
import { note, type Report } from './report.js';
import { findImported, recordImported, type Writer } from './writer.js';

export interface SeriesPlan {
  /** 1 to 100 characters. */
  title: string;
  description: string;
  /** Null: the time of the import. */
  updatedAt: Date | null;
}

/** The first lock of everything that changes series (migrations/0001/05-tags-and-series.sql). */
export const LOCK_SERIES = statement<[memberId: number], { id: number }>(
  'import_lock_series',
  'select id from members where id = $1 for no key update',
);

/** With this id, or without one the first with the title. */
export const FIND_SERIES = statement<[memberId: number, id: number | null, title: string], { id: number }>(
  'import_find_series',
  `select id from series where member_id = $1 and case when $2::bigint is null then title = $3 else id = $2 end order by id limit 1`,
);

/** No row if the member has the maximum. */
export const ADD_SERIES = statement<
  [memberId: number, title: string, description: string, updatedAt: Date | null, max: number],
  { id: number }
>(
  'import_add_series',
  `insert into series (member_id, title, description, updated_at)
   select $1, $2, $3, coalesce($4, now()) where (select count(*) from series where member_id = $1) < $5 returning id`,
);

/**
 * With a position, the article gets it; without, it comes before the first one that was published later, and all are numbered again. No row if the
 * series has the maximum of articles.
 */
export const ADD_TO_SERIES = statement<
  [articleId: number, seriesId: number, position: number | null, max: number],
  { id: number }
>(
  'import_add_to_series',
  `with others as (
     select id, series_position as key, created_at from all_articles where series_id = $2
   ), listed as (
     select id, row_number() over (order by key, is_other, id) as position from (
       select id, key, true as is_other from others
       union all
       select id, coalesce((select min(o.key) from others o where o.created_at > a.created_at), 2147483647), false
       from all_articles a where id = $1
     ) x
   )
   update all_articles a set series_id = $2, series_position = coalesce($3, l.position) from listed l
   where a.id = l.id and (a.id = $1 or ($3::integer is null and a.series_position <> l.position))
     and (select count(*) from others) < $4
   returning a.id`,
);

const FULL = `series beyond ${MAX_SERIES} of their author: their articles are in none`;
const REMOVED = 'series that were removed from the journal: their articles are in none';

/** @param place in the source @returns null if there is none: the member has the maximum, or has deleted it since an earlier import */
export async function saveSeries(
  writer: Writer,
  { author, memberId, place }: { author: Person; memberId: number; place: string },
  { title, description, updatedAt }: SeriesPlan,
  report: Report,
): Promise<number | null> {
  const key = createHash('sha256')
    .update(`${author.keys.at(-1)}\n${title}`)
    .digest('hex');
  await writer.run(LOCK_SERIES, [memberId]);
  const importedId = (await findImported(writer, 'series', [key])).get(key) ?? null;
  const [found] = await writer.run(FIND_SERIES, [memberId, importedId, title]);
  if (found) return found.id;
  const [added] =
    importedId === null
      ? await writer.run(ADD_SERIES, [memberId, title, description, updatedAt, MAX_SERIES])
      : [undefined];
  if (!added) {
    report.addNotes([note('reduced', importedId === null ? FULL : REMOVED, `${place} ${title}`)]);
    return null;
  }
  await recordImported(writer, 'series', [{ key, id: added.id }]);
  return added.id;
}

/** @param position null: by the time of publication */
export async function addToSeries(
  { run }: Writer,
  seriesId: number,
  article: { id: number; position: number | null; name: string },
  report: Report,
): Promise<void> {
  const listed = await run(ADD_TO_SERIES, [article.id, seriesId, article.position, MAX_SERIES_ARTICLES]);
  const reason = `articles beyond the ${MAX_SERIES_ARTICLES} of a series: they are in none`;
  if (listed.length === 0) report.addNotes([note('reduced', reason, article.name)]);
}
