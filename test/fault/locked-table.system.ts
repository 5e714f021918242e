/** A table that is locked for longer than a request waits: under load of two processes, and with few connections. */
import { expect } from 'chai';
import pg from 'pg';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { call, type RestResponse } from '../support/client.js';
import { freshDatabase, waitingForLock } from '../support/database.js';
import { describeFault, pause, seconds } from '../support/faults.js';
import { closeLiveClients } from '../support/live.js';
import { startLoad } from '../support/load.js';
import { type RunningService, startService } from '../support/process.js';
import { until } from '../support/until.js';

/** `npm run faults` measures the time in docs/reliability.md. */
const LOCKED_MS = process.env.FAULT_RESULTS ? 30_000 : 15_000;
/** `DATABASE_LOCK_TIMEOUT`, twice: of a request that first waited for another one. */
const MAX_MS = 10_000;

describeFault('table-locked', function (measured) {
  this.timeout(120_000);
  const services: RunningService[] = [];
  let database: string;
  let locker: pg.Client;

  before(async () => {
    database = await freshDatabase('locked_for_long');
    const environment = { LIMIT_WRITES: '1000000/1h', RESPONSE_CACHE_MB: '0' };
    services.push(await startService(database, environment), await startService(database, environment));
    locker = new pg.Client(database);
    await locker.connect();
  });
  after(async () => {
    closeLiveClients();
    await locker.end();
    await Promise.all(services.map(({ stop }) => stop()));
  });

  it('makes only the statements on it fail, and only meanwhile', async () => {
    const load = await startLoad(
      services.map(({ url }) => url),
      { maxMs: MAX_MS },
    );
    await load.recovered();
    await locker.query('begin; lock table comments in access exclusive mode');
    const lockedAt = performance.now();
    const before = load.succeeded();
    while (performance.now() - lockedAt < LOCKED_MS) {
      for (const { url } of services) {
        const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1_000) });
        expect(status).to.equal(200);
      }
      await pause(200);
    }
    expect(load.rejected, 'requests on the table').to.not.have.lengthOf(0);
    expect(load.succeeded() - before, 'requests on other tables').to.be.above(100);
    await locker.query('rollback');
    const unlockedAt = performance.now();
    const recoveredAt = await load.recovered();
    await load.stop();
    measured(
      `slowest response ${seconds(load.slowestMs())}; all requests succeed ${seconds(recoveredAt - unlockedAt)} after the lock`,
    );
    expect(await load.verify(database), 'writes that received 503 and exist').to.deep.equal([]);
  });
});

describe('A locked table', () => {
  let service: RunningService;
  let locker: pg.Client;
  let observer: pg.Client;
  let article: BuiltArticle;

  before(async () => {
    const database = await freshDatabase('locked_table');
    service = await startService(database, {
      DATABASE_LOCK_TIMEOUT: '4s',
      DATABASE_POOL_SIZE: '2',
      DATABASE_POOL_TIMEOUT: '3s',
      // Requests of one client may use 8 of the places; statements of the service itself use others.
      DATABASE_POOL_WAITING: '10',
      // Equal requests would share one statement.
      RESPONSE_CACHE_MB: '0',
    });
    article = await buildArticle(service.url);
    [locker, observer] = [new pg.Client(database), new pg.Client(database)];
    await Promise.all([locker.connect(), observer.connect()]);
    // The article gets its number in the feed of changes by a statement that needs a connection and reads comments: it would wait as well.
    await until(async () => (await observer.query('select from change_log')).rows.length === 0);
  });
  beforeEach(() => locker.query('begin; lock table comments in access exclusive mode'));
  afterEach(() => locker.query('rollback'));
  after(async () => {
    await Promise.all([locker.end(), observer.end()]);
    await service.stop();
  });

  const target = () => `/api/articles/${article.id}/comments`;

  it('fails a write with 503 and Retry-After after the lock timeout, and nothing is written', async () => {
    const { token } = article.author;
    const response = await call(service.url, `POST ${target()}`, { token, json: { content: 'Hello' } });
    expectUnavailable(response);
    await locker.query('rollback');
    expect((await call(service.url, `GET ${target()}`)).body?.data.pagination.totalElements).to.equal(0);
  });

  describeFault('pool-exhausted', (measured) => {
    it('limits the number and time of requests that wait for a connection, and rejects others of the client with 429', async () => {
      let finished = 0;
      const read = async () => {
        const response = await call(service.url, `GET ${target()}`);
        finished++;
        return response;
      };
      const running = Array.from({ length: 2 }, read);
      await until(async () => (await waitingForLock(observer)) === 2);
      const startedAt = performance.now();
      const requests = [...running, ...Array.from({ length: 8 + 5 }, read)];
      await until(() => finished >= 5);
      const rejectedMs = performance.now() - startedAt;
      const responses = await Promise.all(requests);
      const rejected = responses.filter(({ status }) => status === 429);
      expect(rejected).to.have.length(5);
      expect(new Set(rejected.map(({ body }) => body?.code))).to.deep.equal(new Set(['RATE_LIMITED']));
      for (const response of responses) if (!rejected.includes(response)) expectUnavailable(response);
      const waitedMs = performance.now() - startedAt;
      measured(`5 of 15 requests 429 after ${seconds(rejectedMs)}, the others 503 after up to ${seconds(waitedMs)}`);
    });
  });

  function expectUnavailable({ status, headers, body }: RestResponse): void {
    expect([status, body?.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(headers.get('Retry-After'))).to.be.within(1, 60);
  }
});
