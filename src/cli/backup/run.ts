/** Runs `daybook backup`: one backup into a file or to standard output, or one after another into a folder. */
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import ms from 'ms';
import { processExists } from '../../platform/config/data-dir.js';
import { loadConfig } from '../../platform/config/index.js';
import { OperatorError, oneLine } from '../../platform/errors.js';
import { writeFileFrom, writeStreamFrom } from '../export/output.js';
import { DONE } from '../subcommand.js';
import { ProgressLine, type Terminal } from '../terminal.js';
import { readPassphrase } from './passphrase.js';
import { describeContents, toOperatorError, verifyArchive } from './verify.js';
import { type BackupSource, writeBackup } from './write.js';

export interface BackupOptions {
  /** Milliseconds. */
  every?: number;
  keep?: number;
  verify?: boolean;
  passphraseFile?: string;
  withoutSecrets?: boolean;
  overwrite?: boolean;
  postgres?: string;
}

/** @param target a file, a folder, or `-` for standard output */
export async function runBackup(target: string, options: BackupOptions, terminal: Terminal): Promise<number> {
  const { env, stdout, stderr } = terminal;
  const config = loadConfig(env);
  const passphrase = options.withoutSecrets
    ? null
    : await readPassphrase(options.passphraseFile, config.backupPassphrase);
  if (target === '-' && stdout.isTTY)
    throw new OperatorError('An archive cannot be written to a terminal: give a file');
  const isFolder = target === '-' ? false : (await stat(target).catch(() => undefined))?.isDirectory();
  requireFolder(target, isFolder, options);
  if (isFolder === false && target !== '-' && !options.overwrite)
    throw new OperatorError(`${target} exists already: choose another name, or replace it with --overwrite`);
  const progress = new ProgressLine(stderr);
  const source: BackupSource = {
    config,
    programs: options.postgres,
    passphrase,
    signal: terminal.listenForStop(),
    report: (line) => stderr.write(`${line}\n`),
    onProgress: (contents, name) => progress.show(() => `Backing up: ${describeContents(contents)} (${name})`),
  };
  const run = { source, options, terminal };
  if (options.every !== undefined) return backUpRegularly(target, options.every, run);
  try {
    if (target === '-') await backUpToStream(run);
    else if (isFolder) await backUpToFolder(target, run);
    else await backUpToFile(target, run);
  } finally {
    progress.end();
  }
  return DONE;
}

/** @param isFolder undefined if nothing exists there; `--every` creates the folder. @throws OperatorError */
function requireFolder(target: string, isFolder: boolean | undefined, { every, keep }: BackupOptions): void {
  const isMissing = isFolder === undefined && target !== '-' && every !== undefined;
  if (isFolder || isMissing || (every === undefined && keep === undefined)) return;
  throw new OperatorError(`${every === undefined ? '--keep' : '--every'} needs a folder, but ${target} is not one`);
}

interface Run {
  source: BackupSource;
  options: BackupOptions;
  terminal: Terminal;
}

async function backUpToStream({ source, options, terminal: { stdout, stderr } }: Run): Promise<void> {
  if (options.verify)
    throw new OperatorError('--verify reads the archive again, which standard output does not permit');
  const { secrets } = await writeBackup(source, (archive) => writeStreamFrom(archive, stdout, source.signal));
  if (secrets === 'plain') stderr.write(`${PLAIN_SECRETS}\n`);
}

const PLAIN_SECRETS =
  'The archive contains the secret of access tokens without encryption: keep it private, or set --passphrase-file.';

/** For the owner only: a backup contains emails, password hashes and secrets. */
const MODE = 0o600;

async function backUpToFile(path: string, { source, options }: Run): Promise<void> {
  const { signal, report } = source;
  const written = await writeBackup(source, (archive) => writeFileFrom(archive, path, { mode: MODE, signal }));
  if (options.verify) await verifyWritten(path, source);
  const { size } = await stat(path);
  const checked = options.verify ? ' The archive was verified.' : '';
  report(`Backed up ${describeContents(written)} to ${path} (${(size / 1e6).toFixed(1)} MB).${checked}`);
  if (written.secrets === 'plain') report(PLAIN_SECRETS);
  if (source.config.jwtSecret !== null) report('JWT_SECRET is set: like all settings, it is not in the archive.');
}

/** Deletes the file if it is damaged: the newest backup is expected to be usable. */
async function verifyWritten(path: string, { passphrase, signal }: BackupSource): Promise<void> {
  try {
    await verifyArchive(createReadStream(path), { passphrase: passphrase ?? undefined, signal });
  } catch (error) {
    await rm(path, { force: true });
    throw toOperatorError(error, path);
  }
}

const BACKUP_NAME = /^daybook-\d{8}T\d{6}Z\.tar\.gz$/;
const UNFINISHED_NAME = /^daybook-\d{8}T\d{6}Z\.tar\.gz\.(\d+)\.part$/;

async function backUpToFolder(folder: string, run: Run): Promise<void> {
  const { keep } = run.options;
  await removeUnfinished(folder);
  const written = nameAt(Date.now());
  await backUpToFile(join(folder, written), run);
  if (keep === undefined) return;
  const { names, future } = await backupsIn(folder);
  reportFuture(folder, future, run.source.report);
  for (const name of names.slice(keep)) if (name !== written) await rm(join(folder, name), { force: true });
}

function reportFuture(folder: string, names: readonly string[], report: (line: string) => void): void {
  for (const name of names) report(`${join(folder, name)} is dated in the future, and is ignored.`);
}

/** Clocks of machines that write to the same folder may differ. */
const CLOCK_TOLERANCE_MS = ms('5m');

/**
 * The names of backups, the newest first, and of those that are dated in the future, because the clock of this machine was or is
 * wrong: as the newest ones, they would displace all others. Other files in the folder are not touched.
 */
async function backupsIn(folder: string): Promise<{ names: string[]; future: string[] }> {
  const all = (await readdir(folder)).filter((name) => BACKUP_NAME.test(name)).sort();
  const limit = nameAt(Date.now() + CLOCK_TOLERANCE_MS);
  return { names: all.filter((name) => name <= limit).reverse(), future: all.filter((name) => name > limit) };
}

function nameAt(timeMs: number): string {
  return `daybook-${new Date(timeMs).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.tar.gz`;
}

/** Removes the files of processes that were killed. In a container every process may have the same id. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(UNFINISHED_NAME.exec(name)?.[1]);
    if (pid && (pid === process.pid || !processExists(pid))) await rm(join(folder, name), { force: true });
  }
}

/** After a failure, at most. */
const RETRY_MS = ms('10m');
/** Timers are limited to 24 days, and do not count the time that a machine sleeps. */
const MAX_DELAY_MS = ms('1m');

/** Runs until the signal. The next backup is due `everyMs` after the newest one in the folder, also after a restart. */
async function backUpRegularly(folder: string, everyMs: number, run: Run): Promise<number> {
  const { signal } = run.source;
  const log = (line: string) => run.terminal.stderr.write(`${new Date().toISOString()} ${line}\n`);
  const source: BackupSource = { ...run.source, report: log, onProgress: () => {} };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { names, future } = await backupsIn(folder);
  const [newest] = names;
  reportFuture(folder, future, log);
  let dueAt = newest ? Math.min((await stat(join(folder, newest))).mtimeMs, Date.now()) + everyMs : 0;
  log(`Backups to ${folder}: the next one ${dueAt <= Date.now() ? 'now' : `at ${new Date(dueAt).toISOString()}`}.`);
  while (!signal.aborted) {
    // The clock was set back by more than the interval: the next backup would wait for as long.
    dueAt = Math.min(dueAt, Date.now() + everyMs);
    if (Date.now() < dueAt) {
      await delay(Math.min(dueAt - Date.now(), MAX_DELAY_MS), undefined, { signal }).catch(() => {});
      continue;
    }
    const startedAt = Date.now();
    try {
      await backUpToFolder(folder, { ...run, source });
      dueAt = startedAt + everyMs;
    } catch (error) {
      if (signal.aborted) break;
      dueAt = Date.now() + Math.min(everyMs, RETRY_MS);
      log(`The backup failed: ${oneLine(error)}. The next attempt is at ${new Date(dueAt).toISOString()}.`);
    }
  }
  log('Stopped.');
  return DONE;
}
