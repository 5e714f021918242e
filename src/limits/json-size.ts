/** Measures how long a value would be as JSON, without writing it. */

/** Characters. Shorter strings count as if each of their characters took three bytes. */
const SHORT = 256;
/** For the quotes of a string, or a number, with the comma after it. */
const OVERHEAD = 4;

/** Whether the JSON text of `root`, a tree, has more than `maxBytes` bytes in UTF-8. Stops when that is known. */
export function exceedsJsonSize(root: unknown, maxBytes: number): boolean {
  // The same long text is often part of a response many times.
  const measured = new Map<string, number>();
  const pending: unknown[] = [root];
  let bytes = 0;
  while (pending.length > 0 && bytes <= maxBytes) {
    const value = pending.pop();
    bytes += OVERHEAD;
    if (typeof value === 'string') bytes += value.length < SHORT ? 3 * value.length : longSize(value, measured);
    else if (Array.isArray(value)) for (const element of value) pending.push(element);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        bytes += key.length + OVERHEAD;
        pending.push(child);
      }
    } else bytes += 12;
  }
  return bytes > maxBytes;
}

/** Exact: the JSON text with its escapes. */
function longSize(text: string, measured: Map<string, number>): number {
  const size = measured.get(text) ?? Buffer.byteLength(JSON.stringify(text));
  measured.set(text, size);
  return size;
}
