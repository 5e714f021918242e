/**
 * Converts URLs in sanitized HTML. Those of this service's images are stored as relative ones, so that the HTML does not depend on PUBLIC_URL.
 */
import { IMAGE_NAME } from '../images/store.js';
import { escapeHtml } from './escape.js';
import { decode } from './html-tokens.js';

const FOLDER = '/images/';

/** Sanitized HTML contains `<` only at the start of a tag, and `"` within a tag only around attribute values. */
const ADDRESS = /(<(?:a|img) (?:[^<>]*? )?(?:href|src)=")([^"]*)/g;

/** @param publicUrl without a slash at the end */
export function toRelativeImageUrls(html: string, publicUrl: string): string {
  return replacePrefix(html, publicUrl, '');
}

/** @param publicUrl without a slash at the end */
export function toAbsoluteImageUrls(html: string, publicUrl: string): string {
  return replacePrefix(html, '', publicUrl);
}

/** Makes all relative addresses absolute, for readers that show the HTML elsewhere. @param base address of the page of the article */
export function toAbsoluteAddresses(html: string, base: string): string {
  return html.replace(ADDRESS, (whole, before: string, address: string) => {
    const target = decode(address);
    if (/^[a-z][a-z0-9+.-]*:/i.test(target) || !URL.canParse(target, base)) return whole;
    return before + escapeHtml(new URL(target, base).href);
  });
}

function replacePrefix(html: string, from: string, to: string): string {
  const folder = from + FOLDER;
  if (!html.includes(`="${folder}`)) return html;
  return html.replace(ADDRESS, (whole, before: string, address: string) =>
    address.startsWith(folder) && IMAGE_NAME.test(address.slice(folder.length))
      ? before + to + address.slice(from.length)
      : whole,
  );
}
