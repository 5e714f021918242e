/** The server as a process: it is started so that it can outlive its starter. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, processOptions } from './account.js';
import { type Binaries, program } from './binaries.js';
import { insideOf } from './cluster.js';
import { openLog, readLogTail } from './log.js';
import { type Postmaster, readPostmaster, removeForeignPidFile } from './pidfile.js';
import { SetupError } from './setup-error.js';

export interface ServerOptions {
  cluster: string;
  binaries: Binaries;
  account: Account | undefined;
  logFile: string;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // A path to a socket has at most 107 bytes and has to be reachable; the loopback address always is.
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '256MB',
  jit: 'off',
  // Data of this size lies in memory or on an SSD, where a random page costs little more than the next one.
  random_page_cost: 1.1,
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Refused statements reach the client, who logs them; here they would repeat what people wrote, without a bound.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  cluster_name: 'daybook',
};

const POLL_MS = 25;
/** A start after a crash replays up to max_wal_size (1 GB), which may take minutes on a slow disk. */
const READY_MS = 180_000;
const ATTEMPTS = 5;

/**
 * @returns the server that runs in the cluster, started if there was none, and whether this call started it.
 * @throws {SetupError} with the end of the server's log if it does not start.
 */
export async function ensureServer(options: ServerOptions): Promise<Postmaster & { isNew: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const running = await awaitReady(options.cluster);
    if (running) return { ...running, isNew: false };
    const { started, lastWords } = await launch(options);
    if (started) return { ...started, isNew: true };
    // Another process was first, the port was taken just now, or a session of the server that was killed before still works.
    if (attempt < ATTEMPTS) await delay(50 * 2 ** attempt);
    else
      throw new SetupError(
        `PostgreSQL did not start in ${options.cluster}. ${options.logFile} ends with:\n${lastWords}`,
      );
  }
}

/** @returns the server of the cluster once it takes connections; undefined as soon as there is none. */
async function awaitReady(cluster: string, child?: ChildProcess): Promise<Postmaster | undefined> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await delay(POLL_MS)) {
    const running = await readPostmaster(cluster);
    if (running?.isReady && (!child || child.pid === running.pid)) return running;
    if (child ? child.exitCode !== null || child.signalCode !== null : !running) return undefined;
  }
  throw new SetupError(`The PostgreSQL in ${cluster} was not ready after ${READY_MS / 1000} seconds.`);
}

async function launch(options: ServerOptions): Promise<{ started?: Postmaster | undefined; lastWords: string }> {
  const { cluster, binaries, account, logFile } = options;
  await removeForeignPidFile(cluster);
  const port = await findFreePort();
  const log = await openLog(logFile);
  try {
    const { size } = await log.stat();
    const { cwd, dataArgument } = insideOf(cluster);
    const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(program(binaries, 'postgres'), ['-D', dataArgument, ...settings], {
      ...processOptions(account),
      cwd,
      // Its own process group: Ctrl-C in a terminal reaches the service alone, which then decides.
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    await once(child, 'spawn');
    const started = await awaitReady(cluster, child);
    return { started, lastWords: started ? '' : await readLogTail(logFile, size) };
  } finally {
    await log.close();
  }
}

/** PostgreSQL cannot choose a port itself. Another program may take this one before it; then it exits. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
