/** Writes one backup: the database, the images and the secrets. */
import type { Readable } from 'node:stream';
import type { Config } from '../../platform/config/index.js';
import { readSecrets } from '../../platform/config/secrets.js';
import { VERSION } from '../../platform/version.js';
import { type ImageStore, openImageStore } from '../../services/images/store.js';
import { type Contents, entryName, headerOf, once, SECRETS } from './archive.js';
import { encrypt } from './passphrase.js';
import { beginSnapshot, databaseEntries } from './snapshot.js';
import { openSource } from './source.js';
import type { TarEntry } from './tar.js';
import { archiveOf } from './write-archive.js';

export interface BackupSource {
  config: Config;
  /** Folder of the PostgreSQL programs for the data folder, if they are not found otherwise. */
  programs: string | undefined;
  /** Encrypts the secrets; null: they are left out. */
  passphrase: string | undefined | null;
  signal: AbortSignal;
  report(line: string): void;
  onProgress(contents: Contents, name: string): void;
}

/** @param write consumes the archive @returns the numbers of what the archive contains */
export async function writeBackup(
  source: BackupSource,
  write: (archive: Readable) => Promise<void>,
): Promise<Contents & { secrets: 'plain' | 'encrypted' | 'none' }> {
  const { config, programs, report, signal } = source;
  signal.throwIfAborted();
  const database = await openSource(config, programs, report);
  const contents: Contents = { rows: {}, sequences: [], jobs: 0, images: 0, bytes: 0 };
  try {
    const snapshot = await beginSnapshot(database.client);
    const secrets = await secretsOf(source);
    const header = headerOf({
      generator: `Daybook ${VERSION}`,
      createdAt: new Date().toISOString(),
      postgres: snapshot.postgres,
      migrations: snapshot.migrations,
      tables: snapshot.tables,
      secrets: secrets.state,
    });
    const images = await openImageStore(config.imageStore);
    const entries = async function* (): AsyncGenerator<TarEntry> {
      if (secrets.bytes) yield fileOf(SECRETS, secrets.bytes);
      yield* databaseEntries(database.client, snapshot, contents);
      // The rows of removed data can be vacuumed while the images are copied.
      await database.client.query('rollback');
      yield* imageEntries(images, contents, signal);
    };
    const counted = async function* (): AsyncGenerator<TarEntry> {
      for await (const entry of entries()) {
        contents.bytes += entry.size;
        source.onProgress(contents, entry.name);
        yield entry;
      }
    };
    await write(archiveOf(header, counted(), () => contents));
    return { ...contents, secrets: secrets.state };
  } finally {
    await database.close();
  }
}

async function secretsOf({ config, passphrase }: BackupSource) {
  const none = { state: 'none', bytes: undefined } as const;
  if (passphrase === null) return none;
  const secrets = await readSecrets(config.dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!secrets) return none;
  // Without the password of the embedded database, which is not restored: another one has its own.
  const bytes = Buffer.from(`${JSON.stringify({ jwtSecret: secrets.jwtSecret }, undefined, 2)}\n`);
  if (passphrase === undefined) return { state: 'plain', bytes } as const;
  return { state: 'encrypted', bytes: await encrypt(bytes, passphrase) } as const;
}

/** All files of the store, also of images that no row refers to: a table that is added later may refer to them. */
async function* imageEntries(images: ImageStore, contents: Contents, signal: AbortSignal): AsyncGenerator<TarEntry> {
  for await (const name of images.names()) {
    signal.throwIfAborted();
    const image = await images.read(name);
    // It was deleted meanwhile.
    if (!image) continue;
    contents.images++;
    yield { name: entryName('image', name), size: image.size, content: await image.open() };
  }
}

function fileOf(name: string, bytes: Buffer): TarEntry {
  return { name, size: bytes.length, content: once(bytes) };
}
