/** Finds pictures, galleries of WordPress, and links in the content of a post. */
import { IMAGE_NAME } from '../../services/images/store.js';
import { escapeHtml } from '../../services/rendering/escape.js';
import { plainLine } from './text.js';

/** Whether a content may have a picture or a gallery. */
export function mayHavePictures(content: string): boolean {
  return /<img\b|!\[|\[gallery\b|<a\b[^<>]*\.(?:jpe?g|png|gif|webp|avif)/i.test(content);
}

/** Attributes of HTML tags, and images of Markdown. No part can match the beginning of another match, so the time is linear. */
const PICTURES = [
  /(<img\b[^<>]*?\ssrc\s*=\s*["']?)([^\s"'<>]+)/gi,
  /(<a\b[^<>]*?\shref\s*=\s*["']?)([^\s"'<>]+\.(?:jpe?g|png|gif|webp|avif))(?=["'\s>])/gi,
  /(!\[[^[\]]*\]\(\s*<?)([^\s()<>]+)/g,
];

/** Links of HTML and of Markdown. */
const LINKS = [/(<a\b[^<>]*?\shref\s*=\s*["']?)([^\s"'<>]+)/gi, /((?<!!)\[[^[\]]*\]\(\s*<?)([^\s()<>]+)/g];

/** @returns the new address of something on another host; undefined keeps it */
type Replace = (url: string) => string | undefined;

/** @param base the address of the blog, for relative addresses */
export function replacePictures(content: string, base: string, replace: Replace): string {
  return replaceAddresses(PICTURES, content, base, replace);
}

/** @param base the address of the blog, for relative addresses */
export function replaceLinks(content: string, base: string, replace: Replace): string {
  return replaceAddresses(LINKS, content, base, replace);
}

function replaceAddresses(patterns: readonly RegExp[], content: string, base: string, replace: Replace): string {
  return patterns.reduce(
    (text, pattern) =>
      text.replace(pattern, (whole, before: string, address: string) => {
        const url = toUrl(address, base);
        const replaced = url === null ? undefined : replace(url);
        return replaced === undefined ? whole : before + replaced;
      }),
    content,
  );
}

/** The addresses in links, each once. */
export function linksIn(content: string, base: string): string[] {
  return addressesIn(LINKS, content, base);
}

/** The pictures on other hosts, each once. */
export function picturesIn(content: string, base: string): string[] {
  return addressesIn(PICTURES, content, base);
}

function addressesIn(patterns: readonly RegExp[], content: string, base: string): string[] {
  const found = new Set<string>();
  replaceAddresses(patterns, content, base, (url) => void found.add(url));
  return [...found];
}

/** Null for what is not on the web, and for images of this service. */
function toUrl(address: string, base: string): string | null {
  const plain = plainLine(address);
  const relativeTo = /^https?:\/\//i.test(base) ? base : `https://${base}`;
  if (!URL.canParse(plain, relativeTo)) return null;
  const url = new URL(plain, relativeTo);
  url.hash = '';
  const isOwn = IMAGE_NAME.test(/\/images\/([^/]+)$/.exec(url.pathname)?.[1] ?? '');
  return isOwn || !/^https?:$/.test(url.protocol) ? null : url.href;
}

/** A file in the media library of the blog. */
export interface Attachment {
  id: string;
  /** The post that it was uploaded to; `0` or empty for none. */
  parent: string;
  url: string;
  title: string;
}

const GALLERY = /(?<!\[)\[gallery(?=[\s\]])([^[\]]*)\]/g;

/** Replaces the galleries whose pictures are known by images. @param attachments of the post, or by their ids */
export function replaceGalleries(
  content: string,
  ofPost: readonly Attachment[],
  byId: ReadonlyMap<string, Attachment>,
) {
  let unknown = 0;
  let replaced = 0;
  const text = content.replace(GALLERY, (shortcode, attributes: string) => {
    const ids = /\b(?:ids|include)\s*=\s*["']?([\d\s,]+)/.exec(attributes)?.[1];
    const named = ids?.split(/[\s,]+/).filter(Boolean);
    const pictures = named ? named.flatMap((id) => byId.get(id) ?? []) : ofPost;
    if (pictures.length === 0) {
      unknown++;
      return shortcode;
    }
    replaced++;
    return `\n\n${pictures.map(toFigure).join('\n')}\n\n`;
  });
  return { text, replaced, unknown };
}

function toFigure({ url, title }: Attachment): string {
  return `<figure><img src="${escapeHtml(url)}" alt="${escapeHtml(plainLine(title))}"></figure>`;
}
