/** Tokens of share links appear in no log, trace, metric or stored row, and reads of shared texts are limited. */
import { expect } from 'chai';
import { models } from '../../../src/models/index.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { openDatabase } from '../../../src/platform/database/pool.js';
import { startTracing } from '../../../src/platform/observability/tracing/start.js';
import { useApp } from '../../support/app.js';
import { buildMember, useMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { type Collector, startCollector } from '../../support/collector.js';
import { rowsOf } from '../../support/imported.js';
import { readableLog } from '../../support/log.js';
import { scrape } from '../../support/metrics.js';
import { occupyRenderer } from '../../support/renderer.js';
import { buildShare, buildText, READ } from '../../support/shared-texts.js';
import { until } from '../../support/until.js';

const { log, lines } = readableLog('trace');

/** A database that cannot be reached: nothing listens on port 1. */
const database = openDatabase('postgres://127.0.0.1:1/nowhere', { models, poolSize: 2, statementTimeoutMs: 1000 });
after(() => database.close());

describe('The token of a share link', () => {
  const app = useApp({}, { log });
  const lost = useApp({}, { log, database });
  const author = useMember(app);
  let collector: Collector;
  before(async () => {
    collector = await startCollector();
  });
  after(() => collector.close());

  it('is in no log, trace, metric and row, whatever the request and its outcome', async () => {
    const text = await buildText(app, 'draft', author);
    const tracing = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` }).tracing;
    const stopTracing = await startTracing(tracing, log);
    lines.length = 0;
    const { token } = await buildShare(app, text);
    const target = `/api/shared/${token}`;
    const query = `{ sharedText(token: "${token}") { title } }`;
    const statuses = [];
    for (const [method, path, url = app.url] of [
      ['GET', target],
      ['HEAD', target],
      ['OPTIONS', target],
      ['POST', target],
      ['GET', `${target}?unknown=${token}`],
      ['GET', `${target}/`],
      ['GET', `${target}%ff`],
      ['GET', `/api/%73hared/${token}`],
      ['GET', `/shared/${token}`],
      ['GET', `/graphql?${new URLSearchParams({ query })}`],
      ['GET', target, lost.url],
    ] as const) {
      statuses.push((await fetch(url + path, { method })).status);
    }
    expect(statuses).to.deep.equal([200, 200, 204, 405, 400, 404, 400, 404, 404, 405, 503]);
    await graphql(app.url, READ, { token });
    await graphql(app.url, query);
    await graphql(lost.url, query);
    await app.database.sequelize.query('alter table share_links rename to share_links_elsewhere');
    try {
      await expectStatus(call(app.url, `GET ${target}`), 500, 'INTERNAL_ERROR');
      expect((await graphql(app.url, query)).errors?.[0]?.extensions.code).to.equal('INTERNAL_ERROR');
    } finally {
      await app.database.sequelize.query('alter table share_links_elsewhere rename to share_links');
    }
    // 1 POST, 11 requests, 3 and 2 at the end.
    await until(() => lines.filter((line) => line.includes('"msg":"request"')).length >= 17);
    await stopTracing();
    const spans = collector.spans.map(({ name }) => name);
    expect(spans).to.include.members(['GET /api/shared/{token}', 'query sharedText', 'shared_text']);
    const written = lines.join('');
    expect(written).to.include('"route":"/api/shared/{token}"').and.include('request failed');
    const metrics = (await scrape(app.url)).text;
    expect(metrics).to.include('route="/api/shared/{token}"');
    for (const output of [written, collector.text(), metrics]) expect(output).to.not.include(token);
    for (const table of ['security_events', 'idempotency_keys', 'share_links', 'rate_limits']) {
      const rows = await rowsOf(app.database, `select t::text from ${table} t`);
      expect(JSON.stringify(rows), table).to.not.include(token);
    }
  });
});

describe('Reads of shared texts', () => {
  const app = useApp({ LIMIT_SHARED_TEXTS: '3/1h', TRUST_PROXY: '1' });
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
  const read = (token: string, address: string) => call(app.url, `GET /api/shared/${token}`, from(address));

  it('are limited per network where they render the text, also over GraphQL', async () => {
    const text = await buildText(app, 'draft', await buildMember(app.url), { content: 'x '.repeat(50_000) });
    const { token } = await buildShare(app, text);
    for (let count = 0; count < 3; count++) await expectStatus(read(token, '192.0.2.1'), 200, '1');
    const { headers, body } = await expectStatus(read(token, '192.0.2.1'), 429, 'RATE_LIMITED');
    expect(Number(headers.get('Retry-After'))).to.be.above(3_000);
    expect(body?.message).to.equal('Too many shared texts: try again in 60 minutes.');
    await expectStatus(read(token, '192.0.2.2'), 200, '1');
    const aliases = [1, 2, 3, 4].map((number) => `t${number}: sharedText(token: "${token}") { title contentHtml }`);
    const { data, errors } = await graphql(app.url, `{ ${aliases.join(' ')} }`);
    expect(errors?.map(({ extensions }) => extensions.code)).to.deep.equal(['RATE_LIMITED']);
    expect(Object.values(data).filter((shown) => shown === null)).to.have.lengthOf(1);
    const { data: titles } = await graphql(app.url, `{ sharedText(token: "${token}") { title } }`);
    expect(titles.sharedText, 'nothing is rendered').to.deep.equal({ title: 'Owls' });
  });

  it('are limited per network if the token is unknown, and not for articles with stored HTML', async () => {
    const { token } = await buildShare(app, await buildText(app, 'article', await buildMember(app.url)));
    for (let count = 0; count < 3; count++) await expectStatus(read('unknown', '192.0.2.3'), 404, 'SHARE_NOT_FOUND');
    await expectStatus(read('unknown', '192.0.2.3'), 429, 'RATE_LIMITED');
    await expectStatus(read(token, '192.0.2.3'), 200, '1');
    await app.database.sequelize.query('delete from article_html');
    await expectStatus(read(token, '192.0.2.3'), 429, 'RATE_LIMITED');
    const { body } = await expectStatus(read(token, '192.0.2.4'), 200, '1');
    expect(body?.data.contentHtml).to.equal('<p>One is in the <strong>attic</strong>.</p>\n');
  });
});

describe('Shared texts of one network', () => {
  const app = useApp({ TRUST_PROXY: '1' });

  it('are rendered three at once at most', async () => {
    const { token } = await buildShare(app, await buildText(app, 'draft', await buildMember(app.url)));
    const read = (host: number) =>
      call(app.url, `GET /api/shared/${token}`, { headers: { 'X-Forwarded-For': `2001:db8::${host}` } });
    const { queue } = app.services.renderer;
    const release = occupyRenderer(app);
    const waiting = [1, 2, 3].map(read);
    await until(() => queue.state.waiting === 3);
    await expectStatus(read(4), 429, 'RATE_LIMITED');
    await release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
  });
});
