/** Concurrency limit of searches, so that they never use all database connections. */
import type { SemaphoreOptions } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';

/** For `openLimits`. */
export const SEARCHES: SemaphoreOptions = {
  work: 'searches',
  permits: 3,
  // A search can occupy a processor: those of one network leave the others to all other requests.
  permitsPerKey: 1,
  permitsPerNetwork: 1,
  maxWaiting: fixedLimit({
    area: 'Queues',
    about: 'Searches that wait in each process.',
    value: 200,
    error: 'SERVICE_UNAVAILABLE',
  }),
  maxWaitingPerKey: fixedLimit({
    area: 'Queues',
    about: 'Searches that wait in each process for one member, or for the requests without a token from one network.',
    value: 40,
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
