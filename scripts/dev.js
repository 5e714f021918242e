#!/usr/bin/env node
/** Compiles and restarts the service after each change of its sources, until SIGINT (Ctrl-C) or SIGTERM. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
// In process groups of their own: from a terminal, the service would receive Ctrl-C twice, also from `node --watch`, and end at once.
const run = (...args) =>
  spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true }).on('exit', end);

const compiler = run(`${ROOT}node_modules/typescript/bin/tsc`, '-p', ROOT, '--watch', '--preserveWatchOutput');
const service = run('--watch', '--enable-source-maps', `${ROOT}dist/src/cli/main.js`, 'start');

process.on('SIGINT', end);
process.on('SIGTERM', end);

function end() {
  // `tsc` starts a program; `node --watch` passes the signal on, and waits.
  if (compiler.exitCode === null && compiler.signalCode === null) process.kill(-compiler.pid);
  service.kill();
}
