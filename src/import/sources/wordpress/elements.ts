/** Mapping of the XML elements of an export to records. */
import type { CommentLimit } from '../../comment-limit.js';
import type { AuthorRecord, CommentRecord, ItemRecord } from './records.js';

/** Elements that become records or contain them, each with its required parent element. */
export const SCOPES: Record<string, string> = {
  rss: '',
  channel: 'rss',
  'wp:author': 'channel',
  item: 'channel',
  'wp:comment': 'item',
  'wp:postmeta': 'item',
};

const CHANNEL_FIELDS = ['wp:wxr_version', 'wp:base_blog_url', 'wp:base_site_url', 'link', 'pubDate'];
const AUTHOR_FIELDS = ['login', 'email', 'display_name'].map((name) => `wp:author_${name}`);
const ITEM_FIELDS = [
  'post_id',
  'post_type',
  'post_name',
  'status',
  'post_password',
  'post_date_gmt',
  'post_date',
  'post_modified_gmt',
  'post_parent',
  'attachment_url',
]
  .map((name) => `wp:${name}`)
  .concat('title', 'link', 'dc:creator', 'content:encoded', 'excerpt:encoded', 'pubDate', 'category');
const COMMENT_FIELDS = [
  'id',
  'parent',
  'type',
  'approved',
  'author',
  'author_email',
  'content',
  'date_gmt',
  'date',
].map((name) => `wp:comment_${name}`);

/** Fields of plugins and themes (`wp:postmeta`) that are read: the id of the feature image, and the alternative text of an attachment. */
const THUMBNAIL = '_thumbnail_id';
const ALT = '_wp_attachment_image_alt';

/** Child elements whose text is stored, by parent element. All others are ignored. */
const FIELDS: Record<string, ReadonlySet<string>> = {
  channel: new Set(CHANNEL_FIELDS),
  'wp:author': new Set(AUTHOR_FIELDS),
  item: new Set(ITEM_FIELDS),
  'wp:comment': new Set(COMMENT_FIELDS),
  'wp:postmeta': new Set(['wp:meta_key', 'wp:meta_value']),
};

/** Whether the text of a child element is stored. Values of plugins can have any length: that of `wp:postmeta` comes after its key. */
export function isField({ element: parent, texts }: Scope, element: string): boolean {
  if (element === 'wp:meta_value' && ![THUMBNAIL, ALT].includes(texts.get('wp:meta_key') ?? '')) return false;
  return FIELDS[parent]?.has(element) ?? false;
}

/** An open element of SCOPES, with what has been read so far. */
export interface Scope {
  element: string;
  /** Nesting depth of the element; the root has 1. */
  depth: number;
  texts: Map<string, string>;
  terms: ItemRecord['terms'];
  comments: CommentRecord[];
  limit: CommentLimit;
  /** Of all its texts, without those of its comments. */
  length: number;
}

export function toAuthor({ texts }: Scope): AuthorRecord {
  const text = (name: string) => texts.get(`wp:author_${name}`) ?? '';
  return { kind: 'author', login: text('login'), email: text('email'), displayName: text('display_name') };
}

export function toItem({ texts, terms, comments, limit }: Scope): ItemRecord {
  const text = (name: string) => texts.get(name) ?? '';
  return {
    kind: 'item',
    id: text('wp:post_id').trim(),
    // Exports before WXR 1.0 contained posts only.
    type: text('wp:post_type').trim() || 'post',
    status: text('wp:status').trim(),
    name: text('wp:post_name').trim(),
    password: text('wp:post_password'),
    title: text('title'),
    link: text('link').trim(),
    creator: text('dc:creator'),
    content: text('content:encoded'),
    excerpt: text('excerpt:encoded'),
    dateGmt: text('wp:post_date_gmt'),
    date: text('wp:post_date'),
    modifiedGmt: text('wp:post_modified_gmt'),
    published: text('pubDate'),
    parent: text('wp:post_parent').trim(),
    attachmentUrl: text('wp:attachment_url').trim(),
    thumbnail: text(THUMBNAIL).trim(),
    alt: text(ALT),
    terms,
    comments,
    lostComments: limit.losses,
  };
}

export function toComment({ texts }: Scope): CommentRecord {
  const text = (name: string) => texts.get(`wp:comment_${name}`) ?? '';
  return {
    id: text('id').trim(),
    parent: text('parent').trim(),
    type: text('type').trim(),
    approved: text('approved').trim(),
    author: text('author'),
    email: text('author_email'),
    content: text('content'),
    dateGmt: text('date_gmt'),
    date: text('date'),
  };
}
