/** Limits of archive downloads, which read all data of a member and last as long as the client reads. */
import ms from 'ms';
import type { SemaphoreOptions } from '../../platform/concurrency/weighted-semaphore.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';

export const ARCHIVE_INTERVAL_MS = fixedLimit({
  area: 'Accounts',
  about: 'Minimum time between two downloads of the archive of a member.',
  value: ms('1h'),
  unit: 'ms',
  error: 'RATE_LIMITED',
});

/** For `openLimits`. */
export const RUNNING_ARCHIVES: SemaphoreOptions = {
  work: 'archives',
  permits: 16,
  permitsPerKey: 4,
  maxWaiting: fixedLimit({
    area: 'Queues',
    about: 'Archive downloads that wait in each process.',
    value: 100,
    error: 'SERVICE_UNAVAILABLE',
  }),
  maxWaitingPerKey: fixedLimit({
    area: 'Queues',
    about: 'Archive downloads of one network that wait in each process.',
    value: 20,
    error: 'RATE_LIMITED',
  }),
  maxWaitMs: fixedLimit({
    area: 'Queues',
    about: 'Maximum time that an archive download waits.',
    value: 10_000,
    unit: 'ms',
    error: 'SERVICE_UNAVAILABLE',
  }),
};
