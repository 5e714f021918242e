/** RSS 2.0, following the RSS Advisory Board's best practices profile. */
import { IMAGE_TYPE } from '../services/images/store.js';
import type { Feed, FeedItem } from './feed.js';
import { element, type Xml, xmlDocument } from './xml.js';

const NAMESPACES = {
  'xmlns:atom': 'http://www.w3.org/2005/Atom',
  'xmlns:content': 'http://purl.org/rss/1.0/modules/content/',
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:media': 'http://search.yahoo.com/mrss/',
};

export function writeRss(feed: Feed): string {
  const channel = element(
    'channel',
    {},
    element('title', {}, feed.title),
    element('link', {}, feed.siteUrl),
    element('description', {}, feed.description),
    feed.language === null ? [] : element('language', {}, feed.language),
    element('atom:link', { rel: 'self', type: 'application/rss+xml', href: feed.selfUrl }),
    feed.items.length > 0 ? element('lastBuildDate', {}, date(feed.updated)) : [],
    feed.items.map(writeItem),
  );
  return xmlDocument(element('rss', { version: '2.0', ...NAMESPACES }, channel));
}

function writeItem(item: FeedItem): Xml {
  return element(
    'item',
    {},
    element('title', {}, item.title),
    element('link', {}, item.url),
    element('guid', { isPermaLink: 'false' }, item.uri),
    element('pubDate', {}, date(item.published)),
    // The `author` element of RSS holds an email address, which must not be published.
    element('dc:creator', {}, item.author),
    item.language === null ? [] : element('dc:language', {}, item.language),
    item.tags.map((tag) => element('category', {}, tag)),
    element('description', {}, asHtml(item.excerpt)),
    element('content:encoded', {}, item.html),
    // The `length` attribute is required; 0 means unknown.
    item.image === null ? [] : element('enclosure', { url: item.image, length: '0', type: IMAGE_TYPE }),
    item.image === null || item.imageAlt === null ? [] : describedImage(item.image, item.imageAlt),
  );
}

/** Media RSS, since `enclosure` has no place for an alternative text. */
function describedImage(url: string, alt: string): Xml {
  const description = element('media:description', { type: 'plain' }, alt);
  return element('media:content', { url, type: IMAGE_TYPE, medium: 'image' }, description);
}

/** RFC 822 date with a four-digit year. */
function date(moment: string): string {
  return new Date(moment).toUTCString();
}

/** Escapes plain text as HTML: readers interpret `description` as HTML. */
function asHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
