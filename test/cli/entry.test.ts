/** `npx daybook` in a clone: before the first build, after a change, and from a subfolder. */
import { cp, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { VERSION } from '../../src/version.js';
import { type CliResult, ROOT, startDaybook } from '../support/cli.js';
import { makeFolder } from '../support/folder.js';

describe('npx daybook', function () {
  this.timeout(180_000);

  let clone: string;
  const enter = (args: string[], cwd = clone): Promise<CliResult> =>
    startDaybook(args, {}, { program: [process.execPath, join(clone, 'bin/daybook.js')], cwd }).result;

  before(async () => {
    clone = await makeFolder();
    for (const name of ['package.json', 'tsconfig.json', 'bin', 'src/version.ts']) {
      await cp(join(ROOT, name), join(clone, name), { recursive: true });
    }
    await mkdir(join(clone, 'src/cli'));
    // Only the sources that print the version, because each build compiles them again.
    const main = "import { VERSION } from '../version.js';\nconsole.log(VERSION);\n";
    await writeFile(join(clone, 'src/cli/main.ts'), main);
    await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  });

  it('builds on the first run only', async () => {
    const result = { code: 0, stdout: `${VERSION}\n` };
    expect(await enter(['--version'])).to.deep.equal({ ...result, stderr: 'Building Daybook.\n' });
    expect(await enter(['--version'])).to.deep.equal({ ...result, stderr: '' });
  });

  it('builds again after a source file changed', async () => {
    const version = join(clone, 'src/version.ts');
    const text = await readFile(version, 'utf8');
    // The second build does not write main.js, which stays the same.
    for (const changed of ['later', 'latest']) {
      await writeFile(version, text.replace(/;\n$/, `.replace(/.+/, '${changed}');\n`));
      await utimes(join(clone, 'dist/src/cli/main.js'), 0, 0);
      const result = { code: 0, stdout: `${changed}\n` };
      expect(await enter(['--version'])).to.deep.equal({ ...result, stderr: 'Building Daybook.\n' });
      expect(await enter(['--version'])).to.deep.equal({ ...result, stderr: '' });
    }
  });

  it('exits with 1 when the build fails, and does not run the build output', async () => {
    await writeFile(join(clone, 'src/wrong.ts'), 'export const wrong: number = true;\n');
    for (const _ of ['the first time', 'again']) {
      const { code, stdout, stderr } = await enter(['--version']);
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/wrong\.ts.*\nThe build of Daybook failed: see the compiler output above\.\n$/s);
    }
    await rm(join(clone, 'src/wrong.ts'));
  });

  it('prints instructions when the dependencies are not installed', async () => {
    await rm(join(clone, 'node_modules'));
    await rm(join(clone, 'dist'), { recursive: true });
    const stderr = 'Daybook is not built, and its compiler is not installed: run "npm ci" first.\n';
    expect(await enter(['--help'])).to.deep.equal({ code: 1, stdout: '', stderr });
  });

  it('runs from any folder of the project without network access', async () => {
    const cache = await makeFolder();
    const environment = { npm_config_cache: cache, npm_config_offline: 'true', npm_config_update_notifier: 'false' };
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    for (const folder of ['', 'docs/decisions']) {
      const started = startDaybook(['daybook', '--version'], environment, {
        program: ['npx'],
        cwd: join(ROOT, folder),
      });
      expect(await started.result).to.include({ code: 0, stdout: `${version}\n` });
    }
  });
});
