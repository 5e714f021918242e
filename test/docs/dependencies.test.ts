/** docs/dependencies.md has a row for each package of package.json, and only pre-releases are pinned. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { readDocument } from '../support/documents.js';

interface Packages {
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

describe('Dependencies', () => {
  let packages: Packages;
  before(async () => {
    packages = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as Packages;
  });

  it('are each described in docs/dependencies.md, and no others', async () => {
    const [, service = '', optional = '', development = ''] = (await readDocument('docs/dependencies.md')).split(
      /^## /m,
    );
    const describedIn = (section: string) => [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
    const { dependencies, peerDependencies, devDependencies } = packages;
    expect(describedIn(service)).to.deep.equal(Object.keys(dependencies));
    expect(describedIn(optional)).to.deep.equal(Object.keys(peerDependencies));
    const grouped = Object.keys(devDependencies).map((name) => name.replace(/^@types\/.*/, '@types/*'));
    expect(describedIn(development)).to.deep.equal([...new Set(grouped)]);
  });

  it('have exact versions where these are pre-releases', () => {
    const ranges = Object.entries({ ...packages.dependencies, ...packages.devDependencies });
    const preReleases = ranges.filter(([, range]) => /\d-/.test(range));
    expect(preReleases).to.not.be.empty;
    for (const [name, range] of preReleases) expect(range, name).to.match(/^\d/);
  });

  it('of optional functions are installed in a clone', async () => {
    const optional = JSON.parse(await readFile(new URL('deploy/optional/package.json', ROOT), 'utf8')) as Packages;
    expect(optional.dependencies).to.deep.equal(packages.peerDependencies);
  });

  it('are locked without the address of a registry', async () => {
    const { packages: locked } = JSON.parse(await readFile(new URL('package-lock.json', ROOT), 'utf8')) as {
      packages: Record<string, { resolved?: string; link?: boolean }>;
    };
    const addresses = Object.values(locked).filter(({ resolved, link }) => resolved !== undefined && !link);
    expect(addresses).to.deep.equal([]);
  });
});
