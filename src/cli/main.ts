/** Process entry point of `daybook`. */
import { openFilesProblem } from './open-files.js';
import { runCommand } from './program.js';
import { FAILED } from './subcommand.js';
import { listenForStop, projectEnvironment } from './terminal.js';

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
