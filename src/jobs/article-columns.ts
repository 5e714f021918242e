/** Backfill of slugs and counts of articles that a process of the previous version wrote after this one had started. */
import { fillArticles } from '../models/article/fill.js';
import type { Services } from '../services/index.js';
import type { JobRun } from './job.js';

export function fillMissingColumns(_payload: unknown, { database }: Services, { signal }: JobRun): Promise<void> {
  return fillArticles(database, { signal });
}
