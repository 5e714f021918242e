/** A measured server: start as a separate process, readiness check, and stop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findFreePort } from '../src/platform/database/embedded/server.js';
import { withClient } from './database.js';
import { type AtEnd, FOLDER, log } from './session.js';

/** PostgreSQL connections, the same for all contenders. */
const POOL_SIZE = 10;

export interface ContenderOptions {
  /** Name in error messages, and of the file for the output of the process. */
  name: string;
  /** URL, or path relative to this folder. */
  script: string;
  databaseUrl: string;
  /** Path of the Node binary; absent: that of this process. */
  node?: string;
  /** Settings besides the database URL and the port. */
  settings?: Record<string, string>;
  /** Path that returns 200 when the server is ready. */
  readyPath: string;
}

const READY_MS = 300_000;
const STOP_MS = 10_000;
/** Inherited variables, required by Node and the system; settings of a local service must not affect a measured server. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'NODE_OPTIONS'];

/**
 * @returns URL of the server, without a trailing slash
 * @throws Error that ends with the last output of the server, if it does not become ready
 */
export async function startContender(options: ContenderOptions, atEnd: AtEnd): Promise<string> {
  const { name, script, databaseUrl, node = process.execPath, settings, readyPath } = options;
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    PORT: String(port),
    ...settings,
  };
  // Other versions of Node have other options.
  const nodeOptions = node === process.execPath ? process.execArgv : [];
  const args = [...nodeOptions, fileURLToPath(new URL(script, import.meta.url))];
  await startProgram({ name, command: node, args, env, isReady: () => isOk(url + readyPath) }, atEnd);
  return url;
}

export interface Program {
  /** As of a contender. */
  name: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  isReady(): Promise<boolean>;
}

/**
 * Starts a process and waits until it is ready.
 * @param atEnd called before the process is ready, because the benchmark may be interrupted while it waits
 * @throws Error that ends with the last output of the process, if it does not become ready
 */
export async function startProgram(program: Program, atEnd: AtEnd): Promise<void> {
  const child = await launch(program);
  atEnd(() => stopProcess(child));
  await awaitReady(child, program);
}

/** @param build the compiled service (`dist`); absent: this one. It is started like with `npm start`, with the default log level. */
export function startDaybook(
  { settings, build, ...options }: Omit<ContenderOptions, 'script' | 'readyPath'> & { build?: string | undefined },
  atEnd: AtEnd,
): Promise<string> {
  const all = { HOST: '127.0.0.1', DATA_DIR: FOLDER, ...settings };
  const script = build === undefined ? '../src/server/server.js' : pathToFileURL(join(build, serverOf(build))).href;
  return startContender({ ...options, script, settings: all, readyPath: '/readyz' }, atEnd);
}

/** The entry point of a build; that of builds before the folder `src/server` differs. */
function serverOf(build: string): string {
  return existsSync(join(build, 'src/server')) ? 'src/server/server.js' : 'src/server.js';
}

async function launch({ name, command, args, env }: Program): Promise<ChildProcess> {
  const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const log = await open(logFileOf(name), 'w');
  try {
    return spawn(command, args, {
      env: { ...Object.fromEntries(inherited), ...env },
      stdio: ['ignore', log.fd, log.fd],
    });
  } finally {
    await log.close();
  }
}

async function awaitReady(child: ChildProcess, { name, isReady }: Program): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await delay(50)) {
    if (hasEnded(child)) throw new Error(`The server "${name}" ended at its start: ${await lastOutput(name)}`);
    if (await isReady()) return;
  }
  throw new Error(`The server "${name}" was not ready after ${READY_MS / 1000} s: ${await lastOutput(name)}`);
}

/** Whether a GET returns 200. */
export async function isOk(url: string): Promise<boolean> {
  // Apollo's CSRF prevention rejects a GET without a preflight header.
  const response = await fetch(url, { headers: { 'apollo-require-preflight': 'true' } }).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status === 200;
}

async function lastOutput(name: string): Promise<string> {
  return (await readFile(logFileOf(name), 'utf8')).trim().slice(-1000) || 'it wrote nothing.';
}

function logFileOf(name: string): string {
  return join(FOLDER, `${name}.log`);
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

/** Waits until no job is due: those that follow a migration change all rows. */
export async function jobsDone(databaseUrl: string): Promise<void> {
  const due = "select count(*)::integer as count from graphile_worker.jobs where run_at <= now() + interval '1 minute'";
  let logged = 0;
  await withClient(databaseUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ count: number }>(due);
      if (!rows[0]?.count) return;
      if (rows[0].count !== logged) log(`${rows[0].count} jobs are due.`);
      logged = rows[0].count;
      await delay(200);
    }
  });
}
