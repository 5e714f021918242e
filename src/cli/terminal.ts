/** The process context of a subcommand: output streams and their progress line, environment variables and stop signals. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onStopSignals } from '../platform/concurrency/stop-signals.js';

/** The subset of a writable stream that is needed to write lines. */
export interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** `columns` is set for a terminal only. */
type Stream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

export interface Terminal {
  /** For confirmations; absent: none can be given. */
  stdin?: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Stream;
  stderr: Stream;
  env: NodeJS.ProcessEnv;
  /** Installs signal handlers: the first SIGINT or SIGTERM aborts the signal, a later one ends the process at once (`onStopSignals`). */
  listenForStop(): AbortSignal;
}

/** Path of the project root. The compiled file is three folders below it: dist/src/cli. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The data folder is in the current folder. In a clone, which has the sources, its default is that of `npm start` in any folder. It is not in an
 * installed package, which npm replaces.
 */
export function projectEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return existsSync(`${ROOT}src`) ? { ...env, DATA_DIR: env.DATA_DIR || `${ROOT}.daybook` } : env;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export function listenForStop(): AbortSignal {
  const stop = new AbortController();
  const force = (name: NodeJS.Signals) => {
    // Without handlers, the signal ends the process, and the parent process gets its name.
    process.removeAllListeners(name);
    process.kill(process.pid, name);
  };
  onStopSignals({ stop: () => stop.abort(), force });
  onParentExit(process.env, () => stop.abort());
  return stop.signal;
}

/** Polling interval for the parent process. */
const PARENT_POLL_INTERVAL_MS = 500;

/**
 * npx runs a command through a shell that does not forward signals: both end, and the command would continue as an orphan.
 * Therefore `stop` is called when the parent process id changes. A signal that reaches the command itself, such as one that a
 * terminal sends to the whole process group, cancels this check.
 */
export function onParentExit({ npm_command }: NodeJS.ProcessEnv, stop: () => void): void {
  if (npm_command !== 'exec') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_POLL_INTERVAL_MS).unref();
  for (const name of SIGNALS) process.once(name, () => clearInterval(timer));
}

/** Such as `1 comment` or `2,000 comments`. @param noun its plural ends with `s` */
export function quantity(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

const TERMINAL_INTERVAL_MS = 100;
const FILE_INTERVAL_MS = 5_000;

export class ProgressLine {
  readonly #output: Output;
  readonly #intervalMs: number;
  readonly #now: () => number;
  #shownAt: number;

  constructor(output: Output, now = Date.now) {
    this.#output = output;
    this.#now = now;
    this.#shownAt = now();
    this.#intervalMs = output.isTTY ? TERMINAL_INTERVAL_MS : FILE_INTERVAL_MS;
  }

  /** @param describe called only when the next line is due */
  show(describe: () => string): void {
    const now = this.#now();
    if (now - this.#shownAt < this.#intervalMs) return;
    this.#shownAt = now;
    // CSI K (erase in line) clears the rest of a longer previous line.
    this.#output.write(this.#output.isTTY ? `\r${describe()}\u001b[K` : `${describe()}\n`);
  }

  /** Clears the line on a terminal. */
  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }
}
