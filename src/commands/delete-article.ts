/** Deletes an article and its comments, and its image in a job. */
import { ARTICLES, type Article } from '../models/article/article.js';
import { REMOVE_COMMENTS_OF_ARTICLE } from '../models/comment/removal.js';
import type { CheckUnderLock } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { enqueueImageRemoval } from './image.js';

/** Comments of one transaction, whose counters it locks. */
const BATCH = 1_000;

interface Deletion {
  id: number;
  /** If it is known; it may have changed since. */
  commentCount?: number;
  check: CheckUnderLock<Article>;
}

/**
 * If it has many comments, they are deleted before it, in short transactions, each of which checks again and locks the article first, as new comments
 * do. If the process ends meanwhile, the article remains with the oldest of them, and the request can be repeated.
 * @param last has the transaction that deletes the article
 * @throws AppError ARTICLE_NOT_FOUND, and the errors of `check`
 */
export async function deleteArticle(
  database: Database,
  { id, commentCount = BATCH + 1, check }: Deletion,
  last = database,
): Promise<void> {
  for (let removed = commentCount > BATCH ? BATCH : 0; removed === BATCH; ) {
    removed = await database.inTransaction(async (transaction) => {
      await ARTICLES.lock(database, id, transaction, check);
      const [found] = await database.query(REMOVE_COMMENTS_OF_ARTICLE, [id, BATCH], transaction);
      return found?.removed ?? 0;
    });
  }
  await last.inTransaction(async (transaction) => {
    const { image } = await ARTICLES.lock(database, id, transaction, check);
    await ARTICLES.delete(database, id, transaction);
    if (image) await enqueueImageRemoval(database, [image], transaction);
  });
}
