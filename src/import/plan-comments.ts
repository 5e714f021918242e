/** Decides which comments of an article are imported, and the top-level comment of each reply. */
import { MAX_COMMENT_LENGTH } from '../models/comment/comment.js';
import { validDate } from './dates.js';
import { type Person, personOf } from './person.js';
import { type Note, note } from './report.js';
import type { SourceComment } from './source.js';
import { earlier, isInFuture, shorten, storable, textOfHtml } from './text.js';

const PARENT_NOT_IMPORTED = 'replies without an imported parent comment: imported as top-level comments';

export interface CommentPlan {
  key: string;
  /** Null for a deleted comment, and where the author has withdrawn. */
  person: Person | null;
  content: string;
  createdAt: Date;
  updatedAt: Date;
  isHidden: boolean;
  isDeleted: boolean;
  /** The key of the top-level comment that a reply belongs to; null for a top-level comment. */
  topKey: string | null;
}

interface Candidate extends Threaded {
  source: SourceComment;
  reason: string | null;
  content: string;
}

export interface CommentContext {
  /** The date of comments without one. */
  articleDate: Date;
  now: Date;
  /** Changes are appended. */
  notes: Note[];
}

export function planComments(
  sources: readonly SourceComment[],
  context: CommentContext,
): { comments: CommentPlan[]; skipped: Note[] } {
  const candidates = examine(sources);
  const tops = findTops(candidates);
  const people = new Map<string, Person>();
  const comments: CommentPlan[] = [];
  const skipped: Note[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const top = candidates[tops[index] ?? NONE];
    if (candidate.reason !== null) skipped.push(note('skipped', candidate.reason, `comment ${candidate.id}`));
    else comments.push(planComment(candidate, top?.id ?? null, people, context));
  }
  return { comments, skipped };
}

function planComment(
  { source, content, parent }: Candidate,
  topKey: string | null,
  people: Map<string, Person>,
  context: CommentContext,
): CommentPlan {
  const { notes } = context;
  const name = `comment ${source.key}`;
  if (topKey === null && parent !== '') notes.push(note('reduced', PARENT_NOT_IMPORTED, name));
  for (const { reason, count } of source.reduced ?? []) notes.push(note('reduced', reason, name, count));
  const short = shorten(content, MAX_COMMENT_LENGTH);
  if (short !== content) notes.push(note('reduced', `comments shortened to ${MAX_COMMENT_LENGTH} characters`, name));
  const { isHidden = false, isDeleted = false } = source;
  return {
    key: source.key,
    person: authorOf(source, people),
    content: short,
    ...planDates(source, context),
    isHidden: isHidden && !isDeleted,
    isDeleted,
    topKey,
  };
}

/** Returns the same object for all comments of a person, to save memory: an article can have very many comments. */
function authorOf({ author, isDeleted }: SourceComment, people: Map<string, Person>): Person | null {
  if (author === null || isDeleted) return null;
  const key = [author.key ?? '', author.email ?? '', author.name].join('\n');
  const person = people.get(key) ?? personOf(author);
  people.set(key, person);
  return person;
}

function examine(sources: readonly SourceComment[]): Candidate[] {
  const seen = new Set<string>();
  const parents = new Set(sources.map(({ parentKey }) => parentKey));
  return sources.map((source) => {
    const content = storable(source.format === 'html' ? textOfHtml(source.content).trim() : source.content);
    const isDuplicate = seen.has(source.key);
    seen.add(source.key);
    const reason = isDuplicate
      ? 'comments that occur more than once in the file'
      : (source.leftOut ?? reasonOfContent(source, content, parents));
    return { id: source.key, parent: source.parentKey ?? '', isTaken: reason === null, source, reason, content };
  });
}

function reasonOfContent(
  { key, isDeleted }: SourceComment,
  content: string,
  parents: ReadonlySet<string | null>,
): string | null {
  if (isDeleted) return parents.has(key) ? null : 'deleted comments without replies';
  return /\S/.test(content) ? null : 'comments without text';
}

function planDates({ key, ...source }: SourceComment, { articleDate, now, notes }: CommentContext) {
  const created = validDate(source.createdAt);
  const changed = validDate(source.updatedAt ?? null) ?? created ?? articleDate;
  const name = `comment ${key}`;
  if (!created) notes.push(note('reduced', 'comments without a date: set to the date of the article', name));
  if (isInFuture(created ?? now, now) || isInFuture(changed, now))
    notes.push(note('reduced', 'comments with a date in the future: set to the time of the import', name));
  return { createdAt: earlier(created ?? articleDate, now), updatedAt: earlier(changed, now) };
}

interface Threaded {
  id: string;
  /** The id of the parent comment. */
  parent: string;
  /** Whether the comment is imported. A skipped comment still links its replies to its own parent. */
  isTaken: boolean;
}

/** Index that means "none". */
const NONE = -1;

/**
 * For each comment the index of its topmost imported ancestor, or NONE.
 * Parents may come later in the list or be missing; a cycle of parents is broken at the first comment visited in it.
 * Linear time in the length of the list, independent of the depth of the threads.
 */
function findTops(comments: readonly Threaded[]): Int32Array {
  const byId = new Map<string, number>();
  for (const [index, { id }] of comments.entries()) if (!byId.has(id)) byId.set(id, index);
  const parents = Int32Array.from(comments, ({ parent }) => byId.get(parent) ?? NONE);
  const tops = new Int32Array(comments.length).fill(NONE);
  /** 0: not visited, 1: on the current path, 2: resolved. */
  const states = new Uint8Array(comments.length);
  for (const start of comments.keys()) resolveFrom(start, { comments, parents, tops, states });
  return tops;
}

interface Threads {
  comments: readonly Threaded[];
  parents: Int32Array;
  tops: Int32Array;
  states: Uint8Array;
}

function resolveFrom(start: number, { comments, parents, tops, states }: Threads): void {
  const path: number[] = [];
  let index = start;
  while (index !== NONE && states[index] === 0) {
    states[index] = 1;
    path.push(index);
    index = parents[index] ?? NONE;
  }
  // The path returned to itself: a cycle. The comment where the path entered the cycle becomes the start of a thread.
  if (index !== NONE && states[index] === 1) {
    parents[index] = NONE;
    states[index] = 2;
  }
  for (const visited of path.reverse()) {
    if (states[visited] === 1) tops[visited] = topThrough(parents[visited] ?? NONE, comments, tops);
    states[visited] = 2;
  }
}

function topThrough(parent: number, comments: readonly Threaded[], tops: Int32Array): number {
  const topOfParent = tops[parent] ?? NONE;
  if (topOfParent !== NONE) return topOfParent;
  return comments[parent]?.isTaken ? parent : NONE;
}
