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

/** Columns of an article that follow from its visible text; null while it is not rendered. */
export interface TextColumns {
  excerpt: string | null;
  wordCount: number | null;
  readingMinutes: number | null;
}

/** Letters of scripts without spaces between words, or that are counted like them: each counts as a word. */
const CJK = String.raw`(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]`;
const CJK_LETTERS = new RegExp(CJK, 'gu');
const OTHER_WORDS = new RegExp(String.raw`(?:(?!${CJK})[\p{L}\p{Nd}])(?:(?!${CJK})[\p{L}\p{M}\p{Nd}])*`, 'gu');

/** Average speeds of silent reading. */
export const CJK_LETTERS_PER_MINUTE = 500;
export const WORDS_PER_MINUTE = 240;

export function textColumnsOf(rendered: { readonly text: string } | null): TextColumns {
  if (!rendered) return { excerpt: null, wordCount: null, readingMinutes: null };
  return { excerpt: excerptOf(rendered.text), ...countWords(rendered.text) };
}

/** Combining marks belong to the word of their letter. */
export function countWords(text: string): { wordCount: number; readingMinutes: number } {
  const letters = text.match(CJK_LETTERS)?.length ?? 0;
  const words = text.match(OTHER_WORDS)?.length ?? 0;
  const minutes = letters / CJK_LETTERS_PER_MINUTE + words / WORDS_PER_MINUTE;
  return { wordCount: letters + words, readingMinutes: Math.max(1, Math.round(minutes)) };
}

/** The beginning of the prose, at most 200 code points. */
export function excerptOf(text: string): string {
  return truncate(proseOf(text).join(' '), MAX_EXCERPT_LENGTH);
}
