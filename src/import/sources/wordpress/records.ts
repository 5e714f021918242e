/** The records of a WordPress export as the reader yields them. Texts are raw: only joined, not cleaned. */
import type { Reduction } from '../../source.js';

/** The first record of every export. */
export interface BlogRecord {
  kind: 'blog';
  /** URL of the blog. */
  url: string;
  /** Time of the export (RFC 822); may be empty. */
  exportedAt: string;
}

export interface AuthorRecord {
  kind: 'author';
  login: string;
  email: string;
  displayName: string;
}

/** A category, a tag or a term of another taxonomy of a post. */
export interface Term {
  /** `category`, `post_tag` or another taxonomy. */
  domain: string;
  name: string;
}

export interface CommentRecord {
  id: string;
  /** `0` or empty at the top level. */
  parent: string;
  /** Empty or `comment` for comments of people; `pingback`, `trackback` or a type of a plugin. */
  type: string;
  /** `1`, `0`, `spam`, `trash` or `post-trashed`. */
  approved: string;
  author: string;
  email: string;
  content: string;
  /** `YYYY-MM-DD HH:MM:SS` in UTC. */
  dateGmt: string;
  /** The same in the time zone of the blog. */
  date: string;
}

/** A post, page, attachment or menu entry: everything that WordPress stores in its posts table. */
export interface ItemRecord {
  kind: 'item';
  id: string;
  type: string;
  status: string;
  /** The slug, percent-encoded; empty for most drafts. */
  name: string;
  password: string;
  title: string;
  /** The address of the post in the blog. */
  link: string;
  creator: string;
  content: string;
  excerpt: string;
  dateGmt: string;
  date: string;
  modifiedGmt: string;
  /** RFC 822 date. */
  published: string;
  /** The post that an attachment was uploaded to; `0` or empty for none. */
  parent: string;
  /** The address of the file of an attachment. */
  attachmentUrl: string;
  /** The id of the attachment that is the feature image; empty for none. */
  thumbnail: string;
  /** The alternative text of an attachment; may be empty. */
  alt: string;
  terms: Term[];
  comments: CommentRecord[];
  /** Comments beyond the limits of an article. */
  lostComments: Reduction[];
}

/** Something invalid in the file that was read all the same. */
export interface RepairRecord {
  kind: 'repair';
  line: number;
  reason: string;
}

export type ExportRecord = BlogRecord | AuthorRecord | ItemRecord | RepairRecord;
