/** CLI commands that change the database, run against a separate database. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrations } from '../../migrations/index.js';
import { runDaybook, withoutProgress } from '../support/cli.js';
import { emptyDatabase, execute } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { EXPORT } from '../support/wordpress.js';

describe('daybook database commands', function () {
  this.timeout(120_000);

  let dataDir: string;
  let DATABASE_URL: string;
  const environment = () => ({ DATABASE_URL, DATA_DIR: dataDir });
  const run = (...args: string[]) => runDaybook(args, environment());

  before(async () => {
    dataDir = await makeFolder();
    DATABASE_URL = await emptyDatabase('daybook_cli');
  });

  describe('migrate', () => {
    it('lists pending migrations and changes nothing with --dry-run', async () => {
      for (const _ of ['once', 'again']) {
        const { code, stdout, stderr } = await run('migrate', '--dry-run');
        expect([code, stderr]).to.deep.equal([0, '']);
        const lines = stdout.trimEnd().split('\n');
        expect(lines.map((line) => line.split(/ {2,}/))).to.deep.equal(migrations.map(({ name }) => [name, 'pending']));
      }
    });

    it('exits with 1 and an error without the password when the database is unreachable', async () => {
      const unreachable = { DATA_DIR: dataDir, DATABASE_URL: 'postgres://someone:hushhush@127.0.0.1:1/nowhere' };
      const { code, stdout, stderr } = await runDaybook(['migrate'], unreachable);
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^The database at 127\.0\.0\.1:1\/nowhere \(DATABASE_URL\) cannot be used: [^\n]+\.\n$/);
      expect(stderr).to.contain('Check that PostgreSQL is running and listens there');
      expect(stderr).to.not.contain('hushhush');
    });

    it('advises on a host that does not exist, and on a wrong password', async () => {
      const advised = async (DATABASE_URL: string) =>
        (await runDaybook(['migrate'], { DATA_DIR: dataDir, DATABASE_URL })).stderr;
      expect(await advised('postgres://someone@missing.invalid/nowhere')).to.match(
        / correct the host in DATABASE_URL|look/,
      );
      const wrong = new URL(DATABASE_URL);
      wrong.password = 'hushhush';
      expect(await advised(wrong.href)).to.match(/ Correct the user and the password in DATABASE_URL\.\n$/);
    });

    it('names what a newer version has applied, and changes nothing', async () => {
      const newer = await emptyDatabase('daybook_cli_newer');
      const environment = { DATABASE_URL: newer, DATA_DIR: dataDir };
      expect((await runDaybook(['migrate'], environment)).stdout).to.include('applied');
      await execute(["insert into migrations (name) values ('9999-later')"], newer);
      const { code, stdout, stderr } = await runDaybook(['migrate'], environment);
      expect([code, stdout, stderr]).to.deep.equal([
        0,
        'Nothing was changed: the schema is newer than this version.\n',
        'Warning: the database has migrations unknown to this version of Daybook: 9999-later. Run the newer version that applied them, or restore an older backup.\n',
      ]);
      const listed = await runDaybook(['migrate', '--dry-run'], environment);
      expect(listed.stdout).to.match(/^9999-later {2}unknown to this version of Daybook$/m);
    });

    it('does not create an embedded database for --dry-run', async () => {
      const { code, stderr } = await runDaybook(['migrate', '--dry-run'], { DATA_DIR: dataDir });
      expect(code).to.equal(1);
      expect(stderr).to.match(
        /^No database exists in [^\n]+ \(DATA_DIR\): set DATA_DIR or DATABASE_URL as for the service, or start it once to create one\.\n$/,
      );
      expect(await readdir(dataDir)).to.deep.equal([]);
    });
  });

  describe('Commands for an existing journal', () => {
    const COMMANDS = [
      ['member', 'list'],
      ['member', 'show', '1'],
      ['member', 'lock', '1', '--yes'],
      ['invite'],
      ['article', 'delete', '1', '--yes'],
      ['comment', 'delete', '1', '--yes'],
      ['export'],
    ];
    const ALL = [...COMMANDS, ['backup', '-'], ['migrate', '--dry-run'], ['doctor']];

    for (const args of ALL) {
      it(`create no database: ${args.join(' ')}`, async () => {
        const missing = join(await makeFolder(), 'missing');
        const { code, stdout, stderr } = await runDaybook(args, { DATA_DIR: missing, PORT: '0' });
        if (args[0] === 'doctor') expect(stdout).to.contain(`the first start creates one in ${missing}`);
        else
          expect([code, stderr]).to.deep.equal([
            1,
            stderr.match(/^No database exists in .+ \(DATA_DIR\): set .+\n$/)?.[0],
          ]);
        expect(await readdir(join(missing, '..'))).to.deep.equal([]);
      });
    }

    it('create no tables', async () => {
      const empty = await emptyDatabase('daybook_cli_empty');
      for (const args of COMMANDS) {
        const { code, stderr } = await runDaybook(args, { DATA_DIR: dataDir, DATABASE_URL: empty });
        expect([code, stderr.split('cannot be used: ')[1]], args.join(' ')).to.deep.equal([
          1,
          'It has no tables of Daybook: set the settings of the service, or create them with "npx daybook migrate".\n',
        ]);
      }
    });
  });

  it('report misspelled settings', async () => {
    const { code, stderr } = await runDaybook(['migrate', '--dry-run'], {
      ...environment(),
      DATABASE_ULR: 'x',
      PROT: '1',
    });
    expect(code).to.equal(0);
    expect(stderr).to.equal(
      'DATABASE_ULR is not a setting and has no effect: did you mean DATABASE_URL?\n' +
        'PROT is not a setting and has no effect: did you mean PORT?\n',
    );
  });

  describe('import', () => {
    it('imports an export, and adds nothing the second time', async () => {
      expect((await run('migrate')).stdout).to.equal(`${migrations.length} migrations applied.\n`);
      const first = await run('import', EXPORT);
      expect([first.code, withoutProgress(first.stderr)]).to.deep.equal([0, '']);
      expect(first.stdout).to.match(/\narticles +5 +0\ndrafts +2 +0\ncomments +26 +0\n/);
      expect((await run('import', EXPORT)).stdout).to.match(/\narticles +0 +5\ndrafts +0 +2\ncomments +0 +\d+\n/);
    });

    it('exits with 1 and an error for a file that is not an export', async () => {
      const { code, stdout, stderr } = await run('import', 'package.json');
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(
        /^"package\.json" was not imported: it is none of the formats that can be imported: [^\n]+\n$/,
      );
    });
  });
});
