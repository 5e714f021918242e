/** Edits an article; a change of its content requests a new summary. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { AppError } from '../errors.js';
import type { PreparedImage } from '../images/store.js';
import { createMessage } from '../messages/message.js';
import { Article } from '../models/article/article.js';
import { addRendering, type Rendered } from '../models/article/html.js';
import { excerptOf } from '../models/article/text.js';
import { categoryForArticle } from '../models/category.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import type { Services } from '../services.js';
import { setTags } from './article-tags.js';
import { articleTransaction } from './create-article.js';
import { enqueueImageRemoval, type SavedImage, withImage } from './image.js';
import { enqueueSummary } from './request-summary.js';

/** Undefined fields stay unchanged. */
export interface ArticleEdit {
  title: string;
  content: string;
  /** The rendered content; null if unchanged, or to render it later. */
  rendered: Rendered | null;
  category: string | undefined;
  tags: readonly string[] | undefined;
  /** Alternative text of the image; null removes it. A change of the image removes it too, unless a new one is given. */
  imageAlt: string | null | undefined;
  /** The version that the edit is based on (optimistic locking). */
  version: number | undefined;
}

/**
 * @param image null removes the image, undefined keeps it
 * @param accessId of the session or API token
 * @param check throws if the article must not be changed
 * @throws AppError UNAUTHENTICATED if the session or API token has ended meanwhile; ARTICLE_NOT_FOUND, VERSION_CONFLICT, CATEGORY_NOT_FOUND
 */
export function editArticle(
  services: Pick<Services, 'database' | 'images'>,
  id: number,
  edit: ArticleEdit,
  image: PreparedImage | null | undefined,
  { accessId, check }: { accessId: string; check: (article: Article) => void },
): Promise<void> {
  const { database } = services;
  return withImage(services, image ?? undefined, (saved) =>
    database.inTransaction(async (transaction) => {
      const article = await lockForUpdate(Article, id, 'ARTICLE_NOT_FOUND', transaction, check, accessId);
      requireVersion(article.version, edit.version);
      await updateArticle(database, article, edit, image === null ? null : saved, transaction);
    }, articleTransaction(edit.content)),
  );
}

/** @throws AppError VERSION_CONFLICT if the edited version is not the current one */
export function requireVersion(current: number, edited: number | undefined): void {
  if (edited === undefined || edited === current) return;
  throw new AppError('VERSION_CONFLICT', { message: createMessage('versionOutdated', edited, current) });
}

/** @param saved the new image; null removes the image, undefined keeps it */
async function updateArticle(
  database: Database,
  article: Article,
  { title, content, rendered, category, tags, imageAlt }: ArticleEdit,
  saved: SavedImage | null | undefined,
  transaction: Transaction,
): Promise<void> {
  const { id, memberId, version, image: previousImage } = article;
  const categoryId =
    category === undefined
      ? undefined
      : await categoryForArticle(database, { memberId, name: category, accessId: null }, transaction);
  const isRewritten = content !== article.content;
  const image = saved === undefined ? {} : { image: saved?.key ?? null, imageWidth: saved?.width ?? null };
  const isReplaced = saved !== undefined && previousImage !== null;
  const alt = imageAlt === undefined && isReplaced ? null : imageAlt;
  const given = Object.entries({ categoryId, imageAlt: alt }).filter(([, value]) => value !== undefined);
  const changes = {
    ...Object.fromEntries(given),
    ...(isRewritten && { content, aiSummary: null, excerpt: rendered && excerptOf(rendered.text) }),
    ...image,
    title,
    version: version + 1,
  };
  await article.update(changes, { transaction });
  if (isRewritten && rendered) await addRendering(database, id, rendered, transaction);
  if (tags) await setTags(database, id, tags, transaction);
  if (isRewritten) await enqueueSummary(database, id, content, transaction);
  if (saved !== undefined && previousImage) await enqueueImageRemoval(database, [previousImage], transaction);
}
