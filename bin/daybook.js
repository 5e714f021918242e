#!/usr/bin/env node
/** `npx daybook`: builds the program if the build is missing or older than the sources, then runs it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const MAIN = `${ROOT}dist/src/cli/main.js`;
const COMPILER = `${ROOT}node_modules/typescript/bin/tsc`;
/** The sources of the program, without tests and benchmarks. A prebuilt installation may not include them. */
const SOURCES = ['src', 'migrations', 'tsconfig.json'].map((name) => ROOT + name);

requireNode();
if (isStale()) build();
process.setSourceMapsEnabled(true);
await import(MAIN);

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return;
  fail(`Daybook requires Node 20.19 or later (22.12 or later of 22), got ${process.version}.`);
}

function isStale() {
  if (!existsSync(MAIN)) return true;
  return existsSync(COMPILER) && SOURCES.some((path) => isNewer(path, statSync(MAIN).mtimeMs));
}

function isNewer(path, time) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats !== undefined && stats.mtimeMs > time;
  return readdirSync(path, { withFileTypes: true }).some((entry) =>
    entry.isDirectory()
      ? isNewer(`${path}/${entry.name}`, time)
      : entry.name.endsWith('.ts') && statSync(`${path}/${entry.name}`).mtimeMs > time,
  );
}

/** Redirects the output of the compiler to standard error: standard output is for the results of the command. */
function build() {
  if (!existsSync(COMPILER)) fail('Daybook is not built, and its compiler is not installed: run "npm ci" first.');
  process.stderr.write('Building Daybook.\n');
  const { status } = spawnSync(process.execPath, [COMPILER, '-p', ROOT], { stdio: ['ignore', 2, 2] });
  // An incremental build does not write files that stay the same.
  if (status === 0) return utimesSync(MAIN, new Date(), new Date());
  // The compiler emits files despite errors: the old modification time marks them as stale.
  if (existsSync(MAIN)) utimesSync(MAIN, 0, 0);
  fail('The build of Daybook failed: see the compiler output above.');
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
