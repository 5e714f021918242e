/**
 * `npm run faults`: runs the fault-injection suite, and writes docs/reliability.md.
 *
 *     npm run faults                              all faults except the soak, and except those whose programs are missing
 *     npm run faults -- switchover disk-full      these faults
 *     npm run faults -- soak --minutes 60
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT } from '../../src/cli/generate/files.js';
import { FAULTS, type FaultName, packagesOf } from '../support/faults.js';
import { missingPackages } from '../support/programs.js';
import { PAGE, type Results, readResults, reliabilityPage } from './reliability.js';

const TESTS = fileURLToPath(new URL('dist/test/', ROOT));
const MOCHA = fileURLToPath(new URL('node_modules/mocha/bin/mocha.js', ROOT));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '60' }, help: { type: 'boolean', short: 'h' } },
});
const all = Object.keys(FAULTS) as FaultName[];
if (values.help) {
  process.stdout.write(`npm run faults [-- NAME ... [--minutes N]]\n\nThe faults are: ${all.join(', ')}\n`);
  process.exit();
}
const unknown = positionals.filter((name) => !all.includes(name as FaultName));
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(', ')}. The faults are: ${all.join(', ')}\n`);
  process.exit(2);
}
const chosen = positionals.length > 0 ? (positionals as FaultName[]) : all.filter((name) => name !== 'soak');
const leftOut = chosen.filter((name) => missingPackages(packagesOf(name)).length > 0);
if (leftOut.length > 0) {
  const packages = new Set(leftOut.flatMap((name) => missingPackages(packagesOf(name))));
  process.stderr.write(`Left out: ${leftOut.join(', ')}. To run them: apt-get install ${[...packages].join(' ')}\n`);
}
const possible = chosen.filter((name) => !leftOut.includes(name));
process.exitCode = possible.length > 0 ? runFaults(possible) : 1;

function runFaults(names: readonly FaultName[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-faults-'));
  const file = join(folder, 'results');
  writeFileSync(file, '');
  const titles = names.map((name) => FAULTS[name].fault.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // In one process, so that the faults do not disturb each other.
  const args = ['--no-parallel', '--exit', '--grep', titles.join('|'), ...filesOf(names)];
  const env = { ...process.env, FAULT_RESULTS: file, SOAK_MINUTES: values.minutes };
  const { status } = spawnSync(process.execPath, [MOCHA, ...args], { cwd: fileURLToPath(ROOT), env, stdio: 'inherit' });
  const results: Results = new Map(readResults(readFileSync(PAGE, 'utf8')));
  const machine = `${cpus().length} cores, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
  for (const [name, texts] of collect(readFileSync(file, 'utf8')))
    results.set(name, { text: texts.join('; '), machine });
  writeFileSync(PAGE, reliabilityPage(results));
  rmSync(folder, { recursive: true });
  return status ?? 1;
}

/** @returns the measured texts of the faults whose tests have passed */
function collect(lines: string): Map<FaultName, string[]> {
  const texts = new Map<FaultName, string[]>();
  for (const line of lines.split('\n').filter(Boolean)) {
    const [name, text] = JSON.parse(line) as [FaultName, string];
    texts.set(name, [...(texts.get(name) ?? []), text]);
  }
  return new Map([...texts].filter(([, all]) => all.at(-1)?.includes('passed')));
}

/** The compiled files with the tests of these faults. */
function filesOf(names: readonly FaultName[]): string[] {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:test|system|slow)\.js$/.test(file),
  );
  const paths = files.map((file) => join(TESTS, file));
  return paths.filter((path) => {
    const text = readFileSync(path, 'utf8');
    return names.some((name) => new RegExp(`describeFault\\(\\s*'${name}'`).test(text));
  });
}
