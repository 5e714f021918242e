#!/usr/bin/env node
/** `npx daybook`: runs the compiled program, of a clone or of an installed package. It never compiles: the folder may belong to another user. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../', import.meta.url);
const MAIN = new URL('dist/src/cli/main.js', ROOT);

requireNode();
if (!isInstalled('commander')) failUnless('npm ci', 'The packages of Daybook are not installed');
if (!existsSync(MAIN)) failUnless('npm run build', 'Daybook is not built');
process.setSourceMapsEnabled(true);
await import(MAIN);

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return;
  fail(`Daybook requires Node 20.19 or later (22.12 or later of 22), got ${process.version}.`);
}

/** A package manager may have put it into this folder or into one above it. */
function isInstalled(name) {
  try {
    return Boolean(import.meta.resolve(name));
  } catch {
    return false;
  }
}

function failUnless(command, problem) {
  fail(`${problem}: run "${command}" in ${fileURLToPath(ROOT)} first.`);
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
