/** Read replicas: real standby servers that serve, are paused, do not respond, are killed or promoted. No response is stale or an error. */
import { expect } from 'chai';
import pg from 'pg';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { type BuiltArticle, buildArticle, buildComment } from '../support/build.js';
import { runDaybook } from '../support/cli.js';
import { call, graphql } from '../support/client.js';
import { execute } from '../support/database.js';
import { describeFault, type Measured } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { scrape, scrapeGrowth } from '../support/metrics.js';
import { type RunningService, startProcess, startService } from '../support/process.js';
import { type Relay, startRelay } from '../support/relay.js';
import { type Primary, type Standby, startPrimary } from '../support/standby.js';
import { until } from '../support/until.js';

/** Maximum time of a read while its replica does not respond: 500 ms, and time of the machine. */
const MAX_MS = 3_000;

describe('Read replicas', function () {
  this.timeout(120_000);
  let primary: Primary;
  let standby: Standby;
  let relay: Relay;
  let service: RunningService;
  let article: BuiltArticle;
  let replicaUrl: string;

  before(async () => {
    primary = await startPrimary();
    standby = await primary.addStandby();
    relay = await startRelay(() => standby.url);
    replicaUrl = relay.through(standby.url);
    service = await startService(primary.url, { RESPONSE_CACHE_MB: '0', DATABASE_REPLICA_URLS: replicaUrl });
    article = await buildArticle(service.url);
    await buildComment(service.url, article.id);
    await standby.catchUp();
    await untilAvailable(1);
  });
  afterEach(async () => {
    // A test that failed must not leave its fault to the next one.
    relay.forward();
    await execute(['select pg_wal_replay_resume()'], standby.url).catch(() => {});
  });
  after(async () => {
    await service.stop();
    await relay.close();
    await primary.stop();
  });

  const ready = async () => (await (await fetch(`${service.url}/readyz`)).json()) as { replicas?: string };
  const untilAvailable = (count: number) => until(async () => (await ready()).replicas === `${count} of 1 available`);

  /** The number of page reads, by the server whose rows were used. */
  async function sources(): Promise<{ primary: number; replica: number }> {
    const { value } = await scrape(service.url);
    const { host } = new URL(replicaUrl);
    const of = (source: string) => value('daybook_page_reads_total', { source });
    return { primary: of('primary'), replica: of(`${host}/daybook`) };
  }

  /** Runs the fault, and adds the longest read and the number of reads from the primary instead of the replica to its results. */
  async function measure(measured: Measured, fault: () => Promise<unknown>): Promise<void> {
    longestMs = 0;
    await Promise.all(Array.from({ length: 5 }, contents));
    const limitMs = MAX_MS + 10 * longestMs;
    longestMs = 0;
    const growth = await scrapeGrowth(service.url, fault);
    expect(longestMs).to.be.below(limitMs);
    const fallbacks = growth('daybook_replica_fallbacks_total');
    measured(`longest read ${Math.round(longestMs)} ms; ${fallbacks} reads repeated at the primary`);
  }

  async function sourcesDuring(work: () => Promise<unknown>) {
    const before = await sources();
    await work();
    const after = await sources();
    return { primary: after.primary - before.primary, replica: after.replica - before.replica };
  }

  /** Of the reads since the last fault began. */
  let longestMs = 0;

  async function contents(): Promise<string[]> {
    const started = performance.now();
    const { status, body } = await call(service.url, `GET /api/articles/${article.id}/comments?size=50`);
    expect(status).to.equal(200);
    longestMs = Math.max(longestMs, performance.now() - started);
    return body?.data.contents.map(({ content }: { content: string }) => content);
  }

  /** Adds a comment, and reads it at once, in several requests at the same time. */
  async function writeAndRead(content: string): Promise<void> {
    await buildComment(service.url, article.id, { content });
    for (const read of await Promise.all(Array.from({ length: 5 }, contents))) expect(read[0]).to.equal(content);
  }

  /** Until the replica gets each read again. */
  const untilTrusted = () =>
    until(async () => {
      await contents();
      return (await scrape(service.url)).value('daybook_replica_weight') === 1;
    });

  const untilUsed = () => until(async () => (await sourcesDuring(contents)).replica > 0);

  it('serve all reads whose statement returns a stamp, in both APIs, with the rows of related objects', async function () {
    // A read that the replica does not serve within 500 ms, as on a busy machine, is served by the primary.
    this.retries(3);
    await untilTrusted();
    const { id } = article;
    const { id: comment } = await buildComment(service.url, id);
    await standby.catchUp();
    const queries = [
      `{ comments(articleId: ${id}) { contents { content author { nickname } replies { content } } } }`,
      '{ articles(size: 5) { contents { id title author { nickname bio } category { name } tags contentHtml } } }',
      '{ articles(filter: { keyword: "Title" }) { contents { id } } }',
      `{ article(id: ${id}) { title comments(first: 2) { edges { node { content } } } } }`,
      `{ replies(commentId: ${comment}) { contents { content } } }`,
    ];
    const paths = ['articles', `articles/${id}`, `articles/${id}/comments`, `comments/${comment}/replies`];
    const used = await sourcesDuring(async () => {
      for (const query of queries) expect((await graphql(service.url, query)).errors).to.equal(undefined);
      for (const path of paths) expect((await call(service.url, `GET /api/${path}`)).status).to.equal(200);
    });
    expect(used).to.deep.equal({ primary: 0, replica: queries.length + paths.length });
  });

  it('do not serve reads of a member, of lists without a stamp, and of objects that do not exist', async () => {
    const { id, author } = article;
    const used = await sourcesDuring(async () => {
      for (const path of [`articles/${id}/comments`, 'articles/me'])
        expect((await call(service.url, `GET /api/${path}`, { token: author.token })).status).to.equal(200);
      const { errors } = await graphql(service.url, '{ articleConnection(first: 2) { edges { node { id } } } }');
      expect(errors).to.equal(undefined);
      expect((await call(service.url, 'GET /api/articles/999999')).status).to.equal(404);
    });
    expect(used).to.deep.equal({ primary: 0, replica: 0 });
  });

  it('are used by several workers, and distinguished from the primary in a URL with several hosts', async () => {
    const environment = { RESPONSE_CACHE_MB: '0', WORKERS: '2', DATABASE_REPLICA_URLS: replicaUrl };
    const { host } = new URL(primary.url);
    const several = primary.url.replace(host, `${new URL(standby.url).host},${host}`);
    const workers = await startService(several, environment);
    const read = () => call(workers.url, `GET /api/articles/${article.id}/comments`);
    try {
      await buildArticle(workers.url);
      await until(async () => {
        expect((await read()).status).to.equal(200);
        return (await scrape(workers.url)).value('daybook_page_reads_total') > 5;
      });
    } finally {
      await workers.stop();
    }
  });

  it('are rejected in place of the primary', async () => {
    const { ended, output } = await startProcess({ DATABASE_URL: standby.url, DATA_DIR: await makeFolder() });
    expect(await ended).to.equal(1);
    expect(output.stderr).to.match(/\(DATABASE_URL\) cannot be used: .*read-only/);
  });

  it('are examined by doctor', async () => {
    const examine = async (urls: string) => {
      const own = { DATA_DIR: await makeFolder(), PORT: '0', DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: urls };
      const { findings } = JSON.parse((await runDaybook(['doctor', '--json'], own)).stdout) as {
        findings: Finding[];
      };
      return findings.filter(({ about }) => about === 'Replica').map(({ health, message }) => [health, message]);
    };
    const { port, password } = new URL(primary.url);
    const missing = `postgres://daybook:${password}@127.0.0.1:1/daybook`;
    const [there, wrong, none] = await examine([standby.url, `${primary.url}?a`, missing].join());
    expect(there?.join()).to.match(
      /^ok,127\.0\.0\.1:\d+\/daybook is a standby, 0\.0 MB of the write-ahead log behind\.$/,
    );
    expect(wrong).to.deep.equal(['warning', `127.0.0.1:${port}/daybook is not a standby, and is not used.`]);
    expect(none?.join()).to.match(/^warning,127\.0\.0\.1:1\/daybook cannot be reached, and is not used: /);
    expect(none?.join()).not.to.contain(password);
  });

  describeFault('replica-paused', (measured) => {
    it('are not used for what they have not replayed, and are used again when they have', () =>
      measure(measured, async () => {
        const other = await buildArticle(service.url);
        await standby.catchUp();
        await standby.pause();
        for (let count = 0; count < 10; count++) await writeAndRead(`Paused ${count}`);
        expect((await call(service.url, `GET /api/articles/${(await buildArticle(service.url)).id}`)).status).to.equal(
          200,
        );
        // A replica that does not respond in time, as on a busy machine, gets no reads for a while; these are not counted.
        await until(async () => {
          const changed = await sourcesDuring(contents);
          expect(changed.replica).to.equal(0);
          const { value } = await scrape(service.url);
          const fallbacks = value('daybook_replica_fallbacks_total', { reason: 'behind' });
          return changed.primary === 1 && fallbacks > 2 && value('daybook_replica_weight') < 0.5;
        });
        await until(async () => (await scrape(service.url)).value('daybook_replica_lag_bytes') > 0);
        const unchanged = () => call(service.url, `GET /api/articles/${other.id}/comments`);
        await until(async () => (await sourcesDuring(unchanged)).replica > 0);
        await standby.resume();
        await standby.catchUp();
        await untilUsed();
        await until(async () => (await scrape(service.url)).value('daybook_replica_lag_bytes') === 0);
      }));
  });

  describeFault('replica-silent', (measured) => {
    it('delay reads only briefly when they do not respond any more', async () => {
      await untilTrusted();
      await measure(measured, async () => {
        relay.silence();
        await writeAndRead('Silent');
        await untilAvailable(0);
        for (let count = 0; count < 5; count++) await writeAndRead(`Still silent ${count}`);
        expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
        relay.forward();
        await untilAvailable(1);
        await untilUsed();
      });
    });
  });

  describeFault('replica-locked', (measured) => {
    it('delay reads only briefly while the replay of a change locks a table', () =>
      measure(measured, async () => {
        await untilTrusted();
        const client = new pg.Client({ connectionString: primary.url });
        client.on('error', () => {});
        await client.connect();
        await client.query('begin; lock table comments in access exclusive mode; select txid_current()');
        // Its commit writes the record of the lock to the disk, from where it is sent.
        await execute([`select pg_logical_emit_message(true, 'test', '')`], primary.url);
        await standby.catchUp();
        await standby.pause();
        await client.query('commit');
        await client.end();
        const growth = await scrapeGrowth(service.url, () => Promise.all(Array.from({ length: 5 }, contents)));
        expect(growth('daybook_replica_fallbacks_total', { reason: 'timeout' })).to.be.above(0);
        await standby.resume();
        await untilUsed();
      }));
  });

  describeFault('replica-killed', (measured) => {
    it('are replaced by the primary when they are killed, and used again after a start', () =>
      measure(measured, async () => {
        const isDone = { value: false };
        const reading = (async () => {
          while (!isDone.value) await Promise.all([contents(), contents(), contents()]);
        })();
        await standby.kill();
        await writeAndRead('Killed');
        await untilAvailable(0);
        await standby.start();
        await untilAvailable(1);
        isDone.value = true;
        await reading;
        await untilUsed();
      }));
  });

  describeFault('replica-promoted', (measured) => {
    it('are not used after they have been promoted', () =>
      measure(measured, async () => {
        await execute(['select pg_promote()'], standby.url);
        await untilAvailable(0);
        await writeAndRead('Promoted');
        await execute([`update comments set content = 'Not replicated'`], standby.url);
        const used = await sourcesDuring(async () => expect((await contents())[0]).to.equal('Promoted'));
        expect(used).to.deep.equal({ primary: 0, replica: 0 });
      }));
  });
});

describe('Settings of replicas', () => {
  const DATABASE_URL = 'postgres://localhost/daybook';

  it('contain any number of URLs, and require DATABASE_URL', () => {
    const [one, two] = ['postgres://reader:a%2Cb@one/daybook', 'postgresql://two:5433/daybook'];
    const urls = (given: string) => loadConfig({ DATABASE_URL, DATABASE_REPLICA_URLS: given }).databaseReplicaUrls;
    expect(urls(`${one}, ${two}`)).to.deep.equal([one, two]);
    expect(urls('')).to.deep.equal([]);
    expect(() => loadConfig({ DATABASE_REPLICA_URLS: one })).to.throw(
      'DATABASE_URL must be set, since DATABASE_REPLICA_URLS is set.',
    );
  });

  for (const wrong of [
    'one',
    'postgres://one:5432,two:5432/daybook',
    'postgres://a/b,',
    'postgres://a/b,postgres://a/b',
  ]) {
    it(`rejects ${wrong} without showing it`, () => {
      const DATABASE_REPLICA_URLS = wrong;
      expect(() => loadConfig({ DATABASE_URL, DATABASE_REPLICA_URLS })).to.throw(
        /^DATABASE_REPLICA_URLS must be a comma-separated list of URLs such as .*, not the given value \(hidden\)\.$/,
      );
    });
  }
});
