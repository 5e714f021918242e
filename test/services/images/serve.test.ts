/** Image responses under /images. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import Koa from 'koa';
import { AppError } from '../../../src/platform/errors.js';
import { createRouter, get } from '../../../src/platform/http/router.js';
import { isImageName, serveImage } from '../../../src/services/images/serve.js';
import { type ImageStore, openImageStore } from '../../../src/services/images/store.js';
import { makeFolder } from '../../support/folder.js';

const FULL = Buffer.from('the full image');
const SMALL = Buffer.from('the small image');

describe('GET /images/{name}', () => {
  let folder: string;
  let server: Server;
  let path: string;
  let streams = 0;

  before(async () => {
    folder = await makeFolder();
    const store = await openImageStore({ storage: 'local', directory: join(folder, 'served') });
    path = `/images/${await store.save({ image: FULL, sizes: [{ width: 320, bytes: SMALL }] })}.webp`;
    server = createServer(appFor(counting(store)).callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    server.close();
  });
  beforeEach(() => {
    streams = 0;
  });

  it('returns 200 with the image, cacheable for a day and with a sandbox policy', async () => {
    const { status, headers, body } = await send(path);
    expect([status, body]).to.deep.equal([200, FULL]);
    expect(headers).to.include({
      'content-type': 'image/webp',
      'content-length': String(FULL.length),
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
    });
  });

  it('returns 200 with a smaller size', async () => {
    expect((await send(path.replace('.webp', '-320.webp'))).body).to.deep.equal(SMALL);
  });

  it('returns 200 with the same headers and no body for HEAD, without opening the file', async () => {
    const { date: _, ...wanted } = (await send(path)).headers;
    streams = 0;
    const { status, headers, body } = await send(path, { method: 'HEAD' });
    expect([status, body.length, streams]).to.deep.equal([200, 0, 0]);
    expect(headers).to.include(wanted);
  });

  it('returns 304 for a matching If-None-Match, without opening the file', async () => {
    const { etag = '' } = (await send(path)).headers;
    streams = 0;
    for (const tags of [etag, `"x", W/${etag}`, '*']) {
      const conditional = { 'If-None-Match': tags, 'Cache-Control': 'no-cache' };
      const { status, headers, body } = await send(path, { headers: conditional });
      expect([status, body.length, streams, headers.etag], tags).to.deep.equal([304, 0, 0, etag]);
    }
    expect((await send(path, { headers: { 'If-None-Match': '"another"' } })).status).to.equal(200);
  });

  const RANGES: readonly (readonly [string, number, string, string])[] = [
    ['bytes=0-2', 206, 'the', 'bytes 0-2/14'],
    ['bytes=4-', 206, 'full image', 'bytes 4-13/14'],
    ['bytes=-5', 206, 'image', 'bytes 9-13/14'],
    ['bytes=-99', 206, 'the full image', 'bytes 0-13/14'],
    ['bytes=9-99', 206, 'image', 'bytes 9-13/14'],
    ['BYTES= 13-13 ', 206, 'e', 'bytes 13-13/14'],
    ['bytes=14-', 416, '', 'bytes */14'],
    ['bytes=-0', 416, '', 'bytes */14'],
    [`bytes=${'9'.repeat(400)}-`, 416, '', 'bytes */14'],
    ['bytes=5-2', 200, 'the full image', ''],
    ['bytes=0-1,3-4', 200, 'the full image', ''],
    ['bytes=-', 200, 'the full image', ''],
    ['items=0-1', 200, 'the full image', ''],
  ];
  for (const [range, status, text, contentRange] of RANGES) {
    it(`returns ${status} for Range: ${range.slice(0, 30)}`, async () => {
      const found = await send(path, { headers: { Range: range } });
      expect([found.status, found.body.toString()]).to.deep.equal([status, text]);
      expect(found.headers['content-range'] ?? '').to.equal(contentRange);
      expect(found.headers).to.include({ 'accept-ranges': 'bytes', 'content-length': String(text.length) });
    });
  }

  it('returns a range only of the file that If-Range names, and the headers of the whole file for HEAD', async () => {
    const { etag = '' } = (await send(path)).headers;
    const statusOf = async (ifRange: string) =>
      (await send(path, { headers: { Range: 'bytes=0-2', 'If-Range': ifRange } })).status;
    expect([await statusOf(etag), await statusOf('"another"')]).to.deep.equal([206, 200]);
    const { status, headers } = await send(path, { method: 'HEAD', headers: { Range: 'bytes=0-2' } });
    expect([status, headers['content-length']]).to.deep.equal([200, '14']);
  });

  it('returns 404 for a missing image', async () => {
    const { status, headers, body } = await send(`/images/${'0'.repeat(32)}.webp`);
    expect([status, body.toString()]).to.deep.equal([404, 'ROUTE_NOT_FOUND']);
    expect(headers).to.not.have.property('cache-control');
  });

  it('returns 405 for another method', async () => {
    const { status, headers } = await send(path, { method: 'DELETE' });
    expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD']);
  });

  it('returns 404 for every other path', async () => {
    await writeFile(join(folder, 'secret.webp'), 'secret');
    const name = path.slice('/images/'.length);
    const others = [
      '../secret.webp',
      '..%2fsecret.webp',
      '%2e%2e/secret.webp',
      '..\\secret.webp',
      `${name}/`,
      `./${name}`,
    ];
    for (const other of [
      ...others,
      '',
      `${name}.part`,
      `${name}%00`,
      name.toUpperCase(),
      `${name}.html`,
      `x/${name}`,
    ]) {
      const { status, body } = await send(`/images/${other}`);
      expect([status, body.toString()], other).to.deep.equal([404, 'ROUTE_NOT_FOUND']);
    }
  });

  function counting(store: ImageStore): ImageStore {
    const read: ImageStore['read'] = async (name) => {
      const found = await store.read(name);
      if (!found) return undefined;
      const open = () => {
        streams++;
        return found.open();
      };
      return { ...found, open };
    };
    return Object.assign(Object.create(store), { read });
  }

  /** Uses `http.request`, since `fetch` normalizes the path. */
  async function send(target: string, options: { method?: string; headers?: Record<string, string> } = {}) {
    const { port } = server.address() as AddressInfo;
    const sent = request({ host: '127.0.0.1', port, path: target, ...options }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  }
});

function appFor(store: ImageStore): Koa {
  const app = new Koa();
  app.use(async (ctx, next) => {
    await next().catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      ctx.status = error.status;
      ctx.body = error.key;
    });
  });
  app.use(createRouter([get('/images/{name}', serveImage(store), isImageName)]));
  return app;
}
