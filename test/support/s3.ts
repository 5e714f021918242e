/** An S3 server in memory: the part of the protocol that the image store and deploy/create-bucket.js use, with its failures. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface S3Server {
  /** The environment for a process that uses it. */
  environment: Record<string, string>;
  endpoint: string;
  createBucket(name: string): void;
  /** The next request is answered with this status and code, each attempt of the client counts. */
  failNext(status: number, code: string): void;
  stop(): Promise<void>;
}

const [ACCESS_KEY, SECRET_KEY] = ['test-access-key', 'test-secret-key'];

/** @param pageSize maximum number of objects per page of a list */
export async function startS3({ pageSize = 1000 } = {}): Promise<S3Server> {
  const buckets = new Map<string, Map<string, StoredObject>>();
  const failures: S3Error[] = [];
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      if (!(error instanceof S3Error)) throw error;
      const { status, code } = error;
      write(response, status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const failure = failures.shift();
    if (failure) throw failure;
    requireSignature(request, body);
    const url = new URL(request.url ?? '/', 'http://s3');
    const [, name = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    if (key === '' && request.method === 'PUT') {
      if (buckets.has(name)) throw new S3Error(409, 'BucketAlreadyOwnedByYou');
      buckets.set(name, new Map());
      return write(response, 200);
    }
    const bucket = buckets.get(name);
    if (!bucket) throw new S3Error(404, 'NoSuchBucket');
    if (key === '' && request.method === 'HEAD') return write(response, 200);
    if (key === '' && request.method === 'GET') return write(response, 200, listOf(bucket, url.searchParams, pageSize));
    if (request.method === 'PUT') {
      bucket.set(key, { body, type: request.headers['content-type'] ?? '', modifiedAt: new Date() });
      return write(response, 200);
    }
    if (request.method === 'DELETE') {
      bucket.delete(key);
      return write(response, 204);
    }
    const object = bucket.get(key);
    if (!object) throw new S3Error(404, 'NoSuchKey');
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new S3Error(501, 'NotImplemented');
    response.writeHead(200, {
      'Content-Length': object.body.length,
      'Content-Type': object.type,
      ETag: etagOf(object),
      'Last-Modified': object.modifiedAt.toUTCString(),
    });
    response.end(request.method === 'HEAD' ? undefined : object.body);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    environment: { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: ACCESS_KEY, S3_SECRET_ACCESS_KEY: SECRET_KEY },
    createBucket: (name) => void buckets.set(name, new Map()),
    failNext: (status, code) => void failures.push(new S3Error(status, code)),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface StoredObject {
  body: Buffer;
  type: string;
  modifiedAt: Date;
}

class S3Error extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

function write(response: ServerResponse, status: number, xml = ''): void {
  response.writeHead(status, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(xml) });
  response.end(response.req.method === 'HEAD' ? undefined : xml);
}

/** ListObjectsV2 without folders; the continuation token is the last key of the page. */
function listOf(bucket: ReadonlyMap<string, StoredObject>, query: URLSearchParams, pageSize: number): string {
  const after = query.get('continuation-token') ?? '';
  const rest = [...bucket].filter(([key]) => key > after).sort(([a], [b]) => (a < b ? -1 : 1));
  const page = rest.slice(0, pageSize);
  const objects = page.map(
    ([key, object]) =>
      `<Contents><Key>${key}</Key><Size>${object.body.length}</Size><ETag>${etagOf(object)}</ETag>` +
      `<LastModified>${object.modifiedAt.toISOString()}</LastModified></Contents>`,
  );
  const isTruncated = page.length < rest.length;
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>` : '';
  return (
    `<ListBucketResult><KeyCount>${page.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>` +
    `${next}${objects.join('')}</ListBucketResult>`
  );
}

function etagOf({ body }: StoredObject): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

/** AWS Signature Version 4, which covers the method, the address, the signed headers and the hash of the body. */
function requireSignature({ method, url = '', headers }: IncomingMessage, body: Buffer): void {
  const [, accessKey, scope = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (accessKey !== ACCESS_KEY) throw new S3Error(403, accessKey ? 'InvalidAccessKeyId' : 'AccessDenied');
  const [path = '', query = ''] = url.split('?');
  const parameters = query.split('&').filter(Boolean).sort();
  const hash = String(headers['x-amz-content-sha256']);
  if (hash !== sha256(body)) throw new S3Error(400, 'XAmzContentSHA256Mismatch');
  const request = [
    method,
    path,
    parameters.join('&'),
    ...signed.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    signed,
    hash,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`);
  if (hmac(key, text).toString('hex') !== signature) throw new S3Error(403, 'SignatureDoesNotMatch');
}

function sha256(value: string | Buffer): string {
  return createHash('sha256').update(value).digest('hex');
}

function hmac(key: string | Buffer, value: string): Buffer {
  return createHmac('sha256', key).update(value).digest();
}
