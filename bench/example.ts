/**
 * The pages of the example front end, with the sample journal: the requests of each to the service, the SQL statements of these, bytes and time, with
 * the response cache and without it. Both services answer all pages in turn, so that other load affects both. Their responses must have the same length.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { findFreePort } from '../src/platform/database/embedded/server.js';
import { Between, buildBlog, startBlog } from '../test/support/example-blog.js';
import { send } from './client.js';
import { startDaybook } from './contender.js';
import { createSample, SAMPLE_PASSWORD } from './database.js';
import { countStatements } from './metrics.js';
import { describeMachine, type Machine, table } from './report.js';
import { fetchText, graphqlRequest } from './requests.js';
import { percentile } from './search-cases.js';
import { log, runBenchmark, startPostgres } from './session.js';

/** A moderator of the sample journal, who writes too. */
const MEMBER = 'seojin@example.org';

const SETTINGS = { TRUST_PROXY: '1', PUBLIC_URL: 'http://localhost:4000' };
const SERVICES = { cached: {}, uncached: { RESPONSE_CACHE_MB: '0' } };
type Service = keyof typeof SERVICES;
const NAMES = ['cached', 'uncached'] as const satisfies Service[];

const ARTICLES = '{ articles(page: 1, size: 50) { contents { slug tags author { id } series { id } } } }';

interface Page {
  title: string;
  path: string;
  cookie?: string;
}

interface Measured {
  /** Names of the operations. */
  requests: string[];
  statements: number;
  /** Of the page, and of the responses of the service, as they are sent: the service compresses them, the example does not. */
  pageBytes: number;
  responseBytes: number;
  /** Of the page, as a proxy would compress it. */
  gzipBytes: number;
  /** The first quartile. */
  milliseconds: number;
}

interface Row extends Record<Service, Measured> {
  title: string;
}

await runBenchmark({
  numbers: { rounds: ['requests of each page to each service', 100, 5, 10_000] },
  async run({ rounds }, atEnd) {
    const postgres = await startPostgres(atEnd);
    const machine = await describeMachine(postgres);
    const folder = await mkdtemp(join(tmpdir(), 'daybook-example-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    const databaseUrl = await createSample(postgres, 'bench_example', folder);
    const start = (name: Service) =>
      startDaybook({ name: `example-${name}`, databaseUrl, settings: { ...SETTINGS, ...SERVICES[name] } }, atEnd);
    const services = { cached: await start('cached'), uncached: await start('uncached') };
    let current: Service = 'cached';
    const between = new Between(() => services[current]);
    await between.start();
    atEnd(() => between.stop());
    log('Building the example.');
    await buildBlog();
    const environment = { DAYBOOK_URL: between.url, DAYBOOK_PUBLIC_URL: SETTINGS.PUBLIC_URL };
    const site = await startBlog(await findFreePort(), { ...environment, SITE_LANGUAGES: 'en,ko,sv,ar' });
    atEnd(() => site.stop());

    const read = async ({ title, path, cookie }: Page): Promise<Measured> => {
      const service = services[current];
      const before = await countStatements(service);
      between.seen.length = 0;
      const startedAt = performance.now();
      const response = await fetch(site.url + path, { headers: { cookie: cookie ?? '' }, redirect: 'manual' });
      const body = Buffer.from(await response.arrayBuffer());
      const milliseconds = performance.now() - startedAt;
      if (response.status !== 200) throw new Error(`${title}: status ${response.status}.`);
      const seen = [...between.seen];
      return {
        requests: seen.map(({ name }) => name),
        statements: (await countStatements(service)) - before,
        pageBytes: body.length,
        responseBytes: seen.reduce((sum, { bytes }) => sum + bytes, 0),
        gzipBytes: gzipSync(body).length,
        milliseconds,
      };
    };
    const rows: Row[] = [];
    for (const page of await listPages(services.cached)) {
      log(page.title);
      const samples: Record<Service, Measured[]> = { cached: [], uncached: [] };
      // The first round fills the cache.
      for (let round = 0; round <= rounds; round++) {
        for (current of NAMES) {
          const sample = await read(page);
          if (round > 0) samples[current].push(sample);
        }
      }
      const row = { title: page.title, cached: summarize(samples.cached), uncached: summarize(samples.uncached) };
      for (const key of ['requests', 'pageBytes', 'responseBytes'] as const)
        if (String(row.cached[key]) !== String(row.uncached[key]))
          throw new Error(`${page.title}: ${key} ${row.cached[key]} with the cache, ${row.uncached[key]} without it.`);
      rows.push(row);
    }
    return { machine, rounds, rows };
  },
  toText: toMarkdown,
});

/** Statements of background jobs are in some samples only: the fewest are those of the page. */
function summarize(samples: Measured[]): Measured {
  const [first] = samples;
  if (!first) throw new Error('Nothing was measured.');
  const statements = Math.min(...samples.map((sample) => sample.statements));
  const times = samples.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return { ...first, statements, milliseconds: percentile(times, 0.25) };
}

interface Articles {
  contents: { slug: string; tags: string[]; author: { id: string }; series: { id: string } | null }[];
}

async function listPages(url: string): Promise<Page[]> {
  const tokens = await send(url, 'POST /api/auth/login', { email: MEMBER, password: SAMPLE_PASSWORD });
  const draft = await send(url, 'POST /api/drafts', { title: 'Night', content: 'Quiet.' }, tokens.accessToken);
  const { data } = JSON.parse(await fetchText(url, graphqlRequest(ARTICLES, {}))) as { data: { articles: Articles } };
  const article = data.articles.contents.find(({ series }) => series !== null);
  if (!article?.series) throw new Error('The sample journal has no series.');
  const cookie = `daybook-access=${tokens.accessToken}; daybook-refresh=${tokens.refreshToken}`;
  const pages = {
    'Log in': '/login',
    'Front page': '/',
    'Front page, one language': '/?language=ko',
    Search: '/?q=night',
    Tag: `/?tag=${encodeURIComponent(article.tags[0] ?? '')}`,
    Article: `/articles/${encodeURIComponent(article.slug)}`,
    Author: `/members/${article.author.id}`,
    Series: `/series/${article.series.id}`,
    Archive: '/archive',
  };
  const ofMember = {
    'Front page': '/',
    Article: pages.Article,
    Bookmarks: '/reading/bookmarks',
    Notifications: '/notifications',
    'Own texts': '/write',
    Editor: `/write/${draft.id}`,
    Moderation: '/moderation',
    Settings: '/settings',
  };
  return [
    ...Object.entries(pages).map(([title, path]) => ({ title, path })),
    ...Object.entries(ofMember).map(([title, path]) => ({ title: `${title}, logged in`, path, cookie })),
  ];
}

function toMarkdown({ machine, rounds, rows }: { machine: Machine; rounds: number; rows: Row[] }): string {
  const kb = (bytes: number) => (bytes / 1000).toFixed(1);
  const headings = [
    ...['Page', 'Requests', 'Statements', 'without the cache', 'Response, KB', 'Page, KB', 'with gzip, KB'],
    ...['Time, ms', 'without the cache, ms'],
  ];
  const cells = rows.map(({ title, cached, uncached }) => [
    ...[title, cached.requests.length, cached.statements, uncached.statements].map(String),
    ...[cached.responseBytes, cached.pageBytes, cached.gzipBytes].map(kb),
    ...[cached.milliseconds, uncached.milliseconds].map((one) => one.toFixed(1)),
  ]);
  return `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}, first quartiles of ${rounds} requests; load average before ${machine.loadBefore.toFixed(1)}.

${table(headings, cells)}
`;
}
