/** Job that summarizes an article. Despite retries, a summary is completed or failed once, and its author is notified at most once. */
import type { SummaryRequest } from '../commands/request-summary.js';
import { completeSummary, failSummary, resetSummary, startSummary } from '../commands/summarize-article.js';
import type { StartedSummary } from '../models/summary.js';
import { describeError } from '../platform/database/mask-error.js';
import { ProviderFailure } from '../services/ai/provider-failure.js';
import { summarize } from '../services/ai/summarizer.js';
import type { Services } from '../services/index.js';
import { jobTask } from '../services/limits/client-task.js';
import { completeRendering } from '../services/rendering/article-html.js';
import { type JobRun, loggable } from './job.js';

/** Attempts of one job, over about two minutes. If the process crashes in the last one, the next run fails the summary. */
const MAX_ATTEMPTS = 5;

export async function summarizeArticle(request: SummaryRequest, services: Services, run: JobRun): Promise<void> {
  const { database, ai } = services;
  const started = await startSummary(database, request);
  if (started === null) return;
  if (run.attempt > MAX_ATTEMPTS) return failSummary(database, request, ai === null);
  try {
    const isRequested = request.isRequested ?? false;
    const text = started.text ?? (await renderLate(request, started, services, run));
    await completeSummary(
      database,
      request,
      await summarize(services, { ...started, text, isRequested, signal: run.signal }),
    );
  } catch (error) {
    await requeueOrFail(error, request, services, run, started.isPrivate);
  }
}

/** For an article that the renderer was too busy to render when it was written. */
async function renderLate(
  { articleId }: SummaryRequest,
  { authorId, isPrivate }: StartedSummary,
  services: Services,
  { signal }: JobRun,
) {
  return completeRendering(services, articleId, jobTask(authorId, signal)).catch((error) => {
    services.log.warn(
      { ...loggable(articleId, isPrivate), err: describeError(error) },
      'rendering an article for its summary failed',
    );
    return null;
  });
}

/** @throws the same error if a retry may succeed or the process is stopping */
async function requeueOrFail(
  error: unknown,
  request: SummaryRequest,
  { ai, database, log }: Services,
  run: JobRun,
  isPrivate: boolean,
): Promise<void> {
  const isFinal = error instanceof ProviderFailure ? !error.isTransient : false;
  if (run.signal.aborted || (!isFinal && run.attempt < MAX_ATTEMPTS)) {
    await resetSummary(database, request);
    throw error;
  }
  const reason = error instanceof ProviderFailure ? error.reason : (error as Error).name;
  log.warn({ ...loggable(request.articleId, isPrivate), attempt: run.attempt, reason }, 'summary failed');
  await failSummary(database, request, ai === null);
}
