/**
 * The likes and views of articles in the last 1, 7 and 30 days (UTC), for lists by `period`. A job computes them every hour: see
 * docs/decisions/discovery.md.
 */
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';

/** Rows of one day that a batch reads of likes, and of views, before it ends with the article of the last one. */
const BATCH = 250;

/** As text, so that no digits are lost. Likes after the last full hour belong to the next run. */
const LAST_FULL_HOUR = statement<[], { moment: string }>(
  'last_full_hour',
  `select date_trunc('hour', now())::text as moment`,
);

/** The conditions on a like, as in the index of these. */
const LIKED = `x.kind = 'LIKE' and (x.created_at at time zone 'UTC')::date = w.day`;

/** The id of the article where a batch ends that reads the rows of a day. */
const endIn = (table: string, isOfDay: string) =>
  `(select x.article_id from ${table} x where ${isOfDay} and x.article_id > $1 order by x.article_id offset ${BATCH - 1} limit 1)`;

/** `last`: null for the last one. */
interface Batch {
  last: number | null;
  isVisible: boolean;
}

/**
 * The articles after an id, in a range that ends with the first day of which BATCH rows have been read. Rows that stay the same are not written. An
 * article that gets its first row is locked, so that a change of its visibility waits for the row, or is seen.
 */
const REFRESH_TRENDS = statement<[afterId: number, until: string], Batch>(
  'refresh_trends',
  `with w as materialized (
     select ($2::timestamptz at time zone 'UTC')::date - n as day, n from generate_series(0, 29) n
   ), bound as materialized (
     select min(least(${endIn('reactions', LIKED)}, ${endIn('article_view_days', 'x.day = w.day')})) as last
     from w
   ), reach as materialized (
     select coalesce(last, 9223372036854775807) as last from bound
   ), sums as materialized (
     select u.article_id, p.days, sum(u.likes)::integer as likes, sum(u.views)::integer as views
     from (
       select l.article_id, w.n, l.likes, 0 as views from w cross join lateral (
         select x.article_id, count(*) as likes from reactions x
         where ${LIKED} and x.article_id > $1 and x.article_id <= (select last from reach) and x.created_at < $2::timestamptz
         group by 1
       ) l
       union all
       select v.article_id, w.n, 0, v.views from w cross join lateral (
         select v.article_id, v.views from article_view_days v
         where v.day = w.day and v.article_id > $1 and v.article_id <= (select last from reach)
       ) v
     ) u join (values (1), (7), (30)) p(days) on u.n < p.days
     group by 1, 2
   ), missing as materialized (
     select s.* from sums s where not exists (
       select from article_trends d where d.article_id = s.article_id and d.days = s.days)
   ), locked as materialized (
     select a.id, a.is_private, a.member_id, a.category_id from all_articles a where a.id = any(array(select article_id from missing)) order by a.id for share
   ), added as (
     insert into article_trends (article_id, days, likes, views, is_private, member_id, category_id)
     select s.article_id, s.days, s.likes, s.views, a.is_private, a.member_id, a.category_id from missing s join locked a on a.id = s.article_id
     on conflict (article_id, days) do nothing
     returning is_private
   ), kept as (
     update article_trends d set likes = s.likes, views = s.views from sums s
     where d.article_id > $1 and d.article_id <= (select last from reach) and d.article_id = s.article_id and d.days = s.days
       and (d.likes, d.views) <> (s.likes, s.views)
     returning d.is_private
   ), removed as (
     delete from article_trends d where d.article_id > $1 and d.article_id <= (select last from reach)
       and not exists (select from sums s where s.article_id = d.article_id and s.days = d.days)
     returning d.is_private
   )
   select last, exists (
     select from (select * from added union all select * from kept union all select * from removed) c where not is_private
   ) as "isVisible" from bound`,
);

/**
 * Until the transaction ends. A plan of REFRESH_TRENDS from when the tables were empty would read and sort all likes and views of each day for each batch, and is
 * used until they are analyzed.
 */
export const PLAN_BY_INDEX = statement<[]>(
  'plan_by_index',
  `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
);

const RENEW_LISTS = statement<[]>('renew_lists', `select stamp_journal('counts')`);

interface RefreshOptions {
  /** A time, as PostgreSQL reads it. Absent: the last full hour. */
  until?: string;
  /** Whether an earlier run may have ended without renewing the stamp of lists. */
  isRetry?: boolean;
  /** Aborted, the next run begins again. */
  signal?: AbortSignal;
}

/** Each batch is a transaction. The stamp of lists is renewed once, after the last one, if they have changed for everyone. */
export async function refreshTrends(
  database: Database,
  { until, isRetry = false, signal }: RefreshOptions = {},
): Promise<void> {
  const moment = until ?? (await database.query(LAST_FULL_HOUR, []))[0]?.moment ?? '';
  let isChanged = isRetry;
  try {
    for (let after: number | null = 0; after !== null; ) {
      signal?.throwIfAborted();
      const batch: Batch | undefined = await refreshBatch(database, after, moment);
      isChanged ||= batch?.isVisible ?? false;
      after = batch?.last ?? null;
    }
  } finally {
    if (isChanged) await database.query(RENEW_LISTS, []);
  }
}

function refreshBatch(database: Database, afterId: number, until: string): Promise<Batch | undefined> {
  return database.transaction(async (db) => {
    await db.query(PLAN_BY_INDEX, []);
    const [batch] = await db.query(REFRESH_TRENDS, [afterId, until]);
    return batch;
  });
}
