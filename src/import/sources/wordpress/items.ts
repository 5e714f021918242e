/** Maps the items of a WordPress export to articles, or to the reason why they are left out. */
import { dateOf } from '../../dates.js';
import { unlessTooComplex } from '../../losses.js';
import type { LeftOut, Reduction, SourceArticle, SourceComment, SourcePerson, SourceState } from '../../source.js';
import { cleanText, plainLine } from '../../text.js';
import { toMarkdown } from './content.js';
import { hasGallery, referenceTo } from './galleries.js';
import { withParagraphs } from './paragraphs.js';
import type { AuthorRecord, CommentRecord, ItemRecord, Term } from './records.js';

const STATES: Readonly<Record<string, SourceState>> = {
  publish: 'PUBLIC',
  private: 'PRIVATE',
  draft: 'DRAFT',
  pending: 'DRAFT',
  future: 'SCHEDULED',
};

export interface ItemContext {
  authorOf: (creator: string) => SourcePerson;
  /** The date of items without one. */
  exportedAt: Date;
  publishProtected: boolean;
}

export function authorOf({ login, email, displayName }: AuthorRecord): SourcePerson {
  return { key: toLogin(login), email: plainLine(email), name: plainLine(displayName) || plainLine(login) };
}

/** Normalizes a login for comparison. Some real exports contain stray characters that are not valid in a login. */
export function toLogin(login: string): string {
  return plainLine(login)
    .replace(/[^\p{L}\p{M}\p{N} _.@*-]/gu, '')
    .toLowerCase();
}

export function itemsOf(item: ItemRecord, context: ItemContext): (SourceArticle | LeftOut)[] {
  const reason = reasonToSkip(item, context);
  const place = placeOf(item);
  if (reason === null) return [unlessTooComplex(place, () => articleOf(item, context))];
  const comments = { kind: 'left out', place, reason: 'comments on items that are not imported' } as const;
  const { length: count } = item.comments;
  return [{ kind: 'left out', place, reason }, ...(count > 0 ? [{ ...comments, count }] : [])];
}

function placeOf({ id, title }: ItemRecord): string {
  return ['post', id || `"${plainLine(title).slice(0, 60)}"`].join(' ');
}

function reasonToSkip({ id, type, status, password }: ItemRecord, { publishProtected }: ItemContext): string | null {
  if (type !== 'post') return `items of type ${plainLine(type).slice(0, 30)}: only posts become articles`;
  if (STATES[status] === undefined) return `posts with status ${plainLine(status).slice(0, 30)}`;
  if (password !== '' && !publishProtected)
    return 'posts protected by a password (--publish-protected makes them public)';
  return id === '' ? 'posts without <wp:post_id>: they could not be identified in a repeated import' : null;
}

function articleOf(item: ItemRecord, context: ItemContext): SourceArticle {
  const reduced = [...item.lostComments];
  const state = STATES[item.status] ?? 'PUBLIC';
  const isDraft = state === 'DRAFT' || state === 'SCHEDULED';
  const createdAt = isDraft ? draftDateOf(item, context) : dateOfItem(item, context, reduced);
  if (item.status === 'pending') reduced.push({ reason: 'posts pending review: now drafts' });
  if (item.password !== '') reduced.push({ reason: 'articles that were password-protected: now public' });
  const content = toMarkdown(cleanText(item.content), reduced);
  return {
    kind: 'article',
    key: item.id,
    place: placeOf(item),
    author: context.authorOf(item.creator),
    state,
    title: plainLine(item.title),
    content,
    // Replaces an empty content.
    excerpt: /\S/.test(content) ? '' : toMarkdown(cleanText(item.excerpt), reduced),
    metadata: { description: plainLine(item.excerpt) },
    slug: decodeSlug(item.name),
    ...termsOf(item, reduced),
    createdAt,
    updatedAt: dateOf(item.modifiedGmt),
    publishAt: dateOf(item.dateGmt) ?? dateOf(item.date),
    image: item.thumbnail === '' ? null : { reference: referenceTo(item.thumbnail), alt: null, open: null },
    images: [],
    addresses: [item.link],
    comments: item.comments.map(toComment),
    reduced,
    isIncomplete: hasGallery(content),
  };
}

function dateOfItem(item: ItemRecord, { exportedAt }: ItemContext, reduced: Reduction[]): Date {
  const utc = dateOf(item.dateGmt);
  if (utc) return utc;
  const local = dateOf(item.date);
  if (local) {
    reduced.push({ reason: 'articles dated in the time zone of the blog only: read as UTC' });
    return local;
  }
  const published = dateOf(item.published);
  if (!published) reduced.push({ reason: 'articles without a date: set to the date of the export' });
  return published ?? exportedAt;
}

/** WordPress sets the date of a draft when it is published. */
function draftDateOf({ status, date, dateGmt, modifiedGmt }: ItemRecord, { exportedAt }: ItemContext): Date {
  const written = status === 'future' ? null : (dateOf(dateGmt) ?? dateOf(date));
  return written ?? dateOf(modifiedGmt) ?? exportedAt;
}

/** WordPress stores letters other than ASCII percent-encoded, and may have cut them. */
function decodeSlug(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function termsOf(item: ItemRecord, reduced: Reduction[]): { categories: string[]; tags: string[] } {
  const named = item.terms.map(({ domain, name }) => ({ domain, name: plainLine(name) })).filter(({ name }) => name);
  const ignored = named.filter((term) => !isCategory(term) && !isTag(term)).length;
  if (ignored > 0) reduced.push({ reason: 'terms that are neither category nor tag: skipped', count: ignored });
  const names = (terms: Term[]) => terms.map(({ name }) => name);
  return { categories: names(named.filter(isCategory)), tags: names(named.filter(isTag)) };
}

function isCategory({ domain }: Term): boolean {
  return domain === 'category' || domain === '';
}

function isTag({ domain }: Term): boolean {
  return domain === 'post_tag' || domain === 'tag';
}

function toComment(record: CommentRecord): SourceComment {
  const utc = dateOf(record.dateGmt);
  const local = utc ? null : dateOf(record.date);
  const leftOut = reasonToLeaveOut(record);
  return {
    key: record.id,
    parentKey: record.parent === '' || record.parent === '0' ? null : record.parent,
    author: { key: null, name: plainLine(record.author), email: plainLine(record.email) },
    content: withParagraphs(cleanText(record.content)),
    format: 'html',
    createdAt: utc ?? local,
    ...(leftOut !== null && { leftOut }),
    reduced: [...(local ? [LOCAL_TIME] : []), ...(/<img\b/i.test(record.content) ? [PICTURES] : [])],
  };
}

const PICTURES = { reason: 'pictures in comments: left out' };
const LOCAL_TIME = { reason: 'comments dated in the time zone of the blog only: read as UTC' };

function reasonToLeaveOut({ id, type, approved }: CommentRecord): string | null {
  if (type === 'pingback' || type === 'trackback') return `${type}s: links from other sites, not comments`;
  if (type !== '' && type !== 'comment') return 'comments of another type, created by a plugin';
  if (approved === 'spam') return 'comments marked as spam';
  if (approved === 'trash' || approved === 'post-trashed') return 'comments in the trash';
  if (approved !== '1') return 'comments that were not approved';
  return id === '' ? 'comments without <wp:comment_id>: they could not be identified in a repeated import' : null;
}
