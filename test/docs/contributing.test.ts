/** Follows the steps of CONTRIBUTING.md in a copy of the project. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { type Fence, fencesOf, readDocument } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';

const run = promisify(execFile);
const root = fileURLToPath(ROOT);
const COPIED = [
  'src',
  'migrations',
  'test/support',
  'public',
  'package.json',
  '.mocharc.json',
  'tsconfig.json',
  'openapi.json',
];

const TESTS = ['preview', 'pinned-comment'].map((name) => `test/rest/endpoints/${name}.test`);
/** Without the other tests, whose check takes half of the time. The files of `support` are those that .mocharc.json names. */
const COMPILED = {
  extends: './tsconfig.json',
  include: [
    'src',
    'migrations',
    'test/support/database.ts',
    'test/support/reporter.ts',
    ...TESTS.map((name) => `${name}.ts`),
  ],
};

/** Of mocha's JSON reporter. */
interface Report {
  passes: { file: string }[];
}

describe('CONTRIBUTING.md', function () {
  this.timeout(180_000);
  let copy: string;
  let passed: string[];
  before(async () => {
    copy = await makeFolder();
    for (const name of COPIED) await cp(join(root, name), join(copy, name), { recursive: true });
    await mkdir(join(copy, 'test/rest/endpoints'), { recursive: true });
    await writeFile(join(copy, 'tsconfig.steps.json'), JSON.stringify(COMPILED));
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const { info, text } of await steps()) {
      const [kind, path = ''] = info.split(' ');
      await (kind === 'diff' ? apply(copy, path, text) : writeFile(join(copy, path), text));
    }
    await inCopy('node_modules/typescript/bin/tsc', '-p', 'tsconfig.steps.json');
    const options = ['--no-parallel', '--timeout', '60000', '--reporter', 'json'];
    const files = TESTS.map((name) => `dist/${name}.js`);
    const output = await inCopy('node_modules/mocha/bin/mocha.js', ...options, ...files);
    const report: Report = JSON.parse(output.slice(output.indexOf('{\n')));
    passed = report.passes.map(({ file }) => relative(copy, file));
  });

  it('adds a working endpoint with the documented steps', async () => {
    const files = ['shape-examples', 'preview', 'index'].map((name) => `src/rest/endpoints/${name}.ts`);
    expect(await filesOf('Adding an endpoint')).to.deep.equal([...files, 'test/rest/endpoints/preview.test.ts']);
    expectToPass('dist/test/rest/endpoints/preview.test.js');
  });

  it('adds a column to comments in four files, for both APIs', async () => {
    const [migration, model] = ['migrations/0030-pinned-comments.ts', 'src/models/comment/comment.ts'];
    const files = [migration, model, 'src/schema/comment.ts', 'src/rest/endpoints/shapes.ts'];
    expect(await filesOf('Adding a column to comments')).to.deep.equal([
      ...files,
      'test/rest/endpoints/pinned-comment.test.ts',
    ]);
    expectToPass('dist/test/rest/endpoints/pinned-comment.test.js');
  });

  /** mocha exits with 0 only if no test fails. */
  function expectToPass(file: string): void {
    expect(passed.filter((name) => name === file)).to.have.lengthOf(2);
  }

  async function inCopy(...command: string[]): Promise<string> {
    try {
      return (await run(process.execPath, command, { cwd: copy, maxBuffer: 64 * 1024 * 1024 })).stdout;
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout.slice(-4000));
    }
  }
});

/** The code blocks that name a file. */
async function steps(section = ''): Promise<Fence[]> {
  const document = await readDocument('CONTRIBUTING.md');
  const start = document.indexOf(`## ${section}`);
  const text = section === '' ? document : document.slice(start, document.indexOf('\n## ', start));
  return fencesOf(text).filter(({ info }) => info.includes('/'));
}

async function filesOf(section: string): Promise<string[]> {
  return [...new Set((await steps(section)).map(({ info }) => info.split(' ')[1] ?? ''))];
}

/** Applies a diff without line numbers, which `patch` requires: replaces the old text with the new text. */
async function apply(copy: string, path: string, diff: string): Promise<void> {
  const lines = diff.replace(/\n$/, '').split('\n');
  const side = (mark: string) =>
    lines
      .filter((line) => !line.startsWith(mark))
      .map((line) => line.slice(1))
      .join('\n');
  const [before, after] = [side('+'), side('-')];
  const text = await readFile(join(copy, path), 'utf8');
  expect(text, path).to.include(before);
  await writeFile(
    join(copy, path),
    text.replace(before, () => after),
  );
}
