/** Estimates the size of a value as JSON without serializing all of it. */

/** UTF-16 code units. Shorter strings without control characters are counted as three bytes for each unit. */
const SHORT = 256;
/** Escaped in JSON with up to six bytes (RFC 8259 §7). */
const CONTROL = /\p{Cc}/u;
/** Bytes added for each value and each key: quotes or brackets, colon and comma. */
const OVERHEAD = 4;
/** The longest number in JavaScript, such as -2.2250738585072014e-308. */
const NUMBER_BYTES = 24;

/**
 * What is left of `bytes` after `value`, a tree, as JSON of the greatest possible size: a UTF-16 code unit takes at most six bytes
 * (RFC 8259 §7). Stops when nothing is left.
 */
export function bytesLeft(bytes: number, value: unknown): number {
  let left = bytes - OVERHEAD;
  if (typeof value === 'string') return left - 6 * value.length;
  if (typeof value !== 'object' || value === null) return left - NUMBER_BYTES;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = bytesLeft(left, value[index]);
    return left;
  }
  for (const key in value) {
    left = bytesLeft(left - key.length - OVERHEAD, (value as Record<string, unknown>)[key]);
    if (left < 0) break;
  }
  return left;
}

/** The estimated JSON size of `root`, a tree, in bytes of UTF-8. Stops at the first value with which it exceeds `maxBytes`. */
export function jsonSize(root: unknown, maxBytes: number): number {
  // Cached sizes: the same long text often occurs many times in a response.
  const measured = new Map<string, number>();
  const pending: unknown[] = [root];
  let bytes = 0;
  while (pending.length > 0 && bytes <= maxBytes) {
    const value = pending.pop();
    bytes += OVERHEAD;
    if (typeof value === 'string') bytes += isSimple(value) ? 3 * value.length : exactSize(value, measured);
    else if (Array.isArray(value)) for (const element of value) pending.push(element);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        bytes += key.length + OVERHEAD;
        pending.push(child);
      }
    } else bytes += NUMBER_BYTES;
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
