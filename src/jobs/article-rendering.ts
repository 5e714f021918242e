/** Renders articles that were written without HTML: those of members whose rendering time was used up. */
import { enqueueRendering } from '../commands/request-rendering.js';
import { ARTICLES_WITHOUT_TEXT, NEXT_WITHOUT_TEXT } from '../models/article/html.js';
import { describeError } from '../platform/database/mask-error.js';
import { AppError } from '../platform/errors.js';
import type { Services } from '../services/index.js';
import { jobTask } from '../services/limits/client-task.js';
import { completeRendering } from '../services/rendering/article-html.js';
import { RENDERER_VERSION } from '../services/rendering/renderer.js';
import type { JobRun } from './job.js';

/** The newest article of the member. While the rendering time of the member or of all jobs is used up, the job waits in the queue of jobs. */
export async function renderArticles(
  { memberId }: { memberId: number },
  services: Services,
  { signal }: JobRun,
): Promise<void> {
  const { database } = services;
  const [next] = await database.query(NEXT_WITHOUT_TEXT, [memberId, RENDERER_VERSION]);
  if (!next) return;
  let delaySeconds = 0;
  try {
    await completeRendering(services, next.id, jobTask(memberId, signal));
  } catch (error) {
    if (!(error instanceof AppError && error.key === 'RATE_LIMITED')) throw error;
    delaySeconds = error.retryAfter ?? 1;
  }
  await enqueueRendering(database, memberId, { delaySeconds });
}

/** Successive failures after which the job fails, such as those of a database that stopped. */
const MAX_FAILURES = 10;

/**
 * Renders the articles without a visible text of the current renderer version: those of an older version, and those that were written while the
 * renderer was too busy. Newest articles first, each in a transaction of its own, so that no row is locked for longer than its update of the search index takes.
 * Articles that fail are left for the next run. Aborted, it continues in the next run.
 */
export async function fillArticleTexts(_payload: unknown, services: Services, { signal }: JobRun): Promise<void> {
  const { database, log } = services;
  const task = { key: 'texts', signal: () => signal };
  let failures = 0;
  for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null; ) {
    const [found]: { last: number | null; ids: number[] }[] = await database.query(ARTICLES_WITHOUT_TEXT, [
      next,
      RENDERER_VERSION,
    ]);
    for (const articleId of found?.ids ?? []) {
      signal.throwIfAborted();
      try {
        await completeRendering(services, articleId, task);
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: describeError(error) }, 'rendering an article failed');
        if (++failures === MAX_FAILURES) throw error;
      }
    }
    next = found?.last ?? null;
  }
}
