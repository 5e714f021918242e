/** Writes one article of a source with its category, tags and comments. */
import { ADD_RENDERING, type Rendered, renderingValues } from '../models/article/html.js';
import { METADATA_NAMES, metadataSql } from '../models/article/metadata.js';
import { slugOf } from '../models/article/slug.js';
import { textColumnsOf } from '../models/article/text.js';
import { MAX_CATEGORIES } from '../models/category.js';
import { ADD_TAGS, TAG_ARTICLE } from '../models/tag.js';
import { SLUG_LOCKS } from '../platform/database/locks.js';
import { statement } from '../platform/database/statement.js';
import { saveComments } from './comments.js';
import { saveMembers } from './members.js';
import type { StoredPicture } from './pictures.js';
import { type ArticlePlan, LIMITS, nameOf } from './plan.js';
import { note, type Report, type Result } from './report.js';
import { addToSeries, saveSeries } from './series.js';
import { saveTranslations } from './translations.js';
import { findImported, recordImported, type Writer } from './writer.js';

const TOO_MANY_CATEGORIES = `articles put into the default category: a member can have at most ${MAX_CATEGORIES} others`;
const SLUG_TAKEN = 'slugs that another article has: now with a number';
const FORMER_SLUG_TAKEN = 'former slugs that another article has: they do not lead to this one';
const AS_TAG = `${TOO_MANY_CATEGORIES}. The category became a tag`;

/** The category with this name (case-insensitive), else the default one. */
export const FIND_CATEGORY = statement<
  [memberId: number, name: string | null],
  { id: number; isNamed: boolean; isDefault: boolean }
>(
  'import_find_category',
  `select id, coalesce(lower(name) = lower($2), false) as "isNamed", is_default as "isDefault" from categories
   where member_id = $1 and (is_default or lower(name) = lower($2)) order by 2 desc limit 1`,
);

/** Adds a category unless the member has the maximum. */
export const ADD_CATEGORY = statement<[memberId: number, name: string, max: number], { id: number }>(
  'import_add_category',
  `insert into categories (member_id, name)
   select $1, $2 where (select count(*) from categories where member_id = $1 and not is_default) < $3
   returning id`,
);

export const FIND_TAGS = statement<[names: readonly string[]], { id: number; name: string }>(
  'import_find_tags',
  'select id, name from tags where name = any($1::text[])',
);

/** The places of the values of metadata among the parameters of a statement. */
export const placesOfMetadata = (first: number): string =>
  METADATA_NAMES.map((_, index) => `$${first + index}`).join(', ');

export const metadataOfPlan = ({ metadata }: ArticlePlan) => METADATA_NAMES.map((name) => metadata[name]);

export const ADD_ARTICLE = statement<
  [
    memberId: number,
    categoryId: number,
    title: string,
    content: string,
    isPrivate: boolean,
    slug: string,
    excerpt: string | null,
    words: number | null,
    minutes: number | null,
    image: string | null,
    imageWidth: number | null,
    imageHeight: number | null,
    imageAlt: string | null,
    createdAt: Date,
    updatedAt: Date,
    exportKey: string | null,
    translationGroupId: number | null,
    ...metadata: (string | null)[],
  ],
  { id: number; slug: string }
>(
  'import_add_article',
  `insert into all_articles (member_id, category_id, title, content, is_private, slug, excerpt, word_count, reading_minutes,
     image, image_width, image_height, image_alt, created_at, updated_at, key, translation_group_id, ${metadataSql()})
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, coalesce($16::uuid, gen_random_uuid()), $17, ${placesOfMetadata(18)}) returning id, slug`,
);

/**
 * Reserves slugs that are free. All that reserve a slug lock it first, so that no transaction waits for another one
 * (migrations/0001/04-articles.sql).
 */
export const ADD_FORMER_SLUGS = statement<[articleId: number, slugs: readonly string[]], { slug: string }>(
  'import_add_former_slugs',
  `insert into article_slugs (slug, article_id)
   select slug, $1::bigint from unnest($2::text[]) as w(slug) where pg_try_advisory_xact_lock(${SLUG_LOCKS}, hashtext(slug))
   on conflict do nothing returning slug`,
);

interface FoundArticle {
  memberId: number;
  categoryId: number;
  isDefault: boolean;
}

const FIND_ARTICLE = `select a.member_id as "memberId", a.category_id as "categoryId", c.is_default as "isDefault" from all_articles a
   join categories c on c.id = a.category_id where a.id = $1`;

/** For a dry run. */
export const READ_ARTICLE = statement<[articleId: number], FoundArticle>('import_read_article', FIND_ARTICLE);

/** Locks an article row against deletion (FOR KEY SHARE). */
export const LOCK_ARTICLE = statement<[articleId: number], FoundArticle>(
  'import_lock_article',
  `${FIND_ARTICLE} for key share of a`,
);

/** What was made of an article before the transaction that writes it. */
export interface PreparedArticle {
  rendered: Rendered | null;
  /** The feature image. */
  image: StoredPicture | null;
}

/** Writes what has not been imported yet: the article with all its comments, or only its new comments. */
export async function saveArticle(
  writer: Writer,
  plan: ArticlePlan,
  prepared: PreparedArticle,
  report: Report,
): Promise<Result> {
  const importedId = (await findImported(writer, 'article', [plan.key])).get(plan.key);
  const isNew = importedId === undefined;
  if (isNew && (await findImported(writer, 'draft', [plan.key])).size > 0) return skipKnownDraft(plan, report);
  const articleId = isNew
    ? await addArticle(writer, plan, prepared, report)
    : await lockArticle(writer, importedId, report);
  if (!isNew && articleId !== null) await countTags(writer, plan.tags, report);
  await saveComments(writer, { articleId, isNew, plans: plan.comments }, report);
  if (isNew) return articleId === null ? 'skipped' : 'created';
  return report.added.comments > 0 ? 'updated' : 'unchanged';
}

/** The draft may have been published or deleted in the journal. */
function skipKnownDraft(plan: ArticlePlan, report: Report): Result {
  report.existing.drafts++;
  report.addNotes([note('skipped', 'posts that were imported as drafts before they were published', nameOf(plan))]);
  const { length } = plan.comments;
  if (length > 0)
    report.addNotes([note('skipped', 'comments on posts that were imported as drafts', nameOf(plan), length)]);
  return 'unchanged';
}

/** @returns the id of the new article; null if its author has been deleted from the journal since an earlier import. */
async function addArticle(
  writer: Writer,
  plan: ArticlePlan,
  { rendered, image }: PreparedArticle,
  report: Report,
): Promise<number | null> {
  const authorId = (await saveMembers(writer, [plan.author], report)).get(plan.author) ?? null;
  if (authorId === null) {
    report.addNotes([note('skipped', 'articles whose author was removed from the journal', nameOf(plan))]);
    return null;
  }
  const place = { author: plan.author, memberId: authorId, place: plan.place };
  const series = plan.series && { ...plan.series, description: '', updatedAt: null };
  const seriesId = series && (await saveSeries(writer, place, series, report));
  const translationGroupId = await saveTranslations(writer, authorId, plan, report);
  const { categoryId, tags } = await saveCategory(writer, authorId, plan, report);
  const { title, content, state, slug, createdAt, updatedAt } = plan;
  const { excerpt, wordCount, readingMinutes } = textColumnsOf(content, rendered);
  const wanted = slug || slugOf(title);
  const text = [title, content, state === 'PRIVATE', wanted, excerpt, wordCount, readingMinutes] as const;
  const picture = [
    image?.key ?? null,
    image?.width ?? null,
    image?.height ?? null,
    image ? plan.imageAlt : null,
  ] as const;
  if (tags.length > 0)
    report.added.tags += (await writer.run(ADD_TAGS, [tags, null])).filter(({ isNew }) => isNew).length;
  const [article] = await writer.run(ADD_ARTICLE, [
    authorId,
    categoryId,
    ...text,
    ...picture,
    createdAt,
    updatedAt,
    plan.exportKey,
    translationGroupId,
    ...metadataOfPlan(plan),
  ]);
  if (!article) throw new Error('INSERT of an article returned no ID');
  if (slug && article.slug !== wanted) report.addNotes([note('reduced', SLUG_TAKEN, `${nameOf(plan)} with ${wanted}`)]);
  await addFormerSlugs(writer, article, plan, report);
  if (rendered) await writer.run(ADD_RENDERING, renderingValues(article.id, rendered));
  if (tags.length > 0) {
    await writer.run(TAG_ARTICLE, [article.id, tags]);
    await countTags(writer, tags, report);
  }
  if (series && seriesId !== null)
    await addToSeries(writer, seriesId, { id: article.id, position: series.position, name: nameOf(plan) }, report);
  await recordImported(writer, 'article', [{ key: plan.key, id: article.id }]);
  if (image) await recordImported(writer, 'image', [{ key: featureKeyOf(plan.key), id: image.id }]);
  report.added.articles++;
  report.addNotes(plan.notes);
  return article.id;
}

async function addFormerSlugs(
  writer: Writer,
  { id, slug }: { id: number; slug: string },
  plan: ArticlePlan,
  report: Report,
): Promise<void> {
  const slugs = plan.formerSlugs.filter((former) => former !== slug);
  if (slugs.length === 0) return;
  const added = new Set((await writer.run(ADD_FORMER_SLUGS, [id, slugs])).map((row) => row.slug));
  const taken = slugs.filter((former) => !added.has(former)).map((former) => `${nameOf(plan)} with ${former}`);
  report.addNotes(taken.map((example) => note('reduced', FORMER_SLUG_TAKEN, example)));
}

async function countTags({ run }: Writer, names: readonly string[], report: Report): Promise<void> {
  for (const { id } of await run(FIND_TAGS, [names])) report.referenced.tags.add(id);
}

/** @returns the article's id; null if it was deleted from the journal: an import does not add it again. */
async function lockArticle({ run }: Writer, articleId: number, report: Report): Promise<number | null> {
  const [article] = await run(LOCK_ARTICLE, [articleId]);
  report.existing.articles++;
  if (!article) return null;
  report.referenced.members.add(article.memberId);
  if (!article.isDefault) report.referenced.categories.add(article.categoryId);
  return articleId;
}

/** @returns the category of the article, and its tags: a category that cannot be added becomes a tag */
export async function saveCategory(
  { run }: Writer,
  memberId: number,
  plan: ArticlePlan,
  report: Report,
): Promise<{ categoryId: number; tags: readonly string[] }> {
  let { tags }: { tags: readonly string[] } = plan;
  let [category] = await run(FIND_CATEGORY, [memberId, plan.category]);
  if (plan.category !== null && !category?.isNamed) {
    const [added] = await run(ADD_CATEGORY, [memberId, plan.category, MAX_CATEGORIES]);
    if (added) {
      report.added.categories++;
      category = { id: added.id, isNamed: true, isDefault: false };
    } else {
      tags = [...new Set([...tags, plan.category.toLowerCase()])].slice(0, LIMITS.tags);
      const isTag = tags.includes(plan.category.toLowerCase());
      report.addNotes([note('reduced', isTag ? AS_TAG : TOO_MANY_CATEGORIES, `${nameOf(plan)} in ${plan.category}`)]);
    }
  }
  if (!category) throw new Error(`member ${memberId} has no default category`);
  if (!category.isDefault) report.referenced.categories.add(category.id);
  return { categoryId: category.id, tags };
}

/** Of the record that an article got its feature image, which a repeated import does not restore. */
export function featureKeyOf(key: string): string {
  return `feature image of ${key}`;
}
