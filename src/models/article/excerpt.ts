/** Excerpts: the beginning of an article as plain text, for lists. */
import { truncate } from '../../text.js';

export const MAX_EXCERPT_LENGTH = 200;
/** UTF-16 code units that are examined; more than the excerpt's length, since markup can be much longer than its text. */
export const EXCERPT_SOURCE_LENGTH = 4000;

/** HTML entities that editors commonly produce. */
const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&nbsp;': ' ',
  '&#39;': "'",
  '&#039;': "'",
};

/** Plain text of at most 200 code points: without HTML and Markdown markup, code blocks and tables, white space collapsed. */
export function excerptOf(content: string): string {
  const beginning = content.slice(0, EXCERPT_SOURCE_LENGTH);
  // An article may consist of a table or of code.
  const words = plainText(withoutBlocks(beginning)) || plainText(beginning);
  return truncate(words, MAX_EXCERPT_LENGTH);
}

function plainText(content: string): string {
  // Single spaces are not matched: replacing each with itself takes five times as long.
  return withoutMarkup(content)
    .replace(/\s\s+|[^\S ]/g, ' ')
    .trim();
}

/** Removes fenced code blocks and tables. The first test is a fast path. */
function withoutBlocks(content: string): string {
  if (!/```|~~~|\|/.test(content)) return content;
  return content.replace(/^(```|~~~)[\s\S]*?(?:\n\1|$(?![\s\S]))/gm, ' ').replace(/^[ \t]*\|.*$/gm, ' ');
}

/** Removes HTML and Markdown markup. Runs in linear time for any input (no ReDoS). */
export function withoutMarkup(content: string): string {
  const words = content
    .replace(
      /<!--[\s\S]*?(?:-->|$)|<(?:script|style)\b[\s\S]*?(?:<\/(?:script|style)>|$)|<\/?[a-z][^<>]*(?:>|$)/gi,
      ' ',
    )
    // Neither group may contain its own opening bracket, otherwise text of only brackets would take quadratic time.
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+\.)[ \t]+/gm, '');
  return withoutEmphasis(words).replace(/&(?:lt|gt|amp|quot|nbsp|#0?39);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** The first test is a fast path: most texts have no emphasis, and the lookbehind is slower. */
function withoutEmphasis(text: string): string {
  return /[*_~`]/.test(text) ? text.replace(/[*_~`]{1,3}(?=\S)|(?<=\S)[*_~`]{1,3}/g, '') : text;
}
