/** Job that notifies the followers of an author of an article. */
import {
  ANNOUNCE_ARTICLE,
  END_ANNOUNCEMENT,
  FOLLOWERS_AT_ONCE,
  NOTIFY_FOLLOWERS,
} from '../models/notification/announcement.js';
import { addJobs } from '../platform/database/queue.js';
import type { Services } from '../services/index.js';

/**
 * Notifies one batch, and adds the job for the next one, behind the jobs of other articles. The batch, its position and the next job are one transaction,
 * so that a job that runs again repeats nothing.
 */
export async function announceArticle({ articleId }: { articleId: number }, { database }: Services): Promise<void> {
  await database.transaction(async (db) => {
    const [batch] = await db.query(NOTIFY_FOLLOWERS, [articleId, FOLLOWERS_AT_ONCE]);
    if (batch?.followers === FOLLOWERS_AT_ONCE) await addJobs(db, ANNOUNCE_ARTICLE, [{ articleId }]);
    else await db.query(END_ANNOUNCEMENT, [articleId]);
  });
}
