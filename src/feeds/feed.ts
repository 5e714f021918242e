/** The content of a feed, independent of the format (RSS, Atom, JSON Feed). */
import type { Config } from '../platform/config/index.js';
import { VERSION } from '../platform/version.js';

export interface Feed {
  title: string;
  description: string;
  /** The language tag of all articles; null if they can have several, or none. */
  language: string | null;
  /** URL of the website. */
  siteUrl: string;
  /** URL of the feed itself. */
  selfUrl: string;
  /** RFC 3339: time of the last change of an article in the feed; of a feed without articles, always the same. */
  updated: string;
  /** Newest first. */
  items: FeedItem[];
  /** False if an article is missing whose HTML is not rendered yet. */
  isComplete: boolean;
}

export interface FeedItem {
  /** A tag URI (RFC 4151), stable when URLs change. */
  uri: string;
  /** URL of the article page. */
  url: string;
  title: string;
  /** A language tag. */
  language: string | null;
  /** Plain text. */
  excerpt: string;
  /** Sanitized HTML with absolute addresses. */
  html: string;
  author: string;
  tags: string[];
  /** URL of a WebP image. */
  image: string | null;
  /** Alternative text of the image. */
  imageAlt: string | null;
  /** RFC 3339. */
  published: string;
  /** RFC 3339. */
  updated: string;
}

/** URL of the page of an article, from the setting `ARTICLE_URL`. */
export function articleUrl({ site }: Pick<Config, 'site'>, article: LinkedArticle): string {
  return addressOf(site.articleUrl, article);
}

interface LinkedArticle {
  readonly id: number;
  readonly slug: string;
}

/** @param template the value of `ARTICLE_URL` */
export function addressOf(template: string, { id, slug }: LinkedArticle): string {
  return template.replaceAll('{id}', String(id)).replaceAll('{slug}', encodeURIComponent(slug));
}

/** Inputs of feeds and the sitemap other than articles, for the entity tag. @param path the canonical path */
export function variantOf({ publicUrl, site }: Config, path: string): string {
  return [VERSION, publicUrl, ...Object.values(site), path].join('\n');
}
