/** Excerpts: the beginning of an article as plain text, for lists. */
import { truncate } from '../../text.js';

const LONGEST = 200;
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

/** Plain text of at most 200 code points: without HTML and Markdown markup, white space collapsed. */
export function excerptOf(content: string): string {
  // Single spaces are not matched: replacing each with itself takes five times as long.
  const words = withoutMarkup(content.slice(0, EXCERPT_SOURCE_LENGTH))
    .replace(/\s\s+|[^\S ]/g, ' ')
    .trim();
  return truncate(words, LONGEST);
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
