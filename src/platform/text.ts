/** Texts: length in code points, JSON, values for messages, comparison of secrets. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Length in Unicode code points: a surrogate pair counts once. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** At most `max` code points; the last one of a longer text is an ellipsis. */
export function truncate(text: string, max: number): string {
  // A code point has at most two UTF-16 code units, so a longer text exceeds the limit in any case.
  const points = [...text.slice(0, 2 * max + 1)];
  if (points.length <= max) return text;
  const start = points.slice(0, max - 1).join('');
  return `${start.trimEnd()}…`;
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
  return typeof value === 'string' && value.trim() !== '';
}

/** A received value as JSON, truncated for a message. */
export function inspectValue(value: unknown): string {
  // JSON has no Infinity, but JSON.parse returns it for 1e400.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(beginning(value, 3)) ?? String(value));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

const SHOWN = 60;

/** The part of a value to display: input can be nested 100,000 levels deep, and JSON.stringify is recursive. */
function beginning(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.slice(0, SHOWN);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, SHOWN).map((item) => beginning(item, levels - 1));
  const shown: [string, unknown][] = [];
  for (const key in value) {
    if (shown.length === SHOWN) break;
    shown.push([key.slice(0, SHOWN), beginning((value as Record<string, unknown>)[key], levels - 1)]);
  }
  return Object.fromEntries(shown);
}

/** Compares two secrets in constant time, against timing attacks: digests also hide their lengths. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
