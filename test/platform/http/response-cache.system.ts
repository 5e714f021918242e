/**
 * Random writes through two processes with a response cache, on one database, one of them with little memory for it: every response to a
 * public read that starts after an acknowledged write equals that of a process without a cache, and a 304 is sent only for the content
 * that the client has.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { buildSchema } from '../../../src/graphql/schema.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.js';
import { randomFrom, type SeededRandom } from '../../hostile/seeded-random.js';
import { buildArticle, buildComment, buildMember } from '../../support/build.js';
import { execute as runStatements } from '../../support/database.js';
import { makeFolder } from '../../support/folder.js';
import { scrape } from '../../support/metrics.js';
import { type RunningService, startService } from '../../support/process.js';
import { ALLOWED_ORIGIN, generateRead, type PublicRead, type Readable, TAGS } from '../../support/public-reads.js';
import { RANDOM_WRITES, type Written } from '../../support/random-writes.js';
import { send as request } from '../../support/request.js';

/** Number of compared reads: each is sent to three processes. */
const CASES = Number(process.env.CACHE_CASES ?? 1_000);
const SEED = Number(process.env.CACHE_SEED ?? 20_261_121);

const STEPS_PER_RUN = 20;
const READS_PER_RUN = 8;
const READS_PER_STEP = 8;
/** Time for attempts to find a shorter list of commands that fails. */
const SHRINK_MS = 30_000;
/** Jobs write as well: where the data has changed since the state before the requests, all are sent again. */
const MAX_ATTEMPTS = 50;
/** The same for all processes, because responses contain it. `/metrics` needs no token where it is local. */
const PUBLIC_URL = 'http://localhost:4000';
const UNLIMITED = '1000000/1m';

const SCHEMA = buildSchema();

/** All that responses can contain, apart from what is derived from it. */
const PUBLIC_TABLES = [
  ...[
    'all_articles',
    'article_images',
    'article_summaries',
    'all_article_tags',
    'categories',
    'comments',
    'images',
    'members',
  ],
  'tags',
  'reactions',
  'series',
  'translation_groups',
  'follows',
];

const PARTS = PUBLIC_TABLES.map((table) => `(select concat(count(*), ' ', sum(xmin::text::bigint)) from ${table})`);
const STATE = `select concat_ws(',', ${PARTS}) as state`;

/** A write, with reads that are sent before it has finished, and reads that are compared after it. */
interface Step {
  readonly seed: number;
  readonly compared: readonly number[];
}

interface Copy {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A read, with earlier responses to it. */
interface Address {
  readonly read: PublicRead;
  readonly copies: Copy[];
}

describe(`${CASES} reads through the response cache (seed ${SEED})`, function () {
  this.timeout(180_000 + CASES * 150);
  /** The lengths of the lists are random: on average half of the maximum. */
  const numRuns = Math.ceil((3 * CASES) / (STEPS_PER_RUN * READS_PER_STEP));
  const written: Written = { members: [], articles: [], comments: [], categories: [], images: [], series: [] };
  const services: RunningService[] = [];
  const counts: Record<string, number> = {};
  let cached: string[];
  let plain: string;
  let database: pg.Client | undefined;
  let server: EmbeddedPostgres | undefined;
  /** The state of the data before the compared reads; null if a write has been sent since. */
  let state: Promise<string> | null = null;

  before(async () => {
    server = await startEmbeddedPostgres({ dataDir: await makeFolder(), password: 'only-for-the-tests' });
    const { url } = server;
    await runStatements(['alter system set fsync = off', 'select pg_reload_conf()'], url);
    const limits = { LIMIT_WRITES: UNLIMITED, LIMIT_WRITE_BYTES: '1GB/1d', CORS_ORIGINS: ALLOWED_ORIGIN, PUBLIC_URL };
    const environments: Record<string, string>[] = [
      { RESPONSE_CACHE_MB: '1' },
      { RESPONSE_CACHE_MB: '64' },
      { RESPONSE_CACHE_MB: '0' },
    ];
    const start = (own: Record<string, string>) => startService(url, { ...limits, ...own });
    services.push(...(await Promise.all(environments.map(start))));
    database = new pg.Client({ connectionString: url });
    await database.connect();
    cached = services.slice(0, 2).map(({ url }) => url);
    plain = services[2]?.url ?? '';
  });
  after(async () => {
    await database?.end();
    await Promise.all(services.map(({ stop }) => stop()));
    await server?.stop();
  });

  it('equal those of a process without a cache, after any write', async () => {
    const seed = fc.noShrink(fc.nat());
    const step = fc.record({
      seed,
      compared: fc.array(fc.nat(), { minLength: 1, maxLength: READS_PER_STEP, size: 'max' }),
    });
    const run = fc.record({
      start: seed,
      reads: fc.array(seed, { minLength: READS_PER_RUN, maxLength: READS_PER_RUN }),
      steps: fc.array(step, { minLength: 1, maxLength: STEPS_PER_RUN, size: 'max' }),
    });
    let shrinkUntil = Number.POSITIVE_INFINITY;
    const property = fc.asyncProperty(fc.noBias(run), async ({ start, reads, steps }) => {
      if (Date.now() > shrinkUntil) return;
      const log: string[] = [];
      try {
        await execute(start, reads, steps, log);
      } catch (error) {
        shrinkUntil = Math.min(shrinkUntil, Date.now() + SHRINK_MS);
        throw new Error(
          `${(error as Error).message}\nafter ${counts.compared} compared reads, and then\n${log.join('\n')}`,
          { cause: error },
        );
      }
    });
    await fc.assert(property, { numRuns, seed: SEED, includeErrorInReport: true });
    process.stdout.write(`      ${JSON.stringify(counts)}\n`);
    const never = Object.keys(RANDOM_WRITES).filter((name) => !counts[name]);
    if (CASES >= 1_000) expect(never, 'writes that were never accepted').to.deep.equal([]);
  });

  it('come from memory in part, also while responses are evicted', async () => {
    const results = await Promise.all(cached.map(scrape));
    const of = (result: string) =>
      results.map(({ value }) => value('daybook_response_cache_requests_total', { result }));
    const evictions = results[0]?.value('daybook_response_cache_evictions_total');
    process.stdout.write(
      `      hits ${of('hit')}, shared ${of('shared')}, misses ${of('miss')}, evictions ${evictions}\n`,
    );
    for (const hits of of('hit')) expect(hits).to.be.above(CASES / 10);
    if (CASES >= 10_000) expect(evictions).to.be.above(0);
  });

  async function execute(start: number, reads: number[], steps: Step[], log: string[]): Promise<void> {
    const readable = await repeatAfterReset(() => prepare(randomFrom(start)));
    const addresses: Address[] = [];
    /** Generated when it is first used, so that it can refer to what exists then. */
    const addressAt = (index: number): Address => {
      const position = index % reads.length;
      const address = addresses[position] ?? {
        read: generateRead(randomFrom(reads[position] ?? 0), SCHEMA, readable()),
        copies: [],
      };
      addresses[position] = address;
      return address;
    };
    for (const { seed, compared } of steps) {
      const random = randomFrom(seed);
      const during = readDuring(random, addressAt, log);
      state = null;
      await write(random, log);
      await compareAll(random, compared.map(addressAt), log);
      await during;
    }
  }

  /** Different reads at the same time, and equal ones in order, so that the later ones find the responses to the earlier ones. */
  async function compareAll(random: SeededRandom, addresses: Address[], log: string[]): Promise<void> {
    const last = new Map<Address, Promise<string>>();
    const bodies = addresses.map((address) => {
      const own = randomFrom(random.integer(0, 2 ** 31 - 1));
      const body = (last.get(address) ?? Promise.resolve()).then(() => compareAt(own, address, log));
      last.set(address, body);
      return body;
    });
    for (const body of await Promise.all(bodies))
      for (const [, cursor] of body.matchAll(/ursor":"([^"]+)"/g)) if (cursor) cursors.push(cursor);
    cursors.splice(0, cursors.length - 50);
  }

  /** Data of its own for each run, as far as others have not left enough. @returns the ids that reads can use */
  async function prepare(random: SeededRandom): Promise<() => Readable> {
    const url = random.pick(cached);
    while (written.members.length < 3) written.members.push(await buildMember(url));
    const author = random.pick(written.members);
    const input = { tags: [random.pick(TAGS)], content: 'By the lighthouse' };
    const { id } = await buildArticle(url, input, author);
    const comment = await buildComment(url, id, {}, random.pick(written.members));
    const replier = random.pick(written.members);
    const reply = await buildComment(url, id, { parentCommentId: comment.id }, replier);
    const all = { articleIds: [id], commentIds: [comment.id], memberIds: [author.id], categoryIds: [] as number[] };
    // Few, so that writes concern what is read.
    written.articles = [...written.articles.slice(-3), { id, author }];
    const isKept = ({ articleId }: { articleId: number }) =>
      written.articles.some((article) => article.id === articleId);
    written.comments = [
      ...written.comments.filter(isKept),
      { id: comment.id, articleId: id, parentId: null, author: comment.author },
      { id: reply.id, articleId: id, parentId: comment.id, author: replier },
    ];
    return () => ({
      articleIds: [...all.articleIds, id, ...written.articles.map((one) => one.id)],
      commentIds: [
        ...all.commentIds,
        ...written.comments.filter(({ parentId }) => parentId === null).map((one) => one.id),
      ],
      memberIds: [...all.memberIds, ...written.members.map((one) => one.id)],
      categoryIds: written.categories.map((one) => one.id),
      seriesIds: written.series.map((one) => one.id),
      nicknames: written.members.map((one) => one.nickname),
      cursors,
    });
  }

  async function write(random: SeededRandom, log: string[]): Promise<void> {
    const name = random.pick(Object.keys(RANDOM_WRITES));
    const context = { random, url: random.pick(cached), written, log: (line: string) => log.push(line) };
    const isChanged = await repeatAfterReset(async () => RANDOM_WRITES[name]?.(context));
    if (isChanged) counts[name] = (counts[name] ?? 0) + 1;
  }

  /** Reads while a write is executed fill the caches at the worst moments. Their responses are not compared. */
  async function readDuring(random: SeededRandom, addressAt: (index: number) => Address, log: string[]): Promise<void> {
    const reads = Array.from({ length: random.integer(0, 5) }, () => {
      const delay = random.integer(0, 8);
      const { read } = addressAt(random.integer(0, 1_000));
      const url = random.pick(cached);
      log.push(`meanwhile after ${delay} ms ${describeRead(read)} at ${url}`);
      return sleep(delay).then(() => send(url, read));
    });
    await Promise.all(reads);
  }

  /** @returns the body of the response */
  async function compareAt(random: SeededRandom, address: Address, log: string[]): Promise<string> {
    const { read, copies } = address;
    log.push(`compare ${describeRead(read)}`);
    const current = await compare(read);
    const { etag, 'last-modified': date } = current.headers;
    if (copies.length > 0 && etag !== undefined && random.chance(40)) {
      const copy = random.pick(copies);
      const condition: Record<string, string> = random.chance(80)
        ? { 'If-None-Match': copy.headers.etag ?? '*' }
        : { 'If-Modified-Since': copy.headers['last-modified'] ?? '' };
      log.push(`compare with ${JSON.stringify(condition)}`);
      await compareCondition(read, condition, copy);
    }
    if (etag !== undefined && date !== undefined) copies.push(current);
    return current.body;
  }

  /** @returns the response of the process without a cache */
  async function compare(read: PublicRead): Promise<Copy> {
    counts.compared = (counts.compared ?? 0) + 1;
    if (read.path === '/mcp') counts.tools = (counts.tools ?? 0) + 1;
    if (read.withDocument) counts['persisted queries'] = (counts['persisted queries'] ?? 0) + 1;
    for (let attempt = 1; ; attempt++) {
      state ??= readState();
      const before = await state;
      const [expected, ...responses] = await Promise.all([plain, ...cached].map((url) => send(url, read)));
      if (!expected) throw new Error('no response');
      const different = responses.find(
        (response) => !isDeepStrictEqual(comparable(response, expected), comparable(expected, response)),
      );
      if (!different) return expected;
      state = readState();
      if ((await state) !== before && attempt < MAX_ATTEMPTS) continue;
      throw new Error(
        `${describeRead(read)}\nwithout cache: ${describeCopy(expected)}\nwith cache: ${describeCopy(different)}`,
      );
    }
  }

  /** Differs after each change of public data, also by a job. */
  async function readState(): Promise<string> {
    const found = await database?.query({ name: 'state', text: STATE });
    return found?.rows[0].state;
  }

  /** A 304 is right only if a new response equals the copy; before and after it, since a job may write. */
  async function compareCondition(read: PublicRead, condition: Record<string, string>, copy: Copy): Promise<void> {
    const { status } = await compare({ ...read, headers: { ...read.headers, ...condition } });
    counts[`conditional ${status}`] = (counts[`conditional ${status}`] ?? 0) + 1;
    if (status !== 304) return;
    const now = await send(plain, read);
    if (now.body === copy.body) return;
    const again = await send(plain, { ...read, headers: { ...read.headers, ...condition } });
    if (again.status === 304) expect(now.body, `304 for ${describeRead(read)}`).to.equal(copy.body);
  }
});

const cursors: string[] = [];

const DEFAULT_HEADERS = { 'Accept-Encoding': 'gzip, deflate' };

/** Sends the document of a persisted query if the service does not know it, and follows a redirect, as clients do. */
async function send(url: string, read: PublicRead): Promise<Copy> {
  const copy = await sendOnce(url, read);
  if (read.withDocument && copy.body.includes('PERSISTED_QUERY_NOT_FOUND'))
    return sendOnce(url, { ...read, ...read.withDocument });
  const { location } = copy.headers;
  if (location === undefined) return copy;
  const { pathname, search } = new URL(location, url + read.path);
  const found = await sendOnce(url, { ...read, path: pathname + search });
  return { ...found, headers: { ...found.headers, location } };
}

/** If this process stops for longer than the service keeps an idle connection, on a busy machine, it still uses the connection. */
const repeatAfterReset = <T>(operation: () => Promise<T>): Promise<T> =>
  operation().catch((error) => (error.code === 'ECONNRESET' ? operation() : Promise.reject(error)));

async function sendOnce(url: string, { method, path, headers, body }: PublicRead): Promise<Copy> {
  const response = await repeatAfterReset(() => request(url + path, method, { ...DEFAULT_HEADERS, ...headers }, body));
  const requestId = response.headers.get('X-Request-Id') ?? 'none';
  const varying = ['date', 'x-request-id', 'connection', 'keep-alive'];
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !varying.includes(name))),
    // The explorer page has a nonce.
    body: response.text.replaceAll(requestId, 'REQUEST_ID').replaceAll(/nonce[-=]['"]?[0-9a-f]{64}/g, 'NONCE'),
  };
}

/** Everything that must be equal to the other response. */
function comparable({ status, headers, body }: Copy, other: Copy): Copy {
  const compared: Record<string, string> = { ...headers };
  const [date = '', otherDate = ''] = [headers['last-modified'], other.headers['last-modified']];
  // One second earlier until five seconds after the change, which may end between the two requests.
  if (Math.abs(Date.parse(date) - Date.parse(otherDate)) <= 1000) delete compared['last-modified'];
  // Which of several errors is reported depends on the order in which they occur.
  const isError = [{ headers, body }, other].every(
    (copy) => copy.headers['cache-control'] === 'no-store' && /^(?:$|\{"errors":\[)/.test(copy.body),
  );
  // Several errors may be long enough to be compressed.
  if (isError) {
    delete compared['content-encoding'];
    delete compared.vary;
  }
  // The length of the compressed explorer page depends on its nonce.
  if (isError || body.includes('NONCE')) delete compared['content-length'];
  return { status, headers: compared, body: isError ? '' : body };
}

function describeRead({ method, path, headers, body = '' }: PublicRead): string {
  return `${method} ${decodeURIComponent(path.replaceAll('+', ' '))} ${JSON.stringify(headers)} ${body}`;
}

function describeCopy({ status, headers, body }: Copy): string {
  return `${status} ${JSON.stringify(headers)} ${body.slice(0, 2_000)}`;
}
