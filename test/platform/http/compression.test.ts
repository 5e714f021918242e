/** Compression of responses: negotiation, what is never compressed, and the compressed forms in the response cache. */
import { expect } from 'chai';
import { StoredBody } from '../../../src/platform/http/compression.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, buildArticle, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { noise } from '../../support/images.js';
import { scrape } from '../../support/metrics.js';
import { filePart, multipart } from '../../support/multipart.js';

const app = useApp();
const uncached = useApp({ RESPONSE_CACHE_MB: '0' });
let article: BuiltArticle;
before(async () => {
  article = await buildArticle(app.url, { content: 'A sentence that is repeated. '.repeat(100) });
});

/** fetch decompresses the body. */
async function get(path: string, encodings: string, url = app.url) {
  const response = await fetch(url + path, { headers: { 'Accept-Encoding': encodings } });
  const header = (name: string) => response.headers.get(name);
  return {
    encoding: header('Content-Encoding'),
    vary: header('Vary'),
    tag: header('ETag'),
    text: await response.text(),
  };
}

describe('Compression', () => {
  it('follows Accept-Encoding and prefers br; the bodies are equal', async () => {
    const path = `/api/articles/${article.id}`;
    const plain = await get(path, 'identity');
    expect(plain.vary).to.include('Accept-Encoding');
    for (const [accepted, expected] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0.5, gzip', 'gzip'],
      ['gzip;q=0.5, BR; Q=0.5', 'br'],
      ['br;q=0, gzip;q=0', null],
      ['identity, br;q=0.9', null],
      ['br;q=x', null],
      ['*', 'br'],
      ['zstd', null],
    ] as const) {
      for (const url of [app.url, app.url, uncached.url]) {
        const { encoding, ...others } = await get(path, accepted, url);
        expect(encoding, accepted).to.equal(expected);
        expect(others.text, accepted).to.equal(plain.text);
        expect(others.vary, accepted).to.equal(plain.vary);
      }
      expect((await get(path, accepted)).tag, accepted).to.equal(plain.tag);
    }
  });

  it('stores no more memory than the compressed form has', async () => {
    const plain = Buffer.from('A sentence that is repeated. '.repeat(100));
    for (const encoding of ['br', 'gzip'] as const) {
      const { length, buffer } = await new StoredBody(plain).encode(encoding);
      expect(buffer.byteLength, encoding).to.equal(length);
    }
    const body = new StoredBody(plain);
    body.retainGzip();
    expect(body.onlyGzip('gzip')?.buffer.byteLength).to.equal(body.bytes).and.to.be.below(plain.length);
  });

  it('applies to GraphQL responses, pages, feeds and error responses of 1 KiB or more', async () => {
    const query = encodeURIComponent(`{ article(id: ${article.id}) { content } }`);
    const unknown = Array.from({ length: 40 }, (_, index) => `unknownParameter${index}=1`).join('&');
    for (const path of [
      `/graphql?query=${query}`,
      '/docs',
      '/feed.xml',
      '/openapi.json',
      `/api/articles?sort=x&${unknown}`,
    ]) {
      const { encoding, text } = await get(path, 'br');
      expect([path, encoding]).to.deep.equal([path, text.length < 1024 ? null : 'br']);
    }
  });

  it('does not apply to smaller responses and event streams', async () => {
    const { token } = await buildMember(app.url);
    const headers = { 'Accept-Encoding': 'gzip', Authorization: `Bearer ${token}` };
    for (const path of ['/healthz', '/api/members/me', '/api/notifications/stream']) {
      const response = await fetch(app.url + path, { headers });
      expect([path, response.status, response.headers.get('Content-Encoding')]).to.deep.equal([path, 200, null]);
      await response.body?.cancel();
    }
  });

  it('does not apply to images and archives, which are compressed already', async () => {
    const { token } = await buildMember(app.url);
    const upload = multipart([filePart(await noise(100, 100).png().toBuffer())]);
    const { body } = await call(app.url, 'POST /api/images', { token, ...upload });
    const headers = { 'Accept-Encoding': 'gzip', Authorization: `Bearer ${token}` };
    for (const path of [body?.data.url, '/api/members/me/archive']) {
      const response = await fetch(new URL(path, app.url), { headers });
      expect([path, response.status, response.headers.get('Content-Encoding')]).to.deep.equal([path, 200, null]);
      expect((await response.arrayBuffer()).byteLength, path).to.be.above(1024);
    }
  });

  it('does not apply to responses below /api/auth/, with or without a token, however large', async () => {
    const fields = Array.from({ length: 20 }, (_, index) => [`unknownField${index}`.padEnd(60, 'x'), 'x']);
    const body = JSON.stringify(Object.fromEntries(fields));
    const headers = { 'Accept-Encoding': 'gzip', 'Content-Type': 'application/json' };
    for (const path of ['/api/auth/login', '/api/auth/register', '/api/auth/email/resend']) {
      const response = await fetch(app.url + path, { method: 'POST', headers, body });
      expect([path, response.status, response.headers.get('Content-Encoding')]).to.deep.equal([path, 400, null]);
      expect(await response.text(), path).to.have.length.above(1024);
    }
  });

  it('does not apply to responses with tokens, however large', async () => {
    const { email, password } = await buildMember(app.url);
    const login = `login(input: { email: "${email}", password: "${password}" })`;
    const several = Array.from({ length: 4 }, (_, index) => `a${index}: ${login} { accessToken ...Rest }`).join(' ');
    const query = `mutation { ${several} } fragment Rest on Tokens { refreshToken }`;
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'br' } };
    const response = await fetch(`${app.url}/graphql`, { ...init, body: JSON.stringify({ query }) });
    const text = await response.text();
    expect(text).to.have.length.above(1024).and.not.include('errors');
    expect(response.headers.get('Content-Encoding')).to.equal(null);
  });

  it('is stored in the response cache at the second use of a response', async () => {
    const cachedBytes = async () => (await scrape(app.url)).value('daybook_response_cache_bytes') ?? 0;
    const other = await buildArticle(app.url, { content: 'Another sentence. '.repeat(100) });
    const read = () => get(`/api/articles/${other.id}`, 'br');
    const sizes = [await cachedBytes()];
    for (let use = 1; use <= 3; use++) {
      expect((await read()).encoding).to.equal('br');
      sizes.push(await cachedBytes());
    }
    const [before = 0, first = 0, second = 0, third = 0] = sizes;
    expect(first - before, 'plain').to.be.above(1_800);
    expect(second - first, 'compressed').to.be.within(1, 1_000);
    expect(third).to.equal(second);
  });

  it('leaves concurrent large responses intact', async () => {
    const path = `/api/articles/${article.id}`;
    const { text } = await get(path, 'identity');
    const all = await Promise.all(Array.from({ length: 60 }, () => get(path, 'br', uncached.url)));
    for (const { encoding, text: own } of all) {
      expect(encoding).to.be.oneOf(['br', null]);
      expect(own).to.equal(text);
    }
  });
});
