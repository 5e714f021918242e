/** The files of an input by their paths, with the limits that folders and archives share. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { FileError } from '../../platform/errors.js';
import { importLimit } from '../limit.js';

/** A file of the input. */
export interface InputEntry {
  /** Relative, with `/` between the names, in NFC, without `.` and `..`. */
  readonly path: string;
  /** Bytes. Reading never yields more. */
  readonly size: number;
  /** @throws EntryError here or as an error of the stream; FileError if the input as a whole cannot be read on */
  open(): Promise<Readable>;
}

/** One file of the input cannot be read; the others can. The message is a clause with "it" for the file. */
export class EntryError extends Error {
  override readonly name = 'EntryError';
}

/** A file, folder or link that is not an entry. */
export interface LeftOut {
  path: string;
  /** In the plural, for the report: "symbolic links". */
  reason: string;
  /** Default: 1. */
  count?: number;
}

const MAX_ENTRIES = importLimit({
  value: 200_000,
  about: 'Files in a folder or an archive to import. One with more is rejected.',
});

const MAX_PATHS_LENGTH = importLimit({
  value: 32 * 1024 * 1024,
  unit: 'characters',
  about: 'All paths in a folder or an archive to import. One with longer paths is rejected.',
});

const MAX_PATH_LENGTH = importLimit({
  value: 1024,
  unit: 'characters',
  about: 'One path in a folder or an archive to import. The file is skipped.',
});

const OF_TOOLS = new Set(['.git', 'node_modules', '__MACOSX', '.DS_Store', 'Thumbs.db', 'desktop.ini']);

/** Collects the entries of a folder or an archive. */
export class EntryList {
  readonly leftOut: LeftOut[] = [];
  readonly #entries = new Map<string, InputEntry>();
  readonly #ofTools = new Set<string>();
  #count = 0;
  #length = 0;

  /** Called for each name before anything else is stored of it. @throws FileError if there are too many */
  count(name: { length: number }): void {
    this.#count++;
    this.#length += name.length;
    this.expect(this.#count);
    if (this.#length > MAX_PATHS_LENGTH)
      throw new FileError(`its paths have more than ${MAX_PATHS_LENGTH.toLocaleString('en')} characters`);
  }

  /** @throws FileError if a declared number of files is too large */
  expect(count: number): void {
    if (count > MAX_ENTRIES) throw new FileError(`it has more than ${MAX_ENTRIES.toLocaleString('en')} files`);
  }

  leaveOut(path: string, reason: string): void {
    this.leftOut.push({ path: path.slice(0, MAX_PATH_LENGTH), reason });
  }

  /** @returns the path of an entry with this name; null if it is left out, which is noted */
  pathOf(name: string): string | null {
    const path = toPath(name);
    if (path === null) this.leaveOut(name, 'files with a path that leads out of the folder or is invalid');
    else if (path.length > MAX_PATH_LENGTH) this.leaveOut(path, `paths of more than ${MAX_PATH_LENGTH} characters`);
    else if (!this.#isOfTools(path)) return path;
    return null;
  }

  add(entry: InputEntry): void {
    if (this.#entries.has(entry.path)) this.leaveOut(entry.path, 'further files with the same path');
    else this.#entries.set(entry.path, entry);
  }

  /** By path, in an order that does not depend on the file system or the archive. */
  sorted(): ReadonlyMap<string, InputEntry> {
    return new Map([...this.#entries].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Noted once for each folder. */
  #isOfTools(path: string): boolean {
    const names = path.split('/');
    const index = names.findIndex((name) => OF_TOOLS.has(name));
    if (index === -1) return false;
    const folder = names.slice(0, index + 1).join('/');
    if (!this.#ofTools.has(folder)) this.leaveOut(folder, 'files of the operating system and of tools');
    this.#ofTools.add(folder);
    return true;
  }
}

/** Names in archives can be anything. @returns null for a path that is absolute, leads upwards or has control characters */
export function toPath(name: string): string | null {
  const slashed = name.replaceAll('\\', '/');
  if (slashed.startsWith('/') || /^[a-z]:/i.test(slashed) || /\p{Cc}/u.test(slashed)) return null;
  const names = slashed.split('/').filter((part) => part !== '' && part !== '.');
  return names.length === 0 || names.includes('..') ? null : names.join('/').normalize('NFC');
}

export const CHUNK_BYTES = 64 * 1024;

/** The bytes from `start` until before `end`, or until the end of the file. The file stays open. */
export function readRange(file: FileHandle, start: number, end: number): Readable {
  return Readable.from(chunks(file, start, end), { objectMode: false });
}

async function* chunks(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const length = Math.min(CHUNK_BYTES, end - position);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
