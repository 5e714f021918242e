/** Bodies, headers and connections that exhaust CPU time, memory or sockets. */
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.js';
import { LONG_ARTICLE } from '../journal.js';
import { bearer, lazily, times } from '../requests.js';

const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=x' };
const JSON_LINE = 'Content-Type: application/json';

function head(line: string, ...headers: string[]): string {
  return `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}

const PART = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';

/** Multipart bodies of up to 11 MB that have little or no content, by what they consist of. */
const MULTIPART_BODIES: Record<string, () => string> = {
  '200,000 empty parts': () => `${PART.repeat(200_000)}--x--\r\n`,
  '900,000 parts without headers': () => `${'--x\r\n\r\n\r\n'.repeat(900_000)}--x--\r\n`,
  'a header of 10 MB': () =>
    `--x\r\nContent-Disposition: form-data; name="${'a'.repeat(10_000_000)}"\r\n\r\n\r\n--x--\r\n`,
  '1,500,000 headers in one part': () => `--x\r\n${'X: y\r\n'.repeat(1_500_000)}\r\n\r\n--x--\r\n`,
  'incomplete boundaries': () => `${PART}${'\r\n--y'.repeat(2_000_000)}\r\n--x--\r\n`,
  'a part that does not end': () => PART + 'a'.repeat(10_000_000),
  'only line breaks': () => '\r\n'.repeat(5_000_000),
};

export const bodyAttacks: Readonly<Record<string, Attack>> = {
  ...Object.fromEntries(
    Object.entries(MULTIPART_BODIES).map(([what, body]): [string, Attack] => [
      `multipart bodies with ${what}`,
      {
        parallel: 2,
        expected: ['400 BAD_REQUEST', '400 VALIDATION_FAILED', '413 PAYLOAD_TOO_LARGE'],
        requests: ({ attacker }) => {
          const headers = { ...MULTIPART, ...bearer(attacker.token) };
          return [
            { method: 'PATCH', path: '/api/members/me', headers, body: body() },
            { path: '/graphql', headers, body: body() },
          ];
        },
      },
    ]),
  ),
  'bodies of 1 kB that unpack to 1 MB, at operations that need no token': {
    parallel: 16,
    expected: ['400 BAD_REQUEST', '400 VALIDATION_FAILED', '413 PAYLOAD_TOO_LARGE', '415 UNSUPPORTED_MEDIA_TYPE'],
    requests: () => {
      const body = gzipSync(`"${' '.repeat(1_000_000)}"`);
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
      return lazily(120, (index) => ({
        path: ['/api/auth/login', '/graphql', '/api/auth/register'][index % 3] ?? '',
        headers,
        body,
      }));
    },
  },
  'JSON that is nested 500,000 deep': {
    parallel: 4,
    expected: ['400 BAD_REQUEST', '400 VALIDATION_FAILED', '413 PAYLOAD_TOO_LARGE'],
    requests: () =>
      times(16, (index) => ({
        path: index % 2 ? '/graphql' : '/api/auth/login',
        headers: { 'Content-Type': 'application/json' },
        body:
          index % 4 < 2
            ? '['.repeat(500_000) + ']'.repeat(500_000)
            : `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}`,
      })),
  },
  '400 bodies of 1 kB that unpack to 1 MB, without their last bytes': {
    connections: 400,
    // Each is closed after its response, which takes longer on a busy machine.
    keepOpenMs: 20_000,
    expected: ['400 BAD_REQUEST', '413 PAYLOAD_TOO_LARGE', '415 UNSUPPORTED_MEDIA_TYPE', '408 REQUEST_TIMEOUT'],
    bytes: (_, index) => {
      const body = gzipSync(`{"email":"${' '.repeat(1_000_000)}"}`);
      const lines = [JSON_LINE, 'Content-Encoding: gzip', `Content-Length: ${body.length}`];
      return [head(`POST ${index % 2 ? '/graphql' : '/api/auth/login'}`, ...lines), body.subarray(0, -10)];
    },
  },
  '400 unfinished bodies of 950 kB at operations that need no token': {
    connections: 400,
    keepOpenMs: 5_000,
    expected: ['open', '400 BAD_REQUEST', '413 PAYLOAD_TOO_LARGE', '408 REQUEST_TIMEOUT'],
    // About 140 and 180 MB, were all of it kept in memory.
    atMost: { open: 150 },
    bytes: (_, index) => {
      const path = ['/api/auth/login', '/graphql', '/api/auth/register'][index % 3];
      return [head(`POST ${path}`, JSON_LINE, 'Content-Length: 960000'), Buffer.alloc(950_000, ' ')];
    },
  },
  '60 unfinished uploads of one member': {
    connections: 60,
    expected: ['open', '400 BAD_REQUEST', '413 PAYLOAD_TOO_LARGE', '408 REQUEST_TIMEOUT'],
    // About 140 and 180 MB, were all of it kept in memory.
    atMost: { open: 20 },
    bytes: ({ attacker }, index) => {
      const lines = [
        `Authorization: Bearer ${attacker.token}`,
        'Content-Type: multipart/form-data; boundary=x',
        'Content-Length: 9500000',
      ];
      const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
      return [
        head(`${index % 2 ? 'POST /graphql' : 'PATCH /api/members/me'}`, ...lines),
        part,
        ...times(9, () => Buffer.alloc(1_000_000)),
      ];
    },
  },
  // Node's parser takes about 3 microseconds for a chunk, whatever its size.
  '10 chunked bodies in chunks of one byte': {
    connections: 10,
    keepOpenMs: 500,
    expected: ['open', '400 BAD_REQUEST', '413 PAYLOAD_TOO_LARGE', '408 REQUEST_TIMEOUT'],
    bytes: () => [head('POST /api/auth/login', JSON_LINE, 'Transfer-Encoding: chunked'), '1\r\n \r\n'.repeat(5_000)],
  },
};

export const connectionAttacks: Readonly<Record<string, Attack>> = {
  '500 connections with incomplete headers': {
    connections: 500,
    expected: ['open', '408 REQUEST_TIMEOUT', '431 HEADERS_TOO_LARGE'],
    bytes: () => [
      'GET /api/articles HTTP/1.1\r\nHost: localhost\r\n',
      ...times(20, (n) => `X-Header-${n}: ${'x'.repeat(100)}\r\n`),
    ],
  },
  '50 connections with 200 kB of headers': {
    connections: 50,
    keepOpenMs: 500,
    expected: ['431 HEADERS_TOO_LARGE'],
    bytes: () => [
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\n',
      ...times(200, (n) => `X-Header-${n}: ${'x'.repeat(1_000)}\r\n`),
    ],
  },
  '40 connections that request articles of 100 kB and do not read': {
    connections: 40,
    keepOpenMs: 2_000,
    reads: false,
    expected: ['open'],
    bytes: () => [head(`GET /api/articles/${LONG_ARTICLE}`).repeat(300)],
  },
  '40 connections that request a full discussion and do not read': {
    connections: 40,
    keepOpenMs: 2_000,
    reads: false,
    expected: ['open'],
    bytes: () => [head(`GET /api/articles/${LONG_ARTICLE}/comments?size=100`).repeat(10)],
  },
  '20 connections that request ten large GraphQL responses each and do not read': {
    connections: 20,
    keepOpenMs: 2_000,
    reads: false,
    expected: ['open'],
    bytes: () => {
      const body = JSON.stringify({ query: '{ articles(size: 100) { contents { content } } }' });
      return [`${head('POST /graphql', JSON_LINE, `Content-Length: ${body.length}`)}${body}`.repeat(10)];
    },
  },
  '5,000 views of unknown articles by as many user agents': {
    parallel: 16,
    expected: ['204'],
    requests: () =>
      lazily(5_000, (n) => ({
        path: `/api/articles/${1_000_000 + n}/views`,
        headers: { 'User-Agent': `Mozilla/5.0 ${n}` },
      })),
  },
  '10 connections with 1,000 pipelined requests each': {
    connections: 10,
    keepOpenMs: 500,
    expected: ['open', '200', '404 ROUTE_NOT_FOUND'],
    bytes: () => [(head('GET /healthz') + head('GET /nothing')).repeat(500)],
  },
};
