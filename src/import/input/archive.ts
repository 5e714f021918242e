/** The files of a ZIP archive, read in place: nothing is unpacked, and archives in it are not opened. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { FileError, oneLine } from '../../platform/errors.js';
import { importLimit } from '../limit.js';
import { decodeText } from './decode-text.js';
import { CHUNK_BYTES, EntryError, EntryList, type InputEntry, readRange } from './entries.js';

const MAX_ENTRY_BYTES = importLimit({
  value: 1024 * 1024 * 1024,
  unit: 'bytes',
  about: 'One file in an archive to import. A larger one is skipped.',
});

const MAX_RATIO = importLimit({
  value: 200,
  about:
    'How many times larger than its compressed form a file in an archive to import may be, beyond 1 MiB. A larger one is skipped; the import ends when all that was read is that many times larger than the archive.',
});

const MAX_TOTAL_BYTES = importLimit({
  value: 64 * 1024 * 1024 * 1024,
  unit: 'bytes',
  about: 'All that is read from an archive to import, decompressed. Then the import ends.',
});

/** Small files may be compressed by more than MAX_RATIO. */
const SMALL_BYTES = 1024 * 1024;

const STORED = 0;
const DEFLATED = 8;

/** What is used of yauzl: its types are those of an older version. */
interface Zip {
  entryCount: number;
  /** The position after the last entry that was listed. */
  readEntryCursor: number;
  eachEntry(): AsyncIterable<ZipRecord>;
  openReadStreamPromise(record: ZipPosition): Promise<Readable>;
  close(): void;
}

interface ZipPosition {
  compressedSize: number;
  uncompressedSize: number;
  compressionMethod: number;
  crc32: number;
  relativeOffsetOfLocalHeader: number;
  isEncrypted(): boolean;
}

interface ZipRecord extends ZipPosition {
  fileNameRaw: Buffer;
  extraFields: { id: number; data: Buffer }[];
  versionMadeBy: number;
  externalFileAttributes: number;
  generalPurposeBitFlag: number;
}

const { fromRandomAccessReaderPromise, getFileNameLowLevel } = yauzl as unknown as {
  fromRandomAccessReaderPromise(
    reader: yauzl.RandomAccessReader,
    size: number,
    options: { autoClose: boolean; lazyEntries: boolean; decodeStrings: boolean },
  ): Promise<Zip>;
  getFileNameLowLevel(flags: number, name: Buffer, extraFields: ZipRecord['extraFields'], strict: boolean): string;
};

/** A local header, or the end of an archive without entries (APPNOTE 4.3). */
export function isArchive(start: Buffer): boolean {
  return ['504b0304', '504b0506'].includes(start.toString('hex', 0, 4));
}

/** @throws FileError if the directory of the archive is damaged, or has too many files */
export async function listArchive(file: FileHandle): Promise<EntryList> {
  const list = new EntryList();
  try {
    const { size } = await file.stat();
    const options = { autoClose: false, lazyEntries: true, decodeStrings: false };
    const zip = await fromRandomAccessReaderPromise(new WindowReader(file), size, options);
    list.expect(zip.entryCount);
    const budget = { left: Math.min(MAX_TOTAL_BYTES, SMALL_BYTES + MAX_RATIO * size) };
    for await (const record of zip.eachEntry()) {
      list.count(record.fileNameRaw);
      addRecord(list, record, zip, budget);
    }
    await expectEnd(file, zip.readEntryCursor);
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(`it is a damaged ZIP archive: ${oneLine(error)}`);
  }
  return list;
}

/** Reads the directory 64 KiB at a time: yauzl reads each entry with two calls, which takes 0.1 ms for each of them. */
class WindowReader extends yauzl.RandomAccessReader {
  readonly #file: FileHandle;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return readRange(this.#file, start, end);
  }

  override read(target: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    this.#copy(target, offset, length, position).then(() => done(null), done);
  }

  async #copy(target: Buffer, offset: number, length: number, position: number): Promise<void> {
    if (position < this.#start || position + length > this.#start + this.#window.length) {
      const buffer = Buffer.alloc(Math.max(length, CHUNK_BYTES));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, position);
      if (bytesRead < length) throw new Error('unexpected end of the file');
      this.#window = buffer.subarray(0, bytesRead);
      this.#start = position;
    }
    this.#window.copy(target, offset, position - this.#start, position - this.#start + length);
  }
}

/** Some programs store the number of entries modulo 65,536: the others would be lost without a message. */
async function expectEnd(file: FileHandle, position: number): Promise<void> {
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, position);
  if (buffer.toString('hex') === '504b0102')
    throw new FileError('it is a damaged ZIP archive: it has more files than it declares');
}

function addRecord(list: EntryList, record: ZipRecord, zip: Zip, budget: Budget): void {
  const name = nameOf(record);
  if (/[\\/]$/.test(name)) return;
  const path = list.pathOf(name);
  if (path === null) return;
  const reason = reasonToLeaveOut(record);
  if (reason === null) list.add(new ArchiveEntry(path, record, zip, budget));
  else list.leaveOut(path, reason);
}

function reasonToLeaveOut(record: ZipRecord): string | null {
  const { compressedSize, uncompressedSize: size, compressionMethod: method } = record;
  // The upper half has the mode of the file in archives of Unix (3) and macOS (19).
  const isUnix = [3, 19].includes(record.versionMadeBy >>> 8);
  if (isUnix && ((record.externalFileAttributes >>> 16) & 0o170000) === 0o120000) return 'symbolic links';
  if (record.isEncrypted()) return 'encrypted files';
  if (method !== STORED && method !== DEFLATED) return 'files with a method of compression other than Deflate';
  if (size > MAX_ENTRY_BYTES) return `files of more than ${MAX_ENTRY_BYTES / 1024 ** 3} GiB`;
  const isBomb = size > SMALL_BYTES && size > MAX_RATIO * compressedSize;
  return isBomb ? `files that are more than ${MAX_RATIO} times larger than their compressed form` : null;
}

/** UTF-8 if it is declared; else what the bytes are: programs store names in UTF-8 or EUC-KR without declaring it. Else CP437 (APPNOTE, appendix D). */
function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: ZipRecord): string {
  const declared = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
  const isDeclared = (generalPurposeBitFlag & 0x800) !== 0 || extraFields.some(({ id }) => id === 0x7075);
  if (isDeclared) return declared;
  const { text, encoding, replaced } = decodeText(fileNameRaw);
  return replaced === 0 && (encoding === 'utf-8' || encoding === 'euc-kr') ? text : declared;
}

/** Bytes that may still be read from the archive: entries can overlap, so that the sum of their sizes has no meaning. */
interface Budget {
  left: number;
}

class ArchiveEntry implements InputEntry {
  readonly path: string;
  readonly size: number;
  /** Only what reading needs: with its names and extra fields, a record takes ten times as much memory. */
  readonly #position: ZipPosition;
  readonly #zip: Zip;
  readonly #budget: Budget;

  constructor(path: string, record: ZipRecord, zip: Zip, budget: Budget) {
    const { compressedSize, uncompressedSize, compressionMethod, crc32, relativeOffsetOfLocalHeader } = record;
    this.path = path;
    this.size = uncompressedSize;
    this.#position = {
      ...{ compressedSize, uncompressedSize, compressionMethod, crc32, relativeOffsetOfLocalHeader },
      isEncrypted: () => false,
    };
    this.#zip = zip;
    this.#budget = budget;
  }

  async open(): Promise<Readable> {
    try {
      const source = await this.#zip.openReadStreamPromise(this.#position);
      return Readable.from(this.#checked(source), { objectMode: false });
    } catch (error) {
      throw damaged(error);
    }
  }

  /** yauzl ends the stream with an error when it becomes longer than the declared size. */
  async *#checked(source: Readable): AsyncGenerator<Buffer> {
    let sum = 0;
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        sum = crc32(chunk, sum);
        this.#budget.left -= chunk.length;
        if (this.#budget.left < 0) throw new FileError('its files are too large for their compressed form');
        yield chunk;
      }
    } catch (error) {
      throw error instanceof FileError ? error : damaged(error);
    }
    if (sum !== this.#position.crc32) throw damaged(new Error('its checksum is wrong'));
  }
}

function damaged(error: unknown): EntryError {
  return new EntryError(`it is damaged in the archive: ${oneLine(error)}`, { cause: error });
}
