/**
 * Renders the articles without a visible text of the current renderer version: those of an older version, and those that were written while the
 * renderer was too busy.
 */
import { ARTICLES_WITHOUT_TEXT } from '../models/article/html.js';
import { describeError } from '../platform/database/mask-error.js';
import type { Services } from '../services/index.js';
import { completeRendering } from '../services/rendering/article-html.js';
import { RENDERER_VERSION } from '../services/rendering/renderer.js';
import type { JobRun } from './job.js';

/** Successive failures after which the job fails, such as those of a database that stopped. */
const MAX_FAILURES = 10;

/**
 * Newest articles first, each in a transaction of its own, so that no row is locked for longer than its update of the search index takes.
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
