/**
 * The visible text of articles: what readers see of the rendered HTML, without markup. It is made once, when the HTML is rendered; search,
 * snippets, excerpts and built-in summaries use it.
 *
 * A text is a sequence of lines, each of which begins with PROSE or ROW. White space within a line is single spaces, the text is NFC, and has no
 * invisible characters: as `search_fold` of the database normalizes it, so that its folded form has the same length without the first character.
 */
import { truncate } from '../../platform/text.js';

/** Begins a line of prose. */
export const PROSE = '\n';
/** Begins a line of code or a row of a table. */
export const ROW = '\t';

export const MAX_EXCERPT_LENGTH = 200;

/** White space and control characters: the same as in `search_fold`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters separate words.
const SPACE = /[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
/** Soft hyphens, zero-width spaces, word joiners and byte order marks: the same as in `search_fold`. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]+/g;

/** NFC with single spaces, without leading and trailing ones and invisible characters. */
export function normalizeSpace(text: string): string {
  return text.replace(INVISIBLE, '').replace(SPACE, ' ').trim().normalize('NFC');
}

/** UTF-16 code units that are examined; more than the excerpt's length, since markup can be much longer than its text. */
export const EXCERPT_SOURCE_LENGTH = 4000;

/** For content that has not been rendered yet: its beginning without tags and frequent Markdown. Runs in linear time for any input (no ReDoS). */
export function approximateExcerpt(source: string): string {
  const words = source
    .slice(0, EXCERPT_SOURCE_LENGTH)
    .replace(/<!--[\s\S]*?(?:-->|$)|<(?:script|style)\b[\s\S]*?(?:<\/(?:script|style)>|$)/gi, '')
    .replace(/<\/?(?:p|br|h[1-6]|div|li|tr|td|th|pre|blockquote|fig[a-z]+)\b[^<>]*(?:>|$)/gi, ' ')
    .replace(/<\/?[a-z][^<>]*(?:>|$)/gi, '')
    // Neither group may contain its own opening bracket, otherwise text of only brackets would take quadratic time.
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+\.)[ \t]+/gm, '')
    .replace(/[*_~`]{1,3}(?=\S)|(?<=\S)[*_~`]{1,3}/g, '');
  return truncate(normalizeSpace(words), MAX_EXCERPT_LENGTH);
}

/** The lines of prose; all lines if there is no prose, as in an article that is a table or code. */
export function proseOf(text: string): string[] {
  const lines = text.split(/\n|(?=\t)/).filter((line) => line !== '');
  const prose = lines.filter((line) => !line.startsWith(ROW));
  return prose.length > 0 ? prose : lines.map((line) => line.slice(1));
}

/** The beginning of the prose, at most 200 code points. */
export function excerptOf(text: string): string {
  return truncate(proseOf(text).join(' '), MAX_EXCERPT_LENGTH);
}
