/** A journal that is exported as Markdown files, imported into an empty service and exported again is the same. */
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { SeededRandom } from '../hostile/seeded-random.js';
import { useApp } from '../support/app.js';
import { runDaybook } from '../support/cli.js';
import { freshDatabase, truncateAll } from '../support/database.js';
import { runExport } from '../support/exported.js';
import { makeFolder } from '../support/folder.js';
import { type Files, readFiles } from '../support/markdown-folder.js';
import { buildRandomJournal } from '../support/random-journal.js';
import { casesOf } from '../support/tier.js';

const RUNS = casesOf('ROUND_TRIP_RUNS', 1, 5);
const SEED = Number(process.env.ROUND_TRIP_SEED ?? 20_261_123);

const app = useApp({ LIMIT_WRITES: '1000000/1m', LIMIT_WRITE_BYTES: '1GB/1d' });

/** An image in base64. */
function readable(files: Files, path: string): string | undefined {
  return files.get(path)?.toString(path.startsWith('images/') ? 'base64' : 'utf8');
}

describe('An exported journal', function () {
  this.timeout(600_000);

  it('is the same after an import into an empty service', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (value) => {
        await truncateAll(app.database);
        await buildRandomJournal(app, new SeededRandom(value));
        const folder = await makeFolder();
        const [first, second] = [join(folder, 'first'), join(folder, 'second')];
        expect((await runExport(app, '--markdown', first, '--all')).code).to.equal(0);
        const environment = {
          DATABASE_URL: await freshDatabase(`round_trip_${process.pid}_${run++}`),
          DATA_DIR: join(folder, 'data'),
          PUBLIC_URL: 'https://journal.test',
        };
        for (let repeated = 0; repeated < 2; repeated++) {
          const { code, stdout, stderr } = await runDaybook(['import', first], environment);
          expect(code, stdout + stderr).to.equal(0);
        }
        const { code, stderr } = await runDaybook(['export', '--markdown', second, '--all'], environment);
        expect(code, stderr).to.equal(0);
        const [before, after] = [await readFiles(first), await readFiles(second)];
        expect([...after.keys()]).to.deep.equal([...before.keys()]);
        for (const path of before.keys()) expect(readable(after, path), path).to.equal(readable(before, path));
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });
});
