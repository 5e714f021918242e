/** Finds pictures and links in the content of an article. */
import { IMAGE_NAME } from '../services/images/store.js';
import { outsideCode } from './outside-code.js';
import { plainLine } from './text.js';

/** Whether a content may have a picture. */
export function mayHavePictures(content: string): boolean {
  return /<img\b|!\[|(?:<a\b[^<>]*|\]\([^\s()<>]*)\.(?:jpe?g|png|gif|webp|avif)/i.test(content);
}

/** No pattern can match the beginning of another match of it, so that the time is linear. */
interface Patterns {
  html: readonly RegExp[];
  markdown: readonly RegExp[];
}

/** Images, and links to pictures. */
export const PICTURES: Patterns = {
  html: [
    /(<img\b[^<>]*?\ssrc\s*=\s*["']?)([^\s"'<>]+)/gi,
    /(<a\b[^<>]*?\shref\s*=\s*["']?)([^\s"'<>]+\.(?:jpe?g|png|gif|webp|avif))(?=["'\s>])/gi,
  ],
  markdown: [
    /(!\[[^[\]]*\]\(\s*<?)([^\s()<>]+)/g,
    /((?<!\\)\]\(<?)([^\s()<>]+\.(?:jpe?g|png|gif|webp|avif))(?=[>)\s])/gi,
  ],
};

export const LINKS: Patterns = {
  html: [/(<a\b[^<>]*?\shref\s*=\s*["']?)([^\s"'<>]+)/gi],
  markdown: [/((?<![!\\])\[[^[\]]*(?<!\\)\]\(\s*<?)([^\s()<>]+)/g],
};

/** Changes Markdown, and then tags of HTML, also in `pre`; nothing in code. */
export function changeReferences(
  content: string,
  changeHtml: (text: string) => string,
  changeMarkdown: (text: string) => string,
): string {
  return outsideCode(outsideCode(content, changeMarkdown), changeHtml, { withHtml: true });
}

/** @returns the new address of something on another host; undefined keeps it */
type Replace = (url: string) => string | undefined;

/** Replaces texts that can only be references, such as names that are hashes, wherever they are: also in `srcset`. */
export function replaceEverywhere(content: string, addresses: ReadonlyMap<string, string>): string {
  let text = content;
  for (const [reference, address] of addresses) text = text.replaceAll(reference, () => address);
  return text;
}

/** Replaces destinations of Markdown, and values of `src` and `href`, by what `addresses` has for exactly this text. */
export function replaceReferences(content: string, addresses: ReadonlyMap<string, string>): string {
  if (addresses.size === 0) return content;
  const longestFirst = [...addresses.keys()].sort((a, b) => b.length - a.length);
  const any = longestFirst.map((reference) => reference.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
  const replaceAfter = (before: string) => {
    const pattern = new RegExp(`(?<=${before})(?:${any})(?=["'\\s>)]|$)`, 'gim');
    return (text: string) => text.replace(pattern, (reference) => addresses.get(reference) ?? reference);
  };
  return changeReferences(
    content,
    replaceAfter(String.raw`\b(?:src|href)=["']?`),
    replaceAfter(String.raw`\]\(<?|\]: <?`),
  );
}

/** @param base the address of the blog, for relative addresses */
export function replaceAddresses(patterns: Patterns, content: string, base: string, replace: Replace): string {
  const replaceAll = (each: readonly RegExp[]) => (text: string) =>
    each.reduce(
      (rest, pattern) =>
        rest.replace(pattern, (whole, before: string, address: string) => {
          const url = toUrl(address, base);
          const replaced = url === null ? undefined : replace(url);
          return replaced === undefined ? whole : before + replaced;
        }),
      text,
    );
  return changeReferences(content, replaceAll(patterns.html), replaceAll(patterns.markdown));
}

/** Each once. */
export function addressesIn(patterns: Patterns, content: string, base: string): string[] {
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
