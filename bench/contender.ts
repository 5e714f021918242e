/** A measured server: start as a separate process, readiness check, and stop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** PostgreSQL connections, the same for all contenders. */
const POOL_SIZE = 10;

export interface ContenderOptions {
  /** Name in error messages and of the log file. */
  name: string;
  /** Script and its arguments. */
  command: readonly string[];
  databaseUrl: string;
  /** Settings besides the database URL and the port. */
  settings?: Record<string, string>;
  /** Path that returns 200 when the server is ready. */
  readyPath: string;
}

const READY_MS = 30_000;
const STOP_MS = 10_000;
/** Inherited variables, required by Node and the system; settings of a local service must not affect a measured server. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'NODE_OPTIONS'];

/** What the servers of a run have in common. */
export interface Launch {
  /** Folder of log files and secrets. */
  folder: string;
  /** Path of the Node binary. */
  node: string;
  /** Registers a function that stops a started process; called before it is ready, because the benchmark may be interrupted. */
  atEnd(stop: () => Promise<void>): void;
}

/**
 * @returns URL of the server, without a trailing slash
 * @throws Error that ends with the last output of the server, if it does not become ready
 */
export async function startContender(options: ContenderOptions, launch: Launch): Promise<string> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(launch.folder, `${options.name}.log`);
  const child = await startProcess(options, launch.node, port, logFile);
  launch.atEnd(() => stopProcess(child));
  await awaitReady(child, url + options.readyPath, options.name, logFile);
  return url;
}

async function startProcess(
  { command, databaseUrl, settings }: ContenderOptions,
  node: string,
  port: number,
  logFile: string,
): Promise<ChildProcess> {
  const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const log = await open(logFile, 'w');
  try {
    const child = spawn(node, command, {
      env: {
        ...Object.fromEntries(inherited),
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        DATABASE_POOL_SIZE: String(POOL_SIZE),
        PORT: String(port),
        ...settings,
      },
      stdio: ['ignore', log.fd, log.fd],
    });
    return child;
  } finally {
    await log.close();
  }
}

async function awaitReady(child: ChildProcess, url: string, name: string, logFile: string): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await delay(50)) {
    if (hasEnded(child)) throw new Error(`The server "${name}" ended at its start: ${await lastWords(logFile)}`);
    // Apollo's CSRF prevention rejects a GET without a preflight header.
    const answer = await fetch(url, { headers: { 'apollo-require-preflight': 'true' } }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
  }
  throw new Error(`The server "${name}" was not ready after ${READY_MS / 1000} s: ${await lastWords(logFile)}`);
}

async function lastWords(logFile: string): Promise<string> {
  return (await readFile(logFile, 'utf8')).trim().slice(-1000) || 'it wrote nothing.';
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(force);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
