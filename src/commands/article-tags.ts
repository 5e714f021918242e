/** Replaces the tags of an article, for the commands that create and edit articles. */
import type { Transaction } from 'sequelize';
import { ADD_TAGS, TAG_ARTICLE, UNTAG_ARTICLE } from '../models/tag.js';
import type { Database } from '../platform/database/pool.js';

export async function setTags(
  database: Database,
  articleId: number,
  tags: readonly string[],
  transaction: Transaction,
): Promise<void> {
  await database.query(UNTAG_ARTICLE, [articleId], transaction);
  if (tags.length === 0) return;
  await database.query(ADD_TAGS, [tags], transaction);
  await database.query(TAG_ARTICLE, [articleId, tags], transaction);
}
