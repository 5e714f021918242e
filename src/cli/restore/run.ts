/** Runs `daybook restore`: verifies an archive, and loads it into an empty database, the image store and the secrets. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import pg from 'pg';
import { type Config, loadConfig } from '../../platform/config/index.js';
import { loadSecrets, replaceJwtSecret } from '../../platform/config/secrets.js';
import { FileError, OperatorError } from '../../platform/errors.js';
import type { ImageRestore } from '../../services/images/restore.js';
import { IMAGE_NAME, openImageStore } from '../../services/images/store.js';
import { type Manifest, readAll } from '../backup/archive.js';
import { readPassphrase } from '../backup/passphrase.js';
import { type Archive, openArchive } from '../backup/read-archive.js';
import { describeContents, readSecret, toOperatorError, verifyArchive } from '../backup/verify.js';
import { DONE } from '../subcommand.js';
import { ProgressLine, quantity, type Terminal } from '../terminal.js';
import { DatabaseLoad, requireKnownMigrations } from './load.js';
import { openTarget } from './target.js';

export interface RestoreOptions {
  verify?: boolean;
  passphraseFile?: string;
  withoutSecrets?: boolean;
  keepSchedules?: boolean;
}

/** @param file `-` for standard input */
export async function runRestore(file: string, options: RestoreOptions, terminal: Terminal): Promise<number> {
  const { env, stdout, stderr } = terminal;
  const config = loadConfig(env);
  const passphrase = options.withoutSecrets
    ? undefined
    : await readPassphrase(options.passphraseFile, config.backupPassphrase);
  const signal = terminal.listenForStop();
  const progress = new ProgressLine(stderr);
  const show = (what: string) => (bytes: number) => progress.show(() => `${what}: ${(bytes / 1e6).toFixed(0)} MB`);
  try {
    // A file is verified completely before anything is created. Standard input can be read only once.
    if (options.verify || file !== '-') {
      const manifest = await verifyArchive(await openFile(file, signal), {
        passphrase,
        signal,
        onProgress: show('Verifying'),
      });
      progress.end();
      if (options.verify) stdout.write(describe(manifest));
      if (options.verify) return DONE;
    }
    const archive = await openArchive(await openFile(file, signal));
    requireKnownMigrations(archive.header);
    if (archive.header.secrets === 'encrypted' && !options.withoutSecrets && passphrase === undefined)
      throw new OperatorError(
        'The secrets are encrypted: set --passphrase-file, or --without-secrets to restore without them',
      );
    const run = { archive, config, passphrase, signal, onProgress: show('Restoring'), ...options };
    const report = (line: string) => stderr.write(`${line}\n`);
    const { manifest, notes } = await restore(run, report);
    progress.end();
    for (const note of notes) report(note);
    stdout.write(`Restored ${describeContents(manifest)}.\n`);
    return DONE;
  } catch (error) {
    if (signal.aborted) throw new OperatorError('The command was stopped: nothing was changed');
    throw toOperatorError(error, file === '-' ? 'The archive' : file);
  } finally {
    progress.end();
  }
}

async function openFile(file: string, signal: AbortSignal): Promise<Readable> {
  if (file === '-' && process.stdin.isTTY)
    throw new OperatorError('An archive cannot be read from a terminal: give a file');
  if (file === '-') return addAbortSignal(signal, process.stdin);
  const stats = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${file} cannot be read: ${error.code === 'ENOENT' ? 'it does not exist' : error.code}`);
  });
  if (stats.isDirectory()) throw new OperatorError(`${file} is a folder: give the file of a backup`);
  return addAbortSignal(signal, createReadStream(file));
}

interface Run extends RestoreOptions {
  archive: Archive;
  config: Config;
  passphrase: string | undefined;
  signal: AbortSignal;
  onProgress(bytes: number): void;
}

/** Everything is undone if it fails: the rows are in one transaction, and images and secrets are put in place directly before its end. */
async function restore(run: Run, report: (line: string) => void): Promise<{ manifest: Manifest; notes: string[] }> {
  const { config, signal, archive } = run;
  const images = (await openImageStore(config.imageStore)).restore();
  const target = await openTarget(config, report);
  // The transaction is rolled back when the connection ends.
  const stop = () => void target.client.end().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  let undoSecret = async () => {};
  let isDone = false;
  try {
    signal.throwIfAborted();
    const load = new DatabaseLoad(target.client, archive.header);
    await load.begin();
    const secret = await loadEntries(run, load, images);
    const manifest = archive.manifest();
    const newer = await load.finish(manifest);
    const unscheduled = run.keepSchedules ? 0 : await load.removeSchedules();
    signal.throwIfAborted();
    signal.removeEventListener('abort', stop);
    await images.commit();
    if (secret !== undefined) undoSecret = await putSecret(config, secret);
    await target.client.query('commit').catch((error) => {
      // If the connection is lost, the commit may have been executed: images without rows are harmless, rows without images are not.
      isDone = !(error instanceof pg.DatabaseError);
      throw isDone
        ? new OperatorError('The connection was lost at the end: check whether the database was restored')
        : error;
    });
    isDone = true;
    return { manifest, notes: [...notesOf(load.skipped, newer, unscheduled), ...secretNotes(run, secret)] };
  } finally {
    signal.removeEventListener('abort', stop);
    await target.close();
    if (!isDone) {
      await images.discard();
      await undoSecret();
      await target.undo();
    }
  }
}

/** @returns the secret of access tokens, if it is to be restored */
async function loadEntries(
  { archive, passphrase, withoutSecrets, onProgress }: Run,
  load: DatabaseLoad,
  images: ImageRestore,
) {
  let secret: string | undefined;
  let bytes = 0;
  for await (const entry of archive.entries) {
    bytes += entry.size;
    onProgress(bytes);
    if (entry.kind === 'image') {
      if (!IMAGE_NAME.test(entry.subject))
        throw new FileError(`it contains ${entry.subject}, which is not the name of an image`);
      await images.add(entry.subject, await readAll(entry.content));
    } else if (entry.kind === 'secrets') {
      if (!withoutSecrets) secret = await readSecret(entry, archive.header, passphrase);
    } else {
      await load.add(entry);
    }
  }
  return secret;
}

/** @returns puts the previous secret back */
async function putSecret({ dataDir }: Config, secret: string): Promise<() => Promise<void>> {
  const { jwtSecret: previous } = await loadSecrets(dataDir);
  await replaceJwtSecret(dataDir, secret);
  return () => replaceJwtSecret(dataDir, previous);
}

function notesOf(skipped: readonly string[], newer: readonly string[], unscheduled: number): string[] {
  return [
    ...(newer.length > 0 ? [`Migrated the database: ${newer.join(', ')}.`] : []),
    ...(unscheduled > 0
      ? [
          `Removed the schedules of ${quantity(unscheduled, 'draft')}: their authors can set them again (--keep-schedules keeps them).`,
        ]
      : []),
    ...skipped.map((table) => `The table ${table} was not restored: it does not belong to Daybook.`),
  ];
}

const NO_SECRET = 'The secret of access tokens was not restored: all members have to log in again';

function secretNotes({ config }: Run, secret: string | undefined): string[] {
  if (config.jwtSecret === null) return secret === undefined ? [`${NO_SECRET}.`] : [];
  if (config.jwtSecret === secret) return [];
  return [
    'JWT_SECRET is set, and is used instead of a restored secret: if it differs from the original one, all members have to log in again.',
  ];
}

function describe(manifest: Manifest): string {
  const { generator, createdAt, postgres, migrations, jobs, secrets, bytes } = manifest;
  return [
    'The archive is complete and undamaged.',
    `Made by ${generator} at ${createdAt}, from PostgreSQL ${postgres}, after the migration ${migrations.at(-1)}.`,
    `It contains ${describeContents(manifest)}, ${jobs} jobs, and ${SECRETS[secrets]} (${(bytes / 1e6).toFixed(1)} MB).`,
    '',
  ].join('\n');
}

const SECRETS = { plain: 'secrets without encryption', encrypted: 'encrypted secrets', none: 'no secrets' };
