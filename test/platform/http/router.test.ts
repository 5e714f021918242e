/** Every path of the service with every method. New routes are covered without a change of this file. */
import { type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createRouter, get } from '../../../src/platform/http/router.js';
import { useApp } from '../../support/app.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'];
const ALLOW_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Values of path parameters that accept only certain values; the others get 1. */
const PARAMETERS: Readonly<Record<string, string>> = { '/images/{name}': `${'0'.repeat(32)}.webp` };

const app = useApp();

interface Reply {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Unlike `fetch`, sends any method and the path as it is. */
async function request(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  url = app.url,
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send({ hostname, port, method, path, headers }, resolve).on('error', reject).end();
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

interface KnownPath {
  pattern: string;
  /** The path of a request. */
  path: string;
  allowed: string[];
}

function knownPaths(): KnownPath[] {
  return [...new Set(app.routes.map(({ path }) => path))].map((pattern) => {
    const methods = app.routes.filter(({ path }) => path === pattern).map(({ method }): string => method);
    if (methods.includes('GET')) methods.push('HEAD');
    const path = pattern.replace(/\{\w+\}/g, PARAMETERS[pattern] ?? '1');
    return { pattern, path, allowed: ALLOW_ORDER.filter((method) => methods.includes(method)) };
  });
}

/** Asserts that the body is the REST envelope, or at /graphql the format of GraphQL. @returns the message */
function expectError({ headers, body }: Reply, path: string, key: string, what: string): string {
  expect(headers['content-type'], what).to.match(/^application\/json/);
  const parsed = JSON.parse(body);
  if (path === '/graphql') {
    expect(parsed.errors[0].extensions.code, what).to.equal(key);
    return parsed.errors[0].message;
  }
  expect(Object.keys(parsed), what).to.deep.equal(['code', 'message', 'data']);
  expect([parsed.code, parsed.data], what).to.deep.equal([key, {}]);
  return parsed.message;
}

describe('Every path', () => {
  it('is in the table of routes with at least one method', () => {
    const paths = knownPaths();
    expect(paths.length).to.be.above(50);
    for (const { pattern, allowed } of paths) expect(allowed, pattern).to.not.be.empty;
  });

  for (const method of METHODS) {
    it(`handles ${method} if the table has it, and otherwise returns ${method === 'OPTIONS' ? 204 : 405} with Allow`, async () => {
      for (const { path, allowed } of knownPaths()) {
        const what = `${method} ${path}`;
        const reply = await request(method, path);
        expect(reply.status, what).to.be.below(500);
        if (allowed.includes(method)) {
          expect(reply.status, what).to.not.equal(405);
          if (path !== `/images/${'0'.repeat(32)}.webp`)
            expect(reply.body, what).to.not.match(/"code":"ROUTE_NOT_FOUND"/);
          continue;
        }
        expect(reply.headers.allow, what).to.equal(allowed.join(', '));
        if (method === 'OPTIONS') {
          expect([reply.status, reply.body], what).to.deep.equal([204, '']);
          continue;
        }
        expect(reply.status, what).to.equal(405);
        if (method === 'HEAD') continue;
        const message = expectError(reply, path, 'METHOD_NOT_ALLOWED', what);
        expect(message, what).to.equal(`Expected method ${allowed.join(' or ')}, got ${method}.`);
      }
    });
  }

  it('has the same status and headers for HEAD as for GET, without a body', async () => {
    const stable = ({ headers: { date, 'x-request-id': id, ...headers } }: Reply, path: string) => {
      // The explorer page has a nonce, on which its compressed length depends.
      if (path === '/graphql') delete headers['content-length'];
      return headers;
    };
    for (const { path, allowed } of knownPaths()) {
      if (!allowed.includes('GET') || path === '/metrics') continue;
      for (const headers of [undefined, { Accept: 'text/html', 'Accept-Encoding': 'gzip' }]) {
        const [got, head] = [await request('GET', path, headers), await request('HEAD', path, headers)];
        expect([head.status, head.body], path).to.deep.equal([got.status, '']);
        expect(stable(head, path), path).to.deep.equal(stable(got, path));
      }
    }
    const { headers } = await request('HEAD', '/graphql?query=%7B__typename%7D');
    expect(headers['content-length']).to.equal(String('{"data":{"__typename":"Query"}}\n'.length));
    expect((await request('HEAD', '/metrics')).status).to.equal(200);
  });

  it('returns 404 for another spelling: a trailing slash, a doubled or an escaped slash, upper case', async () => {
    for (const { path } of knownPaths()) {
      for (const other of [
        `${path}/`,
        `/${path}`,
        path.replace(/(?!^)\//g, '%2F'),
        path.replace('/', '/./'),
        path.toUpperCase(),
      ]) {
        if (other === path) continue;
        const reply = await request('GET', other);
        expect(reply.status, other).to.equal(404);
        expectError(reply, other, 'ROUTE_NOT_FOUND', other);
      }
    }
  });

  it('returns 400 with an invalid percent-encoding, and 404 with 10,000 more characters', async () => {
    for (const { path } of knownPaths()) {
      for (const invalid of ['%zz', '%', '%ff', '%ed%a0%80']) {
        const reply = await request('GET', path + invalid);
        expect(reply.status, path + invalid).to.equal(400);
        expectError(reply, path + invalid, 'BAD_REQUEST', path + invalid);
      }
      const reply = await request('GET', `${path}/x/x/x/${'a'.repeat(10_000)}`);
      expect(reply.status, path).to.equal(404);
      expect(reply.body.length, path).to.be.below(400);
    }
  });

  it('never returns 500 for unusual path parameters', async () => {
    for (const { pattern } of knownPaths().filter(({ pattern }) => pattern.includes('{'))) {
      for (const value of [
        '%00',
        '%F0%9F%98%80',
        '%2F',
        '..%2F..%2Fetc',
        '%25',
        '+',
        '__proto__',
        '9'.repeat(5_000),
        'a%20b;c=d',
      ]) {
        const path = pattern.replace(/\{\w+\}/g, value);
        expect((await request('GET', path)).status, path.slice(0, 100)).to.be.below(500);
      }
    }
  });

  it('returns 204 for a CORS preflight', async () => {
    const headers = { Origin: 'https://studio.apollographql.com', 'Access-Control-Request-Method': 'PATCH' };
    for (const { path } of knownPaths()) {
      const reply = await request('OPTIONS', path, headers);
      expect([reply.status, reply.headers['access-control-allow-origin']], path).to.deep.equal([204, headers.Origin]);
    }
  });
});

describe('An unknown path', () => {
  it('returns 404 for every method', async () => {
    for (const method of METHODS) {
      for (const path of ['/nothing', '/api', '/api/articles/1/2/3', '/images/x.webp', '/sitemap-0.xml', '*']) {
        const reply = await request(method, path);
        expect(reply.status, `${method} ${path}`).to.equal(404);
        expect(reply.headers, `${method} ${path}`).to.not.have.property('allow');
        if (method !== 'HEAD') expectError(reply, path, 'ROUTE_NOT_FOUND', `${method} ${path}`);
      }
    }
  });
});

describe('/metrics without METRICS_TOKEN', () => {
  const off = useApp({ PUBLIC_URL: 'https://journal.example.org' });

  /** Everything that a client sees, with the path and the request ID removed. */
  const visible = ({ status, headers: { date, 'x-request-id': id, ...headers }, body }: Reply, path: string) => ({
    status,
    headers,
    body: body.replaceAll(path, ''),
  });

  for (const [name, url] of [
    ['where it is off', () => off.url],
    ['where it is on for local clients', () => app.url],
  ] as const) {
    it(`cannot be distinguished from an unknown path by other clients ${name}`, async () => {
      const headers = { 'X-Forwarded-For': '192.0.2.1' };
      for (const method of METHODS) {
        const [hidden, unknown] = await Promise.all(
          ['/metrics', '/unknown'].map(async (path) => visible(await request(method, path, headers, url()), path)),
        );
        expect(hidden, method).to.deep.equal(unknown).and.include({ status: 404 });
      }
    });
  }
});

describe('createRouter', () => {
  const handle = () => {};

  it('rejects two routes with the same method and path, and two names for a path parameter', () => {
    expect(() => createRouter([get('/a/{id}', handle), get('/a/{id}', handle)])).to.throw(
      'GET /a/{id} is declared twice',
    );
    const other = { method: 'PUT', path: '/a/{name}', handle } as const;
    expect(() => createRouter([get('/a/{id}', handle), other])).to.throw(
      'PUT /a/{name} names its parameters differently',
    );
  });
});
