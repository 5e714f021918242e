/** Texts: length in code points, values for messages, comparison of secrets. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Length in Unicode code points: a surrogate pair counts once. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
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
  const entries = Object.entries(value).slice(0, SHOWN);
  return Object.fromEntries(entries.map(([key, held]) => [key.slice(0, SHOWN), beginning(held, levels - 1)]));
}

/** Compares two secrets in constant time, against timing attacks: digests also hide their lengths. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
