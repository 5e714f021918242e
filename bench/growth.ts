/**
 * Every read operation of both APIs, in a small and in a large journal: how many blocks of the database it accesses and how long it takes. The list of operations
 * is that of the schema and of the OpenAPI document, so that a new one is measured.
 */
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { buildSchema } from '../src/graphql/schema.js';
import { loadSecrets } from '../src/platform/config/secrets.js';
import { allOperations, type Operation, type Values } from '../test/support/operations.js';
import { jobsDone, startDaybook } from './contender.js';
import { connect, createDatabase } from './database.js';
import { loadJournal, type Size, SUBJECTS } from './growth-data.js';
import { createSessions } from './notifications-data.js';
import { describeMachine, type Machine, table } from './report.js';
import { FOLDER, log, runBenchmark, startPostgres } from './session.js';
import { median } from './targets.js';

const SMALL: Size = { comments: 10_000, articles: 1_000, members: 100 };
/** Most blocks in the large journal for each in the small one. */
const MOST = 1.2;

/** Reads that are not measured, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'GET /api/notifications/stream': 'does not end',
  'GET /api/members/me/archive': 'contains everything of a member',
  'Query.passkeyLoginOptions': 'reads nothing',
  'Query.passkeyRegistrationOptions': 'is limited by the number of passkeys',
  'Query.previewArticle': 'reads nothing',
  'Query.socialLoginUrl': 'reads nothing',
};

/** All fields to a depth are selected, which exceeds the limits of operations. */
const SETTINGS = {
  RESPONSE_CACHE_MB: '0',
  LIMIT_SHARED_TEXTS: '1000000/1h',
  GRAPHQL_MAX_COST: '10000000',
  GRAPHQL_MAX_TOKENS: '100000',
  GRAPHQL_MAX_CHARACTERS: '1000000',
};

/** Parameters whose other values read as much. */
const SIZES = ['page', 'size', 'first'];

/** Pages that read articles. */
const PAGES = [
  ...[
    '/',
    '/feed.xml',
    '/feed.atom',
    '/feed.json',
    '/members/{memberId}/feed.xml',
    '/sitemap.xml',
    '/sitemap-{part}.xml',
  ],
  ...['/llms.txt', '/articles/{slug}.md'],
].map((path) => ({ method: 'GET' as const, path }));

const RESET = `select pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()))`;
const STATEMENTS = `select (shared_blks_hit + shared_blks_read)::integer as blocks, query as statement from pg_stat_statements
  where dbid = (select oid from pg_database where datname = current_database())
    and query not like '%pg_stat_statements%' and query not like '%graphile_worker%'
  order by 1 desc`;

interface Cost {
  blocks: number;
  /** p50 in milliseconds. */
  ms: number;
  /** The statement with most blocks. */
  statement: string;
}

interface Growth {
  operation: string;
  small: Cost;
  large: Cost;
  ofBlocks: number;
  ofTime: number;
}

interface GrowthReport {
  date: string;
  machine: Machine;
  sizes: readonly [Size, Size];
  leftOut: typeof LEFT_OUT;
  /** By `ofBlocks`, the highest first. */
  reads: Growth[];
  /** What was wrong with the other reads, such as one that takes too long in the large journal. */
  failures: string[];
}

await runBenchmark({
  numbers: {
    comments: ['comments of the large journal', 1_000_000, 10_000, 10_000_000],
    articles: ['its articles', 100_000, 1_000, 1_000_000],
    members: ['its members', 100_000, 100, 1_000_000],
    rounds: ['requests of each read', 10, 1, 1_000],
    warmup: ['requests before them, which prepare the statements', 2, 0, 1_000],
  },
  texts: { only: '' },
  async run({ rounds, warmup, only, ...large }, atEnd): Promise<GrowthReport> {
    const serverUrl = await startPostgres(atEnd, 'pg_stat_statements');
    const machine = await describeMachine(serverUrl);
    const { jwtSecret } = await loadSecrets(FOLDER);
    const journals: Journal[] = [];
    // The smallest large journal is the small one.
    for (const size of isDeepStrictEqual(large, SMALL) ? [SMALL] : [SMALL, large]) {
      const name = `growth_${size.comments}_${size.articles}_${size.members}`;
      log(`Preparing ${name}.`);
      const databaseUrl = await createDatabase(serverUrl, name);
      await loadJournal(databaseUrl, size);
      const url = await startDaybook({ name, databaseUrl, settings: SETTINGS }, atEnd);
      await jobsDone(databaseUrl);
      while ((await fetch(`${url}/api/changes`)).status === 503) await new Promise((done) => setTimeout(done, 1000));
      const client = await connect(databaseUrl);
      atEnd(() => client.end());
      await client.query('create extension if not exists pg_stat_statements');
      await client.query('vacuum analyze');
      const [session] = await createSessions(client, 1, jwtSecret);
      journals.push({ url, client, token: session?.token ?? '' });
    }
    const [small, greater = small] = journals as [Journal, Journal?];
    const operations = await allOperations({ url: small.url, routes: PAGES }, buildSchema());
    const reads = operations.filter((one) => isMeasured(one) && one.name.includes(only)).flatMap(readsOf);
    const measured: Growth[] = [];
    const failures: string[] = [];
    for (const read of reads) {
      try {
        const of = await costOf(small, read, { warmup, rounds });
        const grown = greater === small ? of : await costOf(greater, read, { warmup, rounds });
        const ofBlocks = grown.blocks / Math.max(of.blocks, 1);
        measured.push({ operation: read.title, small: of, large: grown, ofBlocks, ofTime: grown.ms / of.ms });
      } catch (error) {
        failures.push((error as Error).message);
      }
    }
    measured.sort((a, b) => b.ofBlocks - a.ofBlocks);
    return {
      date: new Date().toISOString(),
      machine,
      sizes: [SMALL, large],
      leftOut: LEFT_OUT,
      reads: measured,
      failures,
    };
  },
  toText: toMarkdown,
  toMarkdown,
});

function isMeasured({ name, isWrite }: Operation): boolean {
  return !isWrite && !name.startsWith('the tool ') && !(name in LEFT_OUT);
}

interface Journal {
  url: string;
  client: pg.Client;
  token: string;
}

interface Read {
  title: string;
  operation: Operation;
  values: Values;
  isAnonymous: boolean;
}

/** As the first member, also with each value of each optional parameter, and if possible as nobody. */
function readsOf(operation: Operation): Read[] {
  const { slots, isPublic, name } = operation;
  const valuesOf = (values: (typeof slots)[number]['values']) =>
    typeof values === 'string' ? SUBJECTS[values] : values;
  const required = Object.fromEntries(
    slots.filter((slot) => slot.isRequired).map((slot) => [slot.name, valuesOf(slot.values)[0]]),
  );
  const optional = slots.filter((slot) => !slot.isRequired && !SIZES.includes(slot.name));
  const base = { title: name, values: required, operation, isAnonymous: false };
  // Of all sort orders, a period applies to those by likes and views only.
  const sort = name.startsWith('Query.') ? 'LIKE_COUNT_DESC' : 'likeCount,desc';
  return [
    ...(isPublic ? [{ ...base, title: `${name} (anonymous)`, isAnonymous: true }] : []),
    base,
    ...optional.flatMap((slot) =>
      valuesOf(slot.values).map((value) => ({
        ...base,
        title: `${name}, ${slot.name}: ${value}`,
        values: { ...required, ...(slot.name === 'period' && { sort }), [slot.name]: value },
      })),
    ),
  ];
}

async function costOf(
  { url, client, token }: Journal,
  { title, operation, values, isAnonymous }: Read,
  { warmup, rounds }: { warmup: number; rounds: number },
): Promise<Cost> {
  const { method, path, body, accept } = operation.request(values, null, 1);
  const headers = {
    ...(accept !== undefined && { Accept: accept }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(!isAnonymous && { Authorization: `Bearer ${token}` }),
  };
  const times: number[] = [];
  let least: Omit<Cost, 'ms'> = { blocks: Number.POSITIVE_INFINITY, statement: '' };
  for (let round = 0; round < warmup + rounds; round++) {
    await client.query(RESET);
    const sentAt = performance.now();
    const response = await fetch(url + path, { method, headers, body: body ?? null });
    const text = await response.text();
    if (!response.ok || text.startsWith('{"errors"')) {
      throw new Error(`${title}: ${response.status} ${text.slice(0, 300)}`);
    }
    if (round < warmup) continue;
    times.push(performance.now() - sentAt);
    const { rows } = await client.query<{ blocks: number; statement: string }>(STATEMENTS);
    const blocks = rows.reduce((sum, row) => sum + row.blocks, 0);
    // Jobs of the service can run meanwhile.
    if (blocks < least.blocks) least = { blocks, statement: rows[0]?.statement ?? '' };
  }
  return { ...least, ms: median(times) };
}

function toMarkdown({ date, machine, sizes, reads, failures }: GrowthReport): string {
  const within = (most: number) => reads.filter(({ ofBlocks }) => ofBlocks <= most).length;
  const [small, large] = sizes.map((size) =>
    Object.entries(size)
      .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
      .join(', '),
  );
  const rows = reads.map(({ operation, small, large, ofBlocks, ofTime }) => [
    operation,
    ...[small.blocks, large.blocks].map((blocks) => blocks.toLocaleString('en')),
    ofBlocks.toFixed(2),
    ...[small.ms, large.ms, ofTime].map((number) => number.toFixed(2)),
  ]);
  const headings = ['Read', 'blocks', 'large', 'ratio', 'p50 ms', 'large', 'ratio'];
  return `${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}.
Small: ${small}. Large: ${large}.
Of ${reads.length + failures.length} reads, ${within(MOST)} access at most ${MOST} × as many blocks in the large journal, ${within(2)} at most twice as many, ${failures.length} failed.
${failures
  .map(
    (failure) => `
    ${failure.split('\n')[0]}
`,
  )
  .join('')}
${table(headings, rows)}
`;
}
