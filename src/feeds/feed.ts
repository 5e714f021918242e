/** The content of a feed, independent of the format (RSS, Atom, JSON Feed). */

export interface Feed {
  title: string;
  description: string;
  /** URL of the website. */
  siteUrl: string;
  /** URL of the feed itself. */
  selfUrl: string;
  /** RFC 3339: time of the last change of an article in the feed. */
  updated: string;
  /** Newest first. */
  items: FeedItem[];
}

export interface FeedItem {
  /** A tag URI (RFC 4151), stable when URLs change. */
  uri: string;
  /** URL of the article page. */
  url: string;
  title: string;
  /** Plain text. */
  excerpt: string;
  /** Sanitized HTML. */
  html: string;
  author: string;
  tags: string[];
  /** URL of a WebP image. */
  image: string | null;
  /** RFC 3339. */
  published: string;
  /** RFC 3339. */
  updated: string;
}

export const IMAGE_TYPE = 'image/webp';
