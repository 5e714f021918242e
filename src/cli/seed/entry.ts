/** The files of `sample`: one per member, with the articles, the comments on them, and drafts. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import ms from 'ms';
import type { Role } from '../../models/moderation/role.js';

interface SeedMember {
  /** Local part of the email: `<key>@example.org`. */
  key: string;
  memberName: string;
  nickname: string;
  bio: string;
  categories: readonly string[];
  role: Role | null;
  /** A series, of the articles that name its title. */
  series: { title: string; description: string } | null;
}

export interface SeedComment {
  /** The key of the author, a member. */
  by: string;
  /** Hours after the article. */
  after: number;
  content: string;
  /** `held`: it waits for approval. `reported`: the author of the article has reported it. */
  state: 'held' | 'reported' | null;
  replies: readonly SeedComment[];
}

export interface SeedDraft {
  title: string;
  category: string;
  tags: readonly string[];
  /** `in 3 days, 09:05`: days after the day (UTC) of the seeding, and the time of day in UTC. Null: not scheduled. */
  publish: string | null;
  /** Markdown. The address `PICTURE` is that of the picture, an uploaded image of the author. */
  content: string;
  /** That of the author, unless the text names another one. */
  language: string | null;
}

export interface SeedArticle extends Omit<SeedDraft, 'publish'> {
  /** `3 days ago, 09:05`: as `publish`, before that day. */
  written: string;
  isPrivate: boolean;
  description: string | null;
  /** The title of an earlier article of the same author. */
  translates: string | null;
  /** Its image, a file of `sample` with an alternative text. */
  picture: { file: string; alt: string } | null;
  series: string | null;
  comments: readonly SeedComment[];
}

/** Stands for the address of the picture in the content of an article. */
export const PICTURE = 'picture:';

/** A member with the texts of this member. */
export interface SeedAuthor {
  member: SeedMember;
  articles: readonly SeedArticle[];
  drafts: readonly SeedDraft[];
}

const FIELDS = /^(\w+): (.*)$/gm;

/** @param text the file of the member with this key */
export function parseAuthor(key: string, text: string): SeedAuthor {
  const [head = '', ...texts] = text.split(/^## /m);
  const { nickname = '', bio = '', categories, role = null, series, language = null } = fieldsOf(head);
  const [, memberName = ''] = /^# (.*)/.exec(head) ?? [];
  const [title = '', description = ''] = series?.split(' | ') ?? [];
  const member = {
    key,
    memberName,
    nickname,
    bio,
    categories: categories?.split(', ') ?? [],
    role: role as Role | null,
    series: series ? { title, description } : null,
  };
  const parsed = texts.map((one) => parseText(one, language));
  return {
    member,
    articles: parsed.filter((one): one is SeedArticle => 'written' in one),
    drafts: parsed.filter((one): one is SeedDraft => 'publish' in one),
  };
}

/** A title, a paragraph of fields, the content, and the comments under a heading. A text without a time of writing is a draft. */
function parseText(text: string, ofAuthor: string | null): SeedArticle | SeedDraft {
  const [body = '', comments = ''] = text.split('\n### Comments\n');
  const [title = '', head = '', ...paragraphs] = body.trim().split('\n\n');
  const {
    category = '',
    tags = '',
    written,
    publish = null,
    visibility,
    picture,
    alt = '',
    series = null,
    language = ofAuthor,
    description = null,
    translates = null,
  } = fieldsOf(head);
  const draft = { title, category, tags: tags.split(', '), content: paragraphs.join('\n\n'), language };
  if (written === undefined) return { ...draft, publish };
  return {
    ...draft,
    written,
    isPrivate: visibility === 'private',
    description,
    translates,
    picture: picture ? { file: picture, alt } : null,
    series,
    comments: parseComments(comments.trim()),
  };
}

function fieldsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(FIELDS)].map(([, name = '', value = '']) => [name, value]));
}

/**
 * Lines of the form `author 5h: content`, with the hours after the article; a line that starts with `>` is a reply to the comment above. `author 5h held: content`
 * waits for approval.
 */
function parseComments(text: string): SeedComment[] {
  const comments: (SeedComment & { replies: SeedComment[] })[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const [, reply, by, hours, state = null, content] = /^(> )?(\w+) (\d+)h(?: (\w+))?: (.+)$/.exec(line) ?? [];
    const siblings = reply ? comments.at(-1)?.replies : comments;
    if (!siblings || !by || !content) throw new Error(`not a comment of the sample journal: ${line}`);
    siblings.push({ by, after: Number(hours), content, state: state as SeedComment['state'], replies: [] });
  }
  return comments;
}

const SAMPLE = new URL('../../../../sample/', import.meta.url);
const KEYS = ['haneul', 'doyun', 'seojin', 'yuna', 'theo', 'amara', 'jonas', 'priya', 'lena', 'bargain'];

export const AUTHORS: readonly SeedAuthor[] = KEYS.map((key) =>
  parseAuthor(key, readFileSync(new URL(`${key}.md`, SAMPLE), 'utf8')),
);

/** The picture in the content of an article, a JPEG as from a camera. */
export const CONTENT_PICTURE = 'picture.jpg';

export function readPicture(file: string): Promise<Buffer> {
  return readFile(new URL(file, SAMPLE));
}

export function emailOf(key: string): string {
  return `${key}@example.org`;
}

export type SeedEvent =
  | { kind: 'article'; at: Date; by: string; article: SeedArticle }
  | { kind: 'comment'; at: Date; by: string; article: SeedArticle; comment: SeedComment; parent?: SeedComment };

export const DAY_MS = ms('1d');

/** @param now all dates are before it */
export function timelineOf(authors: readonly SeedAuthor[], now: Date): SeedEvent[] {
  const all = authors.flatMap(({ member, articles }) =>
    articles.flatMap((article): SeedEvent[] => {
      const articleAt = writtenAt(article, now);
      return [{ kind: 'article', at: new Date(articleAt), by: member.key, article }, ...commentsOn(article, articleAt)];
    }),
  );
  return all.sort((a, b) => a.at.getTime() - b.at.getTime());
}

function commentsOn(article: SeedArticle, articleAt: number): SeedEvent[] {
  const commentEvent = (comment: SeedComment, parent?: SeedComment): SeedEvent => {
    const at = new Date(articleAt + comment.after * ms('1h') + offsetMs(comment));
    return { kind: 'comment', at, by: comment.by, article, comment, ...(parent && { parent }) };
  };
  return article.comments.flatMap((comment) => [
    commentEvent(comment),
    ...comment.replies.map((reply) => commentEvent(reply, comment)),
  ]);
}

/** A deterministic offset of 0 to 49 minutes, so that comments are not dated on full hours after the article. */
function offsetMs({ content }: SeedComment): number {
  return ((content.length * 7) % 50) * ms('1m');
}

/** @returns milliseconds since 1970 */
export function writtenAt({ written }: SeedArticle, now: Date): number {
  return timeOf(written, now, -1);
}

/** @param text `3 days ago, 09:05`, or `in 3 days, 09:05` @param sign -1 or 1 */
export function timeOf(text: string, now: Date, sign: number): number {
  const [days = 0, hours = 0, minutes = 0] = text.match(/\d+/g)?.map(Number) ?? [];
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return today + sign * days * DAY_MS + hours * ms('1h') + minutes * ms('1m');
}
