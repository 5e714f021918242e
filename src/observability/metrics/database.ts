/** Watches the database of a running application: its connections and its queue. */
import type { Database } from '../../database/pool.js';
import { watchQueue } from './job.js';
import { watchPool } from './pool.js';

/** @returns ends it */
export function watchDatabase(database: Database): () => void {
  const ends = [watchPool('requests', database.poolState), watchQueue(database)];
  return () => {
    for (const end of ends) end();
  };
}
