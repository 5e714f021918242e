/** docs/reliability.md has the declared faults, and each declared fault has tests. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { FAULTS } from '../support/faults.js';
import { PAGE, readResults, reliabilityPage } from './reliability.js';

describe('docs/reliability.md', () => {
  it('has the declared faults and guarantees, with a measured result of each', () => {
    const page = readFileSync(PAGE, 'utf8');
    const results = readResults(page);
    expect(reliabilityPage(results)).to.equal(page);
    expect([...results.keys()]).to.deep.equal(Object.keys(FAULTS));
  });

  it('is not written by a run without the programs of its faults, which reports the packages', () => {
    const main = fileURLToPath(new URL('main.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [main, 'switchover', 'nginx-restart'], {
      env: { PATH: '' },
      encoding: 'utf8',
    });
    expect(stderr).to.match(
      /^Left out: switchover, nginx-restart\. To run them: apt-get install patroni etcd-server haproxy (?:postgresql )?nginx-light\n$/,
    );
    expect(status).to.equal(1);
  });

  it('describes faults that are each tested in one place', () => {
    const tests = fileURLToPath(new URL('test/', ROOT));
    const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const texts = files
      .filter((file) => !file.includes('node_modules'))
      .map((file) => readFileSync(join(tests, file), 'utf8'));
    const tested = texts.flatMap((text) => [...text.matchAll(/describeFault\(\s*'([\w-]+)'/g)].map(([, name]) => name));
    expect(tested.sort()).to.deep.equal(Object.keys(FAULTS).sort());
  });
});
