/** Maps each article of a source to what is written: within the limits of the service, with a note for each change. */
import { MAX_CONTENT_LENGTH, MAX_IMAGE_ALT_LENGTH, MAX_TITLE_LENGTH } from '../models/article/article.js';
import {
  type DeclaredMetadata,
  METADATA,
  METADATA_NAMES,
  type MetadataName,
  type MetadataRow,
  normalizeMetadata,
} from '../models/article/metadata.js';
import { MAX_SLUG_LENGTH, normalizeSlug, slugOf } from '../models/article/slug.js';
import { MAX_TRANSLATION_KEY_LENGTH } from '../models/article/translation.js';
import { MAX_CATEGORY_LENGTH } from '../models/category.js';
import { MAX_SERIES_DESCRIPTION_LENGTH, MAX_SERIES_TITLE_LENGTH } from '../models/series.js';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../models/tag.js';
import { validDate } from './dates.js';
import { embedsIn } from './losses.js';
import { outsideCode } from './outside-code.js';
import { type Person, personOf } from './person.js';
import { type CommentPlan, planComments } from './plan-comments.js';
import { type Note, note } from './report.js';
import type { Reduction, SourceArticle, SourceImage } from './source.js';
import { earlier, isInFuture, shorten, shortenHtml, storable } from './text.js';

export const LIMITS = {
  title: MAX_TITLE_LENGTH,
  content: MAX_CONTENT_LENGTH,
  category: MAX_CATEGORY_LENGTH,
  tags: MAX_TAGS,
  tag: MAX_TAG_LENGTH,
  imageAlt: MAX_IMAGE_ALT_LENGTH,
  seriesTitle: MAX_SERIES_TITLE_LENGTH,
  seriesDescription: MAX_SERIES_DESCRIPTION_LENGTH,
};

export interface ArticlePlan {
  key: string;
  place: string;
  /** What it becomes. */
  state: 'PUBLIC' | 'PRIVATE' | 'DRAFT';
  /** Of a draft: when it is to be published. */
  publishAt: Date | null;
  /** Of a draft: the time of publication that the article will have. */
  publishedAt: Date | null;
  /** Empty if the source has none. */
  slug: string;
  formerSlugs: string[];
  author: Person;
  title: string;
  exportKey: string | null;
  metadata: MetadataRow;
  content: string;
  /** Null for the default category. */
  category: string | null;
  tags: string[];
  series: { title: string; position: number | null } | null;
  translationKey: string | null;
  createdAt: Date;
  updatedAt: Date;
  image: SourceImage | null;
  imageAlt: string | null;
  images: readonly SourceImage[];
  comments: CommentPlan[];
  /** Changes that were needed to fit the limits; reported when the article is written. */
  notes: Note[];
}

export interface PlanContext {
  /** The member of `--author`, for articles whose author the source does not name. @throws FileError without one */
  defaultAuthor: (place: string) => Person;
  now: Date;
}

export interface Plan {
  article: ArticlePlan;
  /** Comments that are left out; reported in any case. */
  skipped: Note[];
}

export function planArticle(source: SourceArticle, context: PlanContext): Plan {
  const notes = source.reduced.map((reduction) => noteOf('reduced', reduction, nameOf(source)));
  const isDraft = source.state === 'DRAFT' || source.state === 'SCHEDULED';
  const { createdAt, updatedAt } = planDates(source, isDraft, context, notes);
  const { comments, skipped } = isDraft
    ? withoutComments(source)
    : planComments(source.comments, { articleDate: createdAt, now: context.now, notes });
  const title = planTitle(source, isDraft, notes);
  const metadata = planMetadata(source, notes);
  const article: ArticlePlan = {
    key: source.key,
    place: source.place,
    state: source.state === 'PUBLIC' || source.state === 'PRIVATE' ? source.state : 'DRAFT',
    publishAt: source.state === 'SCHEDULED' ? planPublication(source, context, notes) : null,
    publishedAt: planPublishedAt(source, context),
    slug: planSlug(source, notes),
    formerSlugs: isDraft ? [] : [...new Set((source.formerSlugs ?? []).map(slugOf))],
    author: source.author ? personOf(source.author) : context.defaultAuthor(source.place),
    title,
    exportKey: source.exportKey ?? null,
    metadata,
    content: planContent(source, isDraft ? null : title, notes),
    ...planTerms(source, notes),
    series: planSeries(source, isDraft, notes),
    translationKey: planTranslationKey(source, metadata, isDraft, notes),
    createdAt,
    updatedAt,
    image: source.image,
    imageAlt: planAlt(source, notes),
    images: source.images,
    comments,
    notes,
  };
  return { article, skipped };
}

export function nameOf({ place, title }: Pick<SourceArticle, 'place' | 'title'>): string {
  const name = shorten(title, 60);
  return name ? `${place} "${name}"` : place;
}

export function noteOf(what: Note['what'], { reason, detail, count = 1 }: Reduction, name: string): Note {
  return note(what, reason, detail ? `${name} ${detail}` : name, count);
}

function reduced(reason: string, source: SourceArticle, count = 1): Note {
  return noteOf('reduced', { reason, count }, nameOf(source));
}

function planDates(source: SourceArticle, isDraft: boolean, { now }: PlanContext, notes: Note[]) {
  const created = validDate(source.createdAt);
  if (!created && !isDraft) notes.push(reduced('articles without a date: set to the time of the import', source));
  const createdAt = earlier(created ?? now, now);
  const changed = validDate(source.updatedAt) ?? createdAt;
  const updatedAt = new Date(Math.max(createdAt.getTime(), earlier(changed, now).getTime()));
  // That of a scheduled text is its schedule.
  const isLate = isInFuture(created ?? now, now) || isInFuture(changed, now);
  if (isLate && source.state !== 'SCHEDULED')
    notes.push(reduced('articles with a date in the future: set to the time of the import', source));
  return { createdAt, updatedAt };
}

function planPublishedAt({ publishedAt = null }: SourceArticle, { now }: PlanContext): Date | null {
  const time = validDate(publishedAt);
  return time && time.getTime() >= 0 && time <= now ? time : null;
}

/** @returns null if the time has passed: an import publishes nothing by surprise */
function planPublication(source: SourceArticle, { now }: PlanContext, notes: Note[]): Date | null {
  const time = validDate(source.publishAt);
  if (time && time > now) return time;
  notes.push(reduced('scheduled posts whose time has passed: drafts without a schedule', source));
  return null;
}

function withoutComments(source: SourceArticle): { comments: CommentPlan[]; skipped: Note[] } {
  const { length } = source.comments;
  return { comments: [], skipped: length > 0 ? [note('skipped', 'comments on drafts', nameOf(source), length)] : [] };
}

function planTitle(source: SourceArticle, isDraft: boolean, notes: Note[]): string {
  const title = storable(source.title).trim();
  if (title === '' && isDraft) return '';
  if (title === '') notes.push(reduced('articles without a title: set to "Untitled"', source));
  const short = shorten(title, LIMITS.title);
  if (short !== title) notes.push(reduced(`titles shortened to ${LIMITS.title} characters`, source));
  return short || 'Untitled';
}

function planMetadata(source: SourceArticle, notes: Note[]): MetadataRow {
  const planned = (name: MetadataName) => {
    const line = lineOf(source.metadata?.[name] ?? '');
    // Jekyll sites have `en_US` too.
    const written = name === 'language' ? line.replaceAll('_', '-') : line;
    const { maxLength, form }: DeclaredMetadata = METADATA[name];
    const short = form === undefined ? shorten(line, maxLength).trim() : line;
    const stored = short && normalizeMetadata(name, form === undefined ? short : written);
    if (stored === null || [...stored].length > maxLength) {
      const reason = `${name}: left out, since it is not ${form}`;
      notes.push(noteOf('reduced', { reason, detail: line.slice(0, 60) }, nameOf(source)));
      return null;
    }
    if (short !== line) notes.push(reduced(`${name}: shortened to ${maxLength} characters`, source));
    return stored || null;
  };
  return Object.fromEntries(METADATA_NAMES.map((name) => [name, planned(name)])) as MetadataRow;
}

function planSlug(source: SourceArticle, notes: Note[]): string {
  const slug = storable(source.slug ?? '').trim();
  if ([...normalizeSlug(slug)].length > MAX_SLUG_LENGTH)
    notes.push(reduced(`slugs shortened to ${MAX_SLUG_LENGTH} characters`, source));
  return slug && slugOf(slug);
}

/** @param title replaces an empty content; null if it may stay empty */
function planContent(source: SourceArticle, title: string | null, notes: Note[]): string {
  const content = storable(source.content);
  if (title !== null && !/\S/.test(content)) {
    const excerpt = storable(source.excerpt ?? source.metadata?.description ?? '');
    const stand = /\S/.test(excerpt) ? 'excerpt' : 'title';
    notes.push(reduced(`articles without content: replaced by the ${stand}`, source));
    return stand === 'excerpt' ? shortenHtml(excerpt, LIMITS.content) : title;
  }
  const short = shortenHtml(content, LIMITS.content);
  outsideCode(short, (part) => {
    notes.push(...embedsIn(part, NOT_SEEN).map((embed) => noteOf('reduced', embed, nameOf(source))));
    return part;
  });
  if (short !== content) notes.push(reduced(`contents shortened to ${LIMITS.content} characters`, source));
  return short;
}

const NOT_SEEN = 'embedded pages and media: readers do not see them';

/** The first category becomes the article's category; the others are appended to the tags. */
function planTerms(source: SourceArticle, notes: Note[]): { category: string | null; tags: string[] } {
  const named = (texts: readonly string[]) => texts.map((text) => storable(text).trim()).filter(Boolean);
  const [category = null, ...others] = new Set(named(source.categories));
  const names = [...named(source.tags), ...others];
  const normalized = [...new Set(names.map((name) => name.toLowerCase()))];
  const tags = [...new Set(normalized.map((name) => shorten(name, LIMITS.tag)))];
  const long = normalized.filter((name) => shorten(name, LIMITS.tag) !== name).length;
  const surplus = Math.max(0, tags.length - LIMITS.tags);
  const short = category === null ? null : shorten(category, LIMITS.category);
  if (short !== category) notes.push(reduced(`category names shortened to ${LIMITS.category} characters`, source));
  if (long > 0) notes.push(reduced(`tags shortened to ${LIMITS.tag} characters`, source, long));
  if (surplus > 0) notes.push(reduced(`tags skipped: an article can have at most ${LIMITS.tags}`, source, surplus));
  return { category: short, tags: tags.slice(0, LIMITS.tags) };
}

function planSeries(source: SourceArticle, isDraft: boolean, notes: Note[]): ArticlePlan['series'] {
  const line = lineOf(source.series?.title ?? '');
  if (!source.series || line === '') return null;
  if (isDraft) {
    notes.push(reduced('series of drafts: only articles are in series', source));
    return null;
  }
  const title = shorten(line, LIMITS.seriesTitle).trim();
  if (title !== line) notes.push(reduced(`titles of series shortened to ${LIMITS.seriesTitle} characters`, source));
  return { title, position: source.series.position };
}

function planTranslationKey(
  source: SourceArticle,
  { language }: MetadataRow,
  isDraft: boolean,
  notes: Note[],
): string | null {
  const key = shorten(lineOf(source.translationKey ?? ''), MAX_TRANSLATION_KEY_LENGTH);
  if (key === '') return null;
  const reason = isDraft
    ? 'translations that are drafts: only articles are translations of each other'
    : language === null && 'translations without a language: they are of no other article';
  if (reason) notes.push(reduced(reason, source));
  return reason ? null : key;
}

export function lineOf(text: string): string {
  return storable(text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

function planAlt(source: SourceArticle, notes: Note[]): string | null {
  const { text, isShortened } = altOf(source.image?.alt ?? null);
  if (isShortened) notes.push(reduced(LONG_ALT, source));
  return text;
}

export const LONG_ALT = `alternative texts of feature images shortened to ${LIMITS.imageAlt} characters`;

export function altOf(given: string | null): { text: string | null; isShortened: boolean } {
  const alt = storable(given ?? '').trim();
  const short = shorten(alt, LIMITS.imageAlt);
  return { text: short || null, isShortened: short !== alt };
}
