/** The files of a folder. Symbolic links are not followed, so that nothing outside of the folder is read. */
import { constants } from 'node:fs';
import { lstat, open, opendir, realpath } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { decodeText } from './decode-text.js';
import { EntryError, EntryList, type InputEntry } from './entries.js';

const SEPARATOR = Buffer.from('/');

/** @throws FileError if it has too many files */
export async function listFolder(path: string): Promise<EntryList> {
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
