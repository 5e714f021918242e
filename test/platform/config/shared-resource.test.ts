/** The list of shared resources in docs/limits.md: it is complete, and each row names a test. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
// Loads every module that declares one.
import '../../../src/cli/generate/files.js';
import { sharedResources } from '../../../src/platform/config/shared-resource.js';

describe('The shared resources', () => {
  it('include every queue for permits', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const texts = sources.map((file) => readFileSync(join('src', file), 'utf8'));
    const queues = texts.flatMap((text) =>
      [...text.matchAll(/^\s*(?:.*\{ )?work: '([^']+)'/gm)].map(([, work]) => work),
    );
    expect(queues).to.have.length.above(10);
    const listed = sharedResources().flatMap(({ queue }) => queue ?? []);
    expect(listed.toSorted()).to.deep.equal(queues.toSorted());
  });

  it('each name an existing test', () => {
    const missing = sharedResources().filter(({ test: [file, title] }) => !readFileSync(file, 'utf8').includes(title));
    expect(missing.map(({ name, test }) => [name, ...test])).to.deep.equal([]);
  });
});
