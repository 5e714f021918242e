/** Creates an article with its tags, its image and the request for its summary. */
import { ARTICLES, type Visibility } from '../models/article/article.js';
import { addRendering, type Rendered } from '../models/article/html.js';
import { type MetadataInput, metadataOf } from '../models/article/metadata.js';
import { slugOf } from '../models/article/slug.js';
import { textColumnsOf } from '../models/article/text.js';
import { categoryForArticle } from '../models/category.js';
import { ANNOUNCE } from '../models/notification/announcement.js';
import type { InputFor } from '../models/table.js';
import { ADD_TAGS, TAG_ARTICLE } from '../models/tag.js';
import type { Transaction, TransactionOptions } from '../platform/database/pool.js';
import type { PreparedImage } from '../services/images/store.js';
import type { Services } from '../services/index.js';
import { findMentions, storeMentions } from './article-mentions.js';
import { type SavedImage, withImage } from './image.js';
import { enqueueRendering } from './request-rendering.js';
import { enqueueSummary } from './request-summary.js';
import { findTranslationGroup, lockForTranslation } from './translations.js';

/** What an author writes. */
export interface ArticleInput extends InputFor<typeof ARTICLES>, MetadataInput {
  title: string;
  content: string;
  /** Normalized. If it is taken, the article cannot become public. Absent in a new article: that of the title, with a number if it is taken. */
  slug?: string | null;
  /** The name of one of the member's categories. */
  category?: string | null;
  /** In place of the name: one that the transaction has locked. */
  categoryId?: number;
  /** Normalized tags. */
  tags?: readonly string[] | null;
  /** Alternative text of the image. */
  articleImgAlt?: string | null;
  /** Absent: now, and unchanged in an edit. */
  publishedAt?: Date | null;
  /** Of a new article: that of its draft in exports. */
  key?: string;
  /** Of a new article: public by default. */
  visibility?: Visibility | null;
  /** The id of an article of the same author, whose translation it becomes; 0: of none. */
  translationOf?: number | null;
}

interface NewArticle {
  memberId: number;
  /** Of the session or API token; absent without a request. */
  credentialId?: string | null;
  input: ArticleInput;
  /** The rendered content; null to render it later. */
  rendered: Rendered | null;
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
}

/** Characters from which the search index of an article can take PostgreSQL hundreds of milliseconds. */
const LONG_CONTENT = 20_000;

/** Options of the transaction that writes an article with this content. */
export function articleTransaction({ content = '' }: { content?: string }): TransactionOptions {
  return { isLarge: content.length >= LONG_CONTENT };
}

/** @param read reads the response in the transaction; its argument is the id of the article. @throws AppError CATEGORY_NOT_FOUND, SLUG_TAKEN; UNAUTHENTICATED if the session or API token has ended meanwhile */
export function createArticle<Read>(
  services: Pick<Services, 'database' | 'images'>,
  article: NewArticle,
  image: PreparedImage | undefined,
  read: (db: Transaction, id: number) => Promise<Read>,
): Promise<Read> {
  const { database } = services;
  return withImage(services, image, (saved) =>
    database.transaction(
      async (db) => read(db, await insertArticle(db, article, saved)),
      articleTransaction(article.input),
    ),
  );
}

/** The part of `createArticle` that runs in a transaction. */
export async function insertArticle(
  db: Transaction,
  { memberId, credentialId = null, input, rendered, createdAt }: NewArticle,
  saved?: SavedImage,
): Promise<number> {
  const { category: name = null, tags, title, content, articleImgAlt, visibility, translationOf, publishedAt } = input;
  await lockForTranslation(db, { memberId }, translationOf);
  const mentions = await findMentions(db, { authorId: memberId, articleId: null, content, rendered });
  const categoryId = input.categoryId ?? (await categoryForArticle(db, { memberId, name, credentialId }));
  const slug = { slug: input.slug ?? slugOf(title), isSlugGiven: input.slug != null };
  const image = {
    image: saved?.key,
    imageWidth: saved?.width,
    imageHeight: saved?.height,
    imageAlt: articleImgAlt || null,
  };
  const isPrivate = visibility === 'PRIVATE';
  const language = input.language || null;
  const translated = { id: null, memberId, translationGroupId: null };
  const row = {
    ...ARTICLES.valuesOf(input),
    ...metadataOf(input),
    key: input.key,
    memberId,
    categoryId,
    ...slug,
    ...textColumnsOf(content, rendered),
    ...image,
    isPrivate,
    translationGroupId: await findTranslationGroup(db, translated, language, translationOf),
    ...(publishedAt ? { createdAt: publishedAt, updatedAt: undefined } : { createdAt }),
  };
  if (tags?.length) await db.query(ADD_TAGS, [tags, null]);
  const { id } = await ARTICLES.insert(db, row);
  if (rendered) await addRendering(db, id, rendered);
  else await enqueueRendering(db, memberId);
  if (tags?.length) await db.query(TAG_ARTICLE, [id, tags]);
  if (mentions.length > 0) await storeMentions(db, id, mentions);
  if (!isPrivate) await enqueueSummary(db, id, content);
  // One of the sample journal is not news.
  if (!isPrivate && !createdAt) await db.query(ANNOUNCE, [id]);
  return id;
}
