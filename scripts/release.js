#!/usr/bin/env node
/**
 * `npm run release`: writes the package, its SBOM and their checksums to `dist/release`. The same commit gives the same bytes.
 * With --check, it only reports what prevents a release.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = `${ROOT}dist/release/`;
/** Development packages whose files the package contains (`assets.js`). */
const COPIED = ['@graphql-yoga/render-graphiql', 'swagger-ui-dist'];

const { name, version, repository, homepage, bugs } = JSON.parse(textOf('package.json'));

const problems = findProblems();
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) release();

function findProblems() {
  const addresses = { repository: repository?.url, homepage, bugs: bugs?.url };
  const unset = Object.entries(addresses).filter(([, url]) => !url || new URL(url).hostname === 'example.com');
  const changes = run('git', 'status', '--porcelain').trim();
  return [
    ...(textOf('SECURITY.md').includes('example.com') ? ['Set the address in SECURITY.md: it is a placeholder.'] : []),
    ...unset.map(([field]) => `Set "${field}" in package.json: it is a placeholder.`),
    ...(textOf('CHANGELOG.md').includes(`\n## ${version}`) ? [] : [`Add the section "${version}" to CHANGELOG.md.`]),
    ...(changes ? [`Commit these files, or remove them:\n${changes}`] : []),
  ];
}

function release() {
  rmSync(`${ROOT}dist`, { recursive: true, force: true });
  run('npm', 'run', '--silent', 'build');
  mkdirSync(TARGET);
  run('npm', 'pack', '--ignore-scripts', `--pack-destination=${TARGET}`);
  const file = `${name}-${version}`;
  const digest = digestOf(`${file}.tgz`);
  writeFileSync(`${TARGET}${file}.cdx.json`, `${JSON.stringify(describeComponents(digest), null, 2)}\n`);
  const sums = [`${file}.tgz`, `${file}.cdx.json`].map((path) => `${digestOf(path)}  ${path}\n`);
  writeFileSync(`${TARGET}SHA256SUMS`, sums.join(''));
  process.stdout.write(`Written to dist/release:\n${sums.join('')}`);
}

/** An SBOM in the format of CycloneDX, of the locked versions. Its number follows from the package, and its time is that of the commit. */
function describeComponents(digest) {
  const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const sbom = JSON.parse(run('npm', 'sbom', ...options));
  // npm takes the name from the folder.
  sbom.metadata.component.name = name;
  sbom.metadata.timestamp = new Date(run('git', 'log', '-1', '--format=%cI').trim()).toISOString();
  sbom.serialNumber = `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5')}`;
  const contained = new Set([sbom.metadata.component['bom-ref'], ...packagesOfService()]);
  sbom.components = sbom.components.filter((component) => contained.has(component['bom-ref']));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => contained.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => contained.has(other)) }));
  return sbom;
}

/** Such as `koa@3.3.0`. `npm sbom --omit=dev` leaves out those that a development package needs too. */
function packagesOfService() {
  const { packages } = JSON.parse(textOf('package-lock.json'));
  return Object.entries(packages).flatMap(([path, { dev, link, version }]) => {
    const [, name] = /.*node_modules\/(.+)/.exec(path) ?? [];
    return name && !link && (!dev || COPIED.includes(name)) ? [`${name}@${version}`] : [];
  });
}

function textOf(path) {
  return readFileSync(ROOT + path, 'utf8');
}

function digestOf(file) {
  return createHash('sha256')
    .update(readFileSync(TARGET + file))
    .digest('hex');
}

function run(program, ...args) {
  return execFileSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });
}
