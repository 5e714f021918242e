/** State transitions of the job that summarizes an article. Each applies to one revision, and has no effect if there is a newer one. */
import { NOTIFY_OF_SUMMARY } from '../models/notification/create.js';
import type { SummaryOutcome } from '../models/notification/kinds.js';
import {
  type AnalyzeStatus,
  CACHE_SUMMARY,
  EVICT_CACHED_SUMMARIES,
  FINISH_SUMMARY,
  LOCK_ARTICLE_FOR_SUMMARY,
  RESET_SUMMARY,
  SET_SUMMARY,
  START_SUMMARY,
  type StartedSummary,
} from '../models/summary.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import type { KeyedSummary } from '../services/ai/summarizer.js';
import type { SummaryRequest } from './request-summary.js';

/** @returns null if the request is already completed or failed, there is a later revision, or the article is private and it does not count */
export async function startSummary(
  database: Database,
  { articleId, revision, articleRevision }: SummaryRequest,
): Promise<StartedSummary | null> {
  const [started] = await database.query(START_SUMMARY, [articleId, revision, articleRevision ?? null]);
  return started?.isPermitted ? started : null;
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
  const result = { outcome: 'COMPLETED', tags, isAnnounced: isAnnounced(request, isBuiltIn) } as const;
  return finish(database, request, result, async (db) => {
    await db.query(SET_SUMMARY, [articleId, summary]);
    await db.query(CACHE_SUMMARY, [key, articleId, summary, tags]);
    await db.query(EVICT_CACHED_SUMMARIES, [articleId]);
  });
}

/** An existing summary of the same content is preserved. @param isBuiltIn there is no provider that could have made it */
export function failSummary(database: Database, request: SummaryRequest, isBuiltIn: boolean): Promise<void> {
  const result = { outcome: 'FAILED', tags: null, isAnnounced: isAnnounced(request, isBuiltIn) } as const;
  return finish(database, request, result, async () => {});
}

interface SummaryResult {
  readonly outcome: SummaryOutcome & AnalyzeStatus;
  readonly tags: readonly string[] | null;
  readonly isAnnounced: boolean;
}

/** Idempotent: of two concurrent calls for one revision, the second has no effect. */
function finish(
  database: Database,
  { articleId, revision }: SummaryRequest,
  { outcome, tags, isAnnounced }: SummaryResult,
  write: (db: Transaction) => Promise<void>,
): Promise<void> {
  return database.transaction(async (db) => {
    await db.query(LOCK_ARTICLE_FOR_SUMMARY, [articleId]);
    const [finished] = await db.query(FINISH_SUMMARY, [articleId, revision, outcome, tags]);
    if (!finished) return;
    await write(db);
    if (isAnnounced) await db.query(NOTIFY_OF_SUMMARY, [articleId, outcome]);
  });
}
