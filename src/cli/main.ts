/** Process entry point of `daybook`. */
import { readFileSync } from 'node:fs';
import { runCommand } from './program.js';
import { FAILED } from './subcommand.js';
import { listenForStop, projectEnvironment } from './terminal.js';

/** Open files, below which Node reports packages as missing (EMFILE). Startup takes fewer than 200; connections of clients, the database and images need the rest. */
const MIN_OPEN_FILES = 512;

/** @returns a sentence if the limit is too low; none where the system does not show it. Node has raised the soft limit to the hard one. */
function openFilesProblem(): string | undefined {
  const limit = Number(/^Max open files +(\d+)/m.exec(processLimits())?.[1] ?? Number.POSITIVE_INFINITY);
  if (limit >= MIN_OPEN_FILES) return undefined;
  return `The limit of open files is ${limit}, but Daybook needs at least ${MIN_OPEN_FILES}: raise it with "ulimit -n", or LimitNOFILE= of systemd.`;
}

/** Linux only. */
function processLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe, as `| head` does. A subcommand that changes data continues; one that only writes output stops.
    if (error.code === 'EPIPE') return;
    if (stream === process.stdout) process.stderr.write(`The output cannot be written: ${error.message}.\n`);
    process.exit(1);
  });
}

const problem = openFilesProblem();
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(FAILED);
}

process.exitCode = await runCommand(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: projectEnvironment(process.env),
  listenForStop,
});
