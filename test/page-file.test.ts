/** The pages and their files as a browser fetches them: types, policies, compression and validators. */
import { expect } from 'chai';
import { useApp } from './support/app.js';

const app = useApp();

const FILES: Record<string, string> = {
  '/': 'text/html',
  '/front.css': 'text/css',
  '/theme.css': 'text/css',
  '/icon.svg': 'image/svg+xml',
  '/docs': 'text/html',
  '/docs/swagger-ui-bundle.js': 'text/javascript',
  '/graphiql': 'text/html',
  '/graphiql/graphiql.js': 'text/javascript',
  '/graphiql/graphql.worker.js': 'text/javascript',
  '/openapi.json': 'application/json',
};

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  // A fetch that brings a validator would ask not to be given it, were it not told what it takes.
  fetch(app.url + path, { method, headers: { 'Cache-Control': 'max-age=0', ...headers } });

describe('The files of pages', () => {
  it('200 with their type, the same with compression and without', async () => {
    for (const [path, type] of Object.entries(FILES)) {
      const plain = await get(path, { 'Accept-Encoding': 'identity' });
      const zipped = await get(path, { 'Accept-Encoding': 'gzip' });
      expect([plain.status, plain.headers.get('Content-Encoding')], path).to.deep.equal([200, null]);
      expect([zipped.status, zipped.headers.get('Content-Encoding')], path).to.deep.equal([200, 'gzip']);
      expect(plain.headers.get('Content-Type'), path).to.match(new RegExp(`^${type.replace(/[+]/g, '\\$&')}`));
      expect(plain.headers.get('Vary'), path).to.include('Accept-Encoding');
      expect(plain.headers.get('ETag'), path).not.to.equal(zipped.headers.get('ETag'));
      expect(await zipped.text(), path).to.equal(await plain.text());
    }
  });

  it('304 for whoever has them', async () => {
    for (const path of Object.keys(FILES)) {
      const tag = (await get(path)).headers.get('ETag') ?? '';
      const again = await get(path, { 'If-None-Match': tag });
      expect([again.status, await again.text()], path).to.deep.equal([304, '']);
      expect((await get(path, { 'If-None-Match': '"other"' })).status, path).to.equal(200);
    }
  });

  it('let no page run what does not come from here, nor be framed', async () => {
    for (const path of ['/', '/docs', '/graphiql']) {
      const page = await get(path);
      const policy = page.headers.get('Content-Security-Policy') ?? '';
      expect(policy, path).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
      expect(policy.match(/script-src [^;]*/)?.[0] ?? "script-src 'self'", path).to.equal("script-src 'self'");
      expect(await page.text(), path).not.to.match(/<script(?![^>]*src=)|\son\w+=|https?:\/\/(?!127|localhost)/);
    }
  });

  it('name nothing but each other', async () => {
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

  it('405 for another method, and 404 for a name that is near', async () => {
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
