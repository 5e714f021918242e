/** Fills the slugs and counts of articles that a process of the previous version has written, before and during an upgrade. */
import type { Transaction } from 'sequelize';
import { FILL_LOCK } from '../../platform/database/locks.js';
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { slugOf } from './slug.js';
import { textColumnsOf } from './text.js';

/** Articles of one transaction, whose rows are locked until its end. Their texts are in memory meanwhile. */
const BATCH = 100;
/** Interval between two messages of a long run. */
const PROGRESS_MS = 2_000;

/** Processes that start at the same time share the articles, and none of them continues before the last batch is committed. */
const LOCK = statement<[]>('fill_lock', `select pg_advisory_xact_lock(${FILL_LOCK})`);

/** The condition of the index articles_unfilled. */
const IS_UNFILLED = '(a.slug is null or a.word_count is null)';

/**
 * An article that is not rendered yet gets its counts when it is. Rows that a request changes are left for the next run. Both tables are read from the
 * given id on: a merge join would otherwise read all texts before it in each batch.
 */
const UNFILLED = statement<[afterId: number, limit: number], { id: number; title: string; text: string | null }>(
  'unfilled_articles',
  `select a.id, a.title, case when a.word_count is null then t.text end as text
   from all_articles a left join article_texts t on t.article_id = a.id and t.article_id > $1
   where ${IS_UNFILLED} and (a.slug is null or t.article_id is not null) and a.id > $1
   order by a.id limit $2 for no key update of a skip locked`,
);

const FILL = statement<
  [
    ids: readonly number[],
    slugs: readonly string[],
    words: readonly (number | null)[],
    minutes: readonly (number | null)[],
  ]
>(
  'fill_articles',
  `update all_articles a set slug = coalesce(a.slug, v.slug), word_count = coalesce(a.word_count, v.words),
     reading_minutes = coalesce(a.reading_minutes, v.minutes)
   from unnest($1::bigint[], $2::text[], $3::integer[], $4::integer[]) as v(id, slug, words, minutes) where a.id = v.id`,
);

const COUNT_UNFILLED = statement<[afterId: number], { total: number }>(
  'count_unfilled_articles',
  `select count(*) as total from all_articles a where ${IS_UNFILLED} and a.id > $1`,
);

interface FillOptions {
  /** Receives messages during a run that takes longer than some seconds. */
  onProgress?: (line: string) => void;
  /** Aborted, the next run continues. */
  signal?: AbortSignal;
  /** In milliseconds. */
  now?: () => number;
}

/** Takes milliseconds if nothing is missing. */
export async function fillArticles(
  database: Database,
  { onProgress, signal, now = () => performance.now() }: FillOptions = {},
): Promise<void> {
  let filled = 0;
  let total: number | undefined;
  let reportedAt = now();
  for (let last = 0, size = BATCH; size === BATCH; ) {
    signal?.throwIfAborted();
    ({ last, size } = await database.inTransaction((transaction) => fillBatch(database, last, transaction)));
    filled += size;
    if (!onProgress || now() - reportedAt < PROGRESS_MS) continue;
    total ??= filled + ((await database.query(COUNT_UNFILLED, [last]))[0]?.total ?? 0);
    onProgress(`Filling slugs and word counts: ${filled} of ${total} articles.`);
    reportedAt = now();
  }
}

async function fillBatch(
  database: Database,
  afterId: number,
  transaction: Transaction,
): Promise<{ last: number; size: number }> {
  await database.query(LOCK, [], transaction);
  const articles = await database.query(UNFILLED, [afterId, BATCH], transaction);
  const columns = articles.map(({ text }) => textColumnsOf(text === null ? null : { text }));
  const values = [
    articles.map(({ id }) => id),
    articles.map(({ title }) => slugOf(title)),
    columns.map(({ wordCount }) => wordCount),
    columns.map(({ readingMinutes }) => readingMinutes),
  ] as const;
  if (articles.length > 0) await database.query(FILL, [...values], transaction);
  return { last: articles.at(-1)?.id ?? afterId, size: articles.length };
}
