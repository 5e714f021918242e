/** Atom (RFC 4287). */
import { IMAGE_TYPE } from '../services/images/store.js';
import type { Feed, FeedItem } from './feed.js';
import { element, type Xml, xmlDocument } from './xml.js';

export function writeAtom(feed: Feed): string {
  return xmlDocument(
    element(
      'feed',
      { xmlns: 'http://www.w3.org/2005/Atom', ...languageOf(feed) },
      element('id', {}, feed.selfUrl),
      element('title', {}, feed.title),
      element('subtitle', {}, feed.description),
      element('link', { rel: 'self', type: 'application/atom+xml', href: feed.selfUrl }),
      element('link', { rel: 'alternate', href: feed.siteUrl }),
      element('updated', {}, feed.updated),
      feed.items.map(writeEntry),
    ),
  );
}

function writeEntry(item: FeedItem): Xml {
  return element(
    'entry',
    languageOf(item),
    element('id', {}, item.uri),
    element('title', {}, item.title),
    element('link', { rel: 'alternate', href: item.url }),
    item.image === null ? [] : enclosure(item.image, item.imageAlt),
    element('author', {}, element('name', {}, item.author)),
    item.tags.map((tag) => element('category', { term: tag })),
    element('published', {}, item.published),
    element('updated', {}, item.updated),
    element('summary', {}, item.excerpt),
    element('content', { type: 'html' }, item.html),
  );
}

function languageOf({ language }: Pick<Feed, 'language'>): Record<string, string> {
  return language === null ? {} : { 'xml:lang': language };
}

function enclosure(href: string, title: string | null): Xml {
  return element('link', { rel: 'enclosure', type: IMAGE_TYPE, href, ...(title !== null && { title }) });
}
