/** The data folder, which contains all persistent data of the service; created on first use. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lchown, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorError } from '../errors.js';
import { currentUserName, diagnosePermission } from './file-permission.js';

/**
 * Creates `dataDir` if it does not exist, accessible to its owner only.
 *
 * @returns its absolute path.
 * @throws {OperatorError} if this process cannot write there; the message names the folder that denies access.
 */
export async function prepareDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw await dataDirError(path, error);
  }
  return path;
}

const FULL_DISK = new Set(['ENOSPC', 'EDQUOT']);

/** @returns the error to throw when an operation on `path` (the data folder or a path in it) failed with `error`. */
export async function dataDirError(path: string, error: unknown): Promise<OperatorError> {
  const { code, message } = error as NodeJS.ErrnoException;
  if (FULL_DISK.has(code ?? ''))
    return new OperatorError(`DATA_DIR cannot be used: no space is left for ${path}. Free disk space`, {
      cause: error,
    });
  const why = (await diagnosePermission(path, 'write')) ?? message;
  return new OperatorError(
    `DATA_DIR cannot be used: ${why}. ` +
      `Set DATA_DIR to a folder that ${currentUserName()} can write to, or start as the owner of the folder.`,
    { cause: error },
  );
}

/** Changes the owner of a file that root created to the owner of the data folder, who could not start the service otherwise. */
export async function giveToOwner(file: string, dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dataDir);
  if (uid !== 0) await lchown(file, uid, gid);
}

/**
 * Folders are filled under a temporary name and then renamed; the next start removes those whose process ended before the rename.
 *
 * @returns a name that no other process and no other call uses: `<base>-<pid>-<random>`.
 */
export function temporaryName(base: string): string {
  return `${base}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** Removes folders named by `temporaryName(base)` from `folder`, except those whose process still runs. Never rejects. */
export async function removeAbandonedFolders(folder: string, base: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = name.startsWith(`${base}-`) && /^(\d+)-[0-9a-f]{8}$/.exec(name.slice(base.length + 1))?.[1];
    if (pid && (await isAbandoned(join(folder, name), Number(pid)))) await removeFolder(join(folder, name));
  }
}

/** Removes a folder as far as possible; a later start removes the rest. Never rejects. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}

async function isAbandoned(path: string, pid: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  // In a shared folder such as /tmp any user can create this name. Only folders owned by this user may be deleted.
  if (!stats?.isDirectory() || (process.getuid && stats.uid !== process.getuid())) return false;
  // In a container every run has the same pid, so a folder with the current pid may predate this process.
  return pid === process.pid ? stats.ctimeMs < performance.timeOrigin : !processExists(pid);
}

/** @returns whether a process with this pid exists, owned by any user. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
