/** Estimates the size of a value as JSON without serializing all of it. */

/** UTF-16 code units. Shorter strings without control characters are counted as three bytes for each unit. */
const SHORT = 256;
/** Escaped in JSON with up to six bytes (RFC 8259 §7). */
const CONTROL = /\p{Cc}/u;
/** Bytes added for each value and each key: quotes or brackets, colon and comma. */
const OVERHEAD = 4;
/** The longest number in JavaScript, such as -2.2250738585072014e-308. */
const NUMBER_BYTES = 24;

/** The bytes of a string in JSON. */
type TextSize = (text: string) => number;

/** The greatest possible size: a UTF-16 code unit takes at most six bytes (RFC 8259 §7). */
export const largestTextSize: TextSize = (text) => 6 * text.length;

/** Estimates of short strings, and the sizes of others, which are cached: the same long text often occurs many times in a response. */
export function textSizes(): TextSize {
  const measured = new Map<string, number>();
  return (text) => (isSimple(text) ? 3 * text.length : exactSize(text, measured));
}

/** The estimated JSON size of `value`, a tree, in bytes of UTF-8. Stops at the first value with which it exceeds `maxBytes`. */
export function jsonSize(value: unknown, maxBytes: number, sizeOf: TextSize): number {
  if (typeof value === 'string') return OVERHEAD + sizeOf(value);
  if (typeof value !== 'object' || value === null) return OVERHEAD + NUMBER_BYTES;
  let bytes = OVERHEAD;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && bytes <= maxBytes; index++) {
      bytes += jsonSize(value[index], maxBytes - bytes, sizeOf);
    }
    return bytes;
  }
  for (const key in value) {
    if (bytes > maxBytes) break;
    bytes += key.length + OVERHEAD;
    bytes += jsonSize((value as Record<string, unknown>)[key], maxBytes - bytes, sizeOf);
  }
  return bytes;
}

function isSimple(text: string): boolean {
  return text.length < SHORT && !CONTROL.test(text);
}

/** The exact size in bytes, with escapes. */
function exactSize(text: string, measured: Map<string, number>): number {
  const size = measured.get(text) ?? Buffer.byteLength(JSON.stringify(text));
  measured.set(text, size);
  return size;
}
