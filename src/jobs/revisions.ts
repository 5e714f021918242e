/** Deletes revisions of articles beyond those that are kept: those that are too old, and all beyond a smaller `REVISIONS_KEPT`. */
import { ARTICLES_WITH_OLD_REVISIONS, THIN_REVISIONS, THINNING_BATCH } from '../models/article/revision.js';
import type { Services } from '../services/index.js';
import type { JobRun } from './job.js';

/** Articles of one statement, which sorts all of their revisions. */
const ARTICLES = 100;

/** Each batch is a transaction of its own, and locks only what it deletes. Aborted, the job continues in the next run. */
export async function thinRevisions(
  _payload: unknown,
  { database, config: { revisionsKept } }: Services,
  { signal }: JobRun,
): Promise<void> {
  for (let next: number | null = 0; next !== null; ) {
    const [found]: { last: number | null; ids: number[] }[] = await database.query(ARTICLES_WITH_OLD_REVISIONS, [
      next,
      revisionsKept,
    ]);
    const ids = found?.ids ?? [];
    for (let start = 0; start < ids.length; start += ARTICLES) {
      for (let deleted = THINNING_BATCH; deleted === THINNING_BATCH; ) {
        signal.throwIfAborted();
        const batch = ids.slice(start, start + ARTICLES);
        const [thinned] = await database.query(THIN_REVISIONS, [batch, revisionsKept, THINNING_BATCH]);
        deleted = thinned?.deleted ?? 0;
      }
    }
    next = found?.last ?? null;
  }
}
