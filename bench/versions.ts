/** Compares this build with that of another commit. Each loads the same data into a database of its own schema, since the schema of before 1.0 has no upgrades. */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { casesOf as articleCasesOf, restArticles } from './articles-cases.js';
import { readCases, restPage } from './cases.js';
import { jobsDone, startDaybook } from './contender.js';
import { withClient } from './database.js';
import { type Case, type Contender, LABELS, type Load, type Measured, measure, type Name } from './measure.js';
import { LOAD_OPTIONS } from './options.js';
import { describeMachine, type Machine } from './report.js';
import { fetchText } from './requests.js';
import { type AtEnd, log, runBenchmark, startPostgres } from './session.js';
import { middle, ratioOf } from './targets.js';

interface Options extends Load {
  comments: number;
  articles: number;
  /** RESPONSE_CACHE_MB */
  cache: number;
  /** Of each contender. */
  starts: number;
  /** Folder of a built checkout of the other commit. */
  base: string;
  /** Keys of the cases, separated by commas. */
  cases: string;
}

interface VersionsReport {
  date: string;
  machine: Machine;
  options: Options;
  /** Keys of cases whose first responses differ, so that the builds do not do the same. */
  different: string[];
  measured: Measured[];
}

/** Times and slugs: each build loads its data by itself. */
const OF_LOADING = /\d{4}-\d\d-\d\dT[\d:.]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

await runBenchmark({
  numbers: {
    comments: ['comments', 1_000_000, 1000, 50_000_000],
    articles: ['articles', 10_000, 100, 10_000_000],
    cache: ['RESPONSE_CACHE_MB of all processes', 0, 0, 1000],
    starts: [
      'starts of each contender, with that many rounds each: a process differs from the next one by some percent',
      1,
      1,
      100,
    ],
    ...LOAD_OPTIONS,
  },
  texts: { base: '', cases: 'hot,random,deep,detail,common' },
  run,
  toText,
});

async function run(options: Options, atEnd: AtEnd): Promise<VersionsReport> {
  if (options.base === '') throw new Error('--base must be the folder of a built checkout of another commit.');
  const serverUrl = await startPostgres(atEnd);
  const machine = await describeMachine(serverUrl);
  const prepared = [await commentCases(serverUrl, options), await articleCases(serverUrl, options)];
  const measured: Measured[] = [];
  const different = new Set<string>();
  for (let start = 1; start <= options.starts; start++) {
    log(`Start ${start} of ${options.starts}.`);
    const stops: (() => Promise<void>)[] = [];
    const started = (stop: () => Promise<void>) => {
      stops.push(stop);
      atEnd(stop);
    };
    const selected = selectedOf((await Promise.all(prepared.map((casesOf) => casesOf(started)))).flat(), options);
    for (const one of selected) if (!(await haveSameResponses(one))) different.add(one.key);
    measured.push(...(await measure(selected, options)));
    await Promise.all(stops.map((stop) => stop()));
  }
  return { date: new Date().toISOString(), machine, options, different: [...different], measured: joined(measured) };
}

async function haveSameResponses<Wanted>({ contenders, wanted }: Case<Wanted>): Promise<boolean> {
  const [first] = wanted(0, 0) as [Wanted];
  const texts = await Promise.all(contenders.map(({ url, request }) => fetchText(url, request(first))));
  return new Set(texts.map((text) => text.replace(OF_LOADING, ''))).size === 1;
}

function selectedOf(cases: readonly Case<never>[], options: Options): Case<never>[] {
  const keys = options.cases.split(',');
  const selected = cases.filter(({ key }) => keys.includes(key));
  const unknown = keys.filter((key) => !selected.some((one) => one.key === key));
  if (unknown.length > 0) throw new Error(`--cases contains unknown ones: ${unknown.join(', ')}.`);
  return selected;
}

/** The samples of all starts by case. */
function joined(measured: readonly Measured[]): Measured[] {
  const first = measured.filter((one, index) => measured.findIndex(({ key }) => key === one.key) === index);
  return first.map((one) => {
    const same = measured.filter(({ key }) => key === one.key);
    const samplesOf = (name: Name) => same.flatMap(({ samples }) => samples.get(name) ?? []);
    return { ...one, samples: new Map([...one.samples.keys()].map((name) => [name, samplesOf(name)])) };
  });
}

/** Starts the contenders on prepared data. */
type Prepared = (atEnd: AtEnd) => Promise<Case<never>[]>;

async function commentCases(serverUrl: string, options: Options): Promise<Prepared> {
  const { data, start } = await prepareVersions(serverUrl, options, restPage, async (folder) => {
    const { prepareData }: typeof import('./data.js') = await importFrom(folder, 'data');
    return prepareData(serverUrl, options.comments);
  });
  return async (atEnd) => Object.values(readCases(data, await start(atEnd))) as Case<never>[];
}

async function articleCases(serverUrl: string, options: Options): Promise<Prepared> {
  const { data, start } = await prepareVersions(serverUrl, options, restArticles, async (folder) => {
    const { prepareArticles }: typeof import('./articles-data.js') = await importFrom(folder, 'articles-data');
    return { url: await prepareArticles(serverUrl, options.articles) };
  });
  return async (atEnd) => (await articleCasesOf(data.url, options.articles, await start(atEnd))) as Case<never>[];
}

/** @param folder compiled benchmarks */
function importFrom<Module>(folder: string, name: string): Promise<Module> {
  return import(pathToFileURL(join(folder, `${name}.js`)).href);
}

/**
 * @param prepare loads the data with the benchmarks of a folder
 * @returns this build's data, and a function that starts the other build twice, as a control, and this one, each with a database of its own
 */
async function prepareVersions<Wanted, Data extends { url: string }>(
  serverUrl: string,
  { base, cache, seconds }: Options,
  request: Contender<Wanted>['request'],
  prepare: (folder: string) => Promise<Data>,
) {
  const ofBase = databaseOf((await prepare(join(base, 'dist/bench'))).url);
  const baseUrl = await copyDatabase(serverUrl, ofBase, `base_${ofBase}`);
  const controlUrl = await moveDatabase(serverUrl, ofBase, `control_${ofBase}`);
  const own = await prepare(import.meta.dirname);
  const data = { ...own, url: await moveDatabase(serverUrl, databaseOf(own.url), `current_${ofBase}`) };
  const start = async (name: 'base' | 'control' | 'current', databaseUrl: string, atEnd: AtEnd) => {
    const settings = { RESPONSE_CACHE_MB: String(cache) };
    const build = name === 'current' ? undefined : resolve(base, 'dist');
    const url = await startDaybook({ name: `${name}-${ofBase}`, databaseUrl, settings, build }, atEnd);
    await jobsDone(databaseUrl);
    await withClient(databaseUrl, (client) => client.query('vacuum analyze'));
    return { name, url, request };
  };
  return {
    data,
    start: async (atEnd: AtEnd): Promise<Contender<Wanted>[]> => {
      const other = await start('base', baseUrl, atEnd);
      const current = await start('current', data.url, atEnd);
      // Without a duration, there is no difference to control.
      const control = seconds > 0 ? await start('control', controlUrl, atEnd) : { ...other, name: 'control' as const };
      return [other, current, control];
    },
  };
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function copyDatabase(serverUrl: string, from: string, to: string): Promise<string> {
  await withClient(serverUrl, async (client) => {
    await client.query(`drop database if exists ${to}`);
    await client.query(`create database ${to} template ${from} strategy file_copy`);
  });
  return Object.assign(new URL(serverUrl), { pathname: `/${to}` }).href;
}

/** Leaves no database of the old name, under which the other build loads its data. */
async function moveDatabase(serverUrl: string, from: string, to: string): Promise<string> {
  const url = await copyDatabase(serverUrl, from, to);
  await withClient(serverUrl, (client) => client.query(`drop database ${from}`));
  return url;
}

function toText({ date, machine, options, different, measured }: VersionsReport): string {
  const rows = measured.flatMap((one) =>
    (['base', 'current', 'control'] as const).map((name) => {
      const { requestsPerSecond, p50, p99 } = middle(one.samples.get(name) ?? []);
      const cells = [
        Math.round(requestsPerSecond),
        p50.toFixed(2),
        p99.toFixed(2),
        ratioOf(one, name, one, 'base').toFixed(3),
      ];
      return `| ${name === 'base' ? one.title : ''} | ${LABELS[name]} | ${cells.join(' | ')} |`;
    }),
  );
  return `${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}, RESPONSE_CACHE_MB=${options.cache},
medians of ${options.starts} starts with ${options.rounds} alternating rounds of ${options.seconds} s; load average before ${machine.loadBefore.toFixed(1)}. Different responses: ${different.join(', ') || 'none'}.

| Case | | requests/s | p50 ms | p99 ms | × other commit |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
