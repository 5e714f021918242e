/** Texts: length in code points, JSON, values for messages, comparison of secrets. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Length in Unicode code points: a surrogate pair counts once. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** At most `max` code points: a longer text ends with an ellipsis, between two graphemes of at most 100 UTF-16 code units. */
export function truncate(text: string, max: number): string {
  if (offsetOf(text, max) === text.length) return text;
  const last = offsetOf(text, max - 1);
  // Segments a window around the cut only, to avoid segmenting the whole text.
  const from = Math.max(0, last - 100);
  const seen = GRAPHEMES.segment(text.slice(from, last + 100)).containing(last - from);
  const boundary = from + (seen?.index ?? 0);
  return `${text.slice(0, boundary > from ? boundary : last).trimEnd()}…`;
}

const GRAPHEMES = new Intl.Segmenter();

/** Of a text by code points, in UTF-16 code units. */
function offsetOf(text: string, codePoints: number): number {
  if (text.length <= codePoints) return text.length;
  let offset = 0;
  for (let index = 0; index < codePoints && offset < text.length; index++)
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return offset;
}

/** The first `max` UTF-16 code units, or one less, for a message. Never ends within a surrogate pair, or has half of one. */
export function beginningOf(text: string, max: number): string {
  const isWithinPair = text.length > max && (text.codePointAt(max - 1) ?? 0) > 0xffff;
  return text.slice(0, isWithinPair ? max - 1 : max).toWellFormed();
}

/** The text without its first grapheme, if it has one. */
export function withoutFirstGrapheme(text: string): string {
  return text.slice(GRAPHEMES.segment(text.slice(0, 100)).containing(0)?.segment.length ?? 0);
}

/**
 * An absolute http or https address in the form of WHATWG URL: other scripts in the host as Punycode, in the rest percent-encoded. Without its fragment, which
 * names a part of the page.
 * @returns null for other texts, and for an address with a user name or a password
 */
export function normalizeWebAddress(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  url.hash = '';
  return url.username === '' && url.password === '' ? url.href : null;
}

/** The object or array in a JSON text; an empty object if the text is invalid. */
export function parseObject(json: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

/** Whether a value of unknown origin is a text that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && isVisible(value);
}

/** Neither white space, control characters, characters that fonts do not show, nor the blank pattern of Braille. */
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text has a character that readers see. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** A received value as JSON, truncated for a message. */
export function inspectValue(value: unknown): string {
  // JSON has no Infinity, but JSON.parse returns it for 1e400.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(beginning(value, 3)) ?? String(value));
  return text.length > SHOWN ? `${beginningOf(text, SHOWN)}…` : text;
}

const SHOWN = 60;

/** The part of a value to display: input can be nested 100,000 levels deep, and JSON.stringify is recursive. */
function beginning(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return beginningOf(value, SHOWN);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, SHOWN).map((item) => beginning(item, levels - 1));
  const shown: [string, unknown][] = [];
  for (const key in value) {
    if (shown.length === SHOWN) break;
    shown.push([beginningOf(key, SHOWN), beginning((value as Record<string, unknown>)[key], levels - 1)]);
  }
  return Object.fromEntries(shown);
}

/** Compares two secrets in constant time, against timing attacks: digests also hide their lengths. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
