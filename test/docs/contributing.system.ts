/** Follows the steps of CONTRIBUTING.md in a copy of the project. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { ROOT } from '../../src/cli/generate/files.js';
import { runDaybook, startDaybook } from '../support/cli.js';
import { emptyDatabase, execute, freshDatabase } from '../support/database.js';
import { type Fence, fencesOf, readDocument } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';

const run = promisify(execFile);
const root = fileURLToPath(ROOT);
const COPIED = [
  'src',
  'migrations',
  'test/support',
  'test/rest/openapi',
  'public',
  'docs',
  'package.json',
  '.mocharc.cjs',
  'tsconfig.json',
  'openapi.json',
];

const [PREVIEW = '', PINNED = '', SUBTITLE = '', FILTER = '', BOOKMARK = '', STAR = '', UPLOAD = ''] = [
  'preview',
  'pinned-comment',
  'subtitle',
  'subtitle-filter',
  'bookmark-notification',
  'star',
  'upload-limit',
].map((name) => `test/rest/endpoints/${name}.test`);
/** Includes that the generated files are current, and that each documented error of each endpoint can occur. */
const CONTRACT = 'test/rest/openapi/contract.test';
const PLACE = 'test/graphql/place.test';
const TAG_COUNT = 'test/jobs/tag-count.test';
const TESTS = [PREVIEW, PINNED, SUBTITLE, FILTER, BOOKMARK, STAR, PLACE, TAG_COUNT, UPLOAD, CONTRACT];
/** Without the other tests, whose check takes half of the time. The files of `support` are those that .mocharc.cjs names. */
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
    for (const name of TESTS) await mkdir(dirname(join(copy, name)), { recursive: true });
    await writeFile(join(copy, 'tsconfig.steps.json'), JSON.stringify(COMPILED));
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const { info, text } of await steps()) {
      const [kind, path = ''] = info.split(' ');
      await (kind === 'diff' ? apply(copy, path, text) : writeFile(join(copy, path), text));
    }
    await inCopy('node_modules/typescript/bin/tsc', '-p', 'tsconfig.steps.json');
    await inCopy('dist/src/cli/generate/main.js');
    const options = ['--no-parallel', '--timeout', '60000', '--reporter', 'json'];
    const files = TESTS.map((name) => `dist/${name}.js`);
    const output = await inCopy('node_modules/mocha/bin/mocha.js', ...options, ...files);
    const report: Report = JSON.parse(output.slice(output.indexOf('{\n')));
    passed = report.passes.map(({ file }) => relative(copy, file));
  });

  it('adds a working endpoint in three files', async () => {
    const files = ['preview', 'index'].map((name) => `src/rest/endpoints/${name}.ts`);
    expect(await filesOf('Adding an endpoint')).to.deep.equal([...files, 'test/rest/endpoints/preview.test.ts']);
    expectToPass(PREVIEW);
    expectToPass(CONTRACT);
  });

  it('adds a column to comments in four files, for both APIs', async () => {
    const [migration, model] = ['migrations/9001-pinned-comments.ts', 'src/models/comment/comment.ts'];
    const files = [migration, model, 'src/schema/comment.ts', 'src/rest/endpoints/comment-shapes.ts'];
    expect(await filesOf('Adding a column to comments')).to.deep.equal([
      ...files,
      'test/rest/endpoints/pinned-comment.test.ts',
    ]);
    expectToPass(PINNED);
  });

  it('adds a column of articles with drafts, revisions, exports and imports in at most nine files, for both APIs', async () => {
    const files = await filesOf('Adding a column of articles');
    expect(files).to.deep.equal([
      'migrations/9002-subtitles.ts',
      'src/models/article/metadata.ts',
      'src/schema/article-metadata.ts',
      'test/rest/endpoints/subtitle.test.ts',
    ]);
    expect(files.length).to.be.at.most(9);
    expectToPass(SUBTITLE);
  });

  it('adds a filter of articles in three files, for both APIs', async () => {
    expect(await filesOf('Adding a filter of articles')).to.deep.equal([
      'src/models/article/filters.ts',
      'src/schema/article-list.ts',
      'src/rest/endpoints/article.ts',
      'test/rest/endpoints/subtitle-filter.test.ts',
    ]);
    expectToPass(FILTER);
  });

  it('changes a limit in one file', async () => {
    expect(await filesOf('Changing a limit')).to.deep.equal([
      'src/platform/http/multipart.ts',
      'test/rest/endpoints/upload-limit.test.ts',
    ]);
    expectToPass(UPLOAD);
    expect(await readFile(join(copy, 'docs/limits.md'), 'utf8')).to.include('| Image file. | 12 MiB |');
  });

  it('adds a background job in three files', async () => {
    expect(await filesOf('Adding a background job')).to.deep.equal([
      'src/jobs/tag-count.ts',
      'src/jobs/tasks.ts',
      'test/jobs/tag-count.test.ts',
    ]);
    expectToPass(TAG_COUNT);
  });

  it('adds a type of notifications in six files', async () => {
    expect(await filesOf('Adding a type of notifications')).to.deep.equal([
      'migrations/9004-bookmark-notifications.ts',
      'src/models/notification/kinds.ts',
      ...['en', 'ko'].map((language) => `src/platform/messages/${language}/notifications.ts`),
      'src/models/bookmark.ts',
      'test/rest/endpoints/bookmark-notification.test.ts',
    ]);
    expectToPass(BOOKMARK);
  });

  it('adds a kind of reactions in five files, for both APIs', async () => {
    expect(await filesOf('Adding a kind of reactions to articles')).to.deep.equal([
      'migrations/9005-stars.ts',
      'src/models/reaction-kinds.ts',
      ...['en', 'ko'].map((language) => `src/platform/messages/${language}/responses.ts`),
      'test/rest/endpoints/star.test.ts',
    ]);
    expectToPass(STAR);
  });

  it('adds a GraphQL type with a loader in six files', async () => {
    const migration = 'migrations/9003-places.ts';
    const files = ['models/place', 'schema/place', 'resolvers/place', 'graphql/schema'].map((name) => `src/${name}.ts`);
    expect(await filesOf('Adding a GraphQL type with a loader')).to.deep.equal([migration, ...files, `${PLACE}.ts`]);
    expectToPass(PLACE);
  });

  it('restores a backup of the version before with the steps that were added', async () => {
    const [before, after] = [await freshDatabase('daybook_before'), await emptyDatabase('daybook_after')];
    await execute(
      [
        `insert into members (email, member_name, nickname) values ('a@private.test', 'Ada', 'ada')`,
        `insert into categories (member_id, name, is_default) values (1, 'Notes', true)`,
        `insert into articles (member_id, category_id, title, content) values (1, 1, 'Owls', 'In the attic.')`,
        `insert into comments (article_id, member_id, content) values (1, 1, 'Where?')`,
      ],
      before,
    );
    const backup = join(await makeFolder(), 'backup.tar.gz');
    const { code, stderr } = await runDaybook(['backup', backup, '--without-secrets'], {
      DATABASE_URL: before,
      DATA_DIR: await makeFolder(),
    });
    expect(code, stderr).to.equal(0);
    const program = [process.execPath, join(copy, 'dist/src/cli/main.js')];
    const restored = await startDaybook(
      ['restore', backup],
      { DATABASE_URL: after, DATA_DIR: await makeFolder() },
      { program },
    ).result;
    expect(restored.code, restored.stderr).to.equal(0);
    expect(restored.stderr).to.match(
      /^Migrated the database: 9001-pinned-comments, 9002-subtitles, 9003-places, 9004-bookmark-notifications, 9005-stars\.\n/,
    );
    const client = new pg.Client(after);
    await client.connect();
    const { rows } = await client.query('select content, is_pinned from comments');
    await client.end();
    expect(rows).to.deep.equal([{ content: 'Where?', is_pinned: false }]);
  });

  /** mocha exits with 0 only if no test fails. */
  function expectToPass(test: string): void {
    expect(passed).to.include(`dist/${test}.js`);
  }

  async function inCopy(...command: string[]): Promise<string> {
    try {
      return (await run(process.execPath, command, { cwd: copy, maxBuffer: 64 * 1024 * 1024 })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${stdout}${stderr}`.slice(-4000));
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
