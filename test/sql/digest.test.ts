/** The digest of SQL is current, statements are short, and each of them can be prepared with the schema. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database.js';
import { differences, digestOf, type Entry } from './entry.js';
import { faultsOfLength } from './long-statements.js';

const WRITE = 'dist/test/sql/write.js';

describe('SQL statements and the schema', () => {
  let found: { stale: string; lengths: string[] };
  before(async () => {
    const args = [WRITE, await emptyDatabase('daybook_statements')];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
    found = JSON.parse(stdout);
  });

  it('are those of test/sql/digest.txt', () => {
    const message = 'Read the differences below, run `npm run statements`, and commit test/sql/digest.txt';
    if (found.stale !== '') throw new Error(`${message}\n\n${found.stale}`);
  });

  it('have at most 60 lines, or as many as test/sql/long-statements.ts lists with a reason', () => {
    expect(found.lengths).to.deep.equal([]);
  });

  const entry = (title: string, text = title, lines = 1): Entry => ({ file: 'a', title, text, lines });

  it('are too long above 60 lines or above their entry, which is removed when it is not needed', () => {
    const lengths = { owls: 61, fog: 71, sea: 70, sky: 60 };
    const entries = Object.entries(lengths).map(([title, lines]) => entry(title, title, lines));
    const listed = new Map(['fog', 'sea', 'sky', 'land'].map((title) => [`a: ${title}`, 70]));
    expect(faultsOfLength(entries, listed)).to.deep.equal([
      'a: owls has 61 lines, at most 60 are permitted.',
      'a: fog has 71 lines, at most 70 are permitted.',
      'a: sky has at most 60 lines or is gone: remove it from the list.',
      'a: land has at most 60 lines or is gone: remove it from the list.',
    ]);
  });

  it('differ from a digest by those that were changed, added or removed', () => {
    const owls = entry('owls');
    const fog = entry('fog');
    const digest = digestOf([owls, fog]);
    expect(differences([owls, fog], digest)).to.equal('');
    expect(differences([entry('owls', 'two'), entry('sea')], digest)).to.equal(
      '-- removed: a: fog\n\n-- changed: a: owls\ntwo\n\n-- added: a: sea\nsea\n',
    );
  });
});
