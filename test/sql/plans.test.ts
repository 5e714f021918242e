/** The plans of all statements in a large journal, whatever the costs of the database server are. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { execute, freshDatabase } from '../support/database.js';

const NAME = 'daybook_plans';

describe('With the statistics of a million articles, all statements', function () {
  this.timeout(300_000);
  after(() => execute([`drop database if exists ${NAME} with (force)`]));

  it('read the rows that they need by indexes, with the costs of the service and with those of PostgreSQL', async () => {
    const url = await freshDatabase(NAME);
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/test/sql/plans.js', url]);
    expect(stdout).to.equal('');
  });
});
