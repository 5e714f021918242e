/** The data folder, which contains all persistent data of the service; created on first use. */
import { constants } from 'node:fs';
import { access, lchown, mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { currentUserName, diagnosePermission } from './permission-diagnosis.js';
import { SetupError } from './setup-error.js';

/**
 * Creates `dataDir` if it does not exist, accessible to its owner only.
 *
 * @returns its absolute path.
 * @throws {SetupError} if this process cannot write there; the message names the folder that denies access.
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

/** @returns the error to throw when an operation on `path` (the data folder or a path in it) failed with `error`. */
export async function dataDirError(path: string, error: unknown): Promise<SetupError> {
  const why = (await diagnosePermission(path, 'write')) ?? (error as Error).message;
  return new SetupError(
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
