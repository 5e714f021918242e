/** A database whose host vanishes without closing connections: they stay open, but nothing arrives any more. */
import { expect } from 'chai';
import { type BuiltArticle, buildArticle, buildComment } from '../support/build.js';
import { call, graphql, type RestResponse } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { describeFault, seconds } from '../support/faults.js';
import { closeLiveClients, followEvents } from '../support/live.js';
import { type RunningService, startService } from '../support/process.js';
import { type Relay, startRelay } from '../support/relay.js';
import { summaryOf } from '../support/summaries.js';
import { slowdown } from '../support/time-limits.js';
import { until } from '../support/until.js';

/** The statement timeout, the two seconds that its response may take, and the interval of the check. */
const MOST_MS = 1_000 + 2_000 + 2_000;

/** The timeout of connections that were being opened when the host vanished. */
const CONNECT_MS = 5_000;

describeFault('host-silent', function (measured) {
  this.timeout(90_000);
  let relay: Relay;
  let service: RunningService;
  let article: BuiltArticle;

  before(async () => {
    const database = await freshDatabase('silent');
    relay = await startRelay(() => database);
    service = await startService(relay.through(database), {
      DATABASE_STATEMENT_TIMEOUT: '1s',
      DATABASE_POOL_TIMEOUT: '1s',
      DATABASE_POOL_SIZE: '4',
      RESPONSE_CACHE_MB: '0',
    });
    article = await buildArticle(service.url);
  });
  afterEach(closeLiveClients);
  after(async () => {
    await service.stop();
    await relay.close();
  });

  const comments = () => `/api/articles/${article.id}/comments`;

  it('makes requests fail with 503 and Retry-After, within a bounded time', async () => {
    relay.silence();
    const started = performance.now();
    const { token } = article.author;
    const responses = await Promise.all([
      ...Array.from({ length: 6 }, () => call(service.url, `GET ${comments()}`)),
      ...Array.from({ length: 6 }, () => call(service.url, `POST ${comments()}`, { token, json: { content: 'Hi' } })),
      graphql(service.url, '{ me { id } }', {}, token) as unknown as Promise<RestResponse>,
    ]);
    for (const { status, headers } of responses) {
      expect([status, Number(headers.get('Retry-After'))]).to.deep.equal([503, 2]);
    }
    expect(performance.now() - started).to.be.below((MOST_MS + 3_000) * slowdown());
    measured(`503 after at most ${seconds(performance.now() - started)} with a statement timeout of 1 s`);
    const ready = await fetch(`${service.url}/readyz`);
    const { database } = (await ready.json()) as { database: string };
    expect([ready.status, database]).to.deep.equal([503, 'unreachable']);
    expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
  });

  it('is used again as soon as it responds: by requests, jobs and streams', async () => {
    relay.forward();
    const started = performance.now();
    const read = async () => (await call(service.url, `GET ${comments()}`)).status === 200;
    await until(async () => (await Promise.all(Array.from({ length: 12 }, read))).every((isRead) => isRead));
    expect(performance.now() - started).to.be.below((CONNECT_MS + MOST_MS) * slowdown());
    measured(`reads succeed ${seconds(performance.now() - started)} after it responds`);
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    const { id, author } = await buildArticle(service.url);
    await until(async () => (await summaryOf(service.url, id)).status === 'COMPLETED');
    const client = await followEvents(service.url, author.token);
    await buildComment(service.url, id);
    await client.count(1);
  });

  it('does not hold up SIGTERM', async () => {
    relay.silence();
    void call(service.url, `GET ${comments()}`).catch(() => {});
    const started = performance.now();
    expect(await service.stop()).to.equal(0);
    expect(performance.now() - started).to.be.below(10_500 * slowdown());
  });
});
