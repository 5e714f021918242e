/** Output of an export: a file that is replaced atomically once complete, or standard output. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../platform/errors.js';

export interface FileOptions {
  /** File mode, such as 0o600. */
  mode: number;
  signal: AbortSignal;
}

/** Writes to a temporary file in the same folder and renames it. @throws OperatorError */
export async function writeFileFrom(content: Readable, path: string, { mode, signal }: FileOptions): Promise<void> {
  const target = await requireReplaceable(path);
  const unfinished = unfinishedName(target);
  try {
    await pipeline(content, createWriteStream(unfinished, { flags: 'wx', mode, flush: true }), { signal });
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw toOperatorError(error, path);
  }
}

/** New each time: process ids are equal in containers, where an earlier run may have been killed, or another one may be running. */
export function unfinishedName(target: string): string {
  return `${target}.${randomBytes(6).toString('hex')}.part`;
}

/** EPIPE is not an error: the reader may close the pipe early. @throws OperatorError */
export async function writeStreamFrom(
  content: Readable,
  stream: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<void> {
  try {
    await pipeline(content, stream, { signal, end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw toOperatorError(error, 'the output');
  }
}

/** Resolves symbolic links. Accepts regular files only: a rename over a device, such as /dev/null, would replace the device. */
async function requireReplaceable(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return path;
  if (stats.isDirectory()) throw new OperatorError(`Expected a file, but ${path} is a folder`);
  if (!stats.isFile()) throw new OperatorError(`${path} is not a regular file: redirect standard output to it instead`);
  return realpath(path);
}

const REASONS: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its parent is not a folder',
  EACCES: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EBUSY: 'something else is mounted there',
  EXDEV: 'it is on another disk than its parent',
};

/** What the operator can correct. */
export function toOperatorError(error: unknown, path: string): unknown {
  const { name, code = '', syscall } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new OperatorError(`The command was stopped: ${path} was not written`);
  const reason = syscall === undefined ? undefined : REASONS[code];
  return reason ? new OperatorError(`${path} cannot be written: ${reason}`) : error;
}
