/** Runs the `daybook` command as a process and collects its output and exit code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/cli/program.js';
import { projectEnvironment } from '../../src/cli/terminal.js';

/** The compiled file is three folders below the root. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = `${ROOT}dist/src/cli/main.js`;

export interface CliResult {
  /** The exit code, or the signal that ended the process. */
  code: number | string;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  child: ChildProcess;
  result: Promise<CliResult>;
}

/** The environment consists of these variables, PATH, HOME and TMPDIR. */
export function startDaybook(
  args: string[],
  environment: Record<string, string> = {},
  { program = [process.execPath, MAIN], cwd = ROOT }: { program?: readonly string[]; cwd?: string } = {},
): RunningCli {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  const env = { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...environment };
  const [file = '', ...before] = program;
  const child = spawn(file, [...before, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** Runs a command in this process, which is faster; not for commands that open a pool, to which they would bind the models. */
export async function runInProcess(args: string[], environment: Record<string, string> = {}): Promise<CliResult> {
  const output = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof output) =>
    new PassThrough().setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const [stdout, stderr] = [collect('stdout'), collect('stderr')];
  const env = projectEnvironment({ PATH: process.env.PATH, ...environment });
  const code = await runCommand(args, { stdout, stderr, env, listenForStop: () => new AbortController().signal });
  await Promise.all([stdout, stderr].map((stream) => finished(stream.end())));
  return { code, ...output };
}

export function runDaybook(args: string[], environment: Record<string, string> = {}): Promise<CliResult> {
  return startDaybook(args, environment).result;
}
