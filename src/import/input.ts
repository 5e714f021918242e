/** What is imported: one file, a folder or a ZIP archive, as files with paths. Nothing of it is trusted. */
import { constants } from 'node:fs';
import { lstat, open, opendir, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { FileError } from '../platform/errors.js';
import { isArchive, listArchive } from './input/archive.js';
import { type DecodedText, decodeText } from './input/decode-text.js';
import { EntryError, EntryList, type InputEntry, type LeftOut, readRange, toPath } from './input/entries.js';
import { importLimit } from './limit.js';

export const MAX_TEXT_BYTES = importLimit({
  value: 16 * 1024 * 1024,
  unit: 'bytes',
  about: 'A text file in a folder or an archive to import. A larger one is skipped.',
});

export interface Input {
  /** `file` has one entry, whose path is its name. */
  readonly kind: 'file' | 'folder' | 'archive';
  /** Links, unsafe paths and other files that are not entries: for the report. */
  readonly leftOut: readonly LeftOut[];
  /** In the order of their paths. */
  entries(): Iterable<InputEntry>;
  /** @param path may have `./` in it, and be in NFD */
  find(path: string): InputEntry | null;
  close(): Promise<void>;
}

/** @throws FileError if it cannot be read, is a damaged archive, or has too many files */
export async function openInput(path: string): Promise<Input> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) {
      const list = await listFolder(path);
      return inputOf('folder', list.sorted(), list.leftOut, async () => {});
    }
    // Before it is opened: a named pipe without a writer would block.
    if (!stats.isFile()) throw new FileError('it is neither a file nor a folder');
    return await openFile(path);
  } catch (error) {
    throw unreadable(error);
  }
}

async function openFile(path: string): Promise<Input> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const close = () => file.close();
    if (isArchive(buffer.subarray(0, bytesRead))) {
      const list = await listArchive(file);
      return inputOf('archive', list.sorted(), list.leftOut, close);
    }
    const name = toPath(basename(path)) ?? 'file';
    const entry = { path: name, size, open: async () => readRange(file, 0, size) };
    return inputOf('file', new Map([[name, entry]]), [], close);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function inputOf(
  kind: Input['kind'],
  entries: ReadonlyMap<string, InputEntry>,
  leftOut: readonly LeftOut[],
  close: () => Promise<void>,
): Input {
  const find = (path: string) => entries.get(toPath(path) ?? '') ?? null;
  return { kind, leftOut, entries: () => entries.values(), find, close };
}

function unreadable(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new FileError('it does not exist', { cause: error });
  if (code === 'EACCES' || code === 'EPERM') return new FileError('permission denied', { cause: error });
  return error;
}

/** The content of a small file. @throws EntryError if it is larger than `maxBytes`, which are read at most */
export async function readBytes(entry: InputEntry, maxBytes: number): Promise<Buffer> {
  const tooLarge = new EntryError(`it has more than ${maxBytes.toLocaleString('en')} bytes`);
  if (entry.size > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of (await entry.open()) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const BEGINNING_BYTES = 4096;

/** In any encoding: characters of UTF-16 have bytes that are 0, which are left out. */
export async function beginningOf(entry: InputEntry): Promise<string> {
  for await (const chunk of (await entry.open()) as AsyncIterable<Buffer>)
    return chunk.toString('latin1', 0, BEGINNING_BYTES).replaceAll('\0', '');
  return '';
}

/** A text in any of the encodings that `decodeText` recognizes. @throws EntryError if it is too large or cannot be read */
export async function readText(entry: InputEntry): Promise<DecodedText> {
  return decodeText(await readBytes(entry, MAX_TEXT_BYTES));
}

const SEPARATOR = Buffer.from('/');

/** @throws FileError if it has too many files */
async function listFolder(path: string): Promise<EntryList> {
  const list = new EntryList();
  const root = await realpath(path);
  const folders = [{ location: Buffer.from(root), path: '' }];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for await (const { name } of await opendir(folder.location, { encoding: 'buffer' as BufferEncoding })) {
      // Names are bytes: on most file systems they can be in any encoding, or in NFD.
      const bytes = name as unknown as Buffer;
      const location = Buffer.concat([folder.location, SEPARATOR, bytes]);
      list.count(bytes);
      const entryPath = list.pathOf(folder.path + decodeText(bytes).text);
      if (entryPath === null) continue;
      const stats = await lstat(location);
      if (stats.isDirectory()) folders.push({ location, path: `${entryPath}/` });
      else if (stats.isFile()) list.add(new FileEntry(entryPath, stats.size, location));
      else list.leaveOut(entryPath, stats.isSymbolicLink() ? 'symbolic links' : 'devices, pipes and sockets');
    }
  }
  return list;
}

class FileEntry implements InputEntry {
  readonly path: string;
  readonly size: number;
  readonly #location: Buffer;

  constructor(path: string, size: number, location: Buffer) {
    this.path = path;
    this.size = size;
    this.#location = location;
  }

  /** Checks again that nothing is a link, since the file or one of its folders may have been replaced by one since it was listed. */
  async open(): Promise<Readable> {
    try {
      const folder = this.#location.subarray(0, this.#location.lastIndexOf(SEPARATOR));
      if (!folder.equals(await realpath(folder, { encoding: 'buffer' })))
        throw new EntryError('its folder was replaced by a link');
      // Without O_NONBLOCK, a pipe in place of the file would block.
      const file = await open(this.#location, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      return file.createReadStream({ end: Math.max(0, this.size - 1) });
    } catch (error) {
      if (error instanceof EntryError) throw error;
      throw new EntryError(`it cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
    }
  }
}
