/** docs/moving.md: its commands import each product, and the last one of each finds nothing to add. */

import { createWriteStream } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import yazl from 'yazl';
import { ROOT } from '../../src/cli/generate/files.js';
import { call } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { readDocument } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';
import { sample } from '../support/import-sources.js';
import { type RunningService, startService } from '../support/process.js';
import { runInShell, shellOf } from '../support/shell.js';
import { EXPORT } from '../support/wordpress.js';

describe('docs/moving.md', function () {
  this.timeout(180_000);
  let service: RunningService;
  let databaseUrl: string;
  let folder: string;
  before(async () => {
    databaseUrl = await freshDatabase('moving');
    service = await startService(databaseUrl);
    folder = await makeFolder();
    await cp(EXPORT, join(folder, 'journal.xml'));
    await cp(sample('ghost'), join(folder, 'ghost'), { recursive: true });
    await cp(sample('markdown/hugo'), join(folder, 'blog'), { recursive: true });
    await cp(sample('hashnode.json'), join(folder, 'hashnode.json'));
    const zip = new yazl.ZipFile();
    for (const name of await readdir(sample('medium'), { recursive: true })) {
      if (name.endsWith('.html')) zip.addBuffer(await readFile(join(sample('medium'), name)), name);
    }
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(join(folder, 'medium.zip')));
    const json = { email: 'you@example.com', password: 'an owl in the attic', memberName: 'You' };
    await call(service.url, 'POST /api/auth/register', { json });
  });
  after(() => service.stop());

  it('has three commands for each product, after which nothing is missing', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const environment = {
      ...{ PATH, HOME, FOLDER: folder, DATABASE_URL: databaseUrl, LOG_LEVEL: 'fatal' },
      DAYBOOK: `${process.execPath} ${fileURLToPath(ROOT)}dist/src/cli/main.js`,
      DATA_DIR: join(folder, 'data'),
    };
    const [update = '', ...blocks] = shellOf(await readDocument('docs/moving.md'));
    expect(blocks).to.have.lengthOf(6);
    for (const block of blocks) {
      expect(block.trim().split('\n')).to.have.lengthOf(3);
      const output = await runInShell([block], environment, service.url, block);
      const counts = [...output.matchAll(/^articles +(\d+) +(\d+)$/gm)].map(([, added, existing]) => [
        Number(added),
        Number(existing),
      ]);
      const last = counts.at(-1) ?? [];
      if (block.includes('export --markdown')) expect(last[0], output).to.be.above(0);
      else {
        expect(counts, output).to.have.lengthOf(3);
        expect(counts[0], output).to.deep.equal(counts[1]);
        expect(last, output).to.deep.equal([0, counts[1]?.[0]]);
        expect(last[1]).to.be.above(0);
      }
    }
    expect(await runInShell([update], environment, service.url, update)).to.match(
      /\b0 created, 0 updated, \d+ unchanged\b/,
    );
  });
});
