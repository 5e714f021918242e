/** Recognizes an image format by its magic bytes, never by the file name or Content-Type of the upload. */
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
