/**
 * Tar archives of regular files (POSIX ustar), written and read as streams. Only what backups need: names of up to 100 ASCII
 * characters, and no links, folders, devices or extended headers, which the reader rejects.
 */
import { FileError } from '../../platform/errors.js';

const BLOCK_BYTES = 512;
/** Eleven octal digits. */
const MAX_SIZE_BYTES = 0o77777777777;

export interface TarEntry {
  name: string;
  /** Bytes. */
  size: number;
  /** Read before the next entry; the rest of it is skipped. */
  content: AsyncIterable<Buffer>;
}

export function tarHeader(name: string, size: number, modifiedAt: Date): Buffer {
  if (!NAME.test(name) || size > MAX_SIZE_BYTES)
    throw new TypeError(`An archive cannot contain ${name} (${size} bytes)`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${octal(size, 11)}\0`, 124);
  header.write(`${octal(Math.floor(modifiedAt.getTime() / 1000), 11)}\0`, 136);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  header.write(`${octal(sumOf(header), 6)}\0 `, 148);
  return header;
}

/** Zero bytes after the content of an entry. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}

export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES);

/** @throws FileError also if the stream ends before the end of the archive, or continues after it */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source);
  for (;;) {
    const header = await bytes.take(BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) break;
    const { name, size } = parseHeader(header);
    const end = bytes.position + size;
    yield { name, size, content: bytes.until(end) };
    for await (const _ of bytes.until(end + tarPadding(size).length));
  }
  if ((await bytes.take(BLOCK_BYTES)).some((byte) => byte !== 0)) throw new FileError('its end mark is invalid');
  if (!(await bytes.isAtEnd())) throw new FileError('it continues after its end');
}

const NAME = /^[\w.-]+(?:\/[\w.-]+)*$/;

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (from: number, length: number) => header.toString('latin1', from, from + length).replace(/\0.*$/s, '');
  const name = text(0, 100);
  const [size, sum] = [text(124, 12), text(148, 8).trim()].map((digits) =>
    /^[0-7]{6,11}$/.test(digits) ? Number.parseInt(digits, 8) : -1,
  );
  header.fill(' ', 148, 156);
  if (sum !== sumOf(header)) throw new FileError('the checksum of a file header is wrong');
  const type = text(156, 1);
  const isFile = type === '0' && text(257, 5) === 'ustar' && text(345, 155) === '';
  if (isFile && size !== undefined && size >= 0 && NAME.test(name) && !name.includes('..')) return { name, size };
  throw new FileError(`it contains ${JSON.stringify(name)}, which is not a file of a backup`);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function sumOf(header: Buffer): number {
  return header.reduce((sum, byte) => sum + byte, 0);
}

class ByteReader {
  /** Number of bytes that have been read. */
  position = 0;
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** @param end a position, in bytes from the start */
  async *until(end: number): AsyncGenerator<Buffer> {
    while (this.position < end) {
      if (await this.isAtEnd()) throw new FileError('it is incomplete');
      const part = this.#rest.subarray(0, end - this.position);
      this.#rest = this.#rest.subarray(part.length);
      this.position += part.length;
      yield part;
    }
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.until(this.position + count)) parts.push(part);
    return Buffer.concat(parts);
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next();
      if (done) return true;
      this.#rest = value;
    }
    return false;
  }
}
