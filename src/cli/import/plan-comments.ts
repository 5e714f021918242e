/** Decides which comments of a post are imported, and the top-level comment of each reply. */
import { commenterPerson, type Person } from './person.js';
import type { CommentRecord } from './records.js';
import { type Note, note } from './report.js';
import { cleanText, parseStamp, shorten } from './text.js';
import { findTops, NONE, type Threaded } from './thread.js';

const MAX_CONTENT_LENGTH = 1_000;
const PARENT_NOT_IMPORTED = 'replies without an imported parent comment: imported as top-level comments';

export interface CommentPlan {
  key: string;
  person: Person;
  content: string;
  createdAt: Date;
  /** The key of the top-level comment that a reply belongs to; null for a top-level comment. */
  topKey: string | null;
}

interface Candidate extends Threaded {
  record: CommentRecord;
  reason: string | null;
  content: string;
}

/** `articleDate` is the date of comments without one. Changes are appended to `notes`. */
export function planComments(
  records: readonly CommentRecord[],
  articleDate: Date,
  notes: Note[],
): { comments: CommentPlan[]; skipped: Note[] } {
  const candidates = examine(records);
  const tops = findTops(candidates);
  const people = new Map<string, Person>();
  const comments: CommentPlan[] = [];
  const skipped: Note[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const top = candidates[tops[index] ?? NONE];
    if (candidate.reason !== null) skipped.push(note('skipped', candidate.reason, `comment ${candidate.id}`));
    else comments.push(planComment(candidate, top?.id ?? null, { people, articleDate, notes }));
  }
  return { comments, skipped };
}

interface Post {
  people: Map<string, Person>;
  articleDate: Date;
  notes: Note[];
}

function planComment({ record, content, parent }: Candidate, topKey: string | null, post: Post): CommentPlan {
  if (topKey === null && !isNone(parent)) post.notes.push(note('changed', PARENT_NOT_IMPORTED, `comment ${record.id}`));
  return {
    key: record.id,
    person: personOf(record, post.people),
    content: shortenContent(content, record, post.notes),
    createdAt: dateOf(record, post.articleDate, post.notes),
    topKey,
  };
}

/** Returns the same object for all comments of a person, to save memory: a post can have very many comments. */
function personOf({ author, email }: CommentRecord, people: Map<string, Person>): Person {
  const key = `${email}\n${author}`;
  const person = people.get(key) ?? commenterPerson(author, email);
  people.set(key, person);
  return person;
}

function examine(records: readonly CommentRecord[]): Candidate[] {
  const seen = new Set<string>();
  return records.map((record) => {
    const content = cleanText(record.content);
    const isDuplicate = seen.has(record.id);
    seen.add(record.id);
    const reason = isDuplicate ? 'comments that occur more than once in the file' : reasonToSkip(record, content);
    return { id: record.id, parent: record.parent, isTaken: reason === null, record, reason, content };
  });
}

function reasonToSkip({ id, type, approved }: CommentRecord, content: string): string | null {
  if (type === 'pingback' || type === 'trackback') return `${type}s: links from other sites, not comments`;
  if (type !== '' && type !== 'comment') return 'comments of another type, created by a plugin';
  if (approved === 'spam') return 'comments marked as spam';
  if (approved === 'trash' || approved === 'post-trashed') return 'comments in the trash';
  if (approved !== '1') return 'comments that were not approved';
  if (id === '') return 'comments without <wp:comment_id>: they could not be identified in a repeated import';
  return /\S/.test(content) ? null : 'comments without text';
}

function isNone(parent: string): boolean {
  return parent === '' || parent === '0';
}

function dateOf({ id, dateGmt, date }: CommentRecord, articleDate: Date, notes: Note[]): Date {
  const utc = parseStamp(dateGmt);
  if (utc) return utc;
  const local = parseStamp(date);
  const replacement = local
    ? 'dated in the time zone of the blog only: read as UTC'
    : 'without a date: set to the date of the article';
  notes.push(note('changed', `comments ${replacement}`, `comment ${id}`));
  return local ?? articleDate;
}

function shortenContent(content: string, { id }: CommentRecord, notes: Note[]): string {
  const short = shorten(content, MAX_CONTENT_LENGTH);
  if (short !== content)
    notes.push(note('changed', `comments shortened to ${MAX_CONTENT_LENGTH} characters`, `comment ${id}`));
  return short;
}
