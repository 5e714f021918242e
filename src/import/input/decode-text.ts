/** Recognizes the encoding of a text by its bytes: old exports declare none. */
import { TextDecoder } from 'node:util';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'euc-kr' | 'windows-1252';

export interface DecodedText {
  /** Without a byte order mark. */
  text: string;
  encoding: Encoding;
  /** How many characters were replaced by U+FFFD, since their bytes are invalid in the encoding. */
  replaced: number;
}

/** In order: a byte order mark; UTF-16 by its zero bytes; UTF-8; EUC-KR (with the extensions of CP949) by its syllables; else Windows-1252. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const utf8 = decodeAs('utf-8', bytes);
  const marked = encodingOfMark(bytes) ?? utf16Without(bytes, utf8.replaced === 0);
  if (marked) return decodeAs(marked, bytes);
  if (utf8.replaced === 0) return utf8;
  if (isKorean(bytes)) return decodeAs('euc-kr', bytes);
  // A few invalid bytes in a text that is otherwise UTF-8, such as a character that was cut.
  return utf8.replaced * 10 <= countNonAscii(utf8.text) ? utf8 : decodeAs('windows-1252', bytes);
}

function decodeAs(encoding: Encoding, bytes: Uint8Array): DecodedText {
  if (encoding === 'windows-1252') return { text: decodeWestern(bytes), encoding, replaced: 0 };
  const text = encoding === 'euc-kr' ? decodeKorean(bytes) : new TextDecoder(encoding).decode(bytes);
  return { text, encoding, replaced: text.split('\ufffd').length - 1 };
}

/** Decodes a text in chunks. Throws for bytes that are invalid in the encoding. */
export interface StreamDecoder {
  readonly encoding: string;
  decode(bytes: Uint8Array, options: { stream: boolean }): string;
}

/** @param label of an encoding (https://encoding.spec.whatwg.org) @throws RangeError if it is unknown */
export function streamDecoder(label: string): StreamDecoder {
  const decoder = new TextDecoder(label, { fatal: true });
  return decoder.encoding === 'euc-kr' ? new KoreanDecoder() : decoder;
}

class KoreanDecoder implements StreamDecoder {
  readonly encoding = 'euc-kr';
  /** The first byte of a pair. */
  #rest: Uint8Array = new Uint8Array();

  decode(bytes: Uint8Array, { stream }: { stream: boolean }): string {
    const all = Buffer.concat([this.#rest, bytes]);
    let next = 0;
    while (next < all.length) next += (all[next] ?? 0) < 0x80 ? 1 : 2;
    const end = stream && next > all.length ? all.length - 1 : all.length;
    this.#rest = all.subarray(end);
    const text = decodeKorean(all.subarray(0, end));
    if (text.includes('\ufffd')) throw new TypeError('bytes that are invalid in EUC-KR');
    return text;
  }
}

/** The bytes 0x80 to 0x9F: TextDecoder of Node 20 reads them as control characters. */
const WESTERN = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decodeWestern(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WESTERN[character.charCodeAt(0) - 0x80] ?? character);
}

/** TextDecoder of Node knows the pairs of KS X 1001 only, not the extension of CP949. */
function decodeKorean(bytes: Uint8Array): string {
  const decoder = new TextDecoder('euc-kr');
  const parts: string[] = [];
  let from = 0;
  for (let index = 0; index < bytes.length; index++) {
    const [lead = 0, trail = 0] = bytes.subarray(index, index + 2);
    if (lead < 0x80) continue;
    const isPair = lead >= 0xa1 && lead < 0xff && trail >= 0xa1 && trail < 0xff;
    if (!isPair) {
      const rare = rareSyllable(lead, trail);
      parts.push(decoder.decode(bytes.subarray(from, index)), rare ?? '\ufffd');
      from = index + (rare === null ? 1 : 2);
    }
    if (isPair || from === index + 2) index++;
  }
  return parts.join('') + decoder.decode(bytes.subarray(from));
}

let rareSyllables: string[] | undefined;

/** CP949 has the 8,822 syllables that KS X 1001 lacks in the order of Unicode: 178 for each lead byte, from 0xA1 on the first 84. */
function rareSyllable(lead: number, trail: number): string | null {
  const column = [0x81, 0x61, 0x41].findIndex((start) => trail >= start);
  const position = trail - ([0x4d, 0x47, 0x41][column] ?? 0);
  const isInRow = column === 0 ? trail < 0xff : trail < (column === 1 ? 0x7b : 0x5b);
  if (lead < 0x81 || column === -1 || !isInRow || (lead > 0xa0 && position >= 84)) return null;
  rareSyllables ??= syllablesBeyond(frequentSyllables());
  const row = lead <= 0xa0 ? (lead - 0x81) * 178 : 32 * 178 + (lead - 0xa1) * 84;
  return rareSyllables[row + position] ?? null;
}

function frequentSyllables(): Set<string> {
  const pairs = Array.from({ length: 25 * 94 }, (_, index) => [0xb0 + Math.floor(index / 94), 0xa1 + (index % 94)]);
  return new Set(new TextDecoder('euc-kr').decode(Uint8Array.from(pairs.flat())));
}

function syllablesBeyond(frequent: ReadonlySet<string>): string[] {
  const all = Array.from({ length: 11_172 }, (_, index) => String.fromCharCode(0xac00 + index));
  return all.filter((syllable) => !frequent.has(syllable));
}

function encodingOfMark([first, second, third]: Uint8Array): Encoding | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

/**
 * Of every fifty characters of UTF-16, a space, a line break or another one has a zero byte, always on the same side. Other texts have a few by mistake. What
 * is valid UTF-8 too is UTF-16 only if most bytes on that side are control characters, as the first bytes of letters before U+2000 are.
 */
function utf16Without(bytes: Uint8Array, isUtf8: boolean): Encoding | null {
  if (bytes.length % 2 !== 0) return null;
  const fewest = bytes.length / 100;
  const zeros = [0, 0];
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const side = even === 0 ? 1 : 0;
  if (zeros[1 - side] !== 0 || even + odd <= fewest) return null;
  const controls = bytes.filter((byte, index) => index % 2 === side && byte < 0x20).length;
  if (isUtf8 && controls * 4 <= bytes.length) return null;
  return side === 1 ? 'utf-16le' : 'utf-16be';
}

/**
 * Whether at least half of what is not ASCII are the 2,350 frequent syllables of KS X 1001. Accented letters of Windows-1252 are
 * followed by ASCII, which gives invalid or rare syllables.
 */
function isKorean(bytes: Uint8Array): boolean {
  let syllables = 0;
  let others = 0;
  for (let index = 0; index < bytes.length; index++) {
    const lead = bytes[index] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[index + 1] ?? 0;
    if (lead >= 0xb0 && lead <= 0xc8 && trail >= 0xa1) syllables++;
    else others++;
    if (lead >= 0x81 && trail >= 0x41) index++;
  }
  return syllables >= others && syllables > 0;
}

function countNonAscii(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) count++;
  return count;
}
