/** Creates an article with its tags, its image and the request for its summary. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { timestampOptions, timestamps } from '../database/timestamps.js';
import type { PreparedImage } from '../images/store.js';
import { Article } from '../models/article/article.js';
import { excerptOf } from '../models/article/excerpt.js';
import { addArticleHtml, type RenderedHtml } from '../models/article/html.js';
import { categoryForArticle } from '../models/category.js';
import type { Services } from '../services.js';
import { setTags } from './article-tags.js';
import { type SavedImage, withImage } from './image.js';
import { enqueueSummary } from './request-summary.js';

export interface NewArticle {
  memberId: number;
  /** The name of one of the member's categories; null for the default category. */
  category: string | null;
  title: string;
  content: string;
  /** The rendered content; null to render it on the first read. */
  html: RenderedHtml | null;
  /** Alternative text of the image. */
  imageAlt?: string | null;
  /** Normalized tags. */
  tags: readonly string[];
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
}

/** @returns the article's id. @throws AppError CATEGORY_NOT_FOUND */
export function createArticle(
  services: Pick<Services, 'database' | 'images'>,
  article: NewArticle,
  image: PreparedImage | undefined,
): Promise<number> {
  const { database } = services;
  return withImage(services, image, (saved) =>
    database.inTransaction((transaction) => insertArticle(database, article, transaction, saved)),
  );
}

/** The part of `createArticle` that runs in a transaction. */
export async function insertArticle(
  database: Database,
  { tags, category, createdAt, html, ...values }: NewArticle,
  transaction: Transaction,
  saved?: SavedImage,
): Promise<number> {
  const categoryId = await categoryForArticle(database, values.memberId, category, transaction);
  const image = { image: saved?.key ?? null, imageWidth: saved?.width ?? null };
  const row = { ...values, ...image, categoryId, excerpt: excerptOf(values.content), ...timestamps(createdAt) };
  const { id } = await Article.create(row, { transaction, ...timestampOptions(createdAt) });
  if (html) await addArticleHtml(database, id, html, transaction);
  if (tags.length > 0) await setTags(database, id, tags, transaction);
  await enqueueSummary(database, id, values.content, transaction);
  return id;
}
