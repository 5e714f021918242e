/** Edits, hides and deletes articles; a change of the content requests a new summary. */
import type { InferAttributes } from 'sequelize';
import { ARTICLES, type Article, type Visibility } from '../models/article/article.js';
import { addRendering, type Rendered } from '../models/article/html.js';
import { isRevised, metadataOf } from '../models/article/metadata.js';
import { ADD_REVISION_OF_TAGS, THIN_REVISIONS, THINNING_BATCH } from '../models/article/revision.js';
import { textColumnsOf } from '../models/article/text.js';
import { categoryForArticle } from '../models/category.js';
import { ANNOUNCE, WAS_PUBLIC } from '../models/notification/announcement.js';
import type { Check, CheckUnderLock } from '../models/table.js';
import { ADD_TAGS, TAG_ARTICLE, UNTAG_ARTICLE } from '../models/tag.js';
import type { Database, Transaction } from '../platform/database/pool.js';
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
import { findTranslationGroup, lockForTranslation } from './translations.js';

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
 * @param read reads the response in the transaction
 * @throws AppError UNAUTHENTICATED if the session or API token has ended meanwhile; ARTICLE_NOT_FOUND, CATEGORY_NOT_FOUND, SLUG_TAKEN
 */
export function editArticle<Read>(
  services: Pick<Services, 'database' | 'images' | 'config'>,
  id: number,
  edit: ArticleEdit,
  image: PreparedImage | null | undefined,
  { credentialId, check }: { credentialId: string | null; check: Check<Article> },
  read: (db: Transaction) => Promise<Read>,
): Promise<Read> {
  const { database } = services;
  return withImage(services, image ?? undefined, (saved) =>
    database.transaction(async (db) => {
      await lockForTranslation(db, { id }, edit.input.translationOf);
      const article = await ARTICLES.lock(db, id, check, credentialId);
      await updateArticle(db, services, article, edit, image === null ? null : saved);
      return read(db);
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
  db: Transaction,
  { config: { revisionsKept } }: Pick<Services, 'config'>,
  article: InferAttributes<Article>,
  { input, rendered }: ArticleEdit,
  saved: SavedImage | null | undefined,
): Promise<void> {
  const { id, memberId, revision, image: previousImage } = article;
  const {
    category: name,
    tags,
    title = article.title,
    content = article.content,
    slug,
    visibility,
    publishedAt,
  } = input;
  const metadata = metadataOf(input);
  const isRewritten = content !== article.content;
  const isPrivate = visibility == null ? article.isPrivate : visibility === 'PRIVATE';
  const becomesPublic = article.isPrivate && !isPrivate;
  const mentioning = { authorId: memberId, articleId: id, content: isRewritten ? content : null, rendered };
  const mentions = isRewritten || becomesPublic ? await findMentions(db, mentioning) : [];
  const language = input.language == null ? article.language : input.language || null;
  const categoryId =
    input.categoryId ??
    (name == null ? undefined : await categoryForArticle(db, { memberId, name, credentialId: null }));
  const isFirstPublic = becomesPublic && (await db.query(WAS_PUBLIC, [id])).length === 0;
  const isReplaced = saved !== undefined && previousImage !== null;
  const imageAlt = input.articleImgAlt ?? (isReplaced ? '' : undefined);
  const changes = {
    ...ARTICLES.valuesOf(input),
    ...metadata,
    categoryId,
    ...(slug != null && slug !== article.slug && { slug, isSlugGiven: true }),
    ...(isRewritten && { aiSummary: null, ...textColumnsOf(content, rendered) }),
    ...(saved !== undefined && {
      image: saved?.key ?? null,
      imageWidth: saved?.width ?? null,
      imageHeight: saved?.height ?? null,
    }),
    isPrivate,
    translationGroupId: await findTranslationGroup(db, article, language, input.translationOf),
    ...(publishedAt && publishedAt.getTime() !== article.createdAt.getTime() && { createdAt: publishedAt }),
    ...(imageAlt !== undefined && { imageAlt: imageAlt || null }),
    revision: revision + 1,
  };
  // Locks all of them.
  if (tags) await db.query(ADD_TAGS, [tags, id]);
  // The trigger of the row stores the revision if the title, the content or the metadata of revisions differ.
  const isRevisedByRow = title !== article.title || isRewritten || isRevised(article, { ...article, ...metadata });
  if (tags && !isRevisedByRow) await db.query(ADD_REVISION_OF_TAGS, [id, tags]);
  await ARTICLES.update(db, article, changes);
  if (isRewritten && rendered) await addRendering(db, id, rendered);
  else if (isRewritten) await enqueueRendering(db, memberId);
  if (tags) {
    await db.query(UNTAG_ARTICLE, [id]);
    // Also those that no other article has, which the statement before has deleted.
    if (tags.length > 0) await db.query(ADD_TAGS, [tags, null]);
    await db.query(TAG_ARTICLE, [id, tags]);
  }
  if (mentions.length > 0 || becomesPublic) await storeMentions(db, id, mentions);
  if (isPrivate) await cancelSummary(db, article, isRewritten);
  else if (isRewritten) await enqueueSummary(db, id, content);
  else if (article.isPrivate && article.aiSummary === null) await enqueueSummary(db, id, content, true);
  if (isFirstPublic) await db.query(ANNOUNCE, [id]);
  if (isReplaced) await enqueueImageRemoval(db, [previousImage], memberTurn(memberId));
  if (changes.revision % revisionsKept === 0) await db.query(THIN_REVISIONS, [[id], revisionsKept, THINNING_BATCH]);
}

/**
 * @param article as it was read: a long one is indexed again, which takes as long as writing it
 * @param credentialId of the session or API token
 * @param check throws if the article must not be changed
 * @param read reads the response in the transaction
 * @throws AppError UNAUTHENTICATED if the session or API token has ended meanwhile; ARTICLE_NOT_FOUND
 */
export function setVisibility<Read>(
  services: Pick<Services, 'config' | 'database'>,
  { id, content }: Pick<Article, 'id' | 'content'>,
  visibility: Visibility,
  { credentialId, check }: { credentialId: string; check: Check<Article> },
  read: (db: Transaction) => Promise<Read>,
): Promise<Read> {
  const { database } = services;
  return database.transaction(async (db) => {
    const article = await ARTICLES.lock(db, id, check, credentialId);
    if (article.isPrivate !== (visibility === 'PRIVATE'))
      await updateArticle(db, services, article, { input: { visibility }, rendered: null }, undefined);
    return read(db);
  }, articleTransaction({ content }));
}

/**
 * @throws AppError ARTICLE_NOT_FOUND, and the errors of `check`
 */
export function deleteArticle(
  database: Database,
  { id, check }: { id: number; check: CheckUnderLock<Article> },
): Promise<void> {
  return database.transaction(async (db) => {
    const { image, memberId } = await ARTICLES.lock(db, id, check);
    await ARTICLES.delete(db, id);
    if (image) await enqueueImageRemoval(db, [image], memberTurn(memberId));
  });
}
