/** Slugs of articles: names for their addresses, made of letters, marks and digits of every script. See docs/decisions/slugs.md. */

/** In code points. A longer slug is cut. */
export const MAX_SLUG_LENGTH = 100;

/** In UTF-16 code units: a text that is longer is not a slug. In NFD, and with variation selectors, a slug has several for each code point. */
const MAX_INPUT_LENGTH = 10 * MAX_SLUG_LENGTH;

/** If nothing of a title remains, as of `!!!`. */
const FALLBACK = 'article';

/** Letters and marks that are invisible, so that two slugs would look the same: fillers, joiners of graphemes, and selectors of a form of a character. */
const INVISIBLE = /(?=[\p{L}\p{M}])\p{Default_Ignorable_Code_Point}/gu;
const OTHERS = /[^\p{L}\p{M}\p{Nd}]+/gu;

/** The form in which slugs are compared: lower case, NFC. Version 1.0.0 stored slugs with invisible letters, which are still found. */
export function foldSlug(text: string): string {
  return text
    .replace(/\p{Variation_Selector}/gu, '')
    .toLowerCase()
    .normalize('NFC');
}

/** The form in which slugs are stored: that in which they are compared, without invisible letters and marks. */
export function normalizeSlug(text: string): string {
  return foldSlug(text.replace(INVISIBLE, ''));
}

/** The slug of a title, before a number makes it unique. The slug of a slug is the same. */
export function slugOf(title: string): string {
  return joinWords(normalizeSlug(title)) || FALLBACK;
}

/** Whether a text can be the slug of an article, once it is compared. */
export function isSlug(text: string): boolean {
  return isNormal(text, foldSlug);
}

/** Whether a text can become the slug of an article, once it is normalized. */
export function isNewSlug(text: string): boolean {
  return isNormal(text, normalizeSlug);
}

function isNormal(text: string, normalize: (text: string) => string): boolean {
  if (text.length > MAX_INPUT_LENGTH) return false;
  const normalized = normalize(text);
  return normalized !== '' && joinWords(normalized) === normalized;
}

function joinWords(text: string): string {
  const words = text.replace(OTHERS, '-').replace(/^-/, '');
  return [...words].slice(0, MAX_SLUG_LENGTH).join('').replace(/-$/, '');
}
