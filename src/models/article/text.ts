/**
 * The visible text of articles: what readers see of the rendered HTML, without markup. It is made once, when the HTML is rendered; search,
 * snippets, excerpts and built-in summaries use it.
 *
 * A text is a sequence of lines, each of which begins with a character for its kind (PROSE and the following). White space within a line is single spaces, the text is NFC, and has no
 * invisible characters: as `search_fold` of the database normalizes it, so that its folded form has the same length without the first character.
 */
import { beginningOf, truncate } from '../../platform/text.js';

/** Begins a line of prose. */
export const PROSE = '\n';
/** Begins a line of code or a row of a table. */
export const ROW = '\t';
/** Begins a heading. */
export const HEADING = '\v';
/** Begins a line of a footnote. */
export const NOTE = '\f';
/** Begins the alternative text of an image. */
export const ALTERNATIVE = '\r';
/** Begins what follows an image in a line of prose. */
export const CONTINUED = '\x1f';

/** The characters that begin lines. */
export const LINE_START = new RegExp(`[${PROSE}${ROW}${HEADING}${NOTE}${ALTERNATIVE}${CONTINUED}]`, 'g');
const BEFORE_LINE = new RegExp(`(?=${LINE_START.source})`);

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

/** Elements whose content browsers do not parse. */
export const OPAQUE_ELEMENTS = 'title|textarea|style|xmp|noembed|noframes|script|plaintext';
/** Elements that show something of another address. */
export const EMBEDDING_ELEMENTS = 'iframe|video|audio|object|embed';
const OTHER_TAG = new RegExp(`</?(?!(?:${OPAQUE_ELEMENTS})\\b)[a-z][^<>]*(?:>|$)`, 'gi');

/** UTF-16 code units that are examined; more than the excerpt's length, since markup can be much longer than its text. */
export const EXCERPT_SOURCE_LENGTH = 4000;

/**
 * For content that has not been rendered yet: its beginning without headings, images, footnotes, tags and frequent Markdown. Runs in linear time for
 * any input (no ReDoS).
 */
export function approximateExcerpt(source: string): string {
  const words = beginningOf(source, EXCERPT_SOURCE_LENGTH)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<(title|style|noembed|noframes|script)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/^[ \t]*(?:#{1,6}[ \t]|\[\^[^\s[\]]{1,100}\]:).*/gm, '')
    .replace(
      /<\/?(?:p|br|h[1-6]|div|li|tr|td|th|d[dt]|pre|blockquote|section|article|header|footer|main|nav|aside|fig[a-z]+)\b[^<>]*(?:>|$)/gi,
      ' ',
    )
    .replace(OTHER_TAG, '')
    // Neither group may contain its own opening bracket, otherwise text of only brackets would take quadratic time.
    .replace(/(!?)\[([^[\]]*)\]\([^()]*\)/g, (_link, image: string, text: string) => (image ? ' ' : text))
    .replace(/\[\^[^\s[\]]{1,100}\]/g, '')
    .replace(/^[ \t]*(?:>|[-*+]|\d+\.)[ \t]+/gm, '')
    .replace(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|~~/g, '');
  return truncate(normalizeSpace(words), MAX_EXCERPT_LENGTH);
}

/** The lines of prose; those of code and tables if there is no prose. Without headings, footnotes and alternative texts. */
export function proseOf(text: string): string[] {
  const prose: string[] = [];
  const rows: string[] = [];
  for (const line of text.split(BEFORE_LINE)) {
    const words = line.slice(1);
    if (line.startsWith(PROSE)) prose.push(words);
    else if (line.startsWith(ROW)) rows.push(words);
    else if (line.startsWith(CONTINUED)) prose.push(joined(prose.pop(), words));
  }
  return prose.length > 0 ? prose : rows;
}

/** Without a space before punctuation that ends a sentence or a part of it. */
function joined(before: string | undefined, words: string): string {
  if (before === undefined) return words;
  return /^[.,:;!?)\]…。、，！？]/.test(words) ? before + words : `${before} ${words}`;
}

/** Columns of an article that follow from its visible text. */
export interface TextColumns {
  /** Null while it is not rendered. */
  excerpt: string | null;
  wordCount: number;
  readingMinutes: number;
}

/** Letters of scripts without spaces between words, or that are counted like them: each counts as a word. */
const CJK = String.raw`(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]`;
const CJK_LETTERS = new RegExp(CJK, 'gu');
const OTHER_WORDS = new RegExp(String.raw`(?:(?!${CJK})[\p{L}\p{Nd}])(?:(?!${CJK})[\p{L}\p{M}\p{Nd}])*`, 'gu');

/** Average speeds of silent reading. */
export const CJK_LETTERS_PER_MINUTE = 500;
export const WORDS_PER_MINUTE = 240;

/** @param rendered null: the numbers are estimated from the Markdown until it is rendered */
export function textColumnsOf(content: string, rendered: { readonly text: string } | null): TextColumns {
  if (!rendered) return { excerpt: null, ...countWords(content) };
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
