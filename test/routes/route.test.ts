/** Behavior common to all paths: 404, 405, CORS, headers, health checks, failures and the log. */
import { expect } from 'chai';
import { models } from '../../src/models/index.js';
import { openDatabase } from '../../src/platform/database/pool.js';
import { ERRORS, type ErrorKey } from '../../src/platform/error-keys.js';
import { AppError } from '../../src/platform/errors.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus, graphql } from '../support/client.js';
import { readableLog } from '../support/log.js';
import { sendRaw } from '../support/raw.js';
import { until } from '../support/until.js';

const app = useApp();

const ENVELOPE = ['code', 'message', 'data'];

async function request(target: string, headers: Record<string, string> = {}, url = app.url) {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(url + path, { method, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : null,
  };
}

describe('An unknown path', () => {
  it('returns 404 in the envelope for any method', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/nothing',
      '/api/members',
      '/api/articles/1/2/3',
      '/images/x',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status, body } = await request(`${method} ${path}`);
        expect([status, body?.code, body?.data], `${method} ${path}`).to.deep.equal([404, 'ROUTE_NOT_FOUND', {}]);
        expect(Object.keys(body)).to.deep.equal(ENVELOPE);
      }
    }
  });

  it('returns 404 for a known path with a trailing slash, other case, or doubled or escaped slashes', async () => {
    const { id } = await buildArticle(app.url);
    expect((await request(`GET /api/articles/${id}`)).status).to.equal(200);
    for (const path of [
      `/api/articles/${id}/`,
      `/API/articles/${id}`,
      `/api/Articles/${id}`,
      `//api/articles/${id}`,
      `/api//articles/${id}`,
      `/api/articles%2F${id}`,
      '/Healthz',
      '/graphql/',
    ]) {
      await expectStatus(request(`GET ${path}`), 404, 'ROUTE_NOT_FOUND', path);
    }
  });

  it('returns 4xx for an invalid escape, a long path or an unusual request line', async () => {
    for (const path of [
      '/%',
      '/api/%',
      '/api/articles/%zz',
      '/api/articles/%ff',
      `/api/${'a'.repeat(10_000)}`,
      `/api/articles/${'%00'.repeat(2000)}`,
      '/images/%2e%2e%2fsecrets.json',
      '/docs/../../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/__proto__',
      '/docs/constructor',
    ]) {
      const { status, body } = await request(`GET ${path}`);
      expect(status, path.slice(0, 60)).to.be.oneOf([400, 404]);
      expect(Object.keys(body), path).to.deep.equal(ENVELOPE);
      expect(body.message.length, path.slice(0, 60)).to.be.below(300);
    }
    for (const line of [
      'GET http://elsewhere/api/articles/999999',
      'GET *',
      'OPTIONS *',
      'GET /api?a=%ff&%',
      'PROPFIND /api/articles/1',
    ]) {
      const response = await sendRaw(app.url, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(response, line).to.match(/^HTTP\/1\.1 4\d\d /);
    }
  });
});

describe('CORS', () => {
  const REQUESTED = 'authorization,idempotency-key,if-match';
  const withOrigins = useApp({ CORS_ORIGINS: 'https://journal.example.org, http://localhost:5173' });
  const preflight = (origin: string, url = app.url) =>
    request(
      'OPTIONS /api/members/me',
      { Origin: origin, 'Access-Control-Request-Method': 'PATCH', 'Access-Control-Request-Headers': REQUESTED },
      url,
    );

  it('allows listed origins to send conditions and idempotency keys, and to read the headers of responses', async () => {
    for (const [origin, url] of [
      ['https://journal.example.org', withOrigins.url],
      ['http://localhost:5173', withOrigins.url],
    ] as const) {
      const { status, headers } = await preflight(origin, url);
      expect([status, headers.get('Access-Control-Allow-Origin')]).to.deep.equal([204, origin]);
      expect(headers.get('Access-Control-Allow-Methods')).to.contain('PATCH');
      expect(headers.get('Access-Control-Allow-Headers')).to.equal(REQUESTED);
      expect(headers.get('Access-Control-Allow-Credentials')).to.equal(null);
      const response = await request('GET /api/articles/999999', { Origin: origin }, url);
      expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).to.deep.equal([404, origin]);
      expect(response.headers.get('Access-Control-Expose-Headers')).to.equal(
        'ETag,Idempotency-Replayed,Retry-After,X-Request-Id',
      );
      expect(response.headers.get('Vary')).to.match(/\borigin\b/i);
    }
  });

  it('does not allow other origins', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'https://studio.apollographql.com.evil.example',
      'http://studio.apollographql.com',
    ]) {
      const { headers } = await preflight(origin);
      expect(headers.get('Access-Control-Allow-Origin'), origin).to.equal(null);
      const response = await request('GET /api/articles/999999', { Origin: origin });
      expect(response.headers.get('Access-Control-Allow-Origin'), origin).to.equal(null);
    }
  });
});

describe('Every response', () => {
  it('has the X-Request-Id of the request if it is safe, otherwise a new one', async () => {
    for (const id of ['abc-123', 'A_b.c', 'x'.repeat(64)]) {
      expect((await request('GET /nothing', { 'X-Request-Id': id })).headers.get('X-Request-Id')).to.equal(id);
    }
    for (const id of ['', 'x'.repeat(65), 'a b', '{"a":1}', 'a"b', 'ä', '../x']) {
      const { headers } = await request('GET /nothing', { 'X-Request-Id': id });
      expect(headers.get('X-Request-Id'), id).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    }
  });

  it('has headers against content sniffing, framing and loading of resources', async () => {
    const { id } = await buildArticle(app.url);
    for (const target of [
      `GET /api/articles/${id}`,
      'GET /nothing',
      'GET /healthz',
      'POST /graphql',
      'PATCH /api/members/me',
    ]) {
      const { headers } = await request(target);
      expect(headers.get('X-Content-Type-Options'), target).to.equal('nosniff');
      expect(headers.get('Content-Security-Policy'), target).to.match(/default-src 'none'/);
      expect(headers.get('Referrer-Policy'), target).to.be.a('string');
      expect(headers.get('X-Powered-By'), target).to.equal(null);
    }
  });
});

describe('Health checks', () => {
  it('return 200 from /healthz and /readyz, with Cache-Control: no-store', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, body, headers } = await request(`GET ${path}`);
      expect([status, body.status], path).to.deep.equal([200, 'ok']);
      expect(headers.get('Cache-Control')).to.equal('no-store');
    }
  });
});

describe('The service without its database', () => {
  const { log, lines } = readableLog('debug');
  // No server listens on port 1.
  const database = openDatabase('postgres://someone:hushhush@127.0.0.1:1/nowhere', {
    models,
    poolSize: 2,
    statementTimeoutMs: 1000,
  });
  const lost = useApp({}, { database, log });
  after(() => database.close());

  it('returns 200 from /healthz and 503 from /readyz', async () => {
    expect((await request('GET /healthz', {}, lost.url)).status).to.equal(200);
    const { status, body, headers } = await request('GET /readyz', {}, lost.url);
    expect([status, body.status, body.database]).to.deep.equal([503, 'unavailable', 'unreachable']);
    expect(headers.get('Retry-After')).to.equal('5');
  });

  it('returns 503 in the envelope for each endpoint, without the cause and without secrets in the log', async () => {
    const { token } = await buildMember(app.url);
    const json = { email: 'a@example.org', password: 'long enough', memberName: 'A' };
    const responses = await Promise.all([
      call(lost.url, 'GET /api/articles/1'),
      call(lost.url, 'GET /api/articles/1/comments'),
      call(lost.url, 'GET /api/members/me', { token }),
      call(lost.url, 'POST /api/auth/register', { json }),
      call(lost.url, 'POST /api/auth/login', { json: { email: json.email, password: json.password } }),
    ]);
    for (const { status, headers, body } of responses) {
      expect([status, body?.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
      expect(headers.get('Retry-After')).to.equal('2');
      expect(body).to.deep.equal({
        code: 'SERVICE_UNAVAILABLE',
        message: 'The service is temporarily unavailable: try again in a moment.',
        data: {},
      });
    }
    expect((await call(lost.url, 'GET /api/members/me')).status).to.equal(401);
    const response = await graphql(lost.url, '{ article(id: 1) { id } }');
    expect(response.errors?.[0]?.extensions).to.deep.equal({ code: 'SERVICE_UNAVAILABLE', retryAfter: 2 });
    expect(response.headers.get('Retry-After')).to.equal('2');
    const rejected = await graphql(lost.url, '{ me { id } }', {}, token);
    expect([rejected.status, rejected.headers.get('Retry-After')]).to.deep.equal([503, '2']);
    const feed = await request('GET /feed.json', {}, lost.url);
    expect([feed.status, feed.headers.get('Retry-After')]).to.deep.equal([503, '2']);
    expect(lines.join('')).to.not.match(/hushhush|long enough|a@example\.org/);
  });
});

describe('Retry-After', () => {
  const retryable = (Object.keys(ERRORS) as ErrorKey[]).filter((key) => [429, 503].includes(ERRORS[key]));

  for (const key of retryable) {
    it(`has a value for ${key}, whether or not the error sets one`, () => {
      expect(new AppError(key).retryAfter).to.be.above(0);
      expect(new AppError(key, { retryAfter: 77 }).retryAfter).to.equal(77);
    });
  }

  it('is in the responses of both APIs where no AI provider is configured', async () => {
    const { token } = await buildMember(app.url);
    const rest = await call(app.url, 'POST /api/external/gemini', { token, json: { prompt: 'x' } });
    expect([rest.status, rest.headers.get('Retry-After')]).to.deep.equal([503, '3600']);
    const { errors, headers } = await graphql(app.url, 'mutation { generateText(prompt: "x") { text } }', {}, token);
    expect(errors?.[0]?.extensions).to.deep.equal({ code: 'AI_NOT_CONFIGURED', retryAfter: 3600 });
    expect(headers.get('Retry-After')).to.equal('3600');
  });
});

describe('The service after its connections broke', () => {
  it('returns 200 again after a few requests, and never 500', async () => {
    const { id } = await buildArticle(app.url);
    const read = () => call(app.url, `GET /api/articles/${id}/comments`);
    await Promise.all(Array.from({ length: 8 }, read));
    await app.database.sequelize
      .query(
        'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      .catch(() => undefined);
    const statuses = new Set<number>();
    for (let round = 0; round < 10; round++) statuses.add((await read()).status);
    expect([...statuses].every((status) => status === 200 || status === 503)).to.equal(true);
    expect((await read()).status).to.equal(200);
  });
});

describe('An unexpected error', () => {
  const { log, lines } = readableLog();
  const broken = useApp({}, { log });
  before(() => broken.database.sequelize.query('alter table comments rename to comments_elsewhere'));
  after(() => broken.database.sequelize.query('alter table comments_elsewhere rename to comments'));

  it('returns 500 without its cause, which is logged once under the request id', async () => {
    const { id } = await buildArticle(app.url);
    lines.length = 0;
    const response = await call(broken.url, `GET /api/articles/${id}/comments`, {
      headers: { 'X-Request-Id': 'find-me' },
    });
    expect([response.status, response.body]).to.deep.equal([
      500,
      { code: 'INTERNAL_ERROR', message: 'An internal error occurred.', data: {} },
    ]);
    const entries = () => lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === 'find-me');
    await until(() => entries().some(({ msg }) => msg === 'request'));
    const found = entries();
    expect(found.map(({ msg }) => msg).sort()).to.deep.equal(['request', 'request failed']);
    const { err } = found.find(({ msg }) => msg === 'request failed');
    expect(err.code).to.equal('42P01');
    expect(err.stack).to.contain('at ');
    expect(lines.join('')).to.not.match(/select|comments_elsewhere/i);
  });

  it('is masked in GraphQL too', async () => {
    const { id } = await buildArticle(app.url);
    lines.length = 0;
    const { errors } = await graphql(broken.url, 'query ($id: ID!) { comments(articleId: $id) { contents { id } } }', {
      id,
    });
    expect(errors?.[0]).to.deep.include({ message: 'An internal error occurred.' });
    expect(errors?.[0]?.extensions).to.deep.equal({ code: 'INTERNAL_ERROR' });
    expect(JSON.stringify(errors)).to.not.match(/select|relation|stack/i);
    await until(() => lines.some((line) => line.includes('"msg":"request"')));
    expect(lines.filter((line) => line.includes('request failed'))).to.have.length(1);
  });
});

describe('The log', () => {
  const { log, lines } = readableLog('trace');
  const logged = useApp({}, { log });

  it('has one JSON line for each request, with its id and without secrets or personal data', async () => {
    const member = await buildMember(logged.url, { memberName: 'Confidential Name' });
    const { url } = logged;
    const { token } = member;
    await buildArticle(url, { title: 'Confidential title', content: 'Confidential content' }, member);
    await call(url, 'GET /api/articles/1/comments?page=1&size=confidential');
    await call(url, 'POST /api/auth/login', { json: { email: member.email, password: 'confidential wrong' } });
    await call(url, 'POST /api/auth/login', {
      body: '{"email":"confidential@example.org',
      headers: { 'Content-Type': 'application/json' },
    });
    await call(url, 'GET /api/members/me', { token: `${token}x` });
    await request('GET /api/nothing/confidential?token=confidential', {}, url);
    await request('GET /confidential', {}, url);
    await graphql(url, '{ me { email } } # confidential', {}, token);
    await graphql(url, 'query ($confidential: Int!) { nothing }', { confidential: 'confidential' }, token);
    await call(url, 'PATCH /api/members/me', { token, json: { bio: 'confidential bio', confidential: 1 } });
    const last = await call(url, 'GET /api/members/me', { token, headers: { 'X-Request-Id': 'the-last-one' } });
    expect(last.status).to.equal(200);
    await until(() => lines.some((line) => line.includes('the-last-one')));
    const text = lines.join('');
    for (const secret of [/confidential/i, /@example\.org/, /a password of/, /eyJ/, /\$argon2/]) {
      expect(text).to.not.match(secret);
    }
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    const ids = requests.map(({ requestId }) => requestId);
    expect(new Set(ids).size).to.equal(ids.length);
    const { time, ms, ...line } = requests.at(-1);
    expect(line).to.deep.equal({
      level: 30,
      requestId: 'the-last-one',
      method: 'GET',
      route: '/api/members/me',
      status: 200,
      msg: 'request',
    });
    expect(ms).to.be.a('number');
    expect(Date.parse(time)).to.be.closeTo(Date.now(), 60_000);
    // The 13 requests of this test; the others fetch the OpenAPI document for validation of the responses.
    expect(requests.filter(({ route }) => route !== '/openapi.json')).to.have.length(13);
  });
});
