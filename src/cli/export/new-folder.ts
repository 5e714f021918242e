/** A folder that an export creates: it appears when it is complete. */
import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { OperatorError } from '../../platform/errors.js';
import { toOperatorError, unfinishedName } from './output.js';

/** Calls `write` with a temporary folder beside the target, and renames it. An existing target must be an empty folder. @throws OperatorError */
export async function writeFolder<Result>(
  path: string,
  mode: number,
  write: (folder: string) => Promise<Result>,
): Promise<Result> {
  const target = await requireNewOrEmpty(path);
  const unfinished = unfinishedName(target);
  try {
    await mkdir(unfinished, { mode });
    const result = await write(unfinished);
    await rename(unfinished, target);
    return result;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw toOperatorError(error, path);
  }
}

/** Resolves symbolic links, and removes slashes at the end. */
async function requireNewOrEmpty(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return path.replace(/(?<=.)\/+$/, '');
  if (!stats.isDirectory()) throw new OperatorError(`Expected a folder, but ${path} is a file`);
  if ((await readdir(path)).length > 0)
    throw new OperatorError(`${path} is not empty: choose a new or an empty folder`);
  return realpath(path);
}
