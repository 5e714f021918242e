/** Makes an article public or private: an edit, unless it is so already. */
import { ARTICLES, type Article, type Visibility } from '../models/article/article.js';
import type { Check } from '../models/table.js';
import type { Services } from '../services/index.js';
import { articleTransaction } from './create-article.js';
import { updateArticle } from './edit-article.js';

/**
 * @param read the article as it was read: a long one is indexed again, which takes as long as writing it
 * @param credentialId of the session or API token
 * @param check throws if the article must not be changed
 * @throws AppError UNAUTHENTICATED if the session or API token has ended meanwhile; ARTICLE_NOT_FOUND
 */
export function setVisibility(
  services: Pick<Services, 'config' | 'database'>,
  read: Pick<Article, 'id' | 'content'>,
  visibility: Visibility,
  { credentialId, check }: { credentialId: string; check: Check<Article> },
): Promise<void> {
  const { database } = services;
  const { id } = read;
  return database.inTransaction(async (transaction) => {
    const article = await ARTICLES.lock(database, id, transaction, check, credentialId);
    if (article.isPrivate === (visibility === 'PRIVATE')) return;
    await updateArticle(services, article, { input: { visibility }, rendered: null }, undefined, transaction);
  }, articleTransaction(read));
}
