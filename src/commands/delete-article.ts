/** Deletes an article and its comments, and its image in a job. */
import type { Database } from '../database/pool.js';
import { Article } from '../models/article/article.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import { enqueueImageRemoval } from './image.js';

/** @throws AppError ARTICLE_NOT_FOUND, and the errors of `check` */
export function deleteArticle(database: Database, id: number, check: (article: Article) => void): Promise<void> {
  return database.inTransaction(async (transaction) => {
    const article = await lockForUpdate(Article, id, 'ARTICLE_NOT_FOUND', transaction, check);
    await article.destroy({ transaction });
    if (article.image) await enqueueImageRemoval(database, [article.image], transaction);
  });
}
