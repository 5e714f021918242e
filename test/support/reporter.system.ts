/** Executes files that fail in various ways with the reporter of the tests. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { makeFolder } from './folder.js';

const MOCHA = fileURLToPath(new URL('node_modules/mocha/bin/mocha.js', ROOT));
const SUPPORT = fileURLToPath(new URL('dist/test/support/', ROOT));

/** The beginning of each file: `isFirst` is whether no other process has executed it. A process may load it twice. */
const BEGINNING = `
const { appendFileSync, readdirSync } = require('node:fs');
appendFileSync(__filename + '.' + process.pid + '.run', '');
const isFirst = readdirSync(__dirname).filter((file) => file.startsWith(require('node:path').basename(__filename) + '.')).length === 1;
const failOnce = () => { if (isFirst) throw new Error('only once'); };
`;
const ONCE = "describe('A file', () => { it('passes', () => {}); it('fails once', failOnce); });";
const ALWAYS = "describe('A file', () => { it('fails', () => { throw new Error('always'); }); });";
const PASSES = "describe('A file', () => { it('passes', () => {}); it.skip('is skipped', () => {}); });";

interface Run {
  status: number | null;
  /** The lines of the summary. */
  summary: string[];
  /** How many times each file was executed. */
  runs: Record<string, number>;
}

async function run(files: Record<string, string>, options = ['--reporter-option', 'repeat']): Promise<Run> {
  const folder = await makeFolder();
  const require = [`${SUPPORT}processor-time.js`];
  writeFileSync(
    join(folder, '.mocharc.json'),
    JSON.stringify({ require, reporter: `${SUPPORT}reporter.js`, parallel: true, jobs: 2, timeout: 0 }),
  );
  for (const [name, body] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), BEGINNING + body);
  }
  const args = [MOCHA, ...options, ...Object.keys(files)];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const summary = stdout.trimEnd().split('\n').slice(-50);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.run'));
  const runs: Record<string, number> = {};
  for (const path of paths) {
    const file = path.replace(/\.\d+\.run$/, '');
    runs[file] = (runs[file] ?? 0) + 1;
  }
  return { status, summary, runs };
}

function linesOf({ summary }: Run, prefix: string): string[] {
  return summary.filter((line) => line.startsWith(prefix));
}

describe('The reporter of the tests', function () {
  this.timeout(120_000);

  it('fails a test during which a rejection is not handled', async () => {
    const waits =
      "it('waits', async () => { Promise.reject(new Error('unhandled')); await new Promise((done) => setTimeout(done, 100)); });";
    const result = await run({ 'rejects.test.js': waits }, []);
    expect(linesOf(result, 'FAILED')).to.deep.equal(['FAILED rejects.test.js: waits']);
    expect(result.summary.at(-1)).to.equal('0 passed, 1 failed');
  });

  it('executes a failed file again, and counts its tests once', async () => {
    const result = await run({
      'once.test.js': ONCE,
      'ends.test.js': "describe('A process', () => { it('ends', () => { if (isFirst) process.exit(0); }); });",
      'root.test.js': `before(failOnce); ${PASSES}`,
      'passes.test.js': PASSES,
    });

    expect(linesOf(result, 'FLAKY')).to.have.members([
      'FLAKY once.test.js: A file fails once',
      'FLAKY root.test.js: "before all" hook: failOnce in "{root}"',
      'FLAKY ends.test.js: Uncaught error outside test suite',
    ]);
    expect(linesOf(result, '  only once')).to.have.length(2);
    expect(linesOf(result, 'FAILED')).to.deep.equal([]);
    expect(result.summary.filter((line) => /^\d+ passed/.test(line))).to.deep.equal(['5 passed, 0 failed, 2 skipped']);
    expect(result.summary.at(-1)).to.equal('5 passed, 0 failed, 2 skipped');
    expect(result.status).to.equal(0);
    expect(result.runs).to.deep.equal({
      'once.test.js': 2,
      'ends.test.js': 2,
      'root.test.js': 2,
      'passes.test.js': 1,
    });
  });

  it('fails if a file fails again, and executes no property, fault and hostile file again', async () => {
    const result = await run({
      'before.test.js': `describe('A file', () => { before(failOnce); it('passes', () => {}); });`,
      'load.test.js': `failOnce(); ${PASSES}`,
      'always.test.js': ALWAYS,
      'skips.test.js':
        "describe('A file', () => { it('passes', () => {}); it('skips', function () { failOnce(); this.skip(); }); });",
      'fewer.test.js': `${PASSES} if (isFirst) ${ONCE}`,
      'a.property.js': ONCE,
      'test/fault/a.test.js': ONCE,
      'test/hostile/a.system.js': ONCE,
      'described.test.js': `const describeFault = describe; describeFault('A fault', () => { it('fails once', failOnce); });`,
    });

    expect(linesOf(result, 'FLAKY').map((line) => line.slice(0, 21).trim())).to.have.members([
      'FLAKY before.test.js:',
      'FLAKY load.test.js: U',
    ]);
    expect(linesOf(result, 'FAILED')).to.have.members([
      'FAILED always.test.js: A file fails',
      'FAILED skips.test.js: A file skips',
      'FAILED fewer.test.js: A file fails once',
      'FAILED a.property.js: A file fails once',
      'FAILED test/fault/a.test.js: A file fails once',
      'FAILED test/hostile/a.system.js: A file fails once',
      'FAILED described.test.js: A fault fails once',
    ]);
    expect(result.summary.at(-1)).to.equal('8 passed, 7 failed, 2 skipped');
    expect(result.status).to.equal(7);
    expect(result.runs).to.include({ 'always.test.js': 2, 'a.property.js': 1, 'described.test.js': 1 });
    expect(result.runs).to.include({ 'test/fault/a.test.js': 1, 'test/hostile/a.system.js': 1 });
  });

  it('fails if more than three files are flaky', async () => {
    const result = await run(Object.fromEntries([1, 2, 3, 4].map((n) => [`once-${n}.test.js`, ONCE])));

    expect(linesOf(result, 'FLAKY')).to.have.length(4);
    expect(result.summary.at(-1)).to.equal('4 passed, 4 failed');
    expect(result.status).to.equal(4);
  });

  it('executes no file again if more than ten have failed, and shortens what it prints', async () => {
    const long = `describe('A file', () => { it('fails', () => { throw new Error('long\\n'.repeat(500)); }); });`;
    const names = Array.from({ length: 11 }, (_, n) => `always-${n}.test.js`);
    const result = await run(Object.fromEntries(names.map((name) => [name, long])));

    expect(result.summary).to.include('and 1 more failures, listed above');
    expect(linesOf(result, 'FAILED')).to.have.length(10);
    expect(result.summary.join('\n')).to.have.length.below(10_000);
    expect(result.summary.at(-1)).to.equal('0 passed, 11 failed');
    expect(result.runs).to.deep.equal(Object.fromEntries(names.map((name) => [name, 1])));
  });

  it('executes no file again without the option, and reports the processor time of files and of their processes', async () => {
    const busy = 'for (let n = 0; process.cpuUsage().user < 400_000; ) for (let m = 0; m < 1e6; m++) n += m;';
    const result = await run(
      {
        'busy.test.js': `describe('A file', () => { it('computes', () => { ${busy} }); });`,
        'process.test.js': `describe('A file', () => { it('starts a process', () => {
          require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(busy)}]);
        }); });`,
        'once.test.js': ONCE,
      },
      [],
    );

    expect(result.runs).to.include({ 'once.test.js': 1 });
    expect(result.summary.at(-1)).to.equal('3 passed, 1 failed');
    expect(result.status).to.equal(1);
    for (const file of ['busy', 'process']) {
      const line = result.summary.find((one) => one.endsWith(`s  ${file}.test.js`));
      expect(Number.parseFloat(line ?? ''), line).to.be.at.least(0.3);
    }
  });
});
