/** Concurrency limit of searches, so that they never use all database connections. */
import { WeightedSemaphore } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/fixed-limit.js';
import { observeQueue } from '../observability/metrics/saturation.js';
import { clientTask, type QueuedRequest } from './client-task.js';

export const searches = observeQueue(
  new WeightedSemaphore({
    work: 'searches',
    permits: fixedLimit({
      area: 'Queues',
      about: 'Concurrent searches in each process, at most one for each client. Further searches wait.',
      value: 2,
      unit: 'count',
      error: null,
    }),
    permitsPerKey: 1,
    maxWaiting: fixedLimit({
      area: 'Queues',
      about: 'Searches that wait in each process.',
      value: 200,
      unit: 'count',
      error: 'SERVICE_UNAVAILABLE',
    }),
    maxWaitingPerKey: fixedLimit({
      area: 'Queues',
      about: 'Searches that wait in each process for one member, or for the requests without a token from one network.',
      value: 40,
      unit: 'count',
      error: 'RATE_LIMITED',
    }),
    maxWaitMs: fixedLimit({
      area: 'Queues',
      about: 'Maximum time that a search waits.',
      value: 5_000,
      unit: 'ms',
      error: 'SERVICE_UNAVAILABLE',
    }),
  }),
);

/** @throws AppError SERVICE_UNAVAILABLE, RATE_LIMITED */
export function runSearch<Result>(request: QueuedRequest, search: () => Promise<Result>): Promise<Result> {
  return searches.run(clientTask(request), search);
}
