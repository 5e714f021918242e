/**
 * Converts the URLs of this service's images in sanitized HTML. The HTML is stored with relative URLs, so that it does not
 * depend on PUBLIC_URL.
 */
import { IMAGE_NAME } from '../images/store.js';

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

function replacePrefix(html: string, from: string, to: string): string {
  const folder = from + FOLDER;
  if (!html.includes(`="${folder}`)) return html;
  return html.replace(ADDRESS, (whole, before: string, address: string) =>
    address.startsWith(folder) && IMAGE_NAME.test(address.slice(folder.length))
      ? before + to + address.slice(from.length)
      : whole,
  );
}
