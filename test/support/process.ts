/** The service as a separate process. Several processes can share a database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JWT_SECRET, MANY_REGISTRATIONS } from './app.js';
import { freePort } from './server.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

export interface ServiceProcess {
  child: ChildProcess;
  url: string;
  /** The output so far. */
  output: { stdout: string; stderr: string };
  /** Resolves when stdout contains this text; rejects if the process ends first. */
  waitForOutput(text: string): Promise<void>;
  /** Resolves to the exit code, or the signal that ended the process. */
  ended: Promise<number | string>;
}

/**
 * The environment consists of these variables, PATH, HOME, TMPDIR, LOG_LEVEL and PORT; without NODE_OPTIONS, the options of Node are those of the tests
 * (`.mocharc.cjs`).
 * @param wrap adds a program that runs the command
 */
export async function startProcess(
  environment: Record<string, string>,
  wrap = (command: string[]) => command,
  cwd?: string,
): Promise<ServiceProcess> {
  const port = environment.PORT ?? String(await freePort());
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  const env = { PATH, HOME, ...(TMPDIR && { TMPDIR }), LOG_LEVEL: 'warn', ...environment, PORT: port };
  const options = environment.NODE_OPTIONS === undefined ? process.execArgv : [];
  const [program = '', ...args] = wrap([process.execPath, ...options, MAIN, 'start']);
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  );
  const waitForOutput = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => output.stdout.includes(text) && resolve();
      check();
      child.stdout.on('data', check);
      void ended.then((code) => reject(new Error(`ended with ${code} before "${text}": ${output.stderr}`)));
    });
  return { child, url: `http://127.0.0.1:${port}`, output, waitForOutput, ended };
}

export interface RunningService {
  url: string;
  /** @returns the exit code */
  stop(): Promise<number | string>;
  /** Kills the process without a graceful shutdown. */
  kill(): Promise<void>;
}

/** Starts a server on a free port. All servers share the secret of the tests. */
export async function startService(
  databaseUrl: string,
  environment: Record<string, string> = {},
): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-process-'));
  const own = { HOST: '127.0.0.1', DATABASE_URL: databaseUrl, DATA_DIR: dataDir, JWT_SECRET, LOG_LEVEL: 'fatal' };
  const limits = { LIMIT_REGISTER: MANY_REGISTRATIONS };
  const { child, url, waitForOutput, ended } = await startProcess({ ...own, ...limits, ...environment });
  await waitForOutput('Daybook is ready.');
  const endWith = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    const code = await ended;
    await rm(dataDir, { recursive: true, force: true });
    return code;
  };
  const kill = async () => void (await endWith('SIGKILL'));
  return { url, stop: () => endWith('SIGTERM'), kill };
}
