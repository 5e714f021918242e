/** Views of articles: the hashes of readers for one day, the counts, and the statistics for authors (docs/decisions/views.md). */
import { statement } from '../platform/database/statement.js';
import { type ReactionCounts, SELECTED_COUNTS } from './reaction-kinds.js';

/** A day in UTC, `YYYY-MM-DD`. */
export type Day = string;

/** The salts of some days. A missing one is added; of processes that add the same one at the same time, the first one wins. */
export const SALTS_OF_DAYS = statement<[days: readonly Day[], salts: readonly string[]], { day: Day; salt: string }>(
  'salts_of_days',
  `insert into view_salts (day, salt) select v.day, v.salt from unnest($1::date[], $2::text[]) v (day, salt) order by v.day
   on conflict (day) do update set salt = view_salts.salt returning day::text, salt`,
);

/** One element of each array for each reader; hashes are in Base64. */
export type CountedViews = [
  day: Day,
  articleIds: readonly number[],
  memberIds: readonly number[],
  networks: readonly string[],
  readers: readonly string[],
  maxReaders: number,
];

/**
 * Counts the readers in these arrays that are new, as one transaction; a repetition counts none. Discarded: unknown and private articles, members who
 * are the author (0: unknown), readers above the number for a network and article, and days whose salt was deleted.
 * @returns the articles whose counters another transaction is changing: none of their views are counted
 */
export const COUNT_VIEWS = statement<CountedViews, { articleIds: number[] }>(
  'count_views',
  `select count_views($1::date, $2::bigint[], $3::bigint[],
     array(select decode(v.text, 'base64') from unnest($4::text[]) with ordinality v (text, place) order by v.place),
     array(select decode(v.text, 'base64') from unnest($5::text[]) with ordinality v (text, place) order by v.place), $6)::float8[] as "articleIds"`,
);

/** Views of the day before can wait in a process until they are written. */
const GRACE = "interval '1 hour'";

const IS_OVER = `day < ((now() - ${GRACE}) at time zone 'UTC')::date`;

/** Before the hashes: no process can add further ones then. */
export const DELETE_PAST_SALTS = statement<[]>('delete_past_view_salts', `delete from view_salts where ${IS_OVER}`);

export const DELETE_PAST_READERS = statement<[limit: number], { deleted: number }>(
  'delete_past_view_readers',
  `with deleted as (
     delete from view_readers where ctid = any(array(
       select ctid from view_readers where ${IS_OVER} order by day limit $1
     )) returning 1
   ) select count(*) as deleted from deleted`,
);

export interface ArticleStatistics extends ReactionCounts {
  /** Each day from the first to the last one, also those without views. */
  views: { date: Day; count: number }[];
  viewCount: number;
  bookmarkCount: number;
  commentCount: number;
}

/** For the author, who has been checked. */
export const ARTICLE_STATISTICS = statement<[articleId: number, from: Day, to: Day], ArticleStatistics>(
  'article_statistics',
  `select array(
       select json_build_object('date', g.day::date, 'count', coalesce(d.views, 0))
       from generate_series($2::date::timestamp, $3::date::timestamp, interval '1 day') g (day)
         left join article_view_days d on d.article_id = a.id and d.day = g.day::date
       order by g.day
     ) as views, coalesce(r.views, 0) as "viewCount", ${SELECTED_COUNTS},
     (select count(*) from bookmarks where article_id = a.id) as "bookmarkCount", a.comment_count as "commentCount"
   from all_articles a left join article_counts r on r.article_id = a.id where a.id = $1`,
);
