/** Recognizes an image format by its magic bytes, never by the file name or Content-Type of the upload, and WebP files without metadata. */
import { AppError } from '../../platform/errors.js';
import { createMessage, type Message } from '../../platform/messages/message.js';

export type ImageFormat = 'JPEG' | 'PNG' | 'WebP' | 'GIF' | 'AVIF';

/** @throws AppError IMAGE_INVALID, whose message names the detected file type */
export function recognizeImage(bytes: Uint8Array): ImageFormat {
  if (bytes.length === 0) throw new AppError('IMAGE_INVALID', { message: createMessage('fileEmpty') });
  // In Latin-1 each character is one byte.
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString('latin1');
  const found = FORMATS.find(([, ...starts]) => starts.some((start) => begins(head, start)));
  if (found) return found[0];
  const brands = readBrands(head);
  if (brands.includes('avif') || brands.includes('avis')) return 'AVIF';
  throw new AppError('IMAGE_INVALID', { message: createMessage('fileTypeUnsupported', nameOther(head, brands)) });
}

/** Magic bytes of each format. A question mark matches any byte. */
const FORMATS: readonly (readonly [ImageFormat, ...string[]])[] = [
  ['JPEG', '\xff\xd8\xff'],
  ['PNG', '\x89PNG\r\n\x1a\n'],
  ['WebP', 'RIFF????WEBP'],
  ['GIF', 'GIF87a', 'GIF89a'],
];

type Kind = 'kindTiff' | 'kindBmp' | 'kindJpegXl' | 'kindPdf' | 'kindZip';

const OTHERS: readonly (readonly [kind: Kind, ...starts: string[]])[] = [
  ['kindTiff', 'II*\0', 'MM\0*'],
  ['kindBmp', 'BM????\0\0\0\0'],
  ['kindJpegXl', '\xff\x0a', '\0\0\0\x0cJXL '],
  ['kindPdf', '%PDF-'],
  ['kindZip', 'PK\x03\x04'],
];

function begins(head: string, start: string): boolean {
  return head.length >= start.length && [...start].every((byte, at) => byte === '?' || byte === head[at]);
}

/** The brands distinguish AVIF, HEIC and MP4, which all begin with an `ftyp` box. Source: ISO/IEC 14496-12, 4.3. */
function readBrands(head: string): string[] {
  if (!begins(head, '????ftyp')) return [];
  const end = Math.min(Buffer.from(head.slice(0, 4), 'latin1').readUInt32BE(), head.length);
  // The four bytes after the major brand are the minor version.
  return [head.slice(8, 12), ...(head.slice(16, end).match(/.{4}/gs) ?? [])];
}

function nameOther(head: string, brands: string[]): Message {
  if (brands.length > 0)
    return createMessage(brands.some((brand) => /^(?:he[iv]|mif1)/.test(brand)) ? 'kindHeic' : 'kindVideo');
  if (/^[^<a-z]*<(?:svg|[?!].*<svg)\b/is.test(head)) return createMessage('kindSvg');
  if (/^[^<a-z]*<(?:!doctype|html|head|body|script)\b/i.test(head)) return createMessage('kindHtml');
  const format = OTHERS.find(([, ...starts]) => starts.some((start) => begins(head, start)));
  if (format) return createMessage(format[0]);
  const first = Buffer.from(head.slice(0, 8), 'latin1')
    .toString('hex')
    .replace(/..(?=.)/g, '$& ');
  return createMessage('kindUnknown', first);
}

/** Image data of WebP (RFC 9649, section 2), in a still image or a frame of an animation. */
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
