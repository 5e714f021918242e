/** The folder that holds everything the service keeps: it is made on first use. */
import { constants } from 'node:fs';
import { access, lchown, mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { currentUserName, findObstacle } from './obstacle.js';
import { SetupError } from './setup-error.js';

/**
 * Makes `dataDir` where it is missing, for its owner alone.
 *
 * @returns its absolute path.
 * @throws {SetupError} if this process cannot write there; the message names the folder in the way.
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

/** @returns the error to throw when something at `path`, in or of the data folder, could not be done because of `error`. */
export async function dataDirError(path: string, error: unknown): Promise<SetupError> {
  const why = (await findObstacle(path, 'write')) ?? (error as Error).message;
  return new SetupError(
    `DATA_DIR cannot be used: ${why}. ` +
      `Set DATA_DIR to a folder that ${currentUserName()} may write to, or start as the user the folder belongs to.`,
    { cause: error },
  );
}

/** Gives a file that root made in somebody else's data folder to that somebody, who could not start alone otherwise. */
export async function giveToOwner(file: string, dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dataDir);
  if (uid !== 0) await lchown(file, uid, gid);
}
