/** Text as people see it: its length, and values in messages. */

/** An emoji counts once, whatever its UTF-16 form. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A value as it came, short enough for a message. */
export function inspectValue(value: unknown): string {
  // JSON knows no Infinity, which is what 1e400 is read as.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(beginning(value, 3)) ?? String(value));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

const SHOWN = 60;

/** Enough of a value to show: someone may send it 100,000 levels deep, and writing JSON down is recursive. */
function beginning(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.slice(0, SHOWN);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, SHOWN).map((item) => beginning(item, levels - 1));
  const entries = Object.entries(value).slice(0, SHOWN);
  return Object.fromEntries(entries.map(([key, held]) => [key.slice(0, SHOWN), beginning(held, levels - 1)]));
}
