/** Limits of request body memory, pipelined requests and connections. */
import type { Server, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { trustedProxies } from '../../../src/platform/config/addresses.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { isProxy } from '../../../src/platform/http/client-address.js';
import { guardServer } from '../../../src/platform/http/connections.js';
import { createHttpServer } from '../../../src/platform/http/server.js';
import { MAX_IMAGE_BYTES } from '../../../src/services/images/image.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { scrape, scrapeGrowth } from '../../support/metrics.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { openRaw, type RawConnection, sendRaw } from '../../support/raw.js';
import { listen } from '../../support/server.js';
import { until } from '../../support/until.js';

const app = useApp({ TRUST_PROXY: '1' });
let member: BuiltMember;

function useMember(): void {
  before(async () => {
    member = await buildMember(app.url);
  });
}

interface Unfinished {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  bytes: Uint8Array | string;
  /** Client address, sent as X-Forwarded-For. */
  from?: string;
}

/** Sends a request without its last bytes. */
async function begin({ path, method = 'POST', headers = {}, bytes, from }: Unfinished): Promise<RawConnection> {
  const connection = await openRaw(app.url);
  const lines = Object.entries({
    Host: 'x',
    Authorization: `Bearer ${member.token}`,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
    ...(from !== undefined && { 'X-Forwarded-For': from }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.socket.write(`${method} ${path ?? '/api/articles'} HTTP/1.1\r\n${lines.join('')}\r\n`);
  connection.socket.write(`${bytes.length.toString(16)}\r\n`);
  connection.socket.write(bytes);
  connection.socket.write('\r\n');
  return connection;
}

const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

const buffered = async () => (await scrape(app.url)).value('daybook_http_buffered_bytes', { kind: 'request' });

/** Closes the connections and waits until the memory of their bodies is released. */
async function leave(connections: RawConnection[]): Promise<void> {
  for (const { socket } of connections) socket.destroy();
  await until(async () => (await buffered()) === 0);
}

function codes(connections: RawConnection[]): string[] {
  return connections.flatMap(({ received }) => /"code":"(\w+)"/.exec(received())?.[1] ?? []);
}

describe('Unfinished request bodies', () => {
  useMember();

  it('return 429 with Retry-After over the memory limit of their network, without affecting other networks', async () => {
    const bytes = Buffer.alloc(900_000, ' ');
    const open: RawConnection[] = [];
    const growth = await scrapeGrowth(app.url, async () => {
      for (let count = 0; count < 30; count++) open.push(await begin({ bytes, from: '192.0.2.1' }));
      await until(() => codes(open).length > 0);
    });
    expect(codes(open)).to.satisfy((all: string[]) => all.every((code) => code === 'RATE_LIMITED'));
    const rejected = open.find(({ received }) => received() !== '')?.received();
    expect(rejected).to.match(/^HTTP\/1\.1 429 /);
    expect(rejected).to.match(/\r\nRetry-After: \d+\r\n/i);
    expect(rejected).to.match(/\r\nConnection: close\r\n/i);
    expect(growth('daybook_limits_reached_total', { counted: 'body memory of a network' })).to.be.above(0);
    expect(await buffered()).to.be.within(1, 24 * 1024 * 1024);
    const other = { title: 't', content: 'c' };
    expect((await call(app.url, 'POST /api/articles', { json: other, token: member.token })).status).to.equal(201);
    await leave(open);
  });

  it('return 503 with Retry-After over the memory limit of the process, and release it on disconnect', async () => {
    const bytes = Buffer.alloc(900_000, ' ');
    const open: RawConnection[] = [];
    for (let count = 0; count < 80; count++) open.push(await begin({ bytes, from: `192.0.2.${count}` }));
    await until(() => codes(open).length > 0);
    const rejected = open.find(({ received }) => received() !== '')?.received();
    expect(rejected).to.match(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: \d+\r\n[\s\S]*SERVICE_UNAVAILABLE/i);
    expect(await buffered()).to.be.at.most(64 * 1024 * 1024);
    await leave(open);
    expect(
      (await call(app.url, 'POST /api/articles', { json: { title: 't', content: 'c' }, token: member.token })).status,
    ).to.equal(201);
  });

  it('count with their compressed size', async () => {
    const packed = gzipSync(Buffer.alloc(1_000_000, ' '));
    const bytes = packed.subarray(0, packed.length - 9);
    const headers = { 'Content-Encoding': 'gzip' };
    const open = await Promise.all(Array.from({ length: 200 }, () => begin({ bytes, headers })));
    const total = bytes.length * open.length;
    await until(async () => (await buffered()) === total);
    expect(codes(open)).to.deep.equal([]);
    await leave(open);
  });

  it('are limited per member when they are uploads', async () => {
    const { body, headers } = multipart([requestPart({ bio: 'x' }), filePart(Buffer.alloc(100_000))]);
    const growth = await scrapeGrowth(app.url, async () => {
      const open = await Promise.all(
        Array.from({ length: 300 }, () =>
          begin({ path: '/api/members/me', method: 'PATCH', headers, bytes: body.subarray(0, 90_000) }),
        ),
      );
      await until(() => codes(open).length === 292);
      expect(new Set(codes(open))).to.deep.equal(new Set(['RATE_LIMITED']));
      await leave(open);
    });
    expect(growth('daybook_limits_reached_total', { counted: 'uploads at once' })).to.equal(292);
    const response = await call(app.url, 'PATCH /api/members/me', {
      ...multipart([requestPart({ bio: 'x' })]),
      token: member.token,
    });
    expect(response.status).to.equal(204);
  });

  it('are released when they are pipelined behind another request on a closed connection', async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${member.token}\r\n`;
    const connection = await openRaw(app.url);
    connection.socket.write(`GET /api/notifications/stream HTTP/1.1\r\n${head}\r\n`);
    await connection.until(/event-stream/);
    connection.socket.write(
      `POST /api/articles HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n${' '.repeat(50_000)}`,
    );
    await until(async () => (await buffered()) > 0);
    await leave([connection]);
  });

  it('count with the memory of their parsed JSON', async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${member.token}` },
      body: `{"query":"{ __typename }","extensions":{"a":[${'0,'.repeat(520_000)}0]}}`,
    });
    expect([response.status, response.headers.has('Retry-After')]).to.deep.equal([429, true]);
    await until(async () => (await buffered()) === 0);
  });

  it('allow two parallel uploads of the maximum size', async () => {
    const noImage = multipart([filePart(Buffer.alloc(MAX_IMAGE_BYTES))]);
    const responses = await Promise.all(
      [1, 2].map(() => call(app.url, 'PATCH /api/members/me', { ...noImage, token: member.token })),
    );
    expect(responses.map(({ body }) => body?.code)).to.deep.equal(['IMAGE_INVALID', 'IMAGE_INVALID']);
    await until(async () => (await buffered()) === 0);
  });
});

describe('A compressed body', () => {
  useMember();

  const packed = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };

  it('returns 415 with Accept-Encoding without authentication', async () => {
    const body = gzipSync('{}');
    for (const path of ['/api/auth/login', '/api/auth/register', '/graphql']) {
      const response = await fetch(app.url + path, { method: 'POST', headers: packed, body });
      expect([response.status, response.headers.get('Accept-Encoding')], path).to.deep.equal([415, 'identity']);
      expect(await response.text())
        .to.match(/UNSUPPORTED_MEDIA_TYPE/)
        .and.match(/send this body without it/);
    }
  });

  it('returns 415 when it is multipart', async () => {
    const { body, headers } = multipart([requestPart({ bio: 'x' })]);
    const response = await call(app.url, 'PATCH /api/members/me', {
      body: gzipSync(body),
      headers: { ...headers, 'Content-Encoding': 'gzip' },
      token: member.token,
    });
    expect([response.status, response.body?.code]).to.deep.equal([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('is accepted from members at /graphql', async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { ...packed, Authorization: `Bearer ${member.token}` },
      body: gzipSync('{"query":"{ me { id } }"}'),
    });
    expect(await response.json()).to.deep.equal({ data: { me: { id: String(member.id) } } });
  });
});

describe('A GraphQL body', () => {
  useMember();

  it('returns 413 over 256 KiB without authentication, and is accepted up to 1 MiB from members', async () => {
    const title = 'x'.repeat(300_000);
    const query = 'query ($id: ID!) { article(id: $id) { id } }';
    const anonymous = await graphql(app.url, query, { id: '1', title });
    expect([anonymous.status, anonymous.errors?.[0]?.extensions.code]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    const ofMember = await graphql(app.url, query, { id: '1', title }, member.token);
    expect(ofMember.status).to.not.equal(413);
  });
});

describe('A rejected body', () => {
  useMember();

  it('is not read to its end, and its client receives the response', async () => {
    const connection = await openRaw(app.url);
    connection.socket.write(
      `PATCH /api/members/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${member.token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000000\r\n\r\n--`,
    );
    await connection.until(/413 [\s\S]*PAYLOAD_TOO_LARGE/);
    const more = setInterval(() => connection.socket.write(Buffer.alloc(1_000_000)), 1);
    await connection.closed;
    clearInterval(more);
    expect(connection.socket.bytesWritten).to.be.below(200_000_000);
  });

  it('is rejected at multipart part 21 of 150,000 without blocking the event loop', async () => {
    const one = '--daybook-boundary\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n';
    // As many parts as fit into a body.
    const many = Buffer.from(one.repeat(150_000));
    const { headers } = multipart([]);
    const delays = monitorEventLoopDelay({ resolution: 5 });
    const connection = await begin({ path: '/api/members/me', method: 'PATCH', headers, bytes: '' });
    delays.enable();
    connection.socket.write(`${many.length.toString(16)}\r\n`);
    connection.socket.write(many);
    await connection.until(/400 [\s\S]*BAD_REQUEST[\s\S]*20/);
    delays.disable();
    expect(delays.max / 1e6).to.be.below(500);
    await leave([connection]);
  });

  it('is rejected when it has 200,000 chunks of one byte each', async () => {
    const connection = await begin({ bytes: ' ' });
    connection.socket.write('1\r\n \r\n'.repeat(200_000));
    await connection.until(/400 [\s\S]*BAD_REQUEST[\s\S]*chunks/);
    await leave([connection]);
  });

  it('is accepted with small chunks within the limit', async () => {
    const text = JSON.stringify({ title: 't', content: 'c'.repeat(5_000) });
    const connection = await begin({ bytes: text.slice(0, 1) });
    for (const character of text.slice(1)) connection.socket.write(`1\r\n${character}\r\n`);
    connection.socket.write('0\r\n\r\n');
    await connection.until(/^HTTP\/1\.1 201 /);
    await leave([connection]);
  });
});

describe('Pipelined requests on one connection', () => {
  it('all receive a response', async () => {
    const last = GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const received = await sendRaw(app.url, GET.repeat(3) + last);
    expect(received.match(/HTTP\/1\.1 200 /g)).to.have.length(4);
  });

  it('are rejected with 429 beyond four in progress, and the connection is closed', async () => {
    const received = await sendRaw(app.url, GET.repeat(2_000));
    expect(received.match(/HTTP\/1\.1 200 /g)).to.have.length(4);
    expect(received).to.match(/HTTP\/1\.1 429 [^\0]*RATE_LIMITED[^\n]*$/);
  });
});

describe('Idle connections', () => {
  let server: Server;
  let url: string;
  /** Ends with a connection that sends empty lines after a response: it is open for some seconds, so it begins before the tests. */
  let emptyLines: Promise<unknown>;
  before(async () => {
    const { http } = loadConfig({ HEADERS_TIMEOUT: '1s' });
    server = createHttpServer(http);
    server.keepAliveTimeout = 1_000;
    guardServer(server, { http, trustProxy: { hops: 0 } }, (_, response) => response.end('served'));
    url = `http://127.0.0.1:${await listen(server)}`;
    const { socket, closed, until: receive } = await openRaw(url);
    socket.write(GET);
    await receive(/served/);
    const trickle = setInterval(() => socket.write('\r\n'), 200);
    emptyLines = closed.finally(() => clearInterval(trickle));
  });
  after(() => server.close());

  it('serve a request that arrives after the announced timeout, and are closed a few seconds later', async function () {
    this.timeout(60_000);
    const { socket, until: receive, closed } = await openRaw(url);
    socket.write(GET);
    await receive(/Keep-Alive: timeout=1\r\n[\s\S]*served/);
    // Node itself adds a second to the timeout since version 22.19.
    await delay(2_300);
    socket.write(GET);
    await receive(/served[\s\S]*served/);
    expect((await closed).isReset).to.equal(false);
  });

  it('are closed while their clients send empty lines instead of requests', () => emptyLines);
});

describe('Connections from one network', () => {
  let server: Server;
  let url: string;
  before(async () => {
    const { http } = loadConfig({ MAX_CONNECTIONS_PER_NETWORK: '3', MAX_CONNECTIONS: '5' });
    server = createHttpServer(http);
    const serve = (_: unknown, response: ServerResponse) => response.end('served');
    guardServer(server, { http, trustProxy: { hops: 0 } }, serve, () => false);
    url = `http://127.0.0.1:${await listen(server)}`;
  });
  after(() => server.close());

  it('count unless they come from this host or from a trusted proxy', () => {
    const read = (text: string) => trustedProxies({ default: text, expected: '', description: '' }).default as never;
    const proxies = (trust: string) =>
      ['127.0.0.1', '::1', '10.1.2.3', 'fd00::1', '203.0.113.9', '2001:db8::1'].filter((address) =>
        isProxy(address, read(trust)),
      );
    expect(proxies('0')).to.deep.equal(['127.0.0.1', '::1']);
    expect(proxies('2')).to.deep.equal(['127.0.0.1', '::1', '10.1.2.3', 'fd00::1']);
    expect(proxies('203.0.113.0/24,2001:db8::/32')).to.deep.equal(['127.0.0.1', '::1', '203.0.113.9', '2001:db8::1']);
  });

  it('return 429 over the limit of the network, and are closed over the limit of the process', async () => {
    const open: RawConnection[] = [];
    for (let count = 0; count < 3; count++) open.push(await openRaw(url));
    const rejected = await openRaw(url);
    await rejected.until(/^HTTP\/1\.1 429 [\s\S]*\r\nRetry-After: \d+\r\n[\s\S]*RATE_LIMITED/);
    // The rejected connection stays open until its client has read the response.
    const last = await openRaw(url);
    expect((await (await openRaw(url)).closed).received).to.equal('');
    for (const { socket } of [...open, rejected, last]) socket.destroy();
    await until(async () => (await fetch(url).catch(() => null))?.status === 200);
  });
});
