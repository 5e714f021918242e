/** The sitemap and robots.txt. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { readSitemap } from '../support/feeds.js';
import { statementsDuring } from '../support/statements.js';
import { childrenOf, textOf } from '../support/xml.js';

describe('GET /sitemap.xml', () => {
  const app = useApp({ ARTICLE_URL: 'https://example.org/read?id={id}&from=map' });

  it('returns 200 with only the journal when there are no articles', async () => {
    expect((await readSitemap(`${app.url}/sitemap.xml`)).children.map((url) => textOf(url, 'loc'))).to.deep.equal([
      `${app.url}/`,
    ]);
  });

  it('returns 200 with every article and its last change, in two statements', async () => {
    const [first, second] = [await buildArticle(app.url), await buildArticle(app.url)];
    let root = await readSitemap(`${app.url}/sitemap.xml`);
    expect(
      await statementsDuring(async () => {
        root = await readSitemap(`${app.url}/sitemap.xml`);
      }),
    ).to.have.length(2);
    const [journal, ...urls] = childrenOf(root, 'url');
    expect(journal && textOf(journal, 'loc')).to.equal(`${app.url}/`);
    expect(urls.map((url) => textOf(url, 'loc'))).to.deep.equal(
      [first, second].map(({ id }) => `https://example.org/read?id=${id}&from=map`),
    );
    for (const url of urls) expect(textOf(url, 'lastmod')).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('returns 404 for a file past the last one, and 405 for another method', async () => {
    for (const path of ['/sitemap-2.xml', '/sitemap-0.xml', '/sitemap-1000000.xml']) {
      expect((await fetch(app.url + path)).status, path).to.equal(404);
    }
    expect((await fetch(`${app.url}/sitemap.xml`, { method: 'DELETE' })).status).to.equal(405);
  });
});

describe('GET /sitemap.xml, with translations', () => {
  const app = useApp({ ARTICLE_URL: 'https://example.org/{slug}?a&b' });

  it('has all public articles of a group as alternates of each of them, and is renewed with them', async () => {
    const { id, author } = await buildArticle(app.url, { title: 'Owls', language: 'en' });
    const create = (json: object) =>
      call(app.url, 'POST /api/articles', { token: author.token, json: { content: 'x', translationOf: id, ...json } });
    const korean = (await create({ title: '올빼미', language: 'ko-KR' })).body?.data;
    await create({ title: 'Secret', language: 'fr', visibility: 'PRIVATE' });
    await buildArticle(app.url, { title: 'Alone', language: 'de' }, author);
    const alternates = async () => {
      const root = await readSitemap(`${app.url}/sitemap.xml`);
      return childrenOf(root, 'url').map((url) =>
        childrenOf(url, 'xhtml:link').map(({ namespace, attributes: { rel, hreflang, href } }) => {
          expect([namespace, rel]).to.deep.equal(['http://www.w3.org/1999/xhtml', 'alternate']);
          return [hreflang, href];
        }),
      );
    };
    const both = [
      ['en', 'https://example.org/owls?a&b'],
      ['ko-KR', `https://example.org/${encodeURIComponent('올빼미')}?a&b`],
    ];
    expect(await alternates()).to.deep.equal([[], both, both, []]);
    const etag = (await fetch(`${app.url}/sitemap.xml`)).headers.get('ETag');
    await call(app.url, `DELETE /api/articles/${korean.id}`, { token: author.token });
    expect(await alternates()).to.deep.equal([[], [], []]);
    expect((await fetch(`${app.url}/sitemap.xml`)).headers.get('ETag')).not.to.equal(etag);
  });
});

describe('GET /robots.txt', () => {
  const app = useApp();

  it('returns 200 and names the sitemap', async () => {
    const response = await fetch(`${app.url}/robots.txt`);
    expect(response.headers.get('Content-Type')).to.equal('text/plain; charset=utf-8');
    expect(await response.text()).to.contain(`\nSitemap: ${app.url}/sitemap.xml\n`);
  });
});

describe('GET /sitemap.xml, with {slug} in ARTICLE_URL', () => {
  const app = useApp({ ARTICLE_URL: 'https://example.org/{slug}' });

  it('has the current slugs of articles', async () => {
    const { id, author } = await buildArticle(app.url, { title: 'مرحبا بالعالم' });
    const last = async () =>
      (await readSitemap(`${app.url}/sitemap.xml`)).children.map((url) => textOf(url, 'loc')).at(-1);
    expect(await last()).to.equal(`https://example.org/${encodeURIComponent('مرحبا-بالعالم')}`);
    const json = { title: 'x', content: 'y', slug: 'hello' };
    await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
    expect(await last()).to.equal('https://example.org/hello');
  });
});
