/**
 * Executes each benchmark, and each installed peer, at its smallest size: one that has stopped working is found before its figures are needed. Most
 * benchmarks compare the responses of what they measure, and fail if they differ; the other ones report what was wrong with responses.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { installedPeers } from '../../bench/peers.js';
import { ROOT } from '../../src/cli/generate/files.js';
import { buildSchema } from '../../src/graphql/schema.js';

const FOLDER = fileURLToPath(new URL('dist/bench/', ROOT));
/** CI installs PostGraphile and WordPress. */
const peers = process.env.CI ? [...new Set(['postgraphile', 'wordpress', ...installedPeers()])] : installedPeers();
/** Executed by test/examples/blog.system.ts: both build the example, in one folder. */
const ELSEWHERE = ['example'];
/** It moves the data of the other ones. */
const LAST = 'versions';
/** Options besides the sizes. */
const OPTIONS: Record<string, string[]> = {
  main: ['--peer', peers.join()],
  versions: ['--base', fileURLToPath(ROOT)],
};

/** Responses for a viewer are not cached. */
const WITH_VIEWER = ['floor', 'restUncached', 'graphqlUncached'];
const COMMON = ['floor', 'ceiling', 'rest', 'restUncached', 'graphql', 'graphqlUncached'];

/** Parts of the reports of different benchmarks. */
interface Report {
  cases: { key: string; contenders: { name: string; hits: number | null }[] }[];
  created: number;
  different: string[];
  failedRequests: number;
  failures: string[];
  leftOut: object;
  measured: { key: string; samples: object }[];
  reads: { operation: string }[];
  missing: number;
  phases: { title: string; statuses: object; errors: number; probes: { statuses: number[] } }[];
  rounds: object[];
  unknown: number;
  searches: { title: string; hits: number }[];
}

/** What a report contains if all responses were as expected. */
const EXPECTED: Record<string, (report: Report) => void> = {
  articles: ({ cases }) => {
    for (const one of cases)
      expect(contendersOf(one), one.key).to.have.members(one.key.endsWith('Viewer') ? WITH_VIEWER : COMMON);
    expect(cases.map(({ key }) => key)).to.include.members(['page', 'list', 'pageViewer', 'listViewer']);
  },
  backup: listed<{ data: string }>((results) => {
    expect(results.map(({ data }) => data)).to.deep.equal(['the sample journal', '1,000 comments']);
  }),
  changes: ({ missing, unknown }) => expect({ missing, unknown }).to.deep.equal({ missing: 0, unknown: 0 }),
  growth: ({ failures, leftOut, reads }) => {
    expect(failures).to.deep.equal([]);
    const measured = new Set(reads.map(({ operation }) => operation.replace(/[ ,(]+(?:anonymous|[\w.]+:).*/, '')));
    const { paths } = JSON.parse(readFileSync(new URL('openapi.json', ROOT), 'utf8')) as {
      paths: Record<string, object>;
    };
    const endpoints = Object.entries(paths).flatMap(([path, methods]) => ('get' in methods ? [`GET ${path}`] : []));
    const queries = Object.keys(buildSchema().getQueryType()?.getFields() ?? {}).map((name) => `Query.${name}`);
    expect([...measured, ...Object.keys(leftOut)]).to.include.members([...endpoints, ...queries]);
  },
  main: ({ cases }) => {
    // The Content API of Ghost has no comments.
    const random = cases.find(({ key }) => key === 'random');
    expect(contendersOf(random)).to.have.members([...COMMON, 'textbook', ...peers.filter((name) => name !== 'ghost')]);
    const hits = (key: string) =>
      cases
        .find((one) => one.key === key)
        ?.contenders.flatMap(({ name, hits }) => (hits === null ? [] : [[name, hits]]));
    expect(hits('random')).to.deep.equal([
      ['rest', 1],
      ['graphql', 1],
    ]);
    for (const [name, share] of hits('larger') ?? []) expect(share, `${name}`).to.be.below(1);
    expect(hits('larger')).to.have.length(2);
    for (const key of peers.length > 0 ? ['list', 'slug'] : []) {
      const expected = ['floor', 'ceiling', 'rest', 'restUncached', ...peers];
      expect(contendersOf(cases.find((one) => one.key === key)), key).to.have.members(expected);
    }
  },
  memory: ({ failedRequests }) => expect(failedRequests).to.equal(0),
  notifications: ({ created, missing }) => expect({ created, missing }).to.deep.equal({ created: 1, missing: 0 }),
  overload: ({ phases }) => {
    for (const { title, statuses, errors, probes } of phases) {
      expect({ ...probes, errors }, title).to.deep.include({ statuses: [200], errors: 0 });
      expect(statuses, title).to.have.keys('200', '201');
    }
  },
  search: ({ searches }) => {
    const hits = Object.fromEntries(searches.map(({ title, hits }) => [title, hits]));
    expect(hits).to.include({ '1, common Korean': 587, 'three common words': 42, 'common, one tag': 54, nothing: 0 });
  },
  versions: ({ different, measured }) => {
    expect(different).to.deep.equal([]);
    for (const { key, samples } of measured) expect(samples, key).to.have.keys('base', 'current', 'control');
  },
  views: ({ rounds }) => expect(rounds).to.have.length(1),
  writes: (report) => {
    const { rows } = report as unknown as { rows: { other: string | null }[] };
    expect(rows).to.have.length(7);
    expect(rows.filter(({ other }) => other !== null)).to.have.length(1);
  },
};

function listed<Row>(check: (rows: Row[]) => void): (report: Report) => void {
  return (report) => check(report as unknown as Row[]);
}

function contendersOf(one: Report['cases'][number] | undefined): string[] {
  return one?.contenders.map(({ name }) => name) ?? [];
}

describe('The benchmarks, at their smallest size', () => {
  const names = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.js') && readFileSync(FOLDER + file, 'utf8').includes('await runBenchmark('))
    .map((file) => file.slice(0, -'.js'.length))
    .filter((name) => !ELSEWHERE.includes(name))
    .sort((a, b) => Number(a === LAST) - Number(b === LAST));

  it('are all listed with what is expected', () => expect(names).to.have.members(Object.keys(EXPECTED)));

  for (const name of names) {
    // Products that are not installed are missing in the title.
    const others = name === 'main' ? ` with ${peers.join(', ') || 'no other product'}` : '';
    it(`include ${name}${others}, which reports the expected responses`, async function () {
      this.timeout(600_000);
      // With the options of this process, which shorten runs of code that is executed a few times.
      const args = [...process.execArgv, `${FOLDER}${name}.js`, '--smallest', '--json', ...(OPTIONS[name] ?? [])];
      const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
      EXPECTED[name]?.(JSON.parse(stdout));
    });
  }
});
