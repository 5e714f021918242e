/** Reads an archive to its end, which compares all checksums and counts, and describes what it contains. */
import type { Readable } from 'node:stream';
import { FileError, OperatorError } from '../../platform/errors.js';
import { parseObject } from '../../platform/text.js';
import { quantity } from '../terminal.js';
import { type Contents, type Header, type Manifest, readAll } from './archive.js';
import { decrypt } from './passphrase.js';
import { type ArchiveEntry, openArchive } from './read-archive.js';

export interface VerifyOptions {
  /** Also decrypts the secrets. */
  passphrase?: string | undefined;
  signal: AbortSignal;
  onProgress?: (bytes: number) => void;
}

/** @throws FileError or OperatorError */
export async function verifyArchive(source: Readable, options: VerifyOptions): Promise<Manifest> {
  const { passphrase, signal, onProgress = () => {} } = options;
  const archive = await openArchive(source);
  let bytes = 0;
  try {
    for await (const entry of archive.entries) {
      signal.throwIfAborted();
      bytes += entry.size;
      onProgress(bytes);
      if (entry.kind === 'secrets') await readSecret(entry, archive.header, passphrase);
    }
  } finally {
    source.destroy();
  }
  return archive.manifest();
}

/** @returns the secret of access tokens; undefined if it is encrypted and there is no passphrase. @throws FileError or OperatorError */
export async function readSecret(
  { size, content }: ArchiveEntry,
  { secrets }: Header,
  passphrase: string | undefined,
): Promise<string | undefined> {
  if (size > MAX_SECRETS_BYTES) throw new FileError(`its secrets have ${size} bytes`);
  if (secrets === 'encrypted' && passphrase === undefined) return undefined;
  const stored = await readAll(content);
  const plain = secrets === 'encrypted' ? await decrypt(stored, passphrase ?? '') : stored;
  const { jwtSecret } = parseObject(plain.toString());
  if (typeof jwtSecret !== 'string') throw new FileError('its secrets are damaged');
  return jwtSecret;
}

const MAX_SECRETS_BYTES = 64 * 1024;

/** Such as `8 members, 40 articles, 150 comments and 12 images`. */
export function describeContents({ rows, images }: Pick<Contents, 'rows' | 'images'>): string {
  // Backups of versions without private articles have the table `articles`.
  const { members = 0, articles = 0, all_articles = articles, comments = 0 } = rows;
  const texts = [quantity(members, 'member'), quantity(all_articles, 'article'), quantity(comments, 'comment')];
  return `${texts.join(', ')} and ${quantity(images, 'image file')}`;
}

export function toOperatorError(error: unknown, file: string): unknown {
  return error instanceof FileError ? new OperatorError(`${file} cannot be used: ${error.message}`) : error;
}
