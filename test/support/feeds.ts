/** Parses the three feed formats into one shape. */
import { expect } from 'chai';
import { childrenOf, parseXml, textOf, type XmlNode } from './xml.js';

export interface ReadItem {
  id: string;
  url: string;
  title: string;
  html: string;
  author: string;
  tags: string[];
  image: string | undefined;
  /** Null in a JSON feed, which has no place for it. */
  imageAlt: string | null | undefined;
  /** Milliseconds since 1970. */
  published: number;
}

export interface ReadFeed {
  title: string;
  self: string;
  site: string;
  items: ReadItem[];
}

export const FORMATS = {
  xml: { type: 'application/rss+xml; charset=utf-8', read: readRss },
  atom: { type: 'application/atom+xml; charset=utf-8', read: readAtom },
  json: { type: 'application/feed+json; charset=utf-8', read: readJson },
};

export type Extension = keyof typeof FORMATS;
export const EXTENSIONS = Object.keys(FORMATS) as Extension[];

/** @param path without its extension, such as `/tags/x/feed` */
export async function readFeed(url: string, path: string, extension: Extension): Promise<ReadFeed> {
  const response = await fetch(`${url}${path}.${extension}`);
  const text = await response.text();
  expect(response.status, text).to.equal(200);
  expect(response.headers.get('Content-Type')).to.equal(FORMATS[extension].type);
  return FORMATS[extension].read(text);
}

function readRss(text: string): ReadFeed {
  const root = parseXml(text);
  expect([root.name, root.attributes.version]).to.deep.equal(['rss', '2.0']);
  const [channel] = root.children;
  if (!channel) throw new Error('no channel');
  expect(textOf(channel, 'description')).to.not.equal('');
  return {
    title: textOf(channel, 'title'),
    self: attribute(channel, 'atom:link', 'href'),
    site: textOf(channel, 'link'),
    items: childrenOf(channel, 'item').map((item) => ({
      id: textOf(item, 'guid'),
      url: textOf(item, 'link'),
      title: textOf(item, 'title'),
      html: textOf(item, 'content:encoded'),
      author: textOf(item, 'dc:creator'),
      tags: childrenOf(item, 'category').map((tag) => tag.text),
      image: childrenOf(item, 'enclosure')[0]?.attributes.url,
      imageAlt: childrenOf(item, 'media:content')[0]?.children[0]?.text,
      published: Date.parse(textOf(item, 'pubDate')),
    })),
  };
}

function readAtom(text: string): ReadFeed {
  const root = parseXml(text);
  expect([root.name, root.namespace]).to.deep.equal(['feed', 'http://www.w3.org/2005/Atom']);
  const linkOf = (node: XmlNode, rel: string) =>
    childrenOf(node, 'link').find(({ attributes }) => attributes.rel === rel)?.attributes;
  const link = (node: XmlNode, rel: string) => linkOf(node, rel)?.href;
  expect(Date.parse(textOf(root, 'updated'))).to.be.a('number').and.not.be.NaN;
  return {
    title: textOf(root, 'title'),
    self: link(root, 'self') ?? '',
    site: link(root, 'alternate') ?? '',
    items: childrenOf(root, 'entry').map((entry) => ({
      id: textOf(entry, 'id'),
      url: link(entry, 'alternate') ?? '',
      title: textOf(entry, 'title'),
      html: textOf(entry, 'content'),
      author: childrenOf(entry, 'author')[0]?.children[0]?.text ?? '',
      tags: childrenOf(entry, 'category').map(({ attributes }) => attributes.term ?? ''),
      image: link(entry, 'enclosure'),
      imageAlt: linkOf(entry, 'enclosure')?.title,
      published: Date.parse(textOf(entry, 'published')),
    })),
  };
}

interface JsonItem {
  id: string;
  url: string;
  title: string;
  content_html: string;
  authors: [{ name: string }];
  tags: string[];
  image?: string;
  date_published: string;
}

function readJson(text: string): ReadFeed {
  const feed = JSON.parse(text);
  expect(feed.version).to.equal('https://jsonfeed.org/version/1.1');
  return {
    title: feed.title,
    self: feed.feed_url,
    site: feed.home_page_url,
    items: feed.items.map((item: JsonItem) => ({
      id: item.id,
      url: item.url,
      title: item.title,
      html: item.content_html,
      author: item.authors[0].name,
      tags: item.tags,
      image: item.image,
      imageAlt: null,
      published: Date.parse(item.date_published),
    })),
  };
}

function attribute(node: XmlNode, name: string, key: string): string {
  return childrenOf(node, name)[0]?.attributes[key] ?? '';
}

/** The root element of a sitemap, or of an index of sitemaps. */
export async function readSitemap(url: string): Promise<XmlNode> {
  const response = await fetch(url);
  expect(response.headers.get('Content-Type')).to.equal('application/xml');
  const root = parseXml(await response.text());
  expect(root.namespace).to.equal('http://www.sitemaps.org/schemas/sitemap/0.9');
  return root;
}
