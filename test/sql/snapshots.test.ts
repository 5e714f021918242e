/** The snapshots of SQL statements are current, and each statement can be prepared with the schema. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freshDatabase } from '../support/database.js';

const WRITE = 'dist/test/sql/write.js';

describe('The snapshots of SQL statements', () => {
  it('are those that `npm run generate` writes', async () => {
    const url = await freshDatabase('daybook_snapshots');
    const { stdout } = await promisify(execFile)(process.execPath, [WRITE, url]).catch((failed) => failed);
    expect(stdout).to.equal('');
  });
});
