/** Maps each item of an export to the article to write, or to the reason why it is skipped. */
import type { Person } from './person.js';
import { type CommentPlan, planComments } from './plan-comments.js';
import type { ItemRecord, Term } from './records.js';
import { type Note, note } from './report.js';
import { cleanText, parseRssDate, parseStamp, plainLine, shorten, shortenHtml, withoutBlockMarks } from './text.js';

export const LIMITS = { title: 100, content: 100_000, category: 20, tags: 10, tag: 30 };

/** What a post becomes. */
type State = 'PUBLIC' | 'PRIVATE' | 'DRAFT';

const STATES: Readonly<Record<string, State>> = {
  publish: 'PUBLIC',
  private: 'PRIVATE',
  draft: 'DRAFT',
  pending: 'DRAFT',
  future: 'DRAFT',
};

export interface ArticlePlan {
  key: string;
  state: State;
  /** Of a draft: when it is to be published. */
  publishAt: Date | null;
  /** Not normalized; empty for most drafts. */
  slug: string;
  /** On the old host. */
  address: string;
  author: Person;
  title: string;
  content: string;
  /** Null for the default category. */
  category: string | null;
  tags: string[];
  createdAt: Date;
  updatedAt: Date;
  comments: CommentPlan[];
  /** Changes that were needed to fit the limits; reported when the article is written. */
  notes: Note[];
}

export interface PlanContext {
  authorOf: (creator: string) => Person;
  /** The date of items without one. */
  exportedAt: Date;
  publishProtected: boolean;
  now: Date;
}

export interface Plan {
  article: ArticlePlan | null;
  /** What is left out; reported in any case. */
  skipped: Note[];
}

export function planItem(item: ItemRecord, context: PlanContext): Plan {
  const reason = reasonToSkip(item, context);
  if (reason !== null) {
    const skipped = [note('skipped', reason, nameOf(item))];
    if (item.comments.length > 0) {
      skipped.push(note('skipped', 'comments on items that are not imported', nameOf(item), item.comments.length));
    }
    return { article: null, skipped };
  }
  const notes: Note[] = [];
  const state = STATES[item.status] ?? 'PUBLIC';
  const isDraft = state === 'DRAFT';
  const publishAt = item.status === 'future' ? publicationOf(item, context, notes) : null;
  const createdAt = isDraft ? draftDateOf(item, context) : dateOf(item, context, notes);
  const { comments, skipped } = isDraft ? withoutComments(item) : planComments(item.comments, createdAt, notes);
  const { category, tags } = planTerms(item, notes);
  const title = planTitle(item, isDraft, notes);
  const content = planContent(item, isDraft ? null : title, notes);
  const modifiedAt = parseStamp(item.modifiedGmt) ?? createdAt;
  const updatedAt = new Date(Math.max(createdAt.getTime(), modifiedAt.getTime()));
  const author = context.authorOf(item.creator);
  if (item.status === 'pending') notes.push(changed('posts pending review: now drafts', item));
  if (item.password !== '') notes.push(changed('articles that were password-protected: now public', item));
  return {
    article: {
      key: item.id,
      state,
      publishAt,
      slug: decodeSlug(item.name),
      address: item.link,
      author,
      title,
      content,
      category,
      tags,
      createdAt,
      updatedAt,
      comments,
      notes,
    },
    skipped,
  };
}

function reasonToSkip({ id, type, status, password }: ItemRecord, { publishProtected }: PlanContext): string | null {
  if (type !== 'post') return `items of type ${plainLine(type).slice(0, 30)}: only posts become articles`;
  if (STATES[status] === undefined) return `posts with status ${plainLine(status).slice(0, 30)}`;
  if (password !== '' && !publishProtected)
    return 'posts protected by a password (--publish-protected makes them public)';
  return id === '' ? 'posts without <wp:post_id>: they could not be identified in a repeated import' : null;
}

function nameOf({ id, title }: ItemRecord): string {
  const name = shorten(plainLine(title), 60);
  return ['post', id, name && `"${name}"`].filter(Boolean).join(' ');
}

function changed(reason: string, item: ItemRecord, count = 1): Note {
  return note('changed', reason, nameOf(item), count);
}

function dateOf(item: ItemRecord, { exportedAt }: PlanContext, notes: Note[]): Date {
  const utc = parseStamp(item.dateGmt);
  if (utc) return utc;
  const local = parseStamp(item.date);
  if (local) {
    notes.push(changed('articles dated in the time zone of the blog only: read as UTC', item));
    return local;
  }
  const published = parseRssDate(item.published);
  if (!published) notes.push(changed('articles without a date: set to the date of the export', item));
  return published ?? exportedAt;
}

/** WordPress sets the date of a draft when it is published. */
function draftDateOf({ status, date, dateGmt, modifiedGmt }: ItemRecord, { exportedAt }: PlanContext): Date {
  const written = status === 'future' ? null : (parseStamp(dateGmt) ?? parseStamp(date));
  return written ?? parseStamp(modifiedGmt) ?? exportedAt;
}

/** @returns null if the time has passed: an import publishes nothing by surprise */
function publicationOf(item: ItemRecord, { now }: PlanContext, notes: Note[]): Date | null {
  const time = parseStamp(item.dateGmt) ?? parseStamp(item.date);
  if (time && time > now) return time;
  notes.push(changed('scheduled posts whose time has passed: drafts without a schedule', item));
  return null;
}

function withoutComments(item: ItemRecord): { comments: CommentPlan[]; skipped: Note[] } {
  const { length } = item.comments;
  return { comments: [], skipped: length > 0 ? [note('skipped', 'comments on drafts', nameOf(item), length)] : [] };
}

/** WordPress stores letters other than ASCII percent-encoded, and may have cut them. */
function decodeSlug(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function planTitle(item: ItemRecord, isDraft: boolean, notes: Note[]): string {
  const title = plainLine(item.title);
  if (title === '' && isDraft) return '';
  if (title === '') notes.push(changed('articles without a title: set to "Untitled"', item));
  const short = shorten(title, LIMITS.title);
  if (short !== title) notes.push(changed(`titles shortened to ${LIMITS.title} characters`, item));
  return short || 'Untitled';
}

/** @param title replaces a content without text; null: it stays */
function planContent(item: ItemRecord, title: string | null, notes: Note[]): string {
  const content = withoutBlockMarks(cleanText(item.content));
  if (title !== null && !/\S/.test(content)) {
    const excerpt = cleanText(item.excerpt);
    const stand = /\S/.test(excerpt) ? 'excerpt' : 'title';
    notes.push(changed(`articles without content: replaced by the ${stand}`, item));
    return stand === 'excerpt' ? shortenHtml(excerpt, LIMITS.content) : title;
  }
  notes.push(...unsupported(content, item));
  const short = shortenHtml(content, LIMITS.content);
  if (short !== content) notes.push(changed(`contents shortened to ${LIMITS.content} characters`, item));
  return short;
}

/** Elements whose content is on another host and which the HTML of articles cannot contain. */
const EMBEDDED = /<(?:iframe|object|embed|video|audio)\b([^<>]*)>/gi;

function unsupported(content: string, item: ItemRecord): Note[] {
  return [...content.matchAll(EMBEDDED)].map(([, attributes = '']) => {
    const [, address = ''] = /\s(?:src|data)\s*=\s*["']?([^\s"'<>]+)/i.exec(attributes) ?? [];
    const example = `${nameOf(item)} ${address.slice(0, 200)}`.trim();
    return note('changed', 'embedded pages and media (iframe, video, …): readers do not see them', example);
  });
}

/** The first category becomes the article's category; the others are appended to the tags. */
function planTerms(item: ItemRecord, notes: Note[]): { category: string | null; tags: string[] } {
  const named = item.terms.map(({ domain, name }) => ({ domain, name: plainLine(name) })).filter(({ name }) => name);
  const categories = [...new Set(named.filter(isCategory).map(({ name }) => name))];
  const [category = null, ...others] = categories;
  const names = [...named.filter(isTag).map(({ name }) => name), ...others];
  const normalized = [...new Set(names.map((name) => name.toLowerCase().normalize('NFC')))];
  const tags = [...new Set(normalized.map((name) => shorten(name, LIMITS.tag)))];
  const ignored = named.filter((term) => !isCategory(term) && !isTag(term)).length;
  const long = normalized.filter((name) => shorten(name, LIMITS.tag) !== name).length;
  const surplus = Math.max(0, tags.length - LIMITS.tags);
  const short = category === null ? null : shorten(category, LIMITS.category);
  if (short !== category) notes.push(changed(`category names shortened to ${LIMITS.category} characters`, item));
  if (ignored > 0) notes.push(changed('terms that are neither category nor tag: skipped', item, ignored));
  if (long > 0) notes.push(changed(`tags shortened to ${LIMITS.tag} characters`, item, long));
  if (surplus > 0) notes.push(changed(`tags skipped: an article can have at most ${LIMITS.tags}`, item, surplus));
  return { category: short, tags: tags.slice(0, LIMITS.tags) };
}

function isCategory({ domain }: Term): boolean {
  return domain === 'category' || domain === '';
}

function isTag({ domain }: Term): boolean {
  return domain === 'post_tag' || domain === 'tag';
}
