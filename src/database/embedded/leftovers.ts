/** Folders are filled under a temporary name and then renamed; the next start removes those whose process ended before the rename. */
import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** @returns a name that no other process and no other call uses: `<base>-<pid>-<random>`. */
export function temporaryName(base: string): string {
  return `${base}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** Removes folders named by `temporaryName(base)` from `folder`, except those whose process still runs. Never rejects. */
export async function removeLeftovers(folder: string, base: string): Promise<void> {
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
  return pid === process.pid ? stats.ctimeMs < performance.timeOrigin : !isAlive(pid);
}

/** @returns whether a process with this pid exists, owned by any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
