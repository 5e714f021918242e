/** Edits, hides and deletes articles; a change of the content requests a new summary. */
import type { InferAttributes, Transaction } from 'sequelize';
import { ARTICLES, type Article, type Visibility } from '../models/article/article.js';
import { addRendering, type Rendered } from '../models/article/html.js';
import { ADD_REVISION_OF_TAGS, THIN_REVISIONS, THINNING_BATCH } from '../models/article/revision.js';
import { textColumnsOf } from '../models/article/text.js';
import { categoryForArticle } from '../models/category.js';
import { ANNOUNCE, WAS_PUBLIC } from '../models/notification/announcement.js';
import type { Check, CheckUnderLock } from '../models/table.js';
import { ADD_TAGS, TAG_ARTICLE, UNTAG_ARTICLE } from '../models/tag.js';
import type { Database } from '../platform/database/pool.js';
import { memberTurn } from '../platform/database/queue.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import type { PreparedImage } from '../services/images/store.js';
import type { Services } from '../services/index.js';
import { findMentions, storeMentions } from './article-mentions.js';
import { type ArticleInput, articleTransaction } from './create-article.js';
import { enqueueImageRemoval, type SavedImage, withImage } from './image.js';
import { enqueueRendering } from './request-rendering.js';
import { cancelSummary, enqueueSummary } from './request-summary.js';

export interface ArticleEdit {
  /**
   * Null and absent fields stay unchanged. An empty `articleImgAlt` removes the alternative text; so does a change of the image, unless a
   * new text is given.
   */
  input: Partial<ArticleInput>;
  /** The rendered content; null if unchanged, or to render it later. */
  rendered: Rendered | null;
}

/**
 * @param image null removes the image, undefined keeps it
 * @param credentialId of the session or API token
 * @param check throws if the article must not be changed
 * @throws AppError UNAUTHENTICATED if the session or API token has ended meanwhile; ARTICLE_NOT_FOUND, CATEGORY_NOT_FOUND, SLUG_TAKEN
 */
export function editArticle(
  services: Pick<Services, 'database' | 'images' | 'config'>,
  id: number,
  edit: ArticleEdit,
  image: PreparedImage | null | undefined,
  { credentialId, check }: { credentialId: string | null; check: Check<Article> },
): Promise<void> {
  const { database } = services;
  return withImage(services, image ?? undefined, (saved) =>
    database.inTransaction(async (transaction) => {
      const article = await ARTICLES.lock(database, id, transaction, check, credentialId);
      await updateArticle(services, article, edit, image === null ? null : saved, transaction);
    }, articleTransaction(edit.input)),
  );
}

/** @param base the revision of the article that a draft began with. @throws AppError REVISION_CONFLICT if it is not the current one */
export function requireBaseRevision(current: number, base: number | null): void {
  if (base === null || base === current) return;
  throw new AppError('REVISION_CONFLICT', { message: createMessage('baseRevisionOutdated', base, current) });
}

/**
 * The part of `editArticle` that runs in a transaction. What it replaces is stored as a revision, if the title, the content or the tags differ; thinning
 * at regular intervals bounds the number of revisions.
 * @param article the locked row
 * @param saved the new image; null removes the image, undefined keeps it
 */
export async function updateArticle(
  { database, config: { revisionsKept } }: Pick<Services, 'database' | 'config'>,
  article: InferAttributes<Article>,
  { input, rendered }: ArticleEdit,
  saved: SavedImage | null | undefined,
  transaction: Transaction,
): Promise<void> {
  const { id, memberId, revision, image: previousImage } = article;
  const { category: name, tags, title = article.title, content = article.content, slug, visibility } = input;
  const isRewritten = content !== article.content;
  const isPrivate = visibility == null ? article.isPrivate : visibility === 'PRIVATE';
  const becomesPublic = article.isPrivate && !isPrivate;
  const mentioning = { authorId: memberId, articleId: id, content: isRewritten ? content : null, rendered };
  const mentions = isRewritten || becomesPublic ? await findMentions(database, mentioning, transaction) : [];
  const categoryId =
    name == null ? undefined : await categoryForArticle(database, { memberId, name, credentialId: null }, transaction);
  const isFirstPublic = becomesPublic && (await database.query(WAS_PUBLIC, [id], transaction)).length === 0;
  const isReplaced = saved !== undefined && previousImage !== null;
  const imageAlt = input.articleImgAlt ?? (isReplaced ? '' : undefined);
  const changes = {
    ...ARTICLES.valuesOf(input),
    categoryId,
    ...(slug != null && slug !== article.slug && { slug, isSlugGiven: true }),
    ...(isRewritten && { aiSummary: null, ...textColumnsOf(content, rendered) }),
    ...(saved !== undefined && {
      image: saved?.key ?? null,
      imageWidth: saved?.width ?? null,
      imageHeight: saved?.height ?? null,
    }),
    isPrivate,
    ...(imageAlt !== undefined && { imageAlt: imageAlt || null }),
    revision: revision + 1,
  };
  // Locks all of them.
  if (tags) await database.query(ADD_TAGS, [tags, id], transaction);
  // The trigger of the row stores the revision if the title or the content differs.
  if (tags && title === article.title && !isRewritten)
    await database.query(ADD_REVISION_OF_TAGS, [id, tags], transaction);
  await ARTICLES.update(database, article, changes, transaction);
  if (isRewritten && rendered) await addRendering(database, id, rendered, transaction);
  else if (isRewritten) await enqueueRendering(database, memberId, { transaction });
  if (tags) {
    await database.query(UNTAG_ARTICLE, [id], transaction);
    // Also those that no other article has, which the statement before has deleted.
    if (tags.length > 0) await database.query(ADD_TAGS, [tags, null], transaction);
    await database.query(TAG_ARTICLE, [id, tags], transaction);
  }
  if (mentions.length > 0 || becomesPublic) await storeMentions(database, id, mentions, transaction);
  if (isPrivate) await cancelSummary(database, article, isRewritten, transaction);
  else if (isRewritten) await enqueueSummary(database, id, content, transaction);
  else if (article.isPrivate && article.aiSummary === null)
    await enqueueSummary(database, id, content, transaction, true);
  if (isFirstPublic) await database.query(ANNOUNCE, [id], transaction);
  if (isReplaced) await enqueueImageRemoval(database, [previousImage], memberTurn(memberId), transaction);
  if (changes.revision % revisionsKept === 0)
    await database.query(THIN_REVISIONS, [[id], revisionsKept, THINNING_BATCH], transaction);
}

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
