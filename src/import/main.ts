/** `npm run import -- FILE.xml`: runs beside the service or without it. */
import { loadConfig } from '../config.js';
import { connectDatabase } from '../postgres/connect.js';
import { runImport } from './command.js';

const stop = new AbortController();
// The first signal lets the post at hand be finished; a second one ends the process at once, and that post is undone.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

process.exitCode = await runImport(process.argv.slice(2), {
  connect: async () => connectDatabase(loadConfig(), (line) => process.stderr.write(`${line}\n`)),
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
});
