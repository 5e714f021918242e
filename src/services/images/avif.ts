/** Rejects AVIF files whose item index makes the decoder read far more bytes than the file has. */
import { AppError } from '../../platform/errors.js';
import { createMessage, type Message } from '../../platform/messages/message.js';

/** Maximum number of boxes on one level; cameras and encoders write about ten. */
const MAX_BOXES = 1_000;

interface Box {
  type: string;
  body: Buffer;
}

/**
 * The decoder copies every metadata item as the index (`iloc`) lists it, and an item can reference the same bytes many
 * times: a few items of 9 MB, each with 32 references, make it allocate gigabytes before the first pixel. Therefore the
 * extent lengths are summed up first. Parsing is strict: a duplicate `meta` or `iloc` box or an unknown `iloc` version is
 * rejected, as the decoder might interpret it differently. Source: ISO/IEC 14496-12, 4.2 (boxes) and 8.11.3 (`iloc`).
 *
 * @throws AppError IMAGE_INVALID
 */
export function checkAvifIndex(bytes: Uint8Array): void {
  // Encoders let identical tiles share bytes, which is significant in small files.
  const maxBytes = 2 * bytes.length + 1024 * 1024;
  try {
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const meta = only('meta', readBoxes(file)).subarray(4);
    const iloc = only('iloc', readBoxes(meta));
    if (namesMoreThan(maxBytes, new Reader(iloc), bytes.length)) reject(createMessage('avifBytesRepeated'));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    reject(createMessage('avifDamaged'), error);
  }
}

function reject(reason: Message, cause?: unknown): never {
  throw new AppError('IMAGE_INVALID', { message: createMessage('avifInvalid', reason), cause });
}

function only(type: string, boxes: Box[]): Buffer {
  const [found, ...more] = boxes.filter((box) => box.type === type);
  if (!found || more.length > 0) reject(createMessage('avifBoxes', type, found ? more.length + 1 : 0));
  return found.body;
}

function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const long = bytes.readUInt32BE(at) === 1;
    const size = (long ? Number(bytes.readBigUInt64BE(at + 8)) : bytes.readUInt32BE(at)) || bytes.length - at;
    const header = long ? 16 : 8;
    if (size < header || at + size > bytes.length)
      throw new RangeError(`A box of ${size} bytes at offset ${at} exceeds its container.`);
    if (boxes.length === MAX_BOXES) reject(createMessage('avifTooManyBoxes', MAX_BOXES));
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + header, at + size) });
    at += size;
  }
  return boxes;
}

function namesMoreThan(maxBytes: number, iloc: Reader, fileLength: number): boolean {
  const version = iloc.take(1);
  if (version > 2) reject(createMessage('avifVersion', version));
  iloc.take(3);
  const sizes = iloc.take(2);
  const [offset, length, base] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15] as const;
  const index = version > 0 ? sizes & 15 : 0;
  let sum = 0;
  for (let items = iloc.take(version < 2 ? 2 : 4); items > 0; items--) {
    iloc.take((version < 2 ? 2 : 4) + (version > 0 ? 2 : 0) + 2 + base);
    for (let extents = iloc.take(2); extents > 0; extents--) {
      iloc.take(index + offset);
      // A length of 0, or none, means the whole file.
      sum += iloc.take(length) || fileLength;
      if (sum > maxBytes) return true;
    }
  }
  return false;
}

/** Reads consecutive big-endian unsigned integers. */
class Reader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  /** The value is meaningful only for a `length` of at most 8 bytes. @throws RangeError past the end of the bytes */
  take(length: number): number {
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.bytes.length) throw new RangeError(`${length} bytes at offset ${start} exceed the box.`);
    let value = 0;
    for (let at = start; at < this.#at; at++) value = value * 256 + (this.bytes[at] ?? 0);
    return value;
  }
}
