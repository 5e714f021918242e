/** State transitions of the job that summarizes an article. Each applies to one revision, and has no effect if there is a newer one. */
import type { Transaction } from 'sequelize';
import type { KeyedSummary } from '../ai/summarizer.js';
import type { Database } from '../database/pool.js';
import type { SummaryRequest } from '../database/queue.js';
import { statement } from '../database/statement.js';
import type { SummaryOutcome } from '../models/notification/notification.js';
import type { AnalyzeStatus } from '../models/summary.js';
import { notifySummary } from './notify.js';

/** Cached AI responses per article. */
const MAX_CACHED_SUMMARIES = 10;

/** Includes PROCESSING: the process that started it may have crashed. */
const START_SUMMARY = statement<[articleId: number, revision: number], StartedSummary>(
  'start_summary',
  `update article_summaries s set status = 'PROCESSING'
   from articles a left join article_texts t on t.article_id = a.id
   where a.id = s.article_id and s.article_id = $1 and s.revision = $2 and s.status in ('PENDING', 'PROCESSING')
   returning a.content, t.text, a.member_id as "authorId"`,
);

interface StartedSummary {
  content: string;
  /** The visible text; null if it has not been rendered yet. */
  text: string | null;
  authorId: number;
}

const RESET_SUMMARY = statement<[articleId: number, revision: number]>(
  'reset_summary',
  `update article_summaries set status = 'PENDING' where article_id = $1 and revision = $2 and status = 'PROCESSING'`,
);

/** Locks the article before its summary, in the same order as edits, to prevent deadlocks. */
const LOCK_ARTICLE = statement<[articleId: number]>(
  'lock_article_for_summary',
  'select from articles where id = $1 for no key update',
);

/** Tags: null leaves them unchanged. */
const FINISH_SUMMARY = statement<
  [articleId: number, revision: number, status: AnalyzeStatus, tags: readonly string[] | null],
  { isFinished: true }
>(
  'finish_summary',
  `update article_summaries set status = $3, tags = coalesce($4::text[], tags)
   where article_id = $1 and revision = $2 and status = 'PROCESSING' returning true as "isFinished"`,
);

/** The modification time stays unchanged, because the author did not edit the article. */
const SET_SUMMARY = statement<[articleId: number, summary: string]>(
  'set_summary',
  'update articles set ai_summary = $2 where id = $1',
);

const CACHE_SUMMARY = statement<[key: Buffer, articleId: number, summary: string, tags: readonly string[]]>(
  'cache_summary',
  `insert into summary_answers as k (key, article_id, summary, tags) values ($1, $2, $3, $4)
   on conflict (key, article_id) do update set created_at = now()`,
);

const EVICT_CACHED_SUMMARIES = statement<[articleId: number]>(
  'evict_cached_summaries',
  `delete from summary_answers where article_id = $1 and key in (
     select key from summary_answers where article_id = $1 order by created_at desc, key offset ${MAX_CACHED_SUMMARIES})`,
);

/** @returns null if the request is already completed or failed, or there is a later revision */
export async function startSummary(
  database: Database,
  { articleId, revision }: SummaryRequest,
): Promise<StartedSummary | null> {
  const [started] = await database.query(START_SUMMARY, [articleId, revision]);
  return started ?? null;
}

/** Resets the status to PENDING, for a later retry. */
export async function resetSummary(database: Database, { articleId, revision }: SummaryRequest): Promise<void> {
  await database.query(RESET_SUMMARY, [articleId, revision]);
}

/** The built-in summary of a new or edited article is ready before its author could look for it, and is not announced. */
function isAnnounced({ isRequested }: SummaryRequest, isBuiltIn: boolean): boolean {
  return isRequested === true || !isBuiltIn;
}

/** Writes the summary, its tags and, if it is announced, the author's notification in one transaction. */
export function completeSummary(
  database: Database,
  request: SummaryRequest,
  { key, summary, tags, isBuiltIn }: KeyedSummary,
): Promise<void> {
  const { articleId } = request;
  const ending = { outcome: 'COMPLETED', tags, isAnnounced: isAnnounced(request, isBuiltIn) } as const;
  return finish(database, request, ending, async (transaction) => {
    await database.query(SET_SUMMARY, [articleId, summary], transaction);
    await database.query(CACHE_SUMMARY, [key, articleId, summary, tags], transaction);
    await database.query(EVICT_CACHED_SUMMARIES, [articleId], transaction);
  });
}

/** An existing summary of the same content is preserved. @param isBuiltIn there is no provider that could have made it */
export function failSummary(database: Database, request: SummaryRequest, isBuiltIn: boolean): Promise<void> {
  const ending = { outcome: 'FAILED', tags: null, isAnnounced: isAnnounced(request, isBuiltIn) } as const;
  return finish(database, request, ending, async () => {});
}

interface Ending {
  readonly outcome: SummaryOutcome & AnalyzeStatus;
  readonly tags: readonly string[] | null;
  readonly isAnnounced: boolean;
}

/** Idempotent: of two concurrent calls for one revision, the second has no effect. */
function finish(
  database: Database,
  { articleId, revision }: SummaryRequest,
  { outcome, tags, isAnnounced }: Ending,
  write: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  return database.inTransaction(async (transaction) => {
    await database.query(LOCK_ARTICLE, [articleId], transaction);
    const [finished] = await database.query(FINISH_SUMMARY, [articleId, revision, outcome, tags], transaction);
    if (!finished) return;
    await write(transaction);
    if (isAnnounced) await notifySummary(database, { articleId, outcome }, transaction);
  });
}
