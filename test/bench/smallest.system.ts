/** Executes each benchmark at its smallest size: one that has stopped working is found before its figures are needed. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';

const FOLDER = fileURLToPath(new URL('dist/bench/', ROOT));
/** Options besides the sizes. */
const OPTIONS: Record<string, string[]> = { versions: ['--base', fileURLToPath(ROOT)] };

describe('The benchmarks, at their smallest size', () => {
  const names = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.js') && readFileSync(FOLDER + file, 'utf8').includes('await runBenchmark('))
    .map((file) => file.slice(0, -'.js'.length));

  for (const name of names) {
    it(`include ${name}, which prints a report`, async function () {
      this.timeout(600_000);
      const args = [`${FOLDER}${name}.js`, '--smallest', '--json', ...(OPTIONS[name] ?? [])];
      const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
      expect(JSON.parse(stdout)).to.be.an.instanceOf(Object).that.is.not.empty;
    });
  }
});
