/** The size of the example front end, which is meant to be read: docs/decisions/example.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BLOG } from '../support/example-blog.js';

/** What is installed, built or generated; the lock file is, and images are not text. */
const NOT_READ = /^(node_modules|dist|\.astro)$|^package-lock\.json$|^schema\.d\.ts$|\.(svg|png|jpg|webp)$/;

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (NOT_READ.test(entry.name)) return [];
    return entry.isDirectory() ? filesIn(`${path}/`) : [path];
  });
}

describe('The example front end', () => {
  it('has at most 60 files and 5,200 lines', () => {
    const files = filesIn(BLOG);
    const lines = files.map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
    expect(files.length).to.be.within(40, 60);
    expect(lines.reduce((sum, one) => sum + one)).to.be.within(4_000, 5_200);
  });
});
