/** Stops the server by its pid: the process that stops it need not be the one that started it. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Binaries, program } from './binaries.js';
import { runsIn } from './pidfile.js';
import type { ServerOptions } from './server.js';

const POLL_MS = 25;
/** Timeouts in milliseconds for a fast shutdown (with a checkpoint), and then for an immediate shutdown (without one). */
const FAST_MS = 8_000;
const IMMEDIATE_MS = 4_000;

/** Terminates all sessions and the server. @returns whether the server has stopped. */
export async function stopServer({ cluster, binaries }: ServerOptions, pid: number): Promise<boolean> {
  if (await stopBy('SIGINT', pid, FAST_MS, cluster, binaries)) return true;
  // The next start then replays the write-ahead log, as after a power failure: it is slower, but no committed data is lost.
  return stopBy('SIGQUIT', pid, IMMEDIATE_MS, cluster, binaries);
}

async function stopBy(signal: 'SIGINT' | 'SIGQUIT', pid: number, wait: number, cluster: string, binaries: Binaries) {
  if (process.platform === 'win32') {
    // Windows has no signals: process.kill would terminate the server without a shutdown checkpoint.
    const mode = signal === 'SIGINT' ? 'fast' : 'immediate';
    const args = ['stop', '-D', cluster, '-m', mode, '-W'];
    await promisify(execFile)(program(binaries, 'pg_ctl'), args).catch(() => undefined);
  } else if (await runsIn(pid, cluster)) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has just ended, or this process may not signal it; the polling below distinguishes the two.
    }
  }
  for (const end = Date.now() + wait; Date.now() < end; await delay(POLL_MS)) {
    if (!(await runsIn(pid, cluster))) return true;
  }
  return false;
}
