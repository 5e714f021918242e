/** Computes the likes and views of the last days, by which lists with a period are sorted. */
import { refreshTrends } from '../models/article/trend.js';
import type { Services } from '../services/index.js';
import type { JobRun } from './job.js';

export function rankArticles(_payload: unknown, { database }: Services, { signal, attempt }: JobRun): Promise<void> {
  return refreshTrends(database, { signal, isRetry: attempt > 1 });
}
