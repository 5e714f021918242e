/** Slow requests, malformed HTTP, and clients that do not read responses. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildMember, useMember } from '../../support/build.js';
import { replaceFunctions } from '../../support/database.js';
import { scrape, scrapeGrowth } from '../../support/metrics.js';
import { filePart, multipart } from '../../support/multipart.js';
import { openRaw, sendRaw } from '../../support/raw.js';
import { until } from '../../support/until.js';

/** Longer than a timeout of 1 s and the interval of 250 ms between two checks. */
const AFTER_TIMEOUT_MS = 1_400;

interface RawResponse {
  status: number;
  headers: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests examine arbitrary response bodies.
  body: any;
}

/** Parses a single response. Throws if its body is not JSON or more data follows. */
function parse(text: string): RawResponse {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1]), headers: head, body: JSON.parse(body) };
}

function expectEnvelope(text: string, status: number, code: string): void {
  const { status: got, headers, body } = parse(text);
  expect([got, body.code, body.data], text).to.deep.equal([status, code, {}]);
  expect(headers).to.match(/\r\nConnection: close/i);
  expect(headers).to.match(/\r\nContent-Type: application\/json; charset=utf-8/i);
  expect(headers).to.match(/\r\nCache-Control: no-store/i);
}

describe('A request that does not arrive in time', () => {
  const app = useApp({ HEADERS_TIMEOUT: '1s', BODY_TIMEOUT: '1s' });
  const member = useMember(app);

  it('returns 408 in the envelope when its headers are late', async () => {
    const heads = ['', 'GET /api/art', 'GET /api/articles HTTP/1.1\r\nHost: x\r\nA: '];
    const received = await Promise.all(heads.map((bytes) => sendRaw(app.url, bytes)));
    for (const text of received) expectEnvelope(text, 408, 'REQUEST_TIMEOUT');
  });

  it('returns 408 when headers arrive byte by byte on a reused connection', async () => {
    const { socket, closed, until: receive } = await openRaw(app.url);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await receive(/"ok"/);
    socket.write('GET /api/articles HTTP/1.1\r\nHost: ');
    const trickle = setInterval(() => socket.write('x'), 100);
    const { received } = await closed;
    clearInterval(trickle);
    expectEnvelope(received.slice(received.lastIndexOf('HTTP/1.1')), 408, 'REQUEST_TIMEOUT');
  });

  for (const [what, path, type] of [
    ['JSON', '/api/auth/login', 'application/json'],
    ['a form', '/api/members/me', 'multipart/form-data; boundary=b'],
  ] as const) {
    it(`returns 408 in the envelope when ${what} is late, and closes the connection`, async () => {
      const method = path.endsWith('me') ? 'PATCH' : 'POST';
      const { socket, closed } = await openRaw(app.url);
      const token = path.endsWith('me') ? `Authorization: Bearer ${member.token}\r\n` : '';
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: x\r\n${token}Content-Type: ${type}\r\nContent-Length: 900\r\n\r\n`,
      );
      const trickle = setInterval(() => socket.write('-'), 100);
      const { received } = await closed;
      clearInterval(trickle);
      expectEnvelope(received, 408, 'REQUEST_TIMEOUT');
    });
  }

  it('returns 408 as a GraphQL error at /graphql', async () => {
    const head = 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9';
    const { status, body } = parse(await sendRaw(app.url, `${head}\r\n\r\n{`));
    expect([status, body.errors[0].extensions.code]).to.deep.equal([408, 'REQUEST_TIMEOUT']);
  });
});

describe('A request whose body takes longer than the headers may', () => {
  const app = useApp({ HEADERS_TIMEOUT: '1s', BODY_TIMEOUT: '1m' });
  const member = useMember(app);

  it('is accepted', async () => {
    const body = multipart([filePart('x'.repeat(20_000))]);
    const head = `PATCH /api/members/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${member.token}\r\nContent-Type: ${body.headers['Content-Type']}\r\nContent-Length: ${body.body.length}\r\n\r\n`;
    const { socket, closed } = await openRaw(app.url);
    socket.write(head);
    await delay(AFTER_TIMEOUT_MS);
    socket.write(body.body);
    expect((await closed).received).to.match(/^HTTP\/1\.1 400 [\s\S]*IMAGE_INVALID/);
  });
});

describe('A request that is not HTTP', () => {
  const app = useApp();

  it('returns 400 in the envelope', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
      'GET /api/articles HTTP/1.1\r\n\r\n',
    ]) {
      expectEnvelope(await sendRaw(app.url, bytes), 400, 'BAD_REQUEST');
    }
  });

  it('returns 400 with the reason for two Host headers and for an invalid one, also for an upgrade', async () => {
    const invalid = ['a b', 'a/b', 'a,b', 'user@a', 'a:b', 'a:1:2', '[::1', 'a%zz', '"a"', 'a#b', 'é'];
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n';
    const get = (path: string, headers: string, version = '1.1') =>
      sendRaw(app.url, Buffer.from(`GET ${path} HTTP/${version}\r\n${headers}\r\n`));
    for (const version of ['1.1', '1.0']) {
      for (const two of ['Host: x\r\nHost: x\r\n', 'Host: x\r\nA: b\r\nhOST: y\r\n']) {
        expectEnvelope(await get('/api/articles', two, version), 400, 'BAD_REQUEST');
        expect(await get('/api/articles', two, version)).to.contain('The Host header was sent more than once.');
      }
      for (const host of invalid) {
        expectEnvelope(await get('/api/articles', `Host: ${host}\r\n`, version), 400, 'BAD_REQUEST');
      }
    }
    expect(await get('/api/articles', 'Host: a b\r\n')).to.contain(
      'The Host header must be a host, optionally with a port',
    );
    for (const bad of ['Host: x\r\nHost: x\r\n', 'Host: a b\r\n', '']) {
      expect(await get('/graphql', `${bad}${upgrade}`)).to.match(/^HTTP\/1\.1 400 /);
    }
    for (const host of [
      'x',
      'x:',
      'x:4000',
      'EXAMPLE.org',
      '127.0.0.1:80',
      '[::1]:80',
      '[fe80::1%25eth0]',
      'a_b~c',
      '%41',
      '',
    ]) {
      expect(await get('/healthz', `Host: ${host}\r\nConnection: close\r\n`), host).to.match(/^HTTP\/1\.1 200 /);
    }
  });

  it('returns 400 as a GraphQL error at /graphql', async () => {
    for (const bytes of [
      'GET /graphql HTTP/1.1\r\n\r\n',
      'GET /graphql?query=x HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n',
    ]) {
      const { status, body } = parse(await sendRaw(app.url, bytes));
      expect([status, body.errors[0].extensions.code]).to.deep.equal([400, 'BAD_REQUEST']);
    }
  });

  it('counts requests with too many header bytes or too many headers', async () => {
    const start = 'GET /api/articles HTTP/1.1\r\nHost: x\r\n';
    const growth = await scrapeGrowth(app.url, async () => {
      await sendRaw(app.url, `${start}A: ${'x'.repeat(17_000)}\r\n\r\n`);
      await sendRaw(app.url, `${start}${'A: x\r\n'.repeat(101)}\r\n`);
    });
    for (const counted of ['header bytes', 'headers']) {
      expect(growth('daybook_limits_reached_total', { counted }), counted).to.equal(1);
    }
  });

  it('returns 431 in the envelope for too many header bytes or too many headers', async () => {
    const start = 'GET /api/articles HTTP/1.1\r\nHost: x\r\n';
    for (const headers of [
      `A: ${'x'.repeat(17_000)}\r\n\r\n`,
      `A: ${'x'.repeat(3_000_000)}\r\n\r\n`,
      `${'A: x\r\n'.repeat(150)}\r\n`,
    ]) {
      expectEnvelope(await sendRaw(app.url, start + headers), 431, 'HEADERS_TOO_LARGE');
    }
    expectEnvelope(await sendRaw(app.url, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`), 431, 'HEADERS_TOO_LARGE');
    const graphql = parse(await sendRaw(app.url, `GET /graphql HTTP/1.1\r\nA: ${'x'.repeat(17_000)}\r\n\r\n`));
    expect([graphql.status, graphql.body.errors[0].extensions.code]).to.deep.equal([431, 'HEADERS_TOO_LARGE']);
  });

  it('is rejected after the responses to the preceding requests', async () => {
    const received = await sendRaw(app.url, 'GET /api/articles HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n');
    const [first = '', second = ''] = received.split(/(?=HTTP\/1\.1 400)/);
    expect(first).to.match(/^HTTP\/1\.1 200 /);
    expectEnvelope(second, 400, 'BAD_REQUEST');
  });

  it('is distinguished from HTTP/1.0 without a Host, which returns 200', async () => {
    expect(await sendRaw(app.url, 'GET /healthz HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 200 [\s\S]*"ok"/);
  });

  it('is distinguished from an unknown Expect header; 100 Continue is sent only before the body is read', async () => {
    const odd = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: magic\r\n\r\n';
    expect(await sendRaw(app.url, odd)).to.match(/^HTTP\/1\.1 200 /);
    const head = 'HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2';
    expect(await sendRaw(app.url, `PATCH /api/members/me ${head}\r\n\r\n`)).to.match(/^HTTP\/1\.1 401 /);
    const { socket, closed, until: receive } = await openRaw(app.url);
    socket.write(`POST /api/auth/login ${head}\r\nConnection: close\r\n\r\n`);
    await receive(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write('{}');
    expect((await closed).received).to.match(/100 Continue\r\n\r\nHTTP\/1\.1 400 [\s\S]*VALIDATION_FAILED/);
  });
});

describe('A client that does not read', () => {
  const app = useApp({ WRITE_TIMEOUT: '1s' });
  /** Responses of 5 MB: a few of them exceed the socket buffers of both sides. */
  const REQUEST = 'GET /graphiql/graphiql.js HTTP/1.1\r\nHost: x\r\n\r\n';

  const unread = async () => (await scrape(app.url)).value('daybook_http_buffered_bytes', { kind: 'response' });

  it('is disconnected, and its response buffer is released', async () => {
    const { socket, closed } = await openRaw(app.url);
    socket.pause();
    socket.write(REQUEST.repeat(4));
    await until(async () => (await unread()) > 1_000_000);
    await until(async () => (await unread()) === 0);
    socket.resume();
    const { received } = await closed;
    expect(received.split('HTTP/1.1 200').length - 1).to.be.below(4);
  });

  it('keeps its connection while it reads slowly', async function () {
    this.timeout(60_000);
    const { socket, closed } = await openRaw(app.url);
    let length = 0;
    socket.removeAllListeners('data');
    socket.on('data', (chunk) => {
      length += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 10);
    });
    socket.write(REQUEST.repeat(2) + REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    const { isReset } = await closed;
    expect(isReset).to.equal(false);
    expect(length).to.be.above(15_000_000);
  });

  it('keeps a silent event stream for longer than the write timeout', async () => {
    const { token } = await buildMember(app.url);
    const { socket, until: receive } = await openRaw(app.url);
    socket.write(`GET /api/notifications/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await receive(/event-stream/);
    await delay(AFTER_TIMEOUT_MS);
    expect(socket.readyState).to.equal('open');
    socket.destroy();
  });

  it('can wait longer than the write timeout for a slow response', async () => {
    const { database } = app.services;
    const { query: slow } = database;
    const query = (async (...given: Parameters<typeof slow>) => {
      await delay(AFTER_TIMEOUT_MS);
      return slow(...given);
    }) as typeof database.query;
    const restore = replaceFunctions(database, { query });
    try {
      expect((await fetch(`${app.url}/api/articles`)).status).to.equal(200);
    } finally {
      restore();
    }
  });
});

describe('A step of the system clock', () => {
  const app = useApp({ WRITE_TIMEOUT: '1s' });
  const realNow = Date.now;
  afterEach(() => {
    Date.now = realNow;
  });

  it('does not close idle connections', async () => {
    const { socket, until: receive } = await openRaw(app.url);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await receive(/"ok"/);
    Date.now = () => realNow() + 12 * 3_600_000;
    // Longer than the interval of 250 ms between two checks.
    await delay(300);
    socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await receive(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 200 /)).to.include('"ok"');
  });
});

describe('Unread responses', () => {
  const app = useApp({ RESPONSE_MEMORY: '20MiB' });

  it('are limited over all connections, and the largest are dropped first', async () => {
    const greedy = await openRaw(app.url);
    const modest = await openRaw(app.url);
    greedy.socket.pause();
    modest.socket.pause();
    modest.socket.write('GET /graphiql/graphiql.js HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    greedy.socket.write('GET /graphiql/graphiql.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(8));
    await until(async () => {
      const value = (await scrape(app.url)).value('daybook_limits_reached_total', { counted: 'unread responses' });
      return value > 0;
    });
    greedy.socket.resume();
    expect((await greedy.closed).received.split('HTTP/1.1 200').length - 1).to.be.below(8);
    modest.socket.resume();
    const { received, isReset } = await modest.closed;
    expect(isReset).to.equal(false);
    expect(received.length).to.be.above(5_000_000);
  });
});
