/** Adds the rows of `article_counts` that articles of databases from before the table do not have. Triggers write those of newer ones. */
import type { Transaction } from 'sequelize';
import { FILL_LOCK } from '../../platform/database/locks.js';
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';

/** Articles of one transaction: some tens of milliseconds. */
const BATCH = 1_000;
const PROGRESS_MS = 2_000;

/** As in fill.ts. */
const LOCK = statement<[]>('fill_counts_lock', `select pg_advisory_xact_lock(${FILL_LOCK})`);

const LEFT = statement<[], { afterId: number; untilId: number }>(
  'article_count_fill',
  'select after_id as "afterId", until_id as "untilId" from article_count_fills',
);

/**
 * A row that a trigger has written stays, and is newer. The lock is that of the foreign key: an article that another transaction deletes is passed.
 * The range has an upper bound, so that a merge join reads only a part of the table.
 */
const FILL_COUNTS = statement<[afterId: number, untilId: number, limit: number], { last: number | null }>(
  'fill_article_counts',
  `with batch as materialized (
     select id, is_private, member_id, category_id, month_of(created_at) as month from all_articles
     where id > $1 and id <= $2 order by id limit $3 for key share
   ), filled as (
     insert into article_counts as c (article_id, is_private, member_id, category_id, month) select * from batch order by id
     on conflict (article_id) do update
       set is_private = excluded.is_private, member_id = excluded.member_id, category_id = excluded.category_id, month = excluded.month
       where c.is_private is null or c.category_id is null
   )
   select max(id) as last from batch`,
);

const CONTINUE = statement<[lastId: number]>('continue_article_counts', 'update article_count_fills set after_id = $1');

const END = statement<[]>('end_article_counts', 'delete from article_count_fills');

interface FillOptions {
  /** Receives messages during a run that takes longer than some seconds. */
  onProgress?: (line: string) => void;
  /** Aborted, the next start continues. */
  signal?: AbortSignal;
  /** In milliseconds. */
  now?: () => number;
}

/** One statement if nothing is missing. */
export async function fillArticleCounts(
  database: Database,
  { onProgress, signal, now = () => performance.now() }: FillOptions = {},
): Promise<void> {
  let reportedAt = now();
  for (let left = (await database.query(LEFT, []))[0]; left; ) {
    signal?.throwIfAborted();
    left = await database.inTransaction((transaction) => fillBatch(database, transaction));
    if (!left || !onProgress || now() - reportedAt < PROGRESS_MS) continue;
    onProgress(`Filling counts of articles: ID ${left.afterId} of ${left.untilId}.`);
    reportedAt = now();
  }
}

/** @returns what is left; undefined if this was the last batch */
async function fillBatch(database: Database, transaction: Transaction) {
  await database.query(LOCK, [], transaction);
  const [left] = await database.query(LEFT, [], transaction);
  if (!left) return undefined;
  const [filled] = await database.query(FILL_COUNTS, [left.afterId, left.untilId, BATCH], transaction);
  const last = filled?.last ?? null;
  if (last === null) await database.query(END, [], transaction);
  else await database.query(CONTINUE, [last], transaction);
  return last === null ? undefined : { ...left, afterId: last };
}
