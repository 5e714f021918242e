/** What the database folder says about the server that runs in it: `postmaster.pid`, and whether it can be believed. */
import { readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './leftovers.js';

export interface Postmaster {
  pid: number;
  port: number;
  /** Only a ready server takes connections; it may also be starting, recovering or stopping. */
  isReady: boolean;
}

/** @returns the server that runs in `cluster`; undefined if there is none, whatever a server that was killed left behind. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  // Its lines are pid, folder, start time, port, socket folder, address, shared memory, status; the server adds them one by one.
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!pid || !(await runsIn(pid, cluster))) return undefined;
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/** @returns whether the process `pid` is a server in `cluster`. Outside Linux, whether there is such a process at all. */
export async function runsIn(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid);
  // The number may by now be another program's, or a dead child's that nobody waits for. A server stays in its folder,
  // and nobody but its owner can enter that.
  const [there, here] = await Promise.all(
    [`/proc/${pid}/cwd`, cluster].map((path) => stat(path).catch(() => undefined)),
  );
  return there !== undefined && there.ino === here?.ino && there.dev === here.dev;
}

/**
 * Removes a `postmaster.pid` whose number another program now has: PostgreSQL would take that program for a server
 * and refuse to start, as happens in containers, where numbers are few. Other stale ones it replaces itself.
 */
export async function removeForeignPidFile(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  // Outside Linux it cannot be told whose the number is.
  if (process.platform !== 'linux' || !pid || !isAlive(pid) || (await runsIn(pid, cluster))) return;
  await unlink(file).catch(() => undefined);
}
