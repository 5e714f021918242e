/** Ends the server by its number: whoever stops it need not be its starter. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Binaries, program } from './binaries.js';
import { runsIn } from './pidfile.js';
import type { ServerOptions } from './server.js';

const POLL_MS = 25;
/** Milliseconds that a server is given to write everything down, and then to drop everything. */
const FAST_MS = 8_000;
const IMMEDIATE_MS = 4_000;

/** Ends all sessions and the server. @returns whether it is gone. */
export async function stopServer({ cluster, binaries }: ServerOptions, pid: number): Promise<boolean> {
  if (await stopBy('SIGINT', pid, FAST_MS, cluster, binaries)) return true;
  // The next start then replays its log, as after a power cut: slower, and nothing is lost.
  return stopBy('SIGQUIT', pid, IMMEDIATE_MS, cluster, binaries);
}

async function stopBy(signal: 'SIGINT' | 'SIGQUIT', pid: number, wait: number, cluster: string, binaries: Binaries) {
  if (process.platform === 'win32') {
    // Windows has no signals: there, process.kill would end it without a chance to write anything down.
    const mode = signal === 'SIGINT' ? 'fast' : 'immediate';
    const args = ['stop', '-D', cluster, '-m', mode, '-W'];
    await promisify(execFile)(program(binaries, 'pg_ctl'), args).catch(() => undefined);
  } else if (await runsIn(pid, cluster)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended just now, or it is not ours to end; the wait tells which.
    }
  }
  for (const end = Date.now() + wait; Date.now() < end; await delay(POLL_MS)) {
    if (!(await runsIn(pid, cluster))) return true;
  }
  return false;
}
