/** Writes one article of an export with its category, tags and comments. */
import { ADD_RENDERING, type Rendered, renderingValues } from '../../models/article/html.js';
import { slugOf } from '../../models/article/slug.js';
import { textColumnsOf } from '../../models/article/text.js';
import { MAX_CATEGORIES } from '../../models/category.js';
import { ADD_TAGS, TAG_ARTICLE } from '../../models/tag.js';
import { statement } from '../../platform/database/statement.js';
import { saveComments } from './comments.js';
import { saveMembers } from './members.js';
import { type ArticlePlan, LIMITS } from './plan.js';
import { note, type Report } from './report.js';
import { findImported, recordImported, type Writer } from './writer.js';

const TOO_MANY_CATEGORIES = `articles put into the default category: a member can have at most ${MAX_CATEGORIES} others`;
const AS_TAG = `${TOO_MANY_CATEGORIES}. The category became a tag`;

/** The category with this name (case-insensitive), else the default one. */
const FIND_CATEGORY = statement<
  [memberId: number, name: string | null],
  { id: number; isNamed: boolean; isDefault: boolean }
>(
  'import_find_category',
  `select id, coalesce(lower(name) = lower($2), false) as "isNamed", is_default as "isDefault" from categories
   where member_id = $1 and (is_default or lower(name) = lower($2)) order by 2 desc limit 1`,
);

/** Adds a category unless the member has the maximum. */
const ADD_CATEGORY = statement<[memberId: number, name: string, most: number], { id: number }>(
  'import_add_category',
  `insert into categories (member_id, name)
   select $1, $2 where (select count(*) from categories where member_id = $1 and not is_default) < $3
   returning id`,
);

const FIND_TAGS = statement<[names: readonly string[]], { id: number }>(
  'import_find_tags',
  'select id from tags where name = any($1::text[])',
);

const ADD_ARTICLE = statement<
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
    createdAt: Date,
    updatedAt: Date,
  ],
  { id: number }
>(
  'import_add_article',
  `insert into all_articles (member_id, category_id, title, content, is_private, slug, excerpt, word_count, reading_minutes, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
);

/** Locks an article row against deletion (FOR KEY SHARE). */
const LOCK_ARTICLE = statement<[articleId: number], { memberId: number; categoryId: number; isDefault: boolean }>(
  'import_lock_article',
  `select a.member_id as "memberId", a.category_id as "categoryId", c.is_default as "isDefault" from all_articles a
   join categories c on c.id = a.category_id where a.id = $1 for key share of a`,
);

/** Writes what has not been imported yet: the article with all its comments, or only its new comments. */
export async function saveArticle(
  writer: Writer,
  plan: ArticlePlan,
  rendered: Rendered | null,
  report: Report,
): Promise<void> {
  const importedId = (await findImported(writer, 'article', [plan.key])).get(plan.key);
  const isNew = importedId === undefined;
  if (isNew && (await findImported(writer, 'draft', [plan.key])).size > 0) return skipKnownDraft(plan, report);
  const articleId = isNew
    ? await addArticle(writer, plan, rendered, report)
    : await lockArticle(writer, importedId, report);
  if (articleId !== null) {
    for (const { id } of await writer.run(FIND_TAGS, [plan.tags])) report.referenced.tags.add(id);
  }
  await saveComments(writer, { articleId, isNew, plans: plan.comments }, report);
}

/** The draft may have been published or deleted in the journal. */
function skipKnownDraft(plan: ArticlePlan, report: Report): void {
  report.existing.drafts++;
  report.addNotes([note('skipped', 'posts that were imported as drafts before they were published', nameOf(plan))]);
  const { length } = plan.comments;
  if (length > 0)
    report.addNotes([note('skipped', 'comments on posts that were imported as drafts', nameOf(plan), length)]);
}

/** @returns the id of the new article; null if its author has been deleted from the journal since an earlier import. */
async function addArticle(
  writer: Writer,
  plan: ArticlePlan,
  rendered: Rendered | null,
  report: Report,
): Promise<number | null> {
  const authorId = (await saveMembers(writer, [plan.author], report)).get(plan.author) ?? null;
  if (authorId === null) {
    report.addNotes([note('skipped', 'articles whose author was removed from the journal', nameOf(plan))]);
    return null;
  }
  const { categoryId, tags } = await saveCategory(writer, authorId, plan, report);
  const { title, content, state, slug, createdAt, updatedAt } = plan;
  const { excerpt, wordCount, readingMinutes } = textColumnsOf(rendered);
  const text = [
    title,
    content,
    state === 'PRIVATE',
    slugOf(slug || title),
    excerpt,
    wordCount,
    readingMinutes,
  ] as const;
  const [article] = await writer.run(ADD_ARTICLE, [authorId, categoryId, ...text, createdAt, updatedAt]);
  if (!article) throw new Error('INSERT of an article returned no ID');
  if (rendered) await writer.run(ADD_RENDERING, renderingValues(article.id, rendered));
  if (tags.length > 0) {
    report.added.tags += (await writer.run(ADD_TAGS, [tags])).filter(({ isNew }) => isNew).length;
    await writer.run(TAG_ARTICLE, [article.id, tags]);
  }
  await recordImported(writer, 'article', [{ key: plan.key, id: article.id }]);
  report.added.articles++;
  report.addNotes(plan.notes);
  return article.id;
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
      report.addNotes([note('changed', isTag ? AS_TAG : TOO_MANY_CATEGORIES, `${nameOf(plan)} in ${plan.category}`)]);
    }
  }
  if (!category) throw new Error(`member ${memberId} has no default category`);
  if (!category.isDefault) report.referenced.categories.add(category.id);
  return { categoryId: category.id, tags };
}

export function nameOf({ key, title }: ArticlePlan): string {
  return `post ${key} "${title}"`;
}
