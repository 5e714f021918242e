/** Creates an article with its tags, its image and the request for its summary. */
import type { Transaction } from 'sequelize';
import type { Database, TransactionOptions } from '../database/pool.js';
import { timestampOptions, timestamps } from '../database/timestamps.js';
import type { PreparedImage } from '../images/store.js';
import { Article } from '../models/article/article.js';
import { addRendering, type Rendered } from '../models/article/html.js';
import { excerptOf } from '../models/article/text.js';
import { categoryForArticle } from '../models/category.js';
import type { Services } from '../services.js';
import { setTags } from './article-tags.js';
import { type SavedImage, withImage } from './image.js';
import { enqueueSummary } from './request-summary.js';

export interface NewArticle {
  memberId: number;
  /** Of the session or API token; absent without a request. */
  accessId?: string;
  /** The name of one of the member's categories; null for the default category. */
  category: string | null;
  title: string;
  content: string;
  /** The rendered content; null to render it later. */
  rendered: Rendered | null;
  /** Alternative text of the image. */
  imageAlt?: string | null;
  /** Normalized tags. */
  tags: readonly string[];
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
}

/** Characters from which the search index of an article can take PostgreSQL hundreds of milliseconds. */
const LONG_CONTENT = 20_000;

/** Options of the transaction that writes an article with this content. */
export function articleTransaction(content: string): TransactionOptions {
  return { isLarge: content.length >= LONG_CONTENT };
}

/** @returns the article's id. @throws AppError CATEGORY_NOT_FOUND; UNAUTHENTICATED if the session or API token has ended meanwhile */
export function createArticle(
  services: Pick<Services, 'database' | 'images'>,
  article: NewArticle,
  image: PreparedImage | undefined,
): Promise<number> {
  const { database } = services;
  return withImage(services, image, (saved) =>
    database.inTransaction(
      (transaction) => insertArticle(database, article, transaction, saved),
      articleTransaction(article.content),
    ),
  );
}

/** The part of `createArticle` that runs in a transaction. */
export async function insertArticle(
  database: Database,
  { tags, category, createdAt, rendered, accessId, ...values }: NewArticle,
  transaction: Transaction,
  saved?: SavedImage,
): Promise<number> {
  const categoryId = await categoryForArticle(
    database,
    { memberId: values.memberId, name: category, accessId: accessId ?? null },
    transaction,
  );
  const image = { image: saved?.key ?? null, imageWidth: saved?.width ?? null };
  const row = {
    ...values,
    ...image,
    categoryId,
    excerpt: rendered && excerptOf(rendered.text),
    ...timestamps(createdAt),
  };
  const { id } = await Article.create(row, { transaction, ...timestampOptions(createdAt) });
  if (rendered) await addRendering(database, id, rendered, transaction);
  if (tags.length > 0) await setTags(database, id, tags, transaction);
  await enqueueSummary(database, id, values.content, transaction);
  return id;
}
