/** A feed before it is written down in one of the three formats. */

export interface Feed {
  title: string;
  description: string;
  /** Where people read the journal. */
  siteUrl: string;
  /** Its own address. */
  selfUrl: string;
  /** RFC 3339: when an article in it changed last. */
  updated: string;
  /** Newest first. */
  items: FeedItem[];
}

export interface FeedItem {
  /** A tag: URI (RFC 4151), which stays when addresses change. */
  uri: string;
  /** Where people read it. */
  url: string;
  title: string;
  /** Plain text. */
  excerpt: string;
  /** Safe to show. */
  html: string;
  author: string;
  tags: string[];
  /** The address of a WebP image. */
  image: string | null;
  /** RFC 3339. */
  published: string;
  /** RFC 3339. */
  updated: string;
}

export const IMAGE_TYPE = 'image/webp';
