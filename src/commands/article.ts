/** Writes articles. Each function runs in the caller's transaction. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { timestampOptions, timestamps } from '../database/timestamps.js';
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import { Article } from '../models/article.js';
import { addArticleHtml, type RenderedHtml } from '../models/article-html.js';
import { categoryForArticle } from '../models/category.js';
import { excerptOf } from '../models/excerpt.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import { setTags } from '../models/tag.js';
import { removeLater } from './image.js';
import { requestForNewText, retrySummary, summariseLater } from './summary.js';

export interface NewArticle {
  memberId: number;
  /** The name of one of the member's categories; null for the default category. */
  category: string | null;
  title: string;
  content: string;
  /** The rendered content; null to render it on the first read. */
  html: RenderedHtml | null;
  /** Normalised tags. */
  tags: readonly string[];
  image: string | null;
  /** Creation time of a backdated row; absent: now. */
  createdAt?: Date;
}

/** Undefined fields stay unchanged. */
export interface ArticleEdit {
  title: string;
  content: string;
  /** The rendered content; null if unchanged, or to render it on the first read. */
  html: RenderedHtml | null;
  category: string | undefined;
  tags: readonly string[] | undefined;
  image: string | null | undefined;
  /** The version that the edit is based on (optimistic locking). */
  version: number | undefined;
}

/** @returns the article's id. @throws AppError CATEGORY_NOT_FOUND */
export async function addArticle(
  database: Database,
  { tags, category, createdAt, html, ...values }: NewArticle,
  transaction: Transaction,
): Promise<number> {
  const categoryId = await categoryForArticle(database, values.memberId, category, transaction);
  const row = { ...values, categoryId, excerpt: excerptOf(values.content), ...timestamps(createdAt) };
  const { id } = await Article.create(row, { transaction, ...timestampOptions(createdAt) });
  if (html) await addArticleHtml(database, id, html, transaction);
  if (tags.length > 0) await setTags(database, id, tags, transaction);
  await summarise(database, id, values.content, transaction);
  return id;
}

/**
 * @param check throws if the article must not be changed
 * @throws AppError ARTICLE_NOT_FOUND, VERSION_CONFLICT, CATEGORY_NOT_FOUND
 */
export async function editArticle(
  database: Database,
  id: number,
  { tags, version, category, html, ...edit }: ArticleEdit,
  transaction: Transaction,
  check: (article: Article) => void,
): Promise<void> {
  const article = await lockForUpdate(Article, id, 'ARTICLE_NOT_FOUND', transaction, check);
  requireVersion(article.version, version);
  const replaced = edit.image === undefined ? null : article.image;
  const categoryId =
    category === undefined ? undefined : await categoryForArticle(database, article.memberId, category, transaction);
  const isRewritten = edit.content !== article.content;
  const aiSummary = isRewritten ? null : undefined;
  const given = Object.entries({ ...edit, categoryId, aiSummary }).filter(([, value]) => value !== undefined);
  const changes = { ...Object.fromEntries(given), excerpt: excerptOf(edit.content), version: article.version + 1 };
  await article.update(changes, { transaction });
  // A trigger has deleted the HTML of the previous content.
  if (isRewritten && html) await addArticleHtml(database, id, html, transaction);
  if (tags) await setTags(database, id, tags, transaction);
  if (isRewritten) await summarise(database, id, edit.content, transaction);
  if (replaced) await removeLater(database, [replaced], transaction);
}

/**
 * Requests the summary again, unless a request is already pending or in progress.
 * @returns whether a request was already pending or in progress
 * @throws AppError ARTICLE_NOT_FOUND, and the errors of `check`
 */
export async function summariseAgain(
  database: Database,
  id: number,
  transaction: Transaction,
  check: (article: Article) => void,
): Promise<boolean> {
  const { content } = await lockForUpdate(Article, id, 'ARTICLE_NOT_FOUND', transaction, check);
  const asked = await retrySummary(database, id, transaction);
  if (asked) await summariseLater(database, { articleId: id, isRequested: true, ...asked }, content, transaction);
  return asked === null;
}

/** Deletes the article and its comments. @throws AppError ARTICLE_NOT_FOUND, and the errors of `check` */
export async function removeArticle(
  database: Database,
  id: number,
  transaction: Transaction,
  check: (article: Article) => void,
): Promise<void> {
  const article = await lockForUpdate(Article, id, 'ARTICLE_NOT_FOUND', transaction, check);
  await article.destroy({ transaction });
  if (article.image) await removeLater(database, [article.image], transaction);
}

/** @throws AppError VERSION_CONFLICT if the edited version is not the current one */
export function requireVersion(current: number, edited: number | undefined): void {
  if (edited === undefined || edited === current) return;
  throw new AppError('VERSION_CONFLICT', { message: createMessage('versionOutdated', edited, current) });
}

async function summarise(database: Database, articleId: number, content: string, transaction: Transaction) {
  const asked = await requestForNewText(database, articleId, transaction);
  if (asked) await summariseLater(database, { articleId, ...asked }, content, transaction);
}
