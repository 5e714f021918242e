/** CLI commands that change the database, as processes. */
import { join } from 'node:path';
import { expect } from 'chai';
import { migrations } from '../../migrations/index.js';
import { ROOT, startDaybook } from '../support/cli.js';
import { emptyDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';

describe('Processes of daybook', function () {
  this.timeout(120_000);

  let environment: Record<string, string>;
  const start = (...args: string[]) => startDaybook(args, environment).result;

  before(async () => {
    environment = { DATA_DIR: await makeFolder(), DATABASE_URL: await emptyDatabase('daybook_cli_processes') };
  });

  it('apply each migration once when three run in parallel', async () => {
    const results = await Promise.all([start('migrate'), start('migrate'), start('migrate')]);
    expect(results.map(({ code }) => code)).to.deep.equal([0, 0, 0]);
    const outputs = results.map(({ stdout }) => stdout).sort();
    const done = 'The database is up to date.\n';
    expect(outputs).to.deep.equal([`${migrations.length} migrations applied.\n`, done, done]);
    const { stdout } = await start('migrate', '--dry-run');
    expect(stdout.match(/^\d{4}\S* +applied \d{4}-/gm)).to.have.length(migrations.length);
  });

  it('name the limit of open files if it is too low', async () => {
    const main = join(ROOT, 'dist/src/cli/main.js');
    const program = ['/bin/sh', '-c', 'ulimit -n 128 && exec "$0" "$@"', process.execPath, main];
    const { code, stderr } = await startDaybook(['start'], environment, { program }).result;
    expect([code, stderr]).to.deep.equal([
      1,
      'The limit of open files is 128, but Daybook needs at least 512: raise it with "ulimit -n", or LimitNOFILE= of systemd.\n',
    ]);
  });

  it('are started by npm run import', async () => {
    const { result } = startDaybook(['run', '--silent', 'import', '--', '--help'], {}, { program: ['npm'] });
    expect((await result).stdout).to.equal((await start('import', '--help')).stdout);
  });
});
