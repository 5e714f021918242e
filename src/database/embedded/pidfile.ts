/** Reads `postmaster.pid` in the cluster folder and checks whether it refers to a running server. */
import { readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './leftovers.js';

export interface Postmaster {
  pid: number;
  port: number;
  /** Only a ready server accepts connections; otherwise it is starting, recovering or stopping. */
  isReady: boolean;
}

/** @returns the server that runs in `cluster`; undefined if none runs, even if a killed server left a stale pid file. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  // Lines: pid, data folder, start time, port, socket folder, listen address, shared memory, status. The server adds them one by one.
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!pid || !(await runsIn(pid, cluster))) return undefined;
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/** @returns whether the process `pid` is a server in `cluster`. On systems other than Linux, only whether the process exists. */
export async function runsIn(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid);
  // The pid may have been reused by another program, or belong to a zombie process. The working directory of a server is its
  // cluster folder, which only its owner can enter.
  const [there, here] = await Promise.all(
    [`/proc/${pid}/cwd`, cluster].map((path) => stat(path).catch(() => undefined)),
  );
  return there !== undefined && there.ino === here?.ino && there.dev === here.dev;
}

/**
 * Removes a `postmaster.pid` whose pid has been reused by another program: PostgreSQL would take that program for a running server
 * and not start. This happens in containers, where low pids are reused. PostgreSQL itself replaces other stale pid files.
 */
export async function removeForeignPidFile(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  // On systems other than Linux the program that has the pid cannot be determined.
  if (process.platform !== 'linux' || !pid || !isAlive(pid) || (await runsIn(pid, cluster))) return;
  await unlink(file).catch(() => undefined);
}
