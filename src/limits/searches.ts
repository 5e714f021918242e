/** Concurrency limit of searches, so that they never use all database connections. */
import type { SemaphoreOptions } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/fixed-limit.js';

/** For `openLimits`. */
export const SEARCHES: SemaphoreOptions = {
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
};
