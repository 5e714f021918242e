/** The PostgreSQL server process: started detached, so that it can outlive the process that started it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Binaries, program } from './binaries.js';
import { insideOf } from './cluster.js';
import { openLog, readLogTail } from './log.js';
import { type OsUser, processOptions } from './os-user.js';
import { type Postmaster, readPostmaster, removeForeignPidFile } from './pidfile.js';
import { SetupError } from './setup-error.js';

export interface ServerOptions {
  cluster: string;
  binaries: Binaries;
  account: OsUser | undefined;
  logFile: string;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // No Unix socket: its path is limited to 107 bytes and must be accessible. The loopback address always is.
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '256MB',
  jit: 'off',
  // Data of this size is in memory or on an SSD, where random access costs little more than sequential access.
  random_page_cost: 1.1,
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The client receives and logs errors of statements; in this log the statements would repeat members' content, without a size limit.
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
 * @throws {SetupError} with the last lines of the server log if it does not start.
 */
export async function ensureServer(options: ServerOptions): Promise<Postmaster & { isNew: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const running = await awaitReady(options.cluster);
    if (running) return { ...running, isNew: false };
    const { started, lastWords } = await launch(options);
    if (started) return { ...started, isNew: true };
    // Another process started it first, the port was taken meanwhile, or a backend of a killed server still runs.
    if (attempt < ATTEMPTS) await delay(50 * 2 ** attempt);
    else
      throw new SetupError(
        `PostgreSQL did not start in ${options.cluster}. ${options.logFile} ends with:\n${lastWords}`,
      );
  }
}

/** @returns the server of the cluster once it accepts connections; undefined as soon as none runs. @throws {SetupError} on timeout. */
async function awaitReady(cluster: string, child?: ChildProcess): Promise<Postmaster | undefined> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await delay(POLL_MS)) {
    const running = await readPostmaster(cluster);
    if (running?.isReady && (!child || child.pid === running.pid)) return running;
    if (child ? child.exitCode !== null || child.signalCode !== null : !running) return undefined;
  }
  throw new SetupError(`PostgreSQL in ${cluster} was not ready after ${READY_MS / 1000} seconds.`);
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
      // Own process group: Ctrl-C in a terminal sends SIGINT to the service only, which then stops the server if it is the last user.
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

/** PostgreSQL cannot bind to an ephemeral port itself. If another program takes this port first, PostgreSQL exits. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
