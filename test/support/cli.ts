/** Runs commands of `daybook` in this process, or as a process of their own, and collects their output and exit code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/cli/program.js';
import { projectEnvironment } from '../../src/cli/terminal.js';
import { bindModels } from './database.js';

/** The compiled file is three folders below the root. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = `${ROOT}dist/src/cli/main.js`;

export interface CliResult {
  /** The exit code, or the signal that ended the process. */
  code: number | string;
  stdout: string;
  stderr: string;
}

let isRunning = false;

/**
 * Runs a command in this process, which takes a tenth of the processor time of a process of its own. The environment consists of these variables,
 * PATH, HOME and TMPDIR.
 * @param stopAfter the command is stopped, as by a signal, when standard error contains this text
 * @throws Error if another command is running: the models are bound to the pool that was opened last
 */
export async function runDaybook(
  args: string[],
  environment: Record<string, string> = {},
  stopAfter?: string,
): Promise<CliResult> {
  if (isRunning) throw new Error('Commands that run at the same time need processes of their own: use startDaybook');
  isRunning = true;
  const output = { stdout: '', stderr: '' };
  const stop = new AbortController();
  const collect = (name: keyof typeof output) =>
    new PassThrough().setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      if (stopAfter !== undefined && output.stderr.includes(stopAfter)) stop.abort();
    });
  const [stdout, stderr] = [collect('stdout'), collect('stderr')];
  const env = projectEnvironment(inherited(environment));
  try {
    const code = await runCommand(args, { stdout, stderr, env, listenForStop: () => stop.signal });
    await Promise.all([stdout, stderr].map((stream) => finished(stream.end())));
    return { code, ...output };
  } finally {
    await bindModels();
    isRunning = false;
  }
}

/** The error output without the lines about progress, which a command prints when it takes long, as on a busy machine. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^(?:Importing|Exporting|Seeding|Verifying|Restoring|Backing up).*\n/gm, '');
}

function inherited(environment: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...environment };
}

export interface RunningCli {
  child: ChildProcess;
  result: Promise<CliResult>;
}

/** Runs a command as a process, with the same environment: for its signals, standard streams and exit code, and for parallel commands. */
export function startDaybook(
  args: string[],
  environment: Record<string, string> = {},
  {
    program = [process.execPath, ...process.execArgv, MAIN],
    cwd = ROOT,
  }: { program?: readonly string[]; cwd?: string } = {},
): RunningCli {
  const [file = '', ...before] = program;
  const child = spawn(file, [...before, ...args], {
    env: inherited(environment),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  const result = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'unknown', ...output }));
  });
  return { child, result };
}
