/**
 * The archive of a backup: a tar file, compressed with gzip. `backup.json` is its first file, so that a restore can check it before
 * it reads the rows, and `manifest.json` its last one, so that a truncated archive is detected. docs/decisions/backup.md describes it.
 */

import type { Hash } from 'node:crypto';
import { FileError } from '../../platform/errors.js';
import { parseObject } from '../../platform/text.js';

export interface Header {
  format: typeof FORMAT;
  /** Such as `Daybook 1.0.0`. */
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

interface Table {
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
export const HEADER = 'backup.json';
export const MANIFEST = 'manifest.json';
export const SECRETS = 'secrets.json';

/** Bounds the memory for checksums. */
export const CHECKSUMS_PER_FILE = 10_000;
export type EntryKind = 'rows' | 'jobs' | 'image' | 'secrets';

/** @param subject the table of rows, or the name of an image @param part the number of a part of rows or jobs, from 1 */
export function entryName(kind: EntryKind, subject: string, part = 0): string {
  const number = String(part).padStart(6, '0');
  const names = {
    rows: `tables/${subject}/${number}.copy`,
    jobs: `jobs/${number}.copy`,
    image: `images/${subject}`,
    secrets: SECRETS,
  };
  return names[kind];
}

export function headerOf(values: Omit<Header, 'format'>): Header {
  return { format: FORMAT, ...values };
}

/** A line in the format of `sha256sum`. */
export function checksumLine(hash: Hash, name: string): string {
  return `${hash.digest('hex')}  ${name}\n`;
}

export async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

export async function readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

/** @throws FileError */
export function parseHeader(bytes: Buffer): Header {
  const header = parseObject(bytes.toString());
  const { format, generator, createdAt, postgres, migrations, tables, secrets } = header;
  if (typeof format === 'number' && format > FORMAT)
    throw new FileError(`a later version of Daybook wrote it (${String(generator).slice(0, 60)}, format ${format})`);
  const isValid =
    format === FORMAT &&
    [generator, createdAt, postgres].every((text) => typeof text === 'string') &&
    isListOf(migrations, (name) => typeof name === 'string') &&
    isListOf(tables, (table) => {
      const { name, columns } = Object(table) as Record<string, unknown>;
      return typeof name === 'string' && isListOf(columns, (column) => typeof column === 'string');
    }) &&
    ['plain', 'encrypted', 'none'].includes(secrets as string);
  if (!isValid) throw new FileError(`its ${HEADER} is invalid`);
  return header as unknown as Header;
}

/** @throws FileError */
export function parseManifest(bytes: Buffer, header: Header): Manifest {
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
  if (!isValid) throw new FileError(`its ${MANIFEST} is invalid`);
  return manifest as unknown as Manifest;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
