/** Requests summaries: of new content, and again on request of the author. */
import type { InferAttributes } from 'sequelize';
import { ARTICLES, type Article } from '../models/article/article.js';
import {
  CANCEL_SUMMARY,
  REQUEST_MISSING_SUMMARY,
  REQUEST_SUMMARY,
  RETRY_SUMMARY,
  type RecordedRequest,
} from '../models/summary.js';
import type { Guard } from '../models/table.js';
import type { Transaction } from '../platform/database/pool.js';
import { addJobs, jobType, MAX_PRIORITY, queues } from '../platform/database/queue.js';
import { spendAiBudget } from '../services/ai/budget.js';
import { hashOf } from '../services/ai/summarizer.js';
import type { Caller } from '../services/auth/policy.js';
import type { Services } from '../services/index.js';

/** One request for a summary. */
export interface SummaryRequest {
  articleId: number;
  revision: number;
  /** Set if the author requested the summary explicitly, not by creating or editing the article. */
  isRequested?: true;
  /** The revision of the article for which the author requested it. That of a private article is summarized for no other request. */
  articleRevision?: number;
}

export const SUMMARIZE_ARTICLE = jobType<SummaryRequest>(
  'summarize-article',
  queues(
    'summaries',
    2,
    'Concurrent summaries of all processes together. Further ones wait; authors are served in turn.',
  ),
);

/**
 * Requests a summary of a public article, in the transaction that writes it.
 * @param isMissing only if none exists or is in progress; otherwise, of new content
 */
export async function enqueueSummary(
  db: Transaction,
  articleId: number,
  content: string,
  isMissing = false,
): Promise<void> {
  const request = isMissing ? REQUEST_MISSING_SUMMARY : REQUEST_SUMMARY;
  const [recorded] = await db.query(request, [articleId]);
  if (recorded) await addSummaryJob(db, { articleId, ...recorded }, content);
}

/** Cancels what is requested for an article that is private after an edit: the author can request a summary of the new revision. */
export async function cancelSummary(
  db: Transaction,
  { id, aiSummary }: Pick<InferAttributes<Article>, 'id' | 'aiSummary'>,
  isRewritten: boolean,
): Promise<void> {
  const status = isRewritten || aiSummary === null ? 'FAILED' : 'COMPLETED';
  await db.query(CANCEL_SUMMARY, [id, status, isRewritten]);
}

/**
 * Requests the summary again, unless a request is already pending or in progress. Charges the viewer's AI budget if AI is
 * enabled; refunds it if there was such a request, or on an error.
 * @param read reads the response in the transaction
 * @throws AppError ARTICLE_NOT_FOUND, RATE_LIMITED
 */
export async function requestSummary<Read>(
  caller: Caller & { readonly services: Pick<Services, 'ai'> },
  articleId: number,
  { credentialId, check }: Guard<Article>,
  read: (db: Transaction) => Promise<Read>,
): Promise<Read> {
  const { database, services } = caller;
  const refund = services.ai ? await spendAiBudget(caller) : null;
  let isRecorded = false;
  try {
    const requested = await database.transaction(async (db) => {
      const { content, revision: articleRevision } = await ARTICLES.lock(db, articleId, check, credentialId);
      const [recorded] = await db.query(RETRY_SUMMARY, [articleId]);
      if (recorded) await addSummaryJob(db, { articleId, isRequested: true, articleRevision, ...recorded }, content);
      return { isRecorded: recorded !== undefined, response: await read(db) };
    });
    isRecorded = requested.isRecorded;
    return requested.response;
  } finally {
    if (!isRecorded) await refund?.();
  }
}

/** Replaces an earlier job that is still queued. */
function addSummaryJob(
  db: Transaction,
  { round, ...request }: SummaryRequest & RecordedRequest,
  content: string,
): Promise<void> {
  return addJobs(db, SUMMARIZE_ARTICLE, [request], {
    keyOf: ({ articleId }) => String(articleId),
    // Equal texts share a queue, so that the second job finds the cached response of the first.
    queueNumberOf: () => hashOf(content).readUInt8(),
    priority: Math.min(round, MAX_PRIORITY),
  });
}
