/** Makes the summary of an article: whatever happens in between, it is completed or fails once, and its author hears of it once. */
import { createHash } from 'node:crypto';
import type { Transaction } from 'sequelize';
import { ProviderFailure } from '../ai/failure.js';
import { sourceOf, summarise } from '../ai/summariser.js';
import type { Database } from '../models/database.js';
import { FIND_ANSWER } from '../models/summary.js';
import {
  beginSummary,
  completeSummary,
  failSummary,
  putBackSummary,
  type SummaryRequest,
} from '../models/summary-write.js';
import type { Services } from '../services.js';
import { addJobs } from './queue.js';
import type { JobRun } from './tasks.js';

/** Runs of one job, over some two minutes. What died in the last of them is not tried for ever. */
const MOST_ATTEMPTS = 5;

/** Of all processes together. Equal texts share a queue, so that the second finds what the first was answered. */
const SUMMARIES_AT_ONCE = 2;

/** In the transaction that writes the article, or asks again. An earlier question that still waits is replaced. */
export function summariseLater(
  database: Database,
  request: SummaryRequest,
  content: string,
  transaction: Transaction,
): Promise<void> {
  const queue = `summaries-${hashOf(content).readUInt8() % SUMMARIES_AT_ONCE}`;
  return addJobs(database, 'summarise-article', [request], {
    transaction,
    keyOf: ({ articleId }) => String(articleId),
    queue,
  });
}

export async function summariseArticle(request: SummaryRequest, services: Services, run: JobRun): Promise<void> {
  const { database } = services;
  const content = await beginSummary(database, request);
  if (content === null) return;
  if (run.attempt > MOST_ATTEMPTS) return failSummary(database, request);
  try {
    const key = hashOf(sourceOf(services), '\0', content);
    const [known] = await database.query(FIND_ANSWER, [key]);
    // No transaction and no connection is held here: the provider may take its time.
    const made = known ?? (await summarise(services, content, run.signal));
    await completeSummary(database, request, key, made);
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

function hashOf(...parts: string[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
