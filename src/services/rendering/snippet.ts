/** Snippets of search results: the visible text around the first match, as HTML with the matches marked. */
import { foldSpelling } from '../../models/article/spellings.js';
import { LINE_START, normalizeSpace } from '../../models/article/text.js';
import { truncate, withoutFirstGrapheme } from '../../platform/text.js';
import { escapeHtml } from './escape.js';

/** Code points of the text, without tags and escapes. */
export const MAX_SNIPPET_LENGTH = 200;
/** Characters of the HTML: each second character a match, and each one escaped. */
export const MAX_SNIPPET_HTML_LENGTH =
  MAX_SNIPPET_LENGTH * '&quot;'.length + (MAX_SNIPPET_LENGTH / 2) * '<mark></mark>'.length;

/** A word that the beginning of the passage cuts is removed, up to this number of characters. */
const MAX_CUT_WORD = 20;

/** The words of a keyword, compared as the search compares them. */
export function searchWords(keyword: string): string[] {
  return [...new Set(fold(normalizeSpace(keyword)).split(' '))].filter((word) => word !== '');
}

/**
 * @param passage part of a visible text, preceded by an ellipsis if it is not the beginning
 * @param words those of `searchWords`
 */
export function toSnippet(passage: string, words: readonly string[]): string {
  const text = truncate(beginWithWord(passage.replace(LINE_START, ' ')), MAX_SNIPPET_LENGTH);
  let html = '';
  let end = 0;
  for (const match of matchesIn(fold(text), words)) {
    html += `${escapeHtml(text.slice(end, match.start))}<mark>${escapeHtml(text.slice(match.start, match.end))}</mark>`;
    end = match.end;
  }
  return html + escapeHtml(text.slice(end));
}

function beginWithWord(passage: string): string {
  if (!passage.startsWith('…')) return passage.trimStart();
  const space = passage.indexOf(' ');
  if (space >= 0 && space <= MAX_CUT_WORD) return `…${passage.slice(space).trimStart()}`;
  // Without the rest of a character that is composed of several code points. Flags are pairs, of which the first half may be missing.
  const text = passage.slice(1).replace(/^[\p{M}\p{Emoji_Modifier}\u200d]+/u, '');
  const withoutFlags = text.replace(/^\p{RI}+/u, '');
  return `…${withoutFlags.length < text.length ? withoutFlags : withoutFirstGrapheme(text)}`;
}

/**
 * As `search_fold` of the database, with the same length: lower case, in which the one letter whose lower case is longer maps to `i`, and keyboard
 * characters for typographic ones.
 */
function fold(text: string): string {
  return foldSpelling(text.replaceAll('İ', 'i').toLowerCase())
    .replaceAll('ς', 'σ')
    .replace(/[‘’‚‛ʼ′]/g, "'")
    .replace(/[“”„‟″]/g, '"')
    .replace(/[‐‑‒–—―−]/g, '-')
    .replace(/[〜～∼]/g, '~')
    .replace(/[・‧ㆍ]/g, '·');
}

interface Match {
  start: number;
  end: number;
}

/** In order; overlapping and adjacent matches are one. */
function matchesIn(text: string, words: readonly string[]): Match[] {
  const found: Match[] = [];
  for (const word of words) {
    for (let start = text.indexOf(word); start >= 0; start = text.indexOf(word, start + 1)) {
      found.push({ start, end: start + word.length });
    }
  }
  const merged: Match[] = [];
  for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
