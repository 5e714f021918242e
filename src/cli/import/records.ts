/** What a WordPress export holds, as its reader hands it on: texts are raw, only put together. */

/** The first record of every export. */
export interface BlogRecord {
  kind: 'blog';
  /** The blog's address. */
  url: string;
  /** When the export was made, as RFC 822 has it; may be empty. */
  exportedAt: string;
}

export interface AuthorRecord {
  kind: 'author';
  login: string;
  email: string;
  displayName: string;
}

/** A category, a tag or a term of another taxonomy that a post carries. */
export interface Term {
  /** `category`, `post_tag` or another taxonomy. */
  domain: string;
  name: string;
}

export interface CommentRecord {
  id: string;
  /** `0` or empty at the top level. */
  parent: string;
  /** Empty or `comment` for those of people; `pingback`, `trackback` and what plugins add. */
  type: string;
  /** `1`, `0`, `spam`, `trash` or `post-trashed`. */
  approved: string;
  author: string;
  email: string;
  content: string;
  /** `YYYY-MM-DD HH:MM:SS` in UTC. */
  dateGmt: string;
  /** The same in the blog's own time. */
  date: string;
}

/** A post, a page, an attachment, a menu entry: everything that WordPress keeps among its posts. */
export interface ItemRecord {
  kind: 'item';
  id: string;
  type: string;
  status: string;
  password: string;
  title: string;
  creator: string;
  content: string;
  excerpt: string;
  dateGmt: string;
  date: string;
  modifiedGmt: string;
  /** As RFC 822 has it. */
  published: string;
  terms: Term[];
  comments: CommentRecord[];
}

export type ExportRecord = BlogRecord | AuthorRecord | ItemRecord;

/** The file cannot be read as an export. The message is one line for the person who gave it. */
export class ImportError extends Error {}
