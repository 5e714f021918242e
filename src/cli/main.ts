/** `daybook` as a process. */
import { runCommand } from './program.js';
import { listenForStop, projectEnvironment } from './terminal.js';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read has stopped to, as `| head` does: what is under way goes on, unless writing is all it is.
    if (error.code === 'EPIPE') return;
    if (stream === process.stdout) process.stderr.write(`The output cannot be written: ${error.message}.\n`);
    process.exit(1);
  });
}

process.exitCode = await runCommand(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: projectEnvironment(process.env),
  listenForStop,
});
