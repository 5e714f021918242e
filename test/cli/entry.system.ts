/** `npx daybook` in a clone: before the build, after it, and from a subfolder. */
import { cp, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { VERSION } from '../../src/platform/version.js';
import { type CliResult, ROOT, startDaybook } from '../support/cli.js';
import { makeFolder } from '../support/folder.js';

describe('npx daybook', function () {
  this.timeout(180_000);

  let clone: string;
  const enter = (args: string[], cwd = clone): Promise<CliResult> =>
    startDaybook(args, {}, { program: [process.execPath, join(clone, 'bin/daybook.js')], cwd }).result;
  const build = () => startDaybook(['run', '--silent', 'build'], {}, { program: ['npm'], cwd: clone }).result;

  before(async () => {
    clone = await makeFolder();
    for (const name of ['package.json', 'tsconfig.json', 'bin', 'scripts', 'src/platform/version.ts']) {
      await cp(join(ROOT, name), join(clone, name), { recursive: true });
    }
    await mkdir(join(clone, 'src/cli'));
    // Only the sources that print the version, because each build compiles them again.
    const main = "import { VERSION } from '../platform/version.js';\nconsole.log(VERSION);\n";
    await writeFile(join(clone, 'src/cli/main.ts'), main);
    await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  });

  it('names the command that builds it', async () => {
    const stderr = `Daybook is not built: run "npm run build" in ${clone}/ first.\n`;
    expect(await enter(['--version'])).to.deep.equal({ code: 1, stdout: '', stderr });
  });

  it('runs what was built and writes nothing, as a user may who does not own the folder', async () => {
    expect(await build()).to.include({ code: 0, stdout: '' });
    expect(await enter(['--version'])).to.deep.equal({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    const version = join(clone, 'src/platform/version.ts');
    const text = await readFile(version, 'utf8');
    await writeFile(version, text.replace(/;\n$/, ".replace(/.+/, 'later');\n"));
    // The build does not write main.js, which stays the same and is older than the sources.
    await utimes(join(clone, 'dist/src/cli/main.js'), 0, 0);
    expect(await build()).to.include({ code: 0 });
    const before = await files();
    expect(await enter(['--version'])).to.deep.equal({ code: 0, stdout: 'later\n', stderr: '' });
    expect(await files()).to.deep.equal(before);
  });

  it('runs a build without outputs of deleted sources, and with all others', async () => {
    const [unused, output] = [join(clone, 'src/unused.ts'), join(clone, 'dist/src/unused.js')];
    await writeFile(unused, 'export const unused = 1;\n');
    expect(await build()).to.include({ code: 0 });
    await rm(output);
    expect(await build()).to.include({ code: 0 });
    expect(await readFile(output, 'utf8')).to.include('unused = 1');
    await rm(unused);
    expect(await build()).to.include({ code: 0 });
    expect((await readdir(join(clone, 'dist/src'))).sort()).to.deep.equal(['cli', 'platform']);
  });

  it('keeps the last build when a build fails', async () => {
    await writeFile(join(clone, 'src/platform/version.ts'), "export const VERSION: number = 'wrong';\n");
    expect((await build()).code).to.not.equal(0);
    expect(await enter(['--version'])).to.deep.equal({ code: 0, stdout: 'later\n', stderr: '' });
  });

  it('names the command that installs the packages', async () => {
    await rm(join(clone, 'node_modules'));
    const stderr = `The packages of Daybook are not installed: run "npm ci" in ${clone}/ first.\n`;
    expect(await enter(['--help'])).to.deep.equal({ code: 1, stdout: '', stderr });
  });

  /** Path, time and size of each file and folder. */
  async function files(): Promise<string[]> {
    const names = (await readdir(clone, { recursive: true })).filter((name) => !name.startsWith('node_modules/'));
    return Promise.all(
      names.sort().map(async (name) => {
        const { mtimeMs, size } = await stat(join(clone, name));
        return `${name} ${mtimeMs} ${size}`;
      }),
    );
  }

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
