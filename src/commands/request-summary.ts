/** Requests summaries: of new content, and again on request of the author. */
import type { Transaction } from 'sequelize';
import { spendAiBudget } from '../ai/budget.js';
import { hashOf } from '../ai/summarizer.js';
import type { Caller } from '../auth/policy.js';
import type { Database } from '../database/pool.js';
import { addJobs, MAX_PRIORITY, type SummaryRequest } from '../database/queue.js';
import { statement } from '../database/statement.js';
import { Article } from '../models/article/article.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import type { Services } from '../services.js';

/** A recorded request, for which a job has to be added. */
interface RecordedRequest {
  revision: number;
  /**
   * Fair queueing between authors: jobs of lower rounds run first. An author's next summary is one round after the author's
   * last unfinished one; the first is in the lowest unfinished round.
   */
  round: number;
}

/** `set`, `condition`: SQL for an existing row (further assignments, and the WHERE clause of the update). */
const recordRequest = (set: string, condition = '') => `
  insert into article_summaries as s (article_id, member_id, round)
  select a.id, a.member_id, greatest(
    (select min(round) from article_summaries where status in ('PENDING', 'PROCESSING')),
    (select max(round) + 1 from article_summaries
     where member_id = a.member_id and article_id <> a.id and status in ('PENDING', 'PROCESSING')),
    0)
  from articles a where a.id = $1
  on conflict (article_id) do update
    set revision = s.revision + 1, status = 'PENDING', member_id = excluded.member_id, round = excluded.round${set}
    ${condition}
  returning revision, round`;

/** Requests a summary of new content, and clears the tags of the previous content. */
const REQUEST_SUMMARY = statement<[articleId: number], RecordedRequest>(
  'request_summary',
  recordRequest(", tags = '{}'"),
);

/** Requests a summary of the same content again, unless one is pending or in progress. */
const RETRY_SUMMARY = statement<[articleId: number], RecordedRequest>(
  'retry_summary',
  recordRequest('', "where s.status in ('COMPLETED', 'FAILED')"),
);

/** Requests a summary of new content, in the transaction that writes the article. */
export async function enqueueSummary(
  database: Database,
  articleId: number,
  content: string,
  transaction: Transaction,
): Promise<void> {
  const [recorded] = await database.query(REQUEST_SUMMARY, [articleId], transaction);
  if (recorded) await addSummaryJob(database, { articleId, ...recorded }, content, transaction);
}

/**
 * Requests the summary again, unless a request is already pending or in progress. Charges the viewer's AI budget if AI is
 * enabled; refunds it if there was such a request, or on an error.
 * @param check throws if the viewer may not request it
 * @throws AppError ARTICLE_NOT_FOUND, RATE_LIMITED
 */
export async function requestSummary(
  caller: Caller & Pick<Services, 'ai'>,
  articleId: number,
  check: (article: Article) => void,
): Promise<void> {
  const { ai, database } = caller;
  const refund = ai ? await spendAiBudget(caller) : null;
  let isRecorded = false;
  try {
    isRecorded = await database.inTransaction(async (transaction) => {
      const { content } = await lockForUpdate(Article, articleId, 'ARTICLE_NOT_FOUND', transaction, check);
      const [recorded] = await database.query(RETRY_SUMMARY, [articleId], transaction);
      if (!recorded) return false;
      await addSummaryJob(database, { articleId, isRequested: true, ...recorded }, content, transaction);
      return true;
    });
  } finally {
    if (!isRecorded) await refund?.();
  }
}

/** Replaces an earlier job that is still queued. */
function addSummaryJob(
  database: Database,
  { round, ...request }: SummaryRequest & RecordedRequest,
  content: string,
  transaction: Transaction,
): Promise<void> {
  return addJobs(database, 'summarise-article', [request], {
    transaction,
    keyOf: ({ articleId }) => String(articleId),
    // Equal texts share a queue, so that the second job finds the cached response of the first.
    queueNumberOf: () => hashOf(content).readUInt8(),
    priority: Math.min(round, MAX_PRIORITY),
  });
}
