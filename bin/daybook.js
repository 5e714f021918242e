#!/usr/bin/env node
/** `npx daybook`: runs the program that `npm run build` has compiled. It never compiles: the folder may belong to another user. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const MAIN = `${ROOT}dist/src/cli/main.js`;

requireNode();
if (!existsSync(`${ROOT}node_modules`))
  fail(`The packages of Daybook are not installed: run "npm ci" in ${ROOT} first.`);
if (!existsSync(MAIN)) fail(`Daybook is not built: run "npm run build" in ${ROOT} first.`);
process.setSourceMapsEnabled(true);
await import(MAIN);

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return;
  fail(`Daybook requires Node 20.19 or later (22.12 or later of 22), got ${process.version}.`);
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
