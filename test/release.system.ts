/** `npm run release` in a clone: what prevents it, and what it writes. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { VERSION } from '../src/platform/version.js';
import { ROOT, startDaybook } from './support/cli.js';
import { makeFolder } from './support/folder.js';

const run = promisify(execFile);
const LATER = '999.0.0';

describe('npm run release', function () {
  this.timeout(240_000);
  let clone: string;
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: clone });
  const release = () => startDaybook(['run', '--silent', 'release'], {}, { program: ['npm'], cwd: clone }).result;

  before(async () => {
    clone = await makeFolder();
    // With the files that are not committed yet, and without those that no release contains, whose compilation takes half of the time.
    const listed = `git ls-files -z --cached --others --exclude-standard . ':!test/*.ts' ':!bench/*.ts' | xargs -0 cp --parents --target-directory="$0"`;
    await run('sh', ['-c', listed, clone], { cwd: ROOT });
    await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
    await git('init', '--quiet');
    await commit('one');
  });

  async function commit(message: string): Promise<void> {
    await git('add', '--all');
    await git('commit', '--quiet', '--message', message);
  }

  it('names each placeholder, a missing section of the changelog, and what is not committed', async () => {
    await replaceIn('package.json', `"version": "${VERSION}"`, `"version": "${LATER}"`);
    expect(await release()).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: [
        'Set the address in SECURITY.md: it is a placeholder.',
        ...['repository', 'homepage', 'bugs'].map((field) => `Set "${field}" in package.json: it is a placeholder.`),
        `Add the section "${LATER}" to CHANGELOG.md.`,
        'Commit these files, or remove them:',
        'M package.json\n',
      ].join('\n'),
    });
  });

  it('writes the package, its components and checksums, the same each time', async () => {
    for (const name of ['package.json', 'SECURITY.md']) await replaceIn(name, 'example.com', 'example.org');
    await replaceIn('CHANGELOG.md', `## ${VERSION}`, `## ${LATER}`);
    await commit('two');
    const { code, stderr } = await release();
    expect(code, stderr).to.equal(0);
    const first = await written();
    const name = `daybook-${LATER}`;
    expect([...first.keys()].sort()).to.deep.equal(['SHA256SUMS', `${name}.cdx.json`, `${name}.tgz`]);
    for (const file of [`${name}.cdx.json`, `${name}.tgz`]) {
      const digest = createHash('sha256')
        .update(first.get(file) ?? '')
        .digest('hex');
      expect(first.get('SHA256SUMS')?.toString()).to.include(`${digest}  ${file}\n`);
    }
    const { components, metadata } = JSON.parse(first.get(`${name}.cdx.json`)?.toString() ?? '');
    expect(metadata.component.purl).to.equal(`pkg:npm/${name.replace(/-(?=9)/, '@')}`);
    const names = components.map((component: { purl: string }) => component.purl.replace(/^pkg:npm\/|@[^@]*$/g, ''));
    const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const needed = Object.keys(dependencies).map((each) => each.replace('@', '%40'));
    expect(names).to.include.members([...needed, 'swagger-ui-dist', '%40graphql-yoga/render-graphiql']);
    expect(names).to.not.include('mocha').and.not.include('daybook-clients');
    expect((await release()).code).to.equal(0);
    expect(await written()).to.deep.equal(first);
  });

  async function replaceIn(name: string, before: string, after: string): Promise<void> {
    const path = join(clone, name);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(before, after));
  }

  async function written(): Promise<Map<string, Buffer>> {
    const folder = join(clone, 'dist/release');
    const names = await readdir(folder);
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
  }
});
