/** The list of shared resources in docs/limits.md, which is written by hand, is complete. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readDocument } from '../support/documents.js';

describe('The shared resources in docs/limits.md', () => {
  it('include every queue for permits', async () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const queues = sources.flatMap((file) =>
      [...readFileSync(join('src', file), 'utf8').matchAll(/^\s*(?:.*\{ )?work: '([^']+)'/gm)].map(([, work]) => work),
    );
    expect(queues).to.have.length.above(10);
    const [, table = ''] = (await readDocument('docs/limits.md')).split('## Shared resources');
    const listed = [...table.matchAll(/^\| [^|]* \(`([^`|]+)`\) \|/gm)].map(([, work]) => work);
    expect(listed.toSorted()).to.deep.equal(queues.toSorted());
  });
});
