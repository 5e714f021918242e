/** `/articles/{slug}.md`: what it contains, its redirects, and what it does not show. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { statementsDuring } from '../support/statements.js';
import { setPrivate } from '../support/visibility.js';

const app = useApp();
let author: BuiltMember;
before(async () => {
  author = await buildMember(app.url);
});

const write = (fields: object) => buildArticle(app.url, { ...fields }, author);
const encoded = (slug: string) => `/articles/${encodeURIComponent(slug)}.md`;

async function read(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(app.url + path, { method, headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function setSlug({ id }: BuiltArticle, slug: string): Promise<void> {
  const json = { title: 'Renamed', content: 'Text', slug };
  await expectStatus(call(app.url, `PUT /api/articles/${id}`, { token: author.token, json }), 200, '1');
}

describe('GET /articles/{slug}.md', () => {
  it('responds with the file of the API, whatever the token', async () => {
    const { id } = await write({ title: '봄날의 산책' });
    const path = encoded('봄날의-산책');
    const { status, headers, text } = await read(path);
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/markdown; charset=utf-8']);
    expect(text).to.equal(await (await fetch(`${app.url}/api/articles/${id}/markdown`)).text());
    for (const token of [author.token, 'bad', '']) {
      const other = await read(path, { Authorization: `Bearer ${token}` });
      expect([other.status, other.text, other.headers.get('Cache-Control')]).to.deep.equal([200, text, 'no-store']);
    }
    const head = await read(path, {}, 'HEAD');
    expect([head.status, head.text, head.headers.get('ETag')]).to.deep.equal([200, '', headers.get('ETag')]);
    expect((await read(path, {}, 'POST')).status).to.equal(405);
    expect((await read(`${path}?utm_source=x`)).text).to.equal(text);
  });

  it('reads with one statement, and from the response cache with one that reads no content', async () => {
    await write({ title: 'Counted' });
    const statements = () => statementsDuring(() => read('/articles/counted.md'));
    const [first, second] = [await statements(), await statements()];
    expect([first.length, second.length]).to.deep.equal([1, 1]);
    expect(first[0]).to.include('content');
    expect(second[0])
      .to.match(/as stamp/)
      .and.not.include('content');
  });

  const RENAMES = [
    ['owls', 'owls-in-the-attic'],
    ['봄', '여름'],
    ['مرحبا', 'e\u0301t\u00e9'.normalize('NFC')],
  ] as const;
  for (const [former, current] of RENAMES) {
    it(`redirects from ${former} to ${current}, with the query and regardless of conditions`, async () => {
      const article = await write({ title: former, slug: former });
      const copy = await read(encoded(former));
      expect(copy.status).to.equal(200);
      await setSlug(article, current);
      const conditions: Record<string, string>[] = [
        {},
        { 'If-None-Match': '*' },
        { 'If-None-Match': copy.headers.get('ETag') ?? '' },
        { 'If-Modified-Since': 'Fri, 20 Nov 2099 09:30:00 GMT' },
        { Authorization: 'Bearer bad' },
      ];
      for (const headers of conditions) {
        const { status, headers: sent } = await read(`${encoded(former)}?a=%EB%B4%84&b`, headers);
        expect(status, JSON.stringify(headers)).to.equal(308);
        const target = new URL(sent.get('Location') ?? '', app.url + encoded(former));
        expect(target.href).to.equal(`${app.url}${encoded(current)}?a=%EB%B4%84&b`);
        expect([sent.get('ETag'), sent.get('Cache-Control')]).to.deep.equal([null, 'no-store']);
      }
      const followed = await fetch(app.url + encoded(former));
      expect([followed.status, followed.url]).to.deep.equal([200, app.url + encoded(current)]);
    });
  }

  it('redirects from other forms of the slug to the one address of the file', async () => {
    await write({ title: '가을 Été' });
    for (const form of ['가을-Été', '가을-été'.normalize('NFD')]) {
      const { status, headers } = await read(encoded(form), { 'If-None-Match': '*' });
      expect([status, headers.get('Location')]).to.deep.equal([308, `${encodeURIComponent('가을-été')}.md`]);
    }
  });

  it('follows renames back and forth', async () => {
    const article = await write({ slug: 'there' });
    for (const [current, former] of [
      ['back', 'there'],
      ['there', 'back'],
      ['back', 'there'],
    ] as const) {
      await setSlug(article, current);
      expect((await read(encoded(current))).status).to.equal(200);
      expect((await read(encoded(former))).headers.get('Location')).to.equal(`${current}.md`);
    }
  });

  it('is 404 for what is not public, also from its former slugs and after it was cached', async () => {
    const article = await write({ slug: 'hidden-one' });
    await setSlug(article, 'hidden-two');
    for (const count of [1, 2]) expect((await read('/articles/hidden-two.md')).status, String(count)).to.equal(200);
    await setPrivate(app.url, article);
    const missing = await read('/articles/never.md');
    const envelope = JSON.parse(missing.text);
    expect([missing.status, envelope.code, envelope.data]).to.deep.equal([404, 'ARTICLE_NOT_FOUND', {}]);
    for (const headers of [{}, { Authorization: `Bearer ${author.token}` }, { 'If-None-Match': '*' }]) {
      for (const slug of ['hidden-one', 'hidden-two']) {
        const { status, text } = await read(encoded(slug), headers as Record<string, string>);
        expect([status, text]).to.deep.equal([404, missing.text]);
      }
    }
    await write({ slug: 'always-private', visibility: 'PRIVATE' });
    expect((await read('/articles/always-private.md')).text).to.equal(missing.text);
  });

  it('is an unknown path for what cannot be a slug', async () => {
    for (const name of ['a b', 'a--b', 'a.b', '-', '..%2Fa', 'a%00', '%F0%9F%98%80', 'x'.repeat(2_000)]) {
      const { status, text } = await read(`/articles/${name.includes('%') ? name : encodeURIComponent(name)}.md`);
      expect([status, JSON.parse(text).code], name.slice(0, 10)).to.deep.equal([404, 'ROUTE_NOT_FOUND']);
    }
    for (const path of ['/articles/.md', '/articles/owls', '/articles/owls.md/', '/articles/owls.MD'])
      expect((await read(path)).status, path).to.equal(404);
    expect((await read('/articles/%ff.md')).status).to.equal(400);
  });
});

describe('Without LLMS_TXT', () => {
  const without = useApp({ LLMS_TXT: 'false' });

  it('there are neither files of articles nor llms.txt, but the file of the API', async () => {
    const { id } = await buildArticle(without.url, { title: 'Kept' });
    for (const path of ['/articles/kept.md', '/llms.txt']) {
      const response = await fetch(without.url + path);
      expect(response.status, path).to.equal(404);
      expect(await response.json()).to.include({ code: 'ROUTE_NOT_FOUND' });
    }
    expect((await fetch(`${without.url}/api/articles/${id}/markdown`)).status).to.equal(200);
    const page = async ({ url }: { url: string }) => (await fetch(url)).text();
    expect(await page(without)).to.not.include('/llms.txt');
    expect(await page(app)).to.include('/llms.txt');
  });
});
