/** What a command has around it: where it writes, its environment, and the wish of whoever runs it that it stops. */
import { fileURLToPath } from 'node:url';

/** What of a stream is needed to write a line to it. */
export interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Columns: of a terminal. */
type Stream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

export interface Terminal {
  stdout: Stream;
  stderr: Stream;
  env: NodeJS.ProcessEnv;
  /** From now on the first SIGINT or SIGTERM aborts; a second one ends the process at once. */
  listenForStop(): AbortSignal;
}

/** The root of the project. Compiled, this file is three folders below it: dist/src/cli. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Wherever in the project a command is given, the data folder is the one that `npm start` uses. */
export function projectEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, DATA_DIR: env.DATA_DIR || `${ROOT}.daybook` };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export function listenForStop(): AbortSignal {
  const stop = new AbortController();
  for (const name of SIGNALS) process.once(name, () => stop.abort());
  whenAbandoned(process.env, () => stop.abort());
  return stop.signal;
}

/** Milliseconds. */
const LOOK_AFTER = 500;

/**
 * npx runs a command by a shell that passes no signal on: both end, and the command would go on with nobody to stop it.
 * A signal of its own, such as a terminal sends to all three, comes first and is all there is to do.
 */
export function whenAbandoned({ npm_command }: NodeJS.ProcessEnv, stop: () => void): void {
  if (npm_command !== 'exec') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, LOOK_AFTER).unref();
  for (const name of SIGNALS) process.once(name, () => clearInterval(timer));
}
