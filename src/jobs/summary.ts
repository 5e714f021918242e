/** Makes the summary of an article: whatever happens in between, it is completed or fails once, and its author hears of it once. */
import type { Transaction } from 'sequelize';
import { ProviderFailure } from '../ai/failure.js';
import { hashOf, summarise } from '../ai/summariser.js';
import {
  type AskedSummary,
  beginSummary,
  completeSummary,
  failSummary,
  putBackSummary,
  type SummaryRequest,
} from '../commands/summary.js';
import { fixedLimit } from '../config/limit.js';
import type { Database } from '../database/pool.js';
import { addJobs } from '../database/queue.js';
import type { Services } from '../services.js';
import type { JobRun } from './tasks.js';

/** Runs of one job, over some two minutes. What died in the last of them is not tried for ever. */
const MOST_ATTEMPTS = 5;

/** Of all processes together. Equal texts share a queue, so that the second finds what the first was answered. */
const SUMMARIES_AT_ONCE = fixedLimit({
  area: 'Queues',
  error: null,
  value: 2,
  unit: 'count',
  about: 'Summaries that all processes together make at the same time. Others wait; authors take turns.',
});

/** graphile-worker keeps priorities as smallint. */
const MAX_PRIORITY = 32_767;

/** In the transaction that writes the article, or requests a summary. An earlier request that still waits is replaced. */
export function summariseLater(
  database: Database,
  { round, ...request }: SummaryRequest & AskedSummary,
  content: string,
  transaction: Transaction,
): Promise<void> {
  const queue = `summaries-${hashOf(content).readUInt8() % SUMMARIES_AT_ONCE}`;
  return addJobs(database, 'summarise-article', [request], {
    transaction,
    keyOf: ({ articleId }) => String(articleId),
    queue,
    priority: Math.min(round, MAX_PRIORITY),
  });
}

export async function summariseArticle(request: SummaryRequest, services: Services, run: JobRun): Promise<void> {
  const { database } = services;
  const begun = await beginSummary(database, request);
  if (begun === null) return;
  if (run.attempt > MOST_ATTEMPTS) return failSummary(database, request);
  try {
    const isRequested = request.isRequested ?? false;
    const { key, ...summary } = await summarise(services, { ...begun, isRequested, signal: run.signal });
    await completeSummary(database, request, key, summary);
  } catch (error) {
    await giveUp(error, request, services, run);
  }
}

/** @throws the error where another try may help */
async function giveUp(
  error: unknown,
  request: SummaryRequest,
  { database, log }: Services,
  run: JobRun,
): Promise<void> {
  const isFinal = error instanceof ProviderFailure ? !error.isPassing : false;
  if (run.signal.aborted || (!isFinal && run.attempt < MOST_ATTEMPTS)) {
    await putBackSummary(database, request);
    throw error;
  }
  const reason = error instanceof ProviderFailure ? error.reason : (error as Error).name;
  log.warn({ articleId: request.articleId, attempt: run.attempt, reason }, 'a summary failed');
  await failSummary(database, request);
}
