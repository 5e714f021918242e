/** Requests the HTML and the text of articles that were written without them. */
import type { Database } from '../platform/database/pool.js';
import { addJobs, jobType, queues } from '../platform/database/queue.js';

/** Renders one article of a member, and adds itself again while there are others, so that members take turns. */
export const RENDER_ARTICLES = jobType<{ memberId: number }>(
  'render-articles',
  queues(
    'renderings',
    1,
    'Articles written without HTML, such as scheduled drafts, that are rendered at the same time by all processes together. Further ones wait; authors are served in turn.',
  ),
);

export function enqueueRendering(
  database: Database,
  memberId: number,
  options: { delaySeconds?: number } = {},
): Promise<void> {
  return addJobs(database, RENDER_ARTICLES, [{ memberId }], { ...options, keyOf: () => String(memberId) });
}
