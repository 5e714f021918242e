/** Summaries and tags without any provider: the most telling sentences of the text itself, found in a thread. */
import { type TaskOptions, WeightedSemaphore } from '../../concurrency/weighted-semaphore.js';
import { Thread } from '../../concurrency/worker-thread.js';
import { fixedLimit } from '../../config/limit.js';
import type { Summary } from '../../models/summary.js';
import { observeQueue } from '../../observability/metrics/queue.js';
import { ProviderFailure } from '../failure.js';

/** Goes up with every change of what comes out. */
export const EXTRACT_VERSION = 1;

/** Milliseconds. The longest article takes some hundred. */
const TIME_LIMIT = 10_000;

const thread = new Thread<string, Summary>({
  script: new URL('./worker.js', import.meta.url),
  timeLimit: TIME_LIMIT,
  memory: 256,
});

/** Few tasks wait: there are no more jobs than run at the same time. A rejected job is tried again later. */
const extracting = observeQueue(
  new WeightedSemaphore({
    work: 'summaries',
    permits: 1,
    maxWaiting: fixedLimit({
      area: 'Queues',
      error: null,
      value: 16,
      unit: 'count',
      about: 'Texts that wait for the built-in summarizer, in each process. Others are tried again later.',
    }),
    maxWaitingPerKey: 16,
    maxWaitMs: 60_000,
  }),
);

/**
 * The same text has the same summary.
 * @param task the author
 * @throws ProviderFailure where it takes too long; AppError SERVICE_UNAVAILABLE where too many texts wait
 */
export async function extractSummary(content: string, task: TaskOptions): Promise<Summary> {
  const summary = await extracting.run(task, () => thread.run(content));
  if (!summary) throw new ProviderFailure('unreadable');
  return summary;
}

export function stopExtractor(): Promise<void> {
  return thread.stop();
}
