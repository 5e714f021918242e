/** Renders articles that were written without HTML: those of members whose rendering time was used up. */
import { enqueueRendering } from '../commands/request-rendering.js';
import { NEXT_WITHOUT_TEXT } from '../models/article/html.js';
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
