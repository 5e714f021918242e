/** Recognizes WebP files that contain pixels only, as those that this service stores. Source: RFC 9649, section 2. */

/** Image data, in a still image or a frame of an animation. */
const PIXELS = ['VP8 ', 'VP8L', 'ALPH'];
const CHUNKS = new Set([...PIXELS, 'VP8X', 'ANIM', 'ANMF']);
const IN_FRAME = new Set(PIXELS);
/** Bytes of a frame before its chunks. */
const FRAME_HEADER = 16;

/** Whether a file has no metadata, no unknown chunks and nothing after its end. */
export function isPlainWebp(bytes: Buffer): boolean {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return false;
  return bytes.readUInt32LE(4) === bytes.length - 8 && hasOnly(CHUNKS, bytes, 12, bytes.length);
}

function hasOnly(permitted: ReadonlySet<string>, bytes: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const data = at + 8;
    // Chunks begin at even offsets.
    at = data + size + (size % 2);
    if (!permitted.has(name) || at > end) return false;
    if (name === 'ANMF' && !hasOnly(IN_FRAME, bytes, data + FRAME_HEADER, data + size)) return false;
  }
  return at === end;
}
