/**
 * The interface of import sources. A source reads what one product exports and yields its records one at a time; it writes nothing and knows neither
 * the database nor the limits of the service. Shortening, numbers of equal slugs, `imported_records`, images, links between articles, resuming and
 * the report are the same for all sources.
 */
import type { Readable } from 'node:stream';
import type { MetadataInput } from '../models/article/metadata.js';
import type { InputEntry } from './input/entries.js';
import type { Input } from './input.js';

/** How one product is recognized and read. */
export interface Product {
  /** For messages: 'a WordPress export (WXR)'. */
  readonly name: string;
  /**
   * Recognizes by content, not by name, and reads as little as possible of any other kind, for which it must not throw. The caller closes the input.
   * @returns null for any other kind
   * @throws FileError if it cannot be read
   */
  open(input: Input, options: SourceOptions): Promise<ImportSource | null>;
  /** Whether a file beside what is read is such an export. Default: no. */
  isExport?(file: InputEntry): Promise<boolean>;
}

export interface SourceOptions {
  /** Imports password-protected articles of WordPress, which become public. */
  publishProtected: boolean;
  now: Date;
}

export interface ImportSource {
  /** For the report: 'WordPress', 'Ghost', 'Markdown'. */
  readonly product: string;
  /**
   * Identifies the blog in `imported_records`: the same for all exports of one blog, so that a repeated import adds nothing twice. The address of the
   * blog without its scheme (`originOf`), where the export has it.
   */
  readonly origin: string;
  /** The address of the blog, for relative addresses in contents; null if the export has none. */
  readonly url: string | null;
  /** As what the source is read, and why: 'a site of Jekyll, since it has _config.yml'. Default: nothing else was possible. */
  readonly recognition?: string;
  /** Whether a file of the input belongs to the source: others that may be texts are reported. Default: each does. */
  reads?(path: string): boolean;
  /**
   * The records in the order of the source; memory must not grow with their number. A dry run calls it twice.
   * @throws FileError if the source cannot be read to its end; the records before that are valid
   */
  items(): AsyncIterable<SourceItem>;
  /** How much has been read: in bytes or any other unit. `size` is 0 if it is not known. */
  progress(): { read: number; size: number };
  /**
   * Replaces what refers to a later record, such as the galleries of WordPress. It is called with the stored content after all records have been read,
   * for articles whose `isIncomplete` is set.
   */
  completeContent?(key: string, content: string): CompletedContent;
  /** The feature image whose `reference` is not an address, once all records have been read. Null if the source does not have it. */
  completeImage?(reference: string): { url: string; alt: string | null } | null;
}

export type SourceItem = SourceArticle | SourceMember | SourceSeries | LeftOut | Repaired;

/** An author, before the articles: a commenter with the same email is then the same member. Other authors need no record of their own. */
export interface SourceMember {
  kind: 'member';
  person: SourcePerson;
  /** What an export of this service has besides: only a new member gets it. */
  profile?: SourceProfile;
}

export interface SourceProfile {
  bio: string;
  image: SourceImage | null;
  createdAt: Date | null;
}

/** A series, before its articles. Others are added with the first article that names them. */
export interface SourceSeries {
  kind: 'series';
  place: string;
  author: SourcePerson;
  title: string;
  description: string;
  updatedAt: Date | null;
}

/** Something that does not become an article or comment, such as a page. `reason` begins with the kind of record, in the plural: 'pages: …'. */
export interface LeftOut {
  kind: 'left out';
  place: string;
  reason: string;
  /** Default: 1. */
  count?: number;
}

/** Something invalid in the source that was read as it was meant. */
interface Repaired {
  kind: 'repaired';
  place: string;
  reason: string;
}

export interface SourcePerson {
  /** The account in the source, such as a login or id; null for a commenter without one, who is identified by email and name. */
  key: string | null;
  /** Plain text. May be empty or too long. */
  name: string;
  /** Is stored as a hash only. */
  email: string | null;
}

/**
 * PUBLIC and PRIVATE become articles, DRAFT and SCHEDULED drafts. Texts that the source shows to paying or logged-in readers only are PRIVATE. A
 * SCHEDULED one needs `publishAt`.
 */
export type SourceState = 'PUBLIC' | 'PRIVATE' | 'DRAFT' | 'SCHEDULED';

export interface SourceArticle {
  kind: 'article';
  /** Stable id within the source. */
  key: string;
  /** Where it is in the source, for the report: 'posts/owl.md', 'data.posts[3]', 'post 17'. */
  place: string;
  /** Null: the member of `--author`. */
  author: SourcePerson | null;
  state: SourceState;
  /** Plain text, without markup and entities. May be empty or too long, like the other texts. */
  title: string;
  /** Markdown, or HTML inside of Markdown. */
  content: string;
  /** Replaces an empty content of an article. */
  excerpt?: string;
  /** Of the text in exports of this service: a UUID. Default: a new one. */
  exportKey?: string | null;
  /** What the author wrote about the text. May be too long. */
  metadata?: MetadataInput;
  /** Not normalized; null to make it of the title. */
  slug: string | null;
  /** Slugs that lead to it besides, where they are free. Default: none. */
  formerSlugs?: readonly string[];
  /** The first one becomes that of the article, the others become tags. */
  categories: readonly string[];
  tags: readonly string[];
  /** Of its author. `position`: null to order it by the time of publication. Default: none. */
  series?: { title: string; position: number | null } | null;
  /** The same in texts of the author that are translations of each other. Default: none. */
  translationKey?: string | null;
  /** Null: the time of the import, which is reported. */
  createdAt: Date | null;
  /** Null: `createdAt`. */
  updatedAt: Date | null;
  publishAt: Date | null;
  /** Of a draft: the time of publication that the article will have. */
  publishedAt?: Date | null;
  /** The feature image. */
  image: SourceImage | null;
  /** Files of the source that the content refers to. Images on other hosts are found in the content. */
  images: readonly SourceImage[];
  /**
   * Former absolute addresses, the current one first: links to them in any article of the source lead to the new page. A source without addresses
   * uses `https://<anything>.invalid/<path>`. Relative links in the content are relative to the first one, else to `ImportSource.url`.
   */
  addresses: readonly string[];
  /** In any order; a parent may come after its replies or be missing. All of them are in memory at once, up to the limits of `CommentLimit`. */
  comments: readonly SourceComment[];
  /** What the source itself could not carry over. */
  reduced: readonly Reduction[];
  /** Whether `completeContent` has to be called. */
  isIncomplete?: boolean;
}

export interface SourceImage {
  /**
   * Exactly as the content refers to it: the destination of a Markdown image or link, or the value of `src` or `href`. Of a feature image: any text
   * that identifies it in the source; its http or https address if `open` is null, unless `completeImage` finds it.
   */
  reference: string;
  /** Of a feature image; in contents, the alternative text is in the content. */
  alt: string | null;
  /** Whether the reference is the hash of an image of this service, which is replaced wherever it is, also in `srcset`. Default: false. */
  isStored?: boolean;
  /** Reads the file. Null: it can only be downloaded, with `--images`. */
  open: (() => Promise<Readable>) | null;
}

export interface SourceComment {
  key: string;
  parentKey: string | null;
  /** Null: the author has withdrawn. */
  author: SourcePerson | null;
  content: string;
  /** HTML becomes plain text. */
  format: 'text' | 'html';
  /** Null: the date of the article, which is reported. */
  createdAt: Date | null;
  /** Default: `createdAt`. */
  updatedAt?: Date | null;
  /** Whether the author of the article has hidden it. */
  isHidden?: boolean;
  /** Whether only its place is left, for the sake of its replies. Then it has no author and content. */
  isDeleted?: boolean;
  /** Why it is not imported: its replies are then placed below its own parent. Begins with the kind of record: 'comments marked as spam'. */
  leftOut?: string;
  reduced?: readonly Reduction[];
}

/** Something that was lost or changed. */
export interface Reduction {
  /** Begins with the kind of record, in the plural: 'galleries whose pictures are not in the file: they stay as text'. Equal reasons are counted together. */
  reason: string;
  /** What exactly, such as an address. */
  detail?: string;
  /** Default: 1. */
  count?: number;
}

export interface CompletedContent {
  content: string;
  reduced: readonly Reduction[];
  /** What was converted without a loss. */
  changed: readonly Reduction[];
}

/** The address of a blog as the name of an origin: a change of the scheme or of a final slash must not import the articles twice. */
export function originOf(url: string): string {
  return url
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '')
    .toLowerCase();
}
