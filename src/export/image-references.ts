/** References to images of this service in a content: destinations of Markdown links and images, and attributes of HTML. */
import { IMAGE_NAME } from '../services/images/store.js';

/** Each begins with what stays. No part can match the beginning of another match, so that the time is linear. */
const DESTINATIONS = [
  /(\]\(\s*<?)([^\s()<>]+)/g,
  /^( {0,3}\[[^[\]\n]+\]:\s*<?)([^\s<>]+)/gm,
  /(\s(?:src|href|poster)\s*=\s*["']?)([^\s"'<>]+)/gi,
];

const SOURCE_SETS = /(\ssrcset\s*=\s*)("[^"<>]*"|'[^'<>]*')/gi;
const CANDIDATES = /([\s"',])([^\s"',]+)/g;

/** An address whose last segment is a file of an image, whatever its host and folder: as in the trigger of the table article_images. */
const ADDRESS = /^(?:[^?#]*\/)?([0-9a-f]{32})(-\d+)?\.webp(?:[?#].*)?$/;

/** @param replace receives the file name of an image, and its address; undefined keeps the address */
export function replaceImages(content: string, replace: (name: string, address: string) => string | undefined): string {
  if (!content.includes('.webp')) return content;
  const replaceAddress = (whole: string, before: string, address: string) => {
    const name = fileNameOf(address);
    const replaced = name === undefined ? undefined : replace(name, address);
    return replaced === undefined ? whole : before + replaced;
  };
  const text = DESTINATIONS.reduce((text, pattern) => text.replace(pattern, replaceAddress), content);
  return text.replace(
    SOURCE_SETS,
    (_, before: string, set: string) => before + set.replace(CANDIDATES, replaceAddress),
  );
}

/** The file names of the images in a content, each once, with an address of each. */
export function imagesIn(content: string): Map<string, string> {
  const found = new Map<string, string>();
  replaceImages(content, (name, address) => void found.set(name, found.get(name) ?? address));
  return found;
}

/** Undefined if it is no image of this service. A width that does not exist leads to the whole image. */
function fileNameOf(address: string): string | undefined {
  const [, key, width = ''] = ADDRESS.exec(address) ?? [];
  if (key === undefined) return undefined;
  const name = `${key}${width}.webp`;
  return IMAGE_NAME.test(name) ? name : wholeImage(name);
}

/** The file of the whole image, for that of one of its sizes. */
export function wholeImage(name: string): string {
  return `${name.slice(0, 32)}.webp`;
}
