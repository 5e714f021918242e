/** Publishes drafts: each becomes an article, or an edit of one, in the transaction that removes it. */
import type { InferAttributes } from 'sequelize';
import { ARTICLES, type Article, type Visibility } from '../models/article/article.js';
import type { Rendered } from '../models/article/html.js';
import { metadataInput } from '../models/article/metadata.js';
import { DRAFTS, type Draft } from '../models/draft/draft.js';
import {
  AUTHOR_OF_SCHEDULE,
  CATEGORY_FOR_DRAFT,
  FAIL_PUBLICATION,
  IMAGE_FOR_DRAFT,
  type ReadDraft,
  type ScheduledDraft,
} from '../models/draft/publication.js';
import { NOTIFY_OF_PUBLICATION } from '../models/notification/create.js';
import type { CheckUnderLock } from '../models/table.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { type ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';
import { requireNotRemoved, requireNotSuspended } from '../services/auth/policy.js';
import type { Services } from '../services/index.js';
import { requireBaseRevision, updateArticle } from './change-article.js';
import { articleTransaction, insertArticle } from './create-article.js';
import type { SavedImage } from './image.js';
import { lockForTranslation } from './translations.js';

type Writer = Pick<Services, 'database' | 'config'>;

interface Publication {
  /** As it was read before. Under its lock it can differ: its present text is published. */
  draft: ReadDraft;
  /** The rendered content of `draft`; null to render it later, as all content that differs from it. */
  rendered: Rendered | null;
  /** Throws if the draft, as it is under its lock, must not be published. */
  check: CheckUnderLock<Draft>;
}

/**
 * @param credentialId of the session or API token
 * @param read reads the response in the transaction; its argument is the id of the article
 * @throws AppError DRAFT_NOT_FOUND, the errors of `check`, ARTICLE_FORBIDDEN, REVISION_CONFLICT, SLUG_TAKEN, TRANSLATION_EXISTS; UNAUTHENTICATED if the session or API token has ended meanwhile
 */
export function publishDraft<Read>(
  services: Writer,
  publication: Publication,
  credentialId: string,
  read: (db: Transaction, articleId: number) => Promise<Read>,
): Promise<Read> {
  return services.database.transaction(
    async (db) => read(db, await publish(db, services, publication, credentialId)),
    articleTransaction(publication.draft),
  );
}

/**
 * Publishes a draft at its time, and notifies its author.
 * @throws AppError as `publishDraft`, ACCOUNT_LOCKED, and MEMBER_SUSPENDED
 */
export function publishScheduledDraft(services: Writer, publication: Publication): Promise<void> {
  const { database } = services;
  const { memberId } = publication.draft;
  return database.transaction(async (db) => {
    const [author] = await db.query(AUTHOR_OF_SCHEDULE, [memberId]);
    if (author?.isLocked) throw new AppError('ACCOUNT_LOCKED');
    requireNotSuspended(author ?? null);
    const articleId = await publish(db, services, publication, null);
    await db.query(NOTIFY_OF_PUBLICATION, [memberId, articleId, null]);
  }, articleTransaction(publication.draft));
}

/**
 * Removes the schedule of a draft that its author has to change first, records the reason, and notifies the author. No effect if the draft or
 * its schedule has changed since it was read.
 */
export function failPublication(
  database: Database,
  { id, publishAt, revision }: ScheduledDraft,
  key: ErrorKey,
): Promise<void> {
  return database.transaction(async (db) => {
    const [failed] = await db.query(FAIL_PUBLICATION, [id, publishAt, revision, key]);
    if (failed) await db.query(NOTIFY_OF_PUBLICATION, [failed.memberId, null, id]);
  });
}

async function publish(
  db: Transaction,
  services: Writer,
  { draft: { id, memberId, articleId, content, translationOf }, rendered: renderedBefore, check }: Publication,
  credentialId: string | null,
): Promise<number> {
  await lockForTranslation(db, { id: articleId, memberId }, translationOf);
  const article = articleId === null ? null : await lockArticle(db, articleId);
  const draft = await DRAFTS.lock(db, id, check, credentialId);
  requireNotRemoved(article != null && article.removedAt !== null, 'ARTICLE_FORBIDDEN');
  if (article) requireBaseRevision(article.revision, draft.baseRevision);
  const rendered = draft.content === content ? renderedBefore : null;
  const [category] = await db.query(CATEGORY_FOR_DRAFT, [draft.memberId, draft.categoryId]);
  // The article decides about its own id, author, revision and times.
  const {
    id: _,
    memberId: _____,
    createdAt: __,
    updatedAt: ___,
    revision: ____,
    isPrivate,
    imageAlt,
    ...text
  } = DRAFTS.shared(ARTICLES, draft);
  const visibility: Visibility = isPrivate ? 'PRIVATE' : 'PUBLIC';
  const { publishedAt, leavesTranslations } = draft;
  const joined = leavesTranslations ? 0 : draft.translationOf;
  const written = { tags: draft.tags, visibility, articleImgAlt: imageAlt, publishedAt, translationOf: joined };
  const input = { ...text, ...metadataInput(draft), ...written, categoryId: category?.id };
  const image = await imageOf(db, draft, article);
  const published = article
    ? await updateArticle(db, services, article, { input, rendered }, image).then(() => article.id)
    : await insertArticle(db, { memberId, input, rendered }, image ?? undefined);
  await DRAFTS.delete(db, id);
  return published;
}

/** Before the draft, since the deletion of an article locks both in this order, and turns the draft into one for a new article. */
async function lockArticle(db: Transaction, id: number): Promise<InferAttributes<Article> | null> {
  try {
    return await ARTICLES.lock(db, id, () => {});
  } catch (error) {
    if (error instanceof AppError && error.key === 'ARTICLE_NOT_FOUND') return null;
    throw error;
  }
}

/** @returns null to remove the image of the article, undefined to keep it */
async function imageOf(
  db: Transaction,
  { imageId, removesImage }: InferAttributes<Draft>,
  article: InferAttributes<Article> | null,
): Promise<SavedImage | null | undefined> {
  if (imageId === null) return removesImage ? null : undefined;
  const [image] = await db.query(IMAGE_FOR_DRAFT, [imageId]);
  return image?.key === article?.image ? undefined : image;
}
