/** The digest of SQL is current, statements are short, and each of them can be prepared with the schema. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database.js';
import { differences, digestOf, type Entry } from './entry.js';

const WRITE = 'dist/test/sql/write.js';

describe('SQL statements and the schema', () => {
  let found: { stale: string; lengths: string[] };
  before(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [WRITE, await emptyDatabase('daybook_statements')]);
    found = JSON.parse(stdout);
  });

  it('are those of test/sql/digest.txt', () => {
    const message = 'Read the differences below, run `npm run statements`, and commit test/sql/digest.txt';
    if (found.stale !== '') throw new Error(`${message}\n\n${found.stale}`);
  });

  it('have at most 60 lines, or as many as test/sql/long-statements.ts lists with a reason', () => {
    expect(found.lengths).to.deep.equal([]);
  });

  it('differ from a digest by those that were changed, added or removed', () => {
    const entry = (title: string, text = title): Entry => ({ file: 'a', title, text, lines: 1 });
    const owls = entry('owls');
    const fog = entry('fog');
    const digest = digestOf([owls, fog]);
    expect(differences([owls, fog], digest)).to.equal('');
    expect(differences([entry('owls', 'two'), entry('sea')], digest)).to.equal(
      '-- removed: a: fog\n\n-- changed: a: owls\ntwo\n\n-- added: a: sea\nsea\n',
    );
  });
});
