/** Slugs of articles: names for their addresses, made of letters, marks and digits of every script. See docs/decisions/slugs.md. */

/** In code points. A longer slug is cut. */
export const MAX_SLUG_LENGTH = 100;

/** In UTF-16 code units: a text that is longer is not a slug. In NFD, and with variation selectors, a slug has several for each code point. */
const MAX_INPUT_LENGTH = 10 * MAX_SLUG_LENGTH;

/** If nothing of a title remains, as of `!!!`. */
const FALLBACK = 'article';

/** Marks that choose between two forms of a character, such as text and emoji. They are invisible, so that two slugs would look the same. */
const VARIATION_SELECTORS = /\p{Variation_Selector}/gu;
const OTHERS = /[^\p{L}\p{M}\p{Nd}]+/gu;

/** The form in which slugs are stored and compared: lower case, NFC. */
export function normalizeSlug(text: string): string {
  return text.replace(VARIATION_SELECTORS, '').toLowerCase().normalize('NFC');
}

/** The slug of a title, before a number makes it unique. The slug of a slug is the same. */
export function slugOf(title: string): string {
  const words = normalizeSlug(title).replace(OTHERS, '-').replace(/^-/, '');
  const slug = [...words].slice(0, MAX_SLUG_LENGTH).join('').replace(/-$/, '');
  return slug || FALLBACK;
}

/** Whether a text is a slug once it is normalized. */
export function isSlug(text: string): boolean {
  if (text.length > MAX_INPUT_LENGTH) return false;
  const normalized = normalizeSlug(text);
  return slugOf(normalized) === normalized;
}
