/** The content of WordPress posts as Markdown, where it is HTML throughout. */

import { htmlToMarkdown } from '../../html-to-markdown.js';
import { embedsIn } from '../../losses.js';
import type { Reduction } from '../../source.js';
import { withoutBlockMarks } from '../../text.js';
import { hasGallery } from './galleries.js';

/** Alone in a line; `MediaLibrary` replaces it later. */
const GALLERY_LINE = /^(\[gallery(?:\s[^[\]]*)?\])$/m;

const BLOCK =
  /^<\/?(?:p|h[1-6]|ul|ol|li|dl|dt|dd|blockquote|figure|figcaption|div|pre|table|thead|tbody|tr|td|th|hr|details|section|iframe|video|audio)\b|^<!--/i;

/**
 * Texts of the classic editor stay as they are: WordPress makes their paragraphs from empty lines, as Markdown does, and plugins accept Markdown in them.
 * @param reduced what was lost is added to it
 */
export function toMarkdown(content: string, reduced: Reduction[]): string {
  const html = withoutBlockMarks(content);
  const parts = html.split(GALLERY_LINE).map((part, index) => (index % 2 === 1 ? part : convert(part, reduced)));
  return parts.length === 1 ? (parts[0] ?? '') : parts.filter((part) => /\S/.test(part)).join('\n\n');
}

function convert(html: string, reduced: Reduction[]): string {
  const paragraphs = html.split(/\n\s*\n/).map((text) => text.trim());
  const isHtml = /\S/.test(html) && paragraphs.every((text) => text === '' || BLOCK.test(text));
  if (!isHtml || hasGallery(html)) return html;
  const markdown = htmlToMarkdown(html);
  if (embedsIn(markdown).length === 0) reduced.push(...embedsIn(html));
  return markdown;
}
