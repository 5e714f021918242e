/**
 * Measures read replicas: 95 % reads of pages of comments and 5 % writes, with 0, 1 and 2 replicas, while one is paused, and while one is killed. Each
 * read is checked: it must succeed, and contain all comments that were acknowledged before it was sent.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../src/platform/database/migrate.js';
import { type BuiltArticle, buildArticle } from '../test/support/build.js';
import { scrape } from '../test/support/metrics.js';
import { type Primary, type Standby, startPrimary } from '../test/support/standby.js';
import { startDaybook } from './contender.js';
import { type AtEnd, log, runBenchmark } from './session.js';

const WRITES_PERCENT = 5;
/** Of the times in /proc. */
const MS_PER_TICK = 10;

interface Options {
  seconds: number;
  pause: number;
  connections: number;
  articles: number;
  /** RESPONSE_CACHE_MB */
  cache: number;
}

interface Row {
  name: string;
  requestsPerSecond: number;
  p50: number;
  p99: number;
  longest: number;
  /** Percent of the page reads that were not served from the response cache. */
  replicaShare: number;
  /** Of the processes of the primary, in milliseconds per 1,000 requests. */
  primaryCpuMs: number;
  errors: number;
  stale: number;
}

await runBenchmark({
  numbers: {
    seconds: ['duration of each measurement', 20, 1, 600],
    pause: ['seconds for which one replica is paused', 60, 1, 600],
    connections: ['concurrent clients', 16, 1, 1000],
    articles: ['articles', 200, 1, 10_000],
    cache: ['RESPONSE_CACHE_MB', 0, 0, 1000],
  },
  run,
  toText: (rows: Row[]) => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`,
  toMarkdown,
});

async function run(options: Options, atEnd: AtEnd): Promise<Row[]> {
  const primary = await startPrimary();
  atEnd(primary.stop);
  await migrate(primary.url);
  const standbys = [await primary.addStandby(), await primary.addStandby()];
  const urls = standbys.map(({ url }) => url);
  const services: string[] = [];
  for (const count of [0, 1, 2]) services.push(await start(primary, urls.slice(0, count), options, atEnd));
  const [none = '', one = '', two = ''] = services;
  log(`Preparing ${options.articles} articles.`);
  const journal = await prepare(none, options.articles);
  for (const standby of standbys) await standby.catchUp();
  // Warms up.
  for (const url of services) await measure('', url, primary, journal, options);
  const rows = [
    await measure('no replica', none, primary, journal, options),
    await measure('1 replica', one, primary, journal, options),
    await measure('2 replicas', two, primary, journal, options),
  ];
  const paused = { ...options, seconds: options.pause };
  const [first] = standbys as [Standby];
  await first.pause();
  rows.push(await measure(`2 replicas, one paused for ${options.pause} s`, two, primary, journal, paused));
  await first.resume();
  rows.push(await measure('the same, resumed', two, primary, journal, options));
  const killed = delay(options.seconds * 250).then(() => first.kill());
  rows.push(await measure('2 replicas, one killed meanwhile', two, primary, journal, options));
  await killed;
  return rows;
}

function start(primary: Primary, replicas: string[], { cache }: Options, atEnd: AtEnd): Promise<string> {
  const settings = {
    DATABASE_REPLICA_URLS: replicas.join(),
    RESPONSE_CACHE_MB: String(cache),
    LIMIT_WRITES: '1000000/1m',
    LIMIT_WRITE_BYTES: '1GB/1d',
    LIMIT_REGISTER: '1000000/1h',
  };
  return startDaybook({ name: `replicas-${replicas.length}`, databaseUrl: primary.url, settings }, atEnd);
}

interface Subject extends BuiltArticle {
  /** Number of comments whose creation was acknowledged. */
  acknowledged: number;
}

async function prepare(url: string, count: number): Promise<Subject[]> {
  const { author, ...first } = await buildArticle(url);
  const subjects: Subject[] = [{ ...first, author, acknowledged: 0 }];
  while (subjects.length < count) subjects.push({ ...(await buildArticle(url, {}, author)), acknowledged: 0 });
  for (const subject of subjects) for (let index = 0; index < 10; index++) await write(url, subject);
  return subjects;
}

async function write(url: string, subject: Subject): Promise<boolean> {
  const response = await fetch(`${url}/api/articles/${subject.id}/comments`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${subject.author.token}` },
    body: JSON.stringify({ content: 'An owl is in the attic, and it is awake at night.' }),
  });
  await response.arrayBuffer();
  if (response.status === 201) subject.acknowledged++;
  return response.status === 201;
}

/** @returns whether it succeeded, and whether it lacks an acknowledged comment */
async function read(url: string, subject: Subject): Promise<{ isOk: boolean; isStale: boolean }> {
  const expected = subject.acknowledged;
  const response = await fetch(`${url}/api/articles/${subject.id}/comments?size=20`);
  const body = (await response.json()) as { data?: { pagination?: { totalElements?: number; total?: number } } };
  const total = body.data?.pagination?.totalElements ?? body.data?.pagination?.total ?? -1;
  return { isOk: response.status === 200, isStale: response.status === 200 && total < expected };
}

async function measure(
  name: string,
  url: string,
  primary: Primary,
  subjects: readonly Subject[],
  { seconds, connections }: Options,
): Promise<Row> {
  if (name) log(`Measuring ${name}.`);
  const times: number[] = [];
  let errors = 0;
  let stale = 0;
  const before = { metrics: await scrape(url), cpu: await cpuMsOf(primary) };
  const started = performance.now();
  const client = async () => {
    while (performance.now() - started < seconds * 1000) {
      const subject = subjects[Math.floor(Math.random() * subjects.length)] as Subject;
      const sent = performance.now();
      if (Math.random() * 100 < WRITES_PERCENT) errors += Number(!(await write(url, subject)));
      else {
        const { isOk, isStale } = await read(url, subject);
        errors += Number(!isOk);
        stale += Number(isStale);
      }
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const elapsed = (performance.now() - started) / 1000;
  const after = { metrics: await scrape(url), cpu: await cpuMsOf(primary) };
  const growth = (labels: Record<string, string>) =>
    after.metrics.value('daybook_page_reads_total', labels) - before.metrics.value('daybook_page_reads_total', labels);
  const all = growth({});
  times.sort((a, b) => a - b);
  const at = (share: number) => round(times[Math.floor(times.length * share)] ?? 0);
  return {
    name,
    requestsPerSecond: Math.round(times.length / elapsed),
    p50: at(0.5),
    p99: at(0.99),
    longest: round(times.at(-1) ?? 0),
    replicaShare: all === 0 ? 0 : Math.round((100 * (all - growth({ source: 'primary' }))) / all),
    primaryCpuMs: Math.round(((after.cpu - before.cpu) * 1000) / times.length),
    errors,
    stale,
  };
}

/** Of the server and its processes, also of those that have ended. Linux only; 0 elsewhere. */
async function cpuMsOf({ cluster }: Primary): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const pid = Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10);
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
  const own = await ticksOf(String(pid), 4);
  const ofChildren = await Promise.all(children.map((child) => ticksOf(child, 2).catch(() => 0)));
  return (own + ofChildren.reduce((sum, ticks) => sum + ticks, 0)) * MS_PER_TICK;
}

/** @param fields 2: of the process; 4: also of its ended children */
async function ticksOf(pid: string, fields: 2 | 4): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return values.slice(11, 11 + fields).reduce((sum, value) => sum + Number(value), 0);
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

function toMarkdown(rows: Row[]): string {
  const cells = rows.map(({ name, requestsPerSecond, replicaShare, primaryCpuMs, p50, p99, longest, errors, stale }) =>
    [name, requestsPerSecond, `${replicaShare} %`, primaryCpuMs, p50, p99, longest, errors, stale].join(' | '),
  );
  const head =
    'Replicas | Requests/s | Reads from replicas | CPU of the primary, ms per 1,000 requests | p50, ms | p99, ms | Longest, ms | Errors | Stale';
  return [head, Array.from({ length: 9 }, () => '---').join(' | '), ...cells]
    .map((line) => `| ${line} |`)
    .join('\n')
    .concat('\n');
}
