/** A server that is measured: started as a process of its own, awaited, and stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Connections to PostgreSQL, the same for all. */
const POOL_SIZE = 10;

export interface ContenderOptions {
  /** How it is called where something is wrong with it. */
  name: string;
  script: string;
  databaseUrl: string;
  /** Settings beside the address of the database and the port. */
  settings?: Record<string, string>;
  /** Answered with 200 when it can serve. */
  readyPath: string;
  /** Takes what it writes. */
  logFile: string;
}

const READY_MS = 30_000;
const STOP_MS = 10_000;
/** What Node and the system need; a setting meant for somebody's own service must not reach a server that is measured. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'NODE_OPTIONS'];

/** Takes what stops something that was started. */
export type AtEnd = (stop: () => Promise<void>) => void;

/**
 * @param atEnd is told before the server is ready, since the bench may be interrupted while it waits
 * @returns the server's address, without a slash at the end
 * @throws Error that ends with what the server last wrote, where it does not get ready
 */
export async function startContender(options: ContenderOptions, atEnd: AtEnd): Promise<string> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await launch(options, port);
  atEnd(() => stopProcess(child));
  await awaitReady(child, url + options.readyPath, options);
  return url;
}

async function launch(
  { script, databaseUrl, settings, logFile }: ContenderOptions,
  port: number,
): Promise<ChildProcess> {
  const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const log = await open(logFile, 'w');
  try {
    const child = spawn(process.execPath, [script], {
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

async function awaitReady(child: ChildProcess, url: string, { name, logFile }: ContenderOptions): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await delay(50)) {
    if (hasEnded(child)) throw new Error(`The server "${name}" ended at its start: ${await lastWords(logFile)}`);
    // Apollo answers a GET only to who asks for more than a browser's form could.
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
