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

export function listenForStop(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}
