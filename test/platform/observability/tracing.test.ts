/** Traces as an OTLP collector receives them. */
import { expect } from 'chai';
import { observeJob } from '../../../src/jobs/metrics.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { boundedFetch } from '../../../src/platform/http/bounded-fetch.js';
import { startTracing } from '../../../src/platform/observability/tracing/start.js';
import { useApp } from '../../support/app.js';
import { buildArticle, useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { type CollectedSpan, type Collector, startCollector } from '../../support/collector.js';
import { readableLog } from '../../support/log.js';
import { freePort } from '../../support/server.js';
import { until } from '../../support/until.js';

const CLIENT_TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${CLIENT_TRACE.traceId}-${CLIENT_TRACE.spanId}-01`;

describe('Traces', () => {
  const { log, lines } = readableLog();
  const app = useApp({}, { log });
  let collector: Collector;
  const author = useMember(app);
  let articleId: number;

  before(async () => {
    articleId = (await buildArticle(app.url, { title: 'A secret title' }, author)).id;
  });
  beforeEach(async () => {
    collector = await startCollector();
  });
  afterEach(() => collector.close());

  /** @returns the spans of what `work` did, once all of them have arrived */
  async function spansOf(
    work: () => Promise<unknown>,
    set: Record<string, string> = {},
    requests = 1,
  ): Promise<CollectedSpan[]> {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...set };
    const stopTracing = await startTracing(loadConfig(environment).tracing, log);
    const before = lines.length;
    await work();
    // The access log line of a request is written after its span has ended.
    await until(() => lines.length >= before + requests);
    await stopTracing();
    return collector.spans;
  }

  it('nest the statements by name in the operation, and the operation in the request', async () => {
    const spans = await spansOf(() => call(app.url, `GET /api/articles/${articleId}`));
    const request = named(spans, 'GET /api/articles/{articleId}');
    const operation = named(spans, 'query article');
    const statement = named(spans, 'articles_by_id');
    expect([request.parentSpanId, request.kind]).to.deep.equal(['', 2]);
    expect(request.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'http.route': '/api/articles/{articleId}',
      'http.response.status_code': 200,
    });
    expect(operation.parentSpanId).to.equal(request.spanId);
    expect(operation.attributes).to.deep.equal({ 'graphql.operation.type': 'query', 'daybook.api': 'rest' });
    expect([statement.parentSpanId, statement.kind]).to.deep.equal([operation.spanId, 3]);
    expect(statement.attributes).to.deep.equal({
      'db.system.name': 'postgresql',
      'db.query.summary': 'articles_by_id',
    });
    expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(1);
    expect(collector.resources[0]).to.include({ 'service.name': 'daybook' });
  });

  it('name the operations of GraphQL clients after the requested field', async () => {
    const query = 'query Mine($id: ID!) { article(id: $id) { title author { nickname } } }';
    const spans = await spansOf(() => graphql(app.url, query, { id: String(articleId) }));
    const operation = named(spans, 'query article');
    expect(operation.parentSpanId).to.equal(named(spans, 'POST /graphql').spanId);
    expect(named(spans, 'members_by_id').parentSpanId).to.equal(operation.spanId);
  });

  it('continue the trace of the client, without its tracestate and baggage, and add its ids to the log', async () => {
    const headers = { traceparent: TRACEPARENT, tracestate: 'vendor=hushhush', baggage: 'member=hushhush' };
    const spans = await spansOf(() => fetch(`${app.url}/api/articles/${articleId}`, { headers }));
    expect(collector.text()).to.not.contain('hushhush');
    const request = named(spans, 'GET /api/articles/{articleId}');
    expect([request.traceId, request.parentSpanId]).to.deep.equal([CLIENT_TRACE.traceId, CLIENT_TRACE.spanId]);
    expect(JSON.parse(lines.at(-1) ?? '')).to.include({ traceId: CLIENT_TRACE.traceId, spanId: request.spanId });
  });

  for (const wrong of ['nonsense', TRACEPARENT.replace('00-', 'ff-'), TRACEPARENT.replace(/[1-9a-f]/g, '0')]) {
    it(`start a new trace for the invalid traceparent ${wrong}`, async () => {
      const spans = await spansOf(() => fetch(`${app.url}/healthz`, { headers: { traceparent: wrong } }));
      const request = named(spans, 'GET /healthz');
      expect(request.parentSpanId).to.equal('');
      expect(request.traceId)
        .to.match(/^[\da-f]{32}$/)
        .and.not.match(/^0+$/);
    });
  }

  it('contain no data that members wrote or sent', async () => {
    const email = 'someone@example.org';
    const work = async () => {
      await call(app.url, 'POST /api/auth/login', { json: { email, password: 'hush, hush' } });
      await call(app.url, 'GET /api/members/me', { token: author.token });
      await call(app.url, 'PATCH /api/members/me', { token: author.token, json: { bio: 'Owls, mostly.' } });
      await call(app.url, `GET /api/articles?keyword=secret`);
    };
    await spansOf(work, {}, 4);
    for (const word of [email, 'hush', author.token, author.email, author.nickname, 'Owls', 'secret', '127.0.0.1']) {
      expect(collector.text(), word).to.not.contain(word);
    }
    expect(collector.text()).to.contain('/api/members/me');
  });

  it('mark a failed operation with its error code', async () => {
    const spans = await spansOf(() => call(app.url, 'GET /api/articles/999999'));
    expect(named(spans, 'query article')).to.deep.include({ status: 2 });
    expect(named(spans, 'query article').attributes).to.include({ 'error.type': 'ARTICLE_NOT_FOUND' });
    expect(named(spans, 'GET /api/articles/{articleId}').status, 'a 404 is no failure of ours').to.equal(0);
  });

  it('contain jobs and their outgoing requests, with the host only', async () => {
    const address = `${collector.url}/somewhere?code=hushhush`;
    const work = async () => {
      await observeJob('summarize', async () => void (await boundedFetch(1_000)(address, { method: 'POST' })));
      log.info('done');
    };
    const spans = await spansOf(work);
    const job = named(spans, 'job summarize');
    const call = named(spans, 'POST 127.0.0.1');
    expect([job.parentSpanId, call.parentSpanId]).to.deep.equal(['', job.spanId]);
    expect(call.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
    });
    expect(collector.text()).to.not.contain('hushhush');
    for (const headers of collector.headers) expect(headers).to.not.have.property('traceparent');
  });

  it('follow the sampling ratio of OTEL_TRACES_SAMPLER', async () => {
    // The SDK reads both from the environment of the process.
    Object.assign(process.env, { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    try {
      expect(await spansOf(() => fetch(`${app.url}/healthz`))).to.deep.equal([]);
    } finally {
      delete process.env.OTEL_TRACES_SAMPLER;
      delete process.env.OTEL_TRACES_SAMPLER_ARG;
    }
  });

  it('are exported with the configured headers and service name', async () => {
    const set = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b,other=1', OTEL_SERVICE_NAME: 'journal' };
    await spansOf(() => fetch(`${app.url}/healthz`), set);
    expect(collector.headers[0]).to.include({ 'api-key': 'a b', other: '1' });
    expect(collector.resources[0]).to.include({ 'service.name': 'journal' });
  });

  it('do not affect requests when the collector is unreachable', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const stopTracing = await startTracing(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: away }).tracing, log);
    expect((await call(app.url, `GET /api/articles/${articleId}`)).status).to.equal(200);
    await stopTracing();
    expect((await call(app.url, `GET /api/articles/${articleId}`)).status).to.equal(200);
    await until(() => lines.some((line) => /ECONNREFUSED.*trace export failed/.test(line)));
  });

  it('are not recorded when no endpoint is set', async () => {
    expect(loadConfig({}).tracing).to.equal(null);
    const before = lines.length;
    await fetch(`${app.url}/healthz`, { headers: { traceparent: TRACEPARENT } });
    await until(() => lines.length > before);
    expect(JSON.parse(lines.at(-1) ?? '')).to.not.have.property('traceId');
  });
});

function named(spans: CollectedSpan[], name: string): CollectedSpan {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
}
