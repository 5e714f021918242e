/**
 * The PostgreSQL server process: started detached, so that it can outlive the process that started it, and found and stopped by
 * its pid file.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { promises } from 'node:fs';
import { copyFile, open, readFile, stat, truncate, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dataDirError, giveToOwner, processExists } from '../../config/data-dir.js';
import type { OsUser } from '../../config/file-permission.js';
import { OperatorError } from '../../errors.js';
import { type Binaries, program } from './binaries.js';
import { insideOf } from './data-directory.js';
import { processOptions } from './os-user.js';

export interface ServerOptions {
  cluster: string;
  binaries: Binaries;
  account: OsUser | undefined;
  logFile: string;
  /** Default: the port of the last start if it is free, otherwise any free port. */
  port?: number;
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
const READY_TIMEOUT_MS = 180_000;
const ATTEMPTS = 5;

/**
 * @returns the server that runs in the cluster, started if there was none, and whether this call started it.
 * @throws {OperatorError} with the last lines of the server log if it does not start.
 */
export async function ensureServer(options: ServerOptions): Promise<Postmaster & { isNew: boolean }> {
  let port = options.port ?? (await lastPort(options.cluster));
  for (let attempt = 1; ; attempt++) {
    const running = await awaitReady(options.cluster);
    if (running) return { ...running, isNew: false };
    const { started, logTail } = await launch(options, port ?? (await findFreePort()));
    if (started) return { ...started, isNew: true };
    if (logTail.includes('could not bind')) port = options.port;
    // Another process started it first, the port was taken meanwhile, or a backend of a killed server still runs.
    if (attempt < ATTEMPTS) await delay(50 * 2 ** attempt);
    else
      throw new OperatorError(
        `PostgreSQL did not start in ${options.cluster}. ${options.logFile} ends with:\n${logTail}`,
      );
  }
}

/** @returns the server of the cluster once it accepts connections; undefined as soon as none runs. @throws {OperatorError} on timeout. */
async function awaitReady(cluster: string, child?: ChildProcess): Promise<Postmaster | undefined> {
  for (const end = Date.now() + READY_TIMEOUT_MS; Date.now() < end; await delay(POLL_MS)) {
    const running = await readPostmaster(cluster);
    if (running?.isReady && (!child || child.pid === running.pid)) return running;
    if (child ? child.exitCode !== null || child.signalCode !== null : !running) return undefined;
  }
  throw new OperatorError(`PostgreSQL in ${cluster} was not ready after ${READY_TIMEOUT_MS / 1000} seconds.`);
}

/** The port that processes know which still use the server; undefined before the first start. */
async function lastPort(cluster: string): Promise<number | undefined> {
  const options = await readFile(join(cluster, 'postmaster.opts'), 'utf8').catch(() => '');
  const [, port] = /"port=(\d+)"/.exec(options) ?? [];
  return port === undefined ? undefined : Number(port);
}

async function launch(
  options: ServerOptions,
  port: number,
): Promise<{ started?: Postmaster | undefined; logTail: string }> {
  const { cluster, binaries, account, logFile } = options;
  await removeForeignPidFile(cluster);
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
    return { started, logTail: started ? '' : await readLogTail(logFile, size) };
  } finally {
    await log.close();
  }
}

/**
 * Below the ports that systems give to outgoing connections (on Linux from 32768, RFC 6335 from 49152): one of those could have the port while the
 * server is started again on it.
 */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];
const PORT_ATTEMPTS = 100;

/** If another program takes this port first, PostgreSQL exits. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
      return port;
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/** Timeouts in milliseconds for a fast shutdown (with a checkpoint), and then for an immediate shutdown (without one). */
const FAST_TIMEOUT_MS = 8_000;
const IMMEDIATE_TIMEOUT_MS = 4_000;

/** Terminates all sessions and the server. @returns whether the server has stopped. */
export async function stopServer({ cluster }: ServerOptions, pid: number): Promise<boolean> {
  if (await stopBy('SIGINT', pid, FAST_TIMEOUT_MS, cluster)) return true;
  // The next start then replays the write-ahead log, as after a power failure: it is slower, but no committed data is lost.
  return stopBy('SIGQUIT', pid, IMMEDIATE_TIMEOUT_MS, cluster);
}

async function stopBy(signal: 'SIGINT' | 'SIGQUIT', pid: number, timeoutMs: number, cluster: string) {
  if (await runsIn(pid, cluster)) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has just ended, or this process may not signal it; the polling below distinguishes the two.
    }
  }
  for (const end = Date.now() + timeoutMs; Date.now() < end; await delay(POLL_MS)) {
    if (!(await runsIn(pid, cluster))) return true;
  }
  return false;
}

interface Postmaster {
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
async function runsIn(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') return processExists(pid);
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
async function removeForeignPidFile(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  // On systems other than Linux the program that has the pid cannot be determined.
  if (process.platform !== 'linux' || !pid || !processExists(pid) || (await runsIn(pid, cluster))) return;
  await unlink(file).catch(() => undefined);
}

/** Size in bytes above which the log is rotated; one older file is kept. */
const MAX_LOG_BYTES = 1024 * 1024;

/**
 * Opens the log for the server. This process opens it, since the account of the server may have no access to the folder.
 *
 * @throws {OperatorError} if it cannot be written to.
 */
async function openLog(file: string): Promise<promises.FileHandle> {
  await rotateLog(file);
  try {
    // Append mode allows the file to be truncated while the server writes to it.
    const handle = await open(file, 'a', 0o600);
    await giveToOwner(file, dirname(file));
    return handle;
  } catch (error) {
    throw await dataDirError(file, error);
  }
}

/** Copies a log larger than the limit to `<file>.1` and truncates it. Never rejects. */
export async function rotateLog(file: string): Promise<void> {
  try {
    if ((await stat(file)).size <= MAX_LOG_BYTES) return;
    await copyFile(file, `${file}.1`);
    await truncate(file);
    await giveToOwner(`${file}.1`, dirname(file));
  } catch {
    // The log does not exist yet, or it belongs to another user, whose processes then rotate it.
  }
}

/** @returns the last lines (up to 8) of the log after the byte offset `from`. */
async function readLogTail(file: string, from: number): Promise<string> {
  const text = (await readFile(file)).subarray(from).toString('utf8');
  return text.trim().split('\n').slice(-8).join('\n');
}
