/** Folders are filled under a temporary name and then renamed; those whose maker died halfway are removed by the next start. */
import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** @returns a name that no other process and no other call uses: `<base>-<pid>-<random>`. */
export function temporaryName(base: string): string {
  return `${base}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** Removes what calls of `temporaryName(base)` left in `folder`, except where the maker still runs. Never fails. */
export async function removeLeftovers(folder: string, base: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = name.startsWith(`${base}-`) && /^(\d+)-[0-9a-f]{8}$/.exec(name.slice(base.length + 1))?.[1];
    if (pid && (await isAbandoned(join(folder, name), Number(pid)))) await removeFolder(join(folder, name));
  }
}

/** Removes a folder, or as much of it as can be: what is left is for a later start. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}

async function isAbandoned(path: string, pid: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  // In a shared folder such as /tmp anybody can make this name. Only what is ours may be deleted.
  if (!stats?.isDirectory() || (process.getuid && stats.uid !== process.getuid())) return false;
  // In a container every run has the same number, so a folder with ours may still be from before we began.
  return pid === process.pid ? stats.ctimeMs < performance.timeOrigin : !isAlive(pid);
}

/** @returns whether a process with this number exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
