/** The server's own log, `postgres.log` in the data folder: kept small, and quoted where a start fails. */
import type { promises } from 'node:fs';
import { copyFile, open, readFile, stat, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { dataDirError, giveToOwner } from './data-dir.js';

/** Bytes after which the log begins anew; one older part is kept beside it. */
const LIMIT = 1024 * 1024;

/**
 * Opens the log for a server to write to: by this process, since the account of the server may not reach the folder.
 *
 * @throws {SetupError} if it cannot be written to.
 */
export async function openLog(file: string): Promise<promises.FileHandle> {
  await trimLog(file);
  try {
    // Appending lets the file be cut under the server.
    const handle = await open(file, 'a', 0o600);
    await giveToOwner(file, dirname(file));
    return handle;
  } catch (error) {
    throw await dataDirError(file, error);
  }
}

/** Moves a log past its limit to `<file>.1`. Never fails. */
export async function trimLog(file: string): Promise<void> {
  try {
    if ((await stat(file)).size <= LIMIT) return;
    await copyFile(file, `${file}.1`);
    await truncate(file);
    await giveToOwner(`${file}.1`, dirname(file));
  } catch {
    // There is none yet, or it is another user's: then it is for that user's processes to keep it small.
  }
}

/** @returns the last lines of the log after the byte `from`. */
export async function readLogTail(file: string, from: number): Promise<string> {
  const text = (await readFile(file)).subarray(from).toString('utf8');
  return text.trim().split('\n').slice(-8).join('\n');
}
