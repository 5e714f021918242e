/** The log of the PostgreSQL server, `postgres.log` in the data folder: bounded in size, and quoted in the error when a start fails. */
import type { promises } from 'node:fs';
import { copyFile, open, readFile, stat, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { dataDirError, giveToOwner } from './data-dir.js';

/** Size in bytes above which the log is rotated; one older file is kept. */
const LIMIT = 1024 * 1024;

/**
 * Opens the log for the server. This process opens it, since the account of the server may have no access to the folder.
 *
 * @throws {SetupError} if it cannot be written to.
 */
export async function openLog(file: string): Promise<promises.FileHandle> {
  await trimLog(file);
  try {
    // Append mode allows the file to be truncated while the server writes to it.
    const handle = await open(file, 'a', 0o600);
    await giveToOwner(file, dirname(file));
    return handle;
  } catch (error) {
    throw await dataDirError(file, error);
  }
}

/** Copies a log larger than the limit to `<file>.1` and truncates it. Never rejects. */
export async function trimLog(file: string): Promise<void> {
  try {
    if ((await stat(file)).size <= LIMIT) return;
    await copyFile(file, `${file}.1`);
    await truncate(file);
    await giveToOwner(`${file}.1`, dirname(file));
  } catch {
    // The log does not exist yet, or it belongs to another user, whose processes then rotate it.
  }
}

/** @returns the last lines (up to 8) of the log after the byte offset `from`. */
export async function readLogTail(file: string, from: number): Promise<string> {
  const text = (await readFile(file)).subarray(from).toString('utf8');
  return text.trim().split('\n').slice(-8).join('\n');
}
