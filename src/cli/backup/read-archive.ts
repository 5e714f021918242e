/** Reads the archive of a backup as a stream, and verifies it meanwhile. */
import { createHash } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FileError } from '../../platform/errors.js';
import {
  CHECKSUMS_PER_FILE,
  checksumLine,
  type EntryKind,
  HEADER,
  type Header,
  MANIFEST,
  type Manifest,
  parseHeader,
  parseManifest,
  readAll,
} from './archive.js';
import { readTar, type TarEntry } from './tar.js';

/** The header and the manifest grow with the number of tables and with the number of checksum files. */
const MAX_METADATA_BYTES = 16 * 1024 * 1024;
/** Images are written from memory. The WebP version of an upload may be larger than the upload. */
const MAX_IMAGE_BYTES = 128 * 1024 * 1024;
export interface ArchiveEntry {
  kind: EntryKind;
  /** The table of rows, or the name of an image. */
  subject: string;
  size: number;
  content: AsyncIterable<Buffer>;
}

export interface Archive {
  header: Header;
  /**
   * All entries in order; the content of each is read before the next one. Ends only after all checksums and counts have been
   * compared. @throws FileError
   */
  entries: AsyncGenerator<ArchiveEntry>;
  /** Available after the last entry. */
  manifest(): Manifest;
}

/** @param source the bytes of the file @throws FileError */
export async function openArchive(source: Readable): Promise<Archive> {
  const files = readTar(gunzipped(source));
  const pending: string[] = [];
  const first = await files.next();
  if (first.done || first.value.name !== HEADER) throw new FileError('it is not a backup of Daybook');
  const header = parseHeader(await readFile(checked(first.value, pending)));
  let manifest: Manifest | undefined;
  return {
    header,
    entries: readEntries(files, header, pending, (found) => {
      manifest = found;
    }),
    manifest: () => {
      if (!manifest) throw new Error('The archive has not been read to its end');
      return manifest;
    },
  };
}

async function* gunzipped(source: Readable): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(source, createGunzip(), () => {});
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('Z_')) throw error;
    if (message === 'incorrect header check') throw new FileError('it is not a backup of Daybook');
    throw new FileError(code === 'Z_BUF_ERROR' ? 'it is incomplete' : 'its compressed data is damaged');
  }
}

async function* readEntries(
  files: AsyncGenerator<TarEntry>,
  header: Header,
  pending: string[],
  end: (manifest: Manifest) => void,
): AsyncGenerator<ArchiveEntry> {
  const counts = { rows: new Map<string, number>(), jobs: 0, images: 0 };
  const checksums: Record<string, string> = {};
  let manifest: Manifest | undefined;
  for await (const file of files) {
    if (manifest) throw new FileError('it continues after its manifest');
    if (file.name.startsWith('checksums/')) {
      const bytes = await readFile(file);
      if (bytes.toString() !== pending.join('')) throw new FileError('its content does not match its checksums');
      checksums[file.name] = createHash('sha256').update(bytes).digest('hex');
      pending.length = 0;
    } else if (file.name === MANIFEST) {
      manifest = parseManifest(await readFile(file), header);
    } else {
      if (pending.length === CHECKSUMS_PER_FILE) throw new FileError('it lacks checksums');
      const { kind, subject } = identify(file, header);
      let lines = 0;
      const { content } = checked(file, pending, (bytes) => {
        if (kind === 'rows' || kind === 'jobs') lines += countLines(bytes);
      });
      yield { kind, subject, size: file.size, content };
      for await (const _ of content);
      if (kind === 'rows') counts.rows.set(subject, (counts.rows.get(subject) ?? 0) + lines);
      if (kind === 'jobs') counts.jobs += lines;
      if (kind === 'image') counts.images++;
    }
  }
  if (!manifest) throw new FileError('it is incomplete: its manifest is missing');
  if (pending.length > 0 || JSON.stringify(checksums) !== JSON.stringify(manifest.checksums))
    throw new FileError('its checksums do not match its manifest');
  const { rows, jobs, images } = manifest;
  const isComplete = header.tables.every(({ name }) => (counts.rows.get(name) ?? 0) === rows[name]);
  if (!isComplete || counts.jobs !== jobs || counts.images !== images)
    throw new FileError('its content does not match the counts in its manifest');
  end(manifest);
}

const ENTRY_NAMES: readonly [EntryKind, RegExp][] = [
  ['rows', /^tables\/([^/]+)\/\d{6,}\.copy$/],
  ['jobs', /^jobs\/\d{6,}\.copy$/],
  ['image', /^images\/([^/]+)$/],
  ['secrets', /^secrets\.json$/],
];

function identify({ name, size }: TarEntry, { tables }: Header): { kind: EntryKind; subject: string } {
  for (const [kind, pattern] of ENTRY_NAMES) {
    const match = pattern.exec(name);
    if (!match) continue;
    const subject = match[1] ?? '';
    if (kind === 'rows' && !tables.some((table) => table.name === subject)) break;
    if (kind === 'image' && size > MAX_IMAGE_BYTES) throw new FileError(`${name} has ${size} bytes`);
    return { kind, subject };
  }
  throw new FileError(`it contains ${JSON.stringify(name)}, which is not a file of a backup`);
}

/** Hashes the content while it is read, and adds a line to `sums` at its end. Can be iterated again, for the rest of the content. */
function checked(
  { name, size, content }: TarEntry,
  sums: string[],
  inspect: (bytes: Buffer) => void = () => {},
): TarEntry {
  const hash = createHash('sha256');
  let rest = size;
  const source = content[Symbol.asyncIterator]();
  async function* read() {
    while (rest > 0) {
      const { done, value } = await source.next();
      if (done) return;
      hash.update(value);
      inspect(value);
      rest -= value.length;
      yield value;
    }
    if (rest === 0) {
      rest = -1;
      sums.push(checksumLine(hash, name));
    }
  }
  return { name, size, content: { [Symbol.asyncIterator]: read } };
}

/** @throws FileError if it is larger than metadata can be */
async function readFile({ name, size, content }: TarEntry): Promise<Buffer> {
  if (size > MAX_METADATA_BYTES) throw new FileError(`${name} has ${size} bytes`);
  return readAll(content);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}
