#!/usr/bin/env node
/** Compiles what has changed, and deletes compiled files without a source: mocha and the list of migrations would find them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = `${ROOT}dist/`;
const { include, exclude } = JSON.parse(readFileSync(`${ROOT}tsconfig.json`, 'utf8'));

if (!existsSync(`${ROOT}node_modules/@types/mocha`)) {
  process.stderr.write(
    'The build needs the development packages, which --omit=dev and NODE_ENV=production leave out: run npm ci --include=dev. After the build, npm prune --omit=dev removes them.\n',
  );
  process.exit(1);
}

const sources = include
  .flatMap((folder) => filesIn(ROOT, folder))
  // Those of packages are not compiled, such as of peers of the benchmarks.
  .filter((path) => path.endsWith('.ts') && !path.includes('/node_modules/'))
  .filter((path) => !exclude.some((folder) => path.startsWith(`${folder}/`)));
const outputs = new Set(sources.map((path) => path.replace(/\.ts$/, '.js')));
const compiled = include.flatMap((folder) => filesIn(DIST, folder)).filter((path) => /\.js(\.map)?$/.test(path));

for (const path of compiled) if (!outputs.has(path.replace(/\.map$/, ''))) rmSync(DIST + path);
// TypeScript does not notice that an output has been deleted.
if ([...outputs].some((path) => !existsSync(DIST + path))) rmSync(`${DIST}tsconfig.tsbuildinfo`, { force: true });

const { copyAssets } = await import('./assets.js');
copyAssets(`${DIST}assets/`);

const { status } = spawnSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, '-p', ROOT], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

/** Paths with the folder, separated by slashes. The folder may be missing. */
function filesIn(parent, folder) {
  if (!existsSync(parent + folder)) return [];
  return readdirSync(parent + folder, { recursive: true, encoding: 'utf8' }).map((path) =>
    `${folder}/${path}`.replaceAll('\\', '/'),
  );
}
