/** Deletes an article, and in jobs its image and what many readers have of it (docs/decisions/withdrawal.md). */
import { ARTICLES, type Article } from '../models/article/article.js';
import type { CheckUnderLock } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { memberTurn } from '../platform/database/queue.js';
import { enqueueImageRemoval } from './image.js';

/**
 * @param recording the database in whose transaction `check` records an event
 * @throws AppError ARTICLE_NOT_FOUND, and the errors of `check`
 */
export function deleteArticle(
  database: Database,
  { id, check }: { id: number; check: CheckUnderLock<Article> },
  recording = database,
): Promise<void> {
  return recording.inTransaction(async (transaction) => {
    const { image, memberId } = await ARTICLES.lock(database, id, transaction, check);
    await ARTICLES.delete(database, id, transaction);
    if (image) await enqueueImageRemoval(database, [image], memberTurn(memberId), transaction);
  });
}
