/**
 * The archive of a backup: a tar file, compressed with gzip. `backup.json` is its first file, so that a restore can check it before
 * it reads the rows, and `manifest.json` its last one, so that a truncated archive is detected. docs/decisions/backup.md describes it.
 */
import { createHash, type Hash } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { parseObject } from '../../text.js';
import { ArchiveError, readTar, TAR_END, type TarEntry, tarHeader, tarPadding } from './tar.js';

export interface Header {
  format: typeof FORMAT;
  /** Such as `Daybook 0.1.0`. */
  generator: string;
  /** ISO 8601. */
  createdAt: string;
  /** Version of the PostgreSQL server. */
  postgres: string;
  /** Names of the applied migrations, in order. */
  migrations: string[];
  tables: Table[];
  secrets: 'plain' | 'encrypted' | 'none';
}

export interface Table {
  name: string;
  /** Without generated columns. */
  columns: string[];
}

export interface Contents {
  /** Number of rows by table. */
  rows: Record<string, number>;
  sequences: { name: string; value: string; isCalled: boolean }[];
  /** Number of waiting and failed jobs. */
  jobs: number;
  /** Number of image files. */
  images: number;
  /** Total size of the files in bytes, without compression. */
  bytes: number;
}

export interface Manifest extends Header, Contents {
  /** SHA-256 of each file in `checksums`, which list the SHA-256 of all other files. */
  checksums: Record<string, string>;
}

/** Incremented when an earlier version could not read the archive. */
const FORMAT = 1;
const HEADER = 'backup.json';
const MANIFEST = 'manifest.json';
export const SECRETS = 'secrets.json';

/** The header and the manifest grow with the number of tables and with the number of checksum files. */
const MAX_METADATA_BYTES = 16 * 1024 * 1024;
/** Images are written from memory. An upload has at most 10 MB; its WebP version may be larger. */
const MAX_IMAGE_BYTES = 128 * 1024 * 1024;
/** Bounds the memory for checksums. */
const CHECKSUMS_PER_FILE = 10_000;
/** Faster than the default level (6) by a factor of two, for files that are 10 % larger. */
const GZIP_LEVEL = 3;

export type EntryKind = 'rows' | 'jobs' | 'image' | 'secrets';

/** @param place the table of rows, or the name of an image @param part the number of a part of rows or jobs, from 1 */
export function entryName(kind: EntryKind, place: string, part = 0): string {
  const number = String(part).padStart(6, '0');
  const names = {
    rows: `tables/${place}/${number}.copy`,
    jobs: `jobs/${number}.copy`,
    image: `images/${place}`,
    secrets: SECRETS,
  };
  return names[kind];
}

const ENTRY_NAMES: readonly [EntryKind, RegExp][] = [
  ['rows', /^tables\/([^/]+)\/\d{6,}\.copy$/],
  ['jobs', /^jobs\/\d{6,}\.copy$/],
  ['image', /^images\/([^/]+)$/],
  ['secrets', /^secrets\.json$/],
];

export function headerOf(values: Omit<Header, 'format'>): Header {
  return { format: FORMAT, ...values };
}

/** @param contents called after the last entry @returns the bytes of the file */
export function archiveOf(header: Header, entries: AsyncIterable<TarEntry>, contents: () => Contents): Readable {
  const gzip = createGzip({ level: GZIP_LEVEL });
  return pipeline(tarOf(header, entries, contents), gzip, () => {});
}

async function* tarOf(header: Header, entries: AsyncIterable<TarEntry>, contents: () => Contents) {
  const writer = new ChecksumWriter(new Date(header.createdAt));
  yield* writer.file(HEADER, header);
  for await (const entry of entries) {
    yield* writer.entry(entry);
    if (writer.lines.length === CHECKSUMS_PER_FILE) yield* writer.writeLines();
  }
  yield* writer.writeLines();
  const manifest: Manifest = { ...header, ...contents(), checksums: writer.checksums };
  yield* writer.file(MANIFEST, manifest);
  yield TAR_END;
}

class ChecksumWriter {
  /** Checksums that are in no file yet. */
  lines: string[] = [];
  readonly checksums: Record<string, string> = {};
  readonly #time: Date;

  constructor(time: Date) {
    this.#time = time;
  }

  file(name: string, value: object): AsyncGenerator<Buffer> {
    return this.#bytes(name, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`));
  }

  async *entry({ name, size, content }: TarEntry): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    yield tarHeader(name, size, this.#time);
    let written = 0;
    for await (const part of content) {
      hash.update(part);
      written += part.length;
      yield part;
    }
    if (written !== size) throw new Error(`${name} has ${written} bytes instead of ${size}`);
    yield tarPadding(size);
    this.lines.push(lineOf(hash, name));
  }

  /** In the format of `sha256sum`. */
  async *writeLines(): AsyncGenerator<Buffer> {
    if (this.lines.length === 0) return;
    const bytes = Buffer.from(this.lines.join(''));
    this.lines = [];
    const name = `checksums/${String(Object.keys(this.checksums).length + 1).padStart(6, '0')}.txt`;
    this.checksums[name] = createHash('sha256').update(bytes).digest('hex');
    yield* this.#bytes(name, bytes);
    this.lines = [];
  }

  #bytes(name: string, bytes: Buffer): AsyncGenerator<Buffer> {
    return this.entry({ name, size: bytes.length, content: once(bytes) });
  }
}

export async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function lineOf(hash: Hash, name: string): string {
  return `${hash.digest('hex')}  ${name}\n`;
}

export interface ArchiveEntry {
  kind: EntryKind;
  /** The table of rows, or the name of an image. */
  place: string;
  size: number;
  content: AsyncIterable<Buffer>;
}

export interface Archive {
  header: Header;
  /**
   * All entries in order; the content of each is read before the next one. Ends only after all checksums and counts have been
   * compared. @throws ArchiveError
   */
  entries: AsyncGenerator<ArchiveEntry>;
  /** Available after the last entry. */
  manifest(): Manifest;
}

/** @param source the bytes of the file @throws ArchiveError */
export async function openArchive(source: Readable): Promise<Archive> {
  const files = readTar(gunzipped(source));
  const pending: string[] = [];
  const first = await files.next();
  if (first.done || first.value.name !== HEADER) throw new ArchiveError('it is not a backup of Daybook');
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
    if (message === 'incorrect header check') throw new ArchiveError('it is not a backup of Daybook');
    throw new ArchiveError(code === 'Z_BUF_ERROR' ? 'it is incomplete' : 'its compressed data is damaged');
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
    if (manifest) throw new ArchiveError('it continues after its manifest');
    if (file.name.startsWith('checksums/')) {
      const bytes = await readFile(file);
      if (bytes.toString() !== pending.join('')) throw new ArchiveError('its content does not match its checksums');
      checksums[file.name] = createHash('sha256').update(bytes).digest('hex');
      pending.length = 0;
    } else if (file.name === MANIFEST) {
      manifest = parseManifest(await readFile(file), header);
    } else {
      if (pending.length === CHECKSUMS_PER_FILE) throw new ArchiveError('it lacks checksums');
      const { kind, place } = identify(file, header);
      let lines = 0;
      const { content } = checked(file, pending, (bytes) => {
        if (kind === 'rows' || kind === 'jobs') lines += countLines(bytes);
      });
      yield { kind, place, size: file.size, content };
      for await (const _ of content);
      if (kind === 'rows') counts.rows.set(place, (counts.rows.get(place) ?? 0) + lines);
      if (kind === 'jobs') counts.jobs += lines;
      if (kind === 'image') counts.images++;
    }
  }
  if (!manifest) throw new ArchiveError('it is incomplete: its manifest is missing');
  if (pending.length > 0 || JSON.stringify(checksums) !== JSON.stringify(manifest.checksums))
    throw new ArchiveError('its checksums do not match its manifest');
  const { rows, jobs, images } = manifest;
  const isComplete = header.tables.every(({ name }) => (counts.rows.get(name) ?? 0) === rows[name]);
  if (!isComplete || counts.jobs !== jobs || counts.images !== images)
    throw new ArchiveError('its content does not match the counts in its manifest');
  end(manifest);
}

function identify({ name, size }: TarEntry, { tables }: Header): { kind: EntryKind; place: string } {
  for (const [kind, pattern] of ENTRY_NAMES) {
    const match = pattern.exec(name);
    if (!match) continue;
    const place = match[1] ?? '';
    if (kind === 'rows' && !tables.some((table) => table.name === place)) break;
    if (kind === 'image' && size > MAX_IMAGE_BYTES) throw new ArchiveError(`${name} has ${size} bytes`);
    return { kind, place };
  }
  throw new ArchiveError(`it contains ${JSON.stringify(name)}, which is not a file of a backup`);
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
      sums.push(lineOf(hash, name));
    }
  }
  return { name, size, content: { [Symbol.asyncIterator]: read } };
}

/** @throws ArchiveError if it is larger than metadata can be */
async function readFile({ name, size, content }: TarEntry): Promise<Buffer> {
  if (size > MAX_METADATA_BYTES) throw new ArchiveError(`${name} has ${size} bytes`);
  return readAll(content);
}

export async function readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

function parseHeader(bytes: Buffer): Header {
  const header = parseObject(bytes.toString());
  const { format, generator, createdAt, postgres, migrations, tables, secrets } = header;
  if (typeof format === 'number' && format > FORMAT)
    throw new ArchiveError(`a later version of Daybook wrote it (${String(generator).slice(0, 60)}, format ${format})`);
  const isValid =
    format === FORMAT &&
    [generator, createdAt, postgres].every((text) => typeof text === 'string') &&
    isListOf(migrations, (name) => typeof name === 'string') &&
    isListOf(tables, (table) => {
      const { name, columns } = Object(table) as Record<string, unknown>;
      return typeof name === 'string' && isListOf(columns, (column) => typeof column === 'string');
    }) &&
    ['plain', 'encrypted', 'none'].includes(secrets as string);
  if (!isValid) throw new ArchiveError(`its ${HEADER} is invalid`);
  return header as unknown as Header;
}

function parseManifest(bytes: Buffer, header: Header): Manifest {
  const manifest = parseObject(bytes.toString());
  const { rows, sequences, checksums } = manifest;
  const isSame = Object.entries(header).every(
    ([name, value]) => JSON.stringify(manifest[name]) === JSON.stringify(value),
  );
  const isValid =
    isSame &&
    Object(rows) === rows &&
    Object(checksums) === checksums &&
    isListOf(sequences, (sequence) => {
      const { name, value, isCalled } = Object(sequence) as Record<string, unknown>;
      return typeof name === 'string' && /^-?\d{1,19}$/.test(String(value)) && typeof isCalled === 'boolean';
    });
  if (!isValid) throw new ArchiveError(`its ${MANIFEST} is invalid`);
  return manifest as unknown as Manifest;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
