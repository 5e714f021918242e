/** Deletes an article and its comments, and its image in a job. */
import { ARTICLES, type Article } from '../models/article/article.js';
import type { CheckUnderLock } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { enqueueImageRemoval } from './image.js';

/** @throws AppError ARTICLE_NOT_FOUND, and the errors of `check` */
export function deleteArticle(database: Database, id: number, check: CheckUnderLock<Article>): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const { image } = await ARTICLES.lock(database, id, transaction, check);
    await ARTICLES.delete(database, id, transaction);
    if (image) await enqueueImageRemoval(database, [image], transaction);
  });
}
