/** HTTP behavior of pages and their files: media types, security policies, compression and validators. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';

const app = useApp();

const FILES: Record<string, string> = {
  '/': 'text/html',
  '/front.css': 'text/css',
  '/theme.css': 'text/css',
  '/icon.svg': 'image/svg+xml',
  '/favicon.ico': 'image/svg+xml',
  '/account/reset': 'text/html',
  '/account/page.js': 'text/javascript',
  '/account/link.js': 'text/javascript',
  '/account/passkeys': 'text/html',
  '/account/passkeys.js': 'text/javascript',
  '/docs': 'text/html',
  '/bar.css': 'text/css',
  '/docs/reference.css': 'text/css',
  '/docs/swagger-ui-bundle.js': 'text/javascript',
  '/graphiql': 'text/html',
  '/graphiql/graphiql.js': 'text/javascript',
  '/graphiql/graphql.worker.js': 'text/javascript',
  '/openapi.json': 'application/json',
  '/schema.graphql': 'text/plain',
};

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(app.url + path, { method, headers });

describe('Page files', () => {
  it('return 200 with their type and the same content with and without compression', async () => {
    for (const [path, type] of Object.entries(FILES)) {
      const plain = await get(path, { 'Accept-Encoding': 'identity' });
      const zipped = await get(path, { 'Accept-Encoding': 'gzip' });
      expect([plain.status, plain.headers.get('Content-Encoding')], path).to.deep.equal([200, null]);
      const size = Number(plain.headers.get('Content-Length'));
      expect([zipped.status, zipped.headers.get('Content-Encoding')], path).to.deep.equal([
        200,
        size < 1024 ? null : 'gzip',
      ]);
      expect(plain.headers.get('Content-Type'), path).to.match(new RegExp(`^${type.replace(/[+]/g, '\\$&')}`));
      expect(plain.headers.get('Vary'), path).to.include('Accept-Encoding');
      // A weak tag: it applies to all encodings (RFC 9110 §8.8.1).
      expect(plain.headers.get('ETag'), path).to.match(/^W\//).and.equal(zipped.headers.get('ETag'));
      expect(await zipped.text(), path).to.equal(await plain.text());
    }
  });

  it('return 304 for a matching If-None-Match, also with no-cache, which fetch adds', async () => {
    for (const path of Object.keys(FILES)) {
      const tag = (await get(path)).headers.get('ETag') ?? '';
      for (const cached of ['no-cache', 'max-age=0']) {
        const again = await get(path, { 'If-None-Match': tag, 'Cache-Control': cached });
        expect([again.status, await again.text()], path).to.deep.equal([304, '']);
      }
      expect((await get(path, { 'If-None-Match': '"other"' })).status, path).to.equal(200);
    }
  });

  it('disallow framing and scripts from other origins', async () => {
    const links = ['/account/reset', '/account/confirm', '/account/undo'];
    for (const path of ['/', '/account/passkeys', '/docs', '/graphiql', ...links]) {
      const page = await get(path);
      expect(page.headers.get('Referrer-Policy'), path).to.equal('no-referrer');
      const policy = page.headers.get('Content-Security-Policy') ?? '';
      expect(policy, path).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
      expect(policy.match(/script-src [^;]*/)?.[0] ?? "script-src 'self'", path).to.equal("script-src 'self'");
      expect(await page.text(), path).not.to.match(/<script(?![^>]*src=)|\son\w+=|https?:\/\/(?!127|localhost)/);
    }
  });

  it('link only to paths of the service that return 200', async () => {
    for (const path of ['/', '/docs', '/graphiql']) {
      const page = await (await get(path)).text();
      const addresses = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address);
      expect(addresses.length, path).to.be.above(2);
      for (const address of addresses) {
        expect(address, path).to.match(/^\//);
        expect((await get(address, { Accept: 'text/html, */*' })).status, address).to.equal(200);
      }
    }
  });

  it('return 405 for other methods and 404 for similar names', async () => {
    for (const path of Object.keys(FILES)) {
      const { status, headers } = await get(path, {}, 'POST');
      expect([status, headers.get('Allow')], path).to.deep.equal([405, 'GET, HEAD']);
    }
    for (const path of [
      '/front.html',
      '/docs/',
      '/graphiql/',
      '/graphiql/__proto__',
      '/constructor',
      '/public/front.css',
    ]) {
      expect((await get(path)).status, path).to.equal(404);
    }
  });
});
