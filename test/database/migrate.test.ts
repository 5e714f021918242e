/** The files of migrations: their numbers determine the order, and databases store their names. */
import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { migrations } from '../../migrations/index.js';
import { ROOT } from '../../src/cli/generate/files.js';

describe('Migrations', () => {
  it('have the numbers 0001, 0002, …, each once, and the names of their files', async () => {
    const files = (await readdir(new URL('migrations/', ROOT))).filter((file) => /^\d.*\.ts$/.test(file)).sort();
    const numbers = files.map((_, index) => String(index + 1).padStart(4, '0'));
    expect(files.map((file) => file.slice(0, 4))).to.deep.equal(numbers);
    expect(migrations.map(({ name }) => `${name}.ts`)).to.deep.equal(files);
  });
});
