/** Feeds of all articles, of one member and of one tag, as RSS, Atom and JSON Feed. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildMember, useMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { EXTENSIONS, FORMATS, readFeed } from '../support/feeds.js';
import { BAD_IDS, HUGE_IDS } from '../support/hostile.js';
import { flat } from '../support/images.js';
import { filePart, multipart, requestPart } from '../support/multipart.js';
import { occupyRenderer } from '../support/renderer.js';
import { ageStamps } from '../support/stamps.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp();

async function codeAt(path: string): Promise<[number, string]> {
  const response = await fetch(app.url + path);
  return [response.status, ((await response.json()) as { code: string }).code];
}

for (const extension of EXTENSIONS) {
  describe(`GET /feed.${extension}`, () => {
    const author = useMember(app);
    let ids: number[];
    before(async () => {
      ids = [];
      for (let number = 0; number < 21; number++) ids.unshift((await buildArticle(app.url, {}, author)).id);
    });

    it('returns 200 with the twenty newest articles, newest first', async () => {
      const { title, self, site, items } = await readFeed(app.url, '/feed', extension);
      expect([title, self, site]).to.deep.equal(['Daybook', `${app.url}/feed.${extension}`, `${app.url}/`]);
      expect(items.map(({ url }) => url)).to.deep.equal(ids.slice(0, 20).map((id) => `${app.url}/api/articles/${id}`));
    });

    it('returns 200 with the content as HTML, author, tags, image and time of an article', async () => {
      const png = await flat(4, 4).png().toBuffer();
      const request = {
        title: 'Plain & <simple>',
        content: '# Head\n\n*word*',
        tags: ['Zwei', '하나'],
        articleImgAlt: 'Zwei & 하나',
      };
      const made = await call(app.url, 'POST /api/articles', {
        ...multipart([requestPart(request), filePart(png)]),
        token: author.token,
      });
      const [item] = (await readFeed(app.url, '/feed', extension)).items;
      const { id, articleImg, createdAt } = made.body?.data ?? {};
      expect(item).to.deep.equal({
        id: `tag:127.0.0.1,2026:articles/${id}`,
        url: `${app.url}/api/articles/${id}`,
        title: 'Plain & <simple>',
        html: '<h1 id="text-head">Head</h1>\n<p><em>word</em></p>\n',
        author: author.nickname,
        tags: ['zwei', '하나'],
        image: articleImg,
        imageAlt: extension === 'json' ? null : 'Zwei & 하나',
        published: Date.parse(`${createdAt}Z`),
      });
    });

    it('returns 200 without a body for HEAD, and reads a feed in three SQL statements and one transaction', async () => {
      const response = await fetch(`${app.url}/feed.${extension}`, { method: 'HEAD' });
      expect([response.status, await response.text()]).to.deep.equal([200, '']);
      expect(await statementsDuring(() => readFeed(app.url, '/feed', extension))).to.have.length(5);
    });

    it('leaves out an article that is not rendered yet, and is not to be cached then', async () => {
      const { id } = await buildArticle(app.url, { content: 'A *slow* & long text.' });
      await app.database.sequelize.query(`delete from article_html where article_id = ${id}`);
      const release = occupyRenderer(app);
      const path = `/feed.${extension}`;
      try {
        const { items } = await readFeed(app.url, '/feed', extension);
        expect(items.filter(({ url }) => url.endsWith(`/${id}`))).to.deep.equal([]);
        const { status, headers } = await fetch(app.url + path);
        expect([status, headers.get('ETag'), headers.get('Cache-Control')]).to.deep.equal([200, null, 'no-store']);
        expect(app.services.renderer.queue.state.waiting).to.equal(0);
      } finally {
        await release();
      }
      await graphql(app.url, `{ article(id: ${id}) { contentHtml } }`);
      expect((await readFeed(app.url, '/feed', extension)).items[0]?.html).to.include('<em>slow</em>');
      expect((await fetch(app.url + path)).headers.get('ETag')).to.be.a('string');
    });

    it('has the articles of one language, in any spelling, and says which language each has', async () => {
      const tags = [`words of ${extension}`];
      const languages = ['ko', 'ko-KR', 'en', ''];
      const built: number[] = [];
      for (const language of languages) built.unshift((await buildArticle(app.url, { language, tags }, author)).id);
      const found = async (path: string, query: string) => {
        const response = await fetch(`${app.url}${path}.${extension}${query}`);
        const text = await response.text();
        expect(response.status, text).to.equal(200);
        const feed = FORMATS[extension].read(text);
        return { ids: feed.items.map(({ url }) => Number(url.split('/').at(-1))), feed, text };
      };
      const [without, english, korean, plain] = built as [number, number, number, number];
      const { feed, text } = await found('/feed', '?language=KO');
      expect(feed.self).to.equal(`${app.url}/feed.${extension}?language=ko`);
      expect(feed.title).to.equal('Daybook (ko)');
      const marks = {
        xml: ['<language>ko</language>', '<dc:language>ko-KR</dc:language>'],
        atom: ['<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="ko">', '<entry xml:lang="ko-KR">'],
        json: ['"language":"ko",', '"language":"ko-KR",'],
      };
      for (const mark of marks[extension]) expect(text).to.include(mark);
      for (const path of ['/feed', `/members/${author.id}/feed`, `/tags/${encodeURIComponent(tags[0] ?? '')}/feed`]) {
        expect((await found(path, '?language=ko')).ids.slice(0, 2)).to.deep.equal([korean, plain]);
        expect((await found(path, '?language=ko-kr')).ids[0]).to.equal(korean);
        expect((await found(path, '?language=en')).ids[0]).to.equal(english);
        expect((await found(path, '')).ids[0]).to.equal(without);
        expect((await found(path, '?language=fr')).ids).to.deep.equal([]);
      }
    });

    it('renews the ETag of a feed in one language with its own articles only', async () => {
      const etag = async () => (await fetch(`${app.url}/feed.${extension}?language=ja`)).headers.get('ETag');
      const { id } = await buildArticle(app.url, { language: 'ja' }, author);
      const first = await etag();
      await buildArticle(app.url, { language: 'en' }, author);
      expect(await etag()).to.equal(first);
      const json = { title: 'x', content: 'y', language: 'en' };
      await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
      expect(await etag()).not.to.equal(first);
    });

    it('returns 400 for a language that is none, or given twice', async () => {
      for (const query of ['language=en_US', 'language=', 'language=ko&language=en'])
        expect(await codeAt(`/feed.${extension}?${query}`), query).to.deep.equal([400, 'VALIDATION_FAILED']);
    });

    it('returns 405 for another method', async () => {
      const response = await fetch(`${app.url}/feed.${extension}`, { method: 'POST' });
      expect([response.status, response.headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD']);
    });
  });

  describe(`GET /members/{id}/feed.${extension}`, () => {
    it('returns 200 with the articles of the member only, titled with the nickname', async () => {
      const { id, author } = await buildArticle(app.url);
      await buildArticle(app.url);
      const { title, items } = await readFeed(app.url, `/members/${author.id}/feed`, extension);
      expect(title).to.equal(`Daybook: ${author.nickname}`);
      expect(items.map(({ url }) => url)).to.deep.equal([`${app.url}/api/articles/${id}`]);
    });

    it('returns 200 without items for a member without articles', async () => {
      const { id } = await buildMember(app.url);
      expect((await readFeed(app.url, `/members/${id}/feed`, extension)).items).to.deep.equal([]);
    });

    it('has one content for one ETag, also without articles', async () => {
      const [{ id }, other] = [await buildMember(app.url), await buildMember(app.url)];
      await ageStamps(app.database);
      const read = async () => {
        const response = await fetch(`${app.url}/members/${id}/feed.${extension}`);
        return [response.headers.get('ETag'), await response.text()];
      };
      const earlier = await read();
      await buildArticle(app.url, {}, other);
      expect(await read()).to.deep.equal(earlier);
    });

    it('returns 400 for an invalid id and 404 for an unknown member', async () => {
      for (const bad of BAD_IDS) {
        const path = `/members/${bad}/feed.${extension}`;
        expect((await codeAt(path))[0], bad).to.equal(400);
      }
      for (const huge of [999_999, ...HUGE_IDS]) {
        const path = `/members/${huge}/feed.${extension}`;
        expect(await codeAt(path), String(huge)).to.deep.equal([404, 'MEMBER_NOT_FOUND']);
      }
    });
  });

  describe(`GET /tags/{tag}/feed.${extension}`, () => {
    for (const tag of ['여행 일기', 'c++/c#', 'a&b<c>"d\'', '🧑‍🍳', 'Über']) {
      it(`returns 200 with the articles that have the tag ${tag}, in any spelling`, async () => {
        const { id } = await buildArticle(app.url, { tags: [tag] });
        await buildArticle(app.url, { tags: [`${tag}2`] });
        const normal = tag.toLowerCase();
        for (const spelling of [tag, tag.normalize('NFD'), normal, tag.toUpperCase()]) {
          const path = `/tags/${encodeURIComponent(spelling)}/feed`;
          const { title, self, items } = await readFeed(app.url, path, extension);
          expect(items[0]?.url, spelling).to.equal(`${app.url}/api/articles/${id}`);
          expect(items.every(({ tags }) => tags.includes(normal))).to.equal(true);
          expect(title).to.equal(`Daybook: #${normal}`);
          expect(self).to.equal(`${app.url}/tags/${encodeURIComponent(normal)}/feed.${extension}`);
        }
      });
    }

    it('returns 200 with absolute addresses in the content', async () => {
      const content = 'See [the map](/maps/barn), ![owl](owl.png), [a](https://x.y/z) and[^1].\n\n[^1]: Note';
      const { id } = await buildArticle(app.url, { content });
      const [item] = (await readFeed(app.url, '/feed', extension)).items;
      const addresses = [...(item?.html.matchAll(/(?:href|src)="([^"]*)"/g) ?? [])].map(([, address]) => address);
      expect(addresses).to.deep.equal([
        `${app.url}/maps/barn`,
        `${app.url}/api/articles/owl.png`,
        'https://x.y/z',
        `${app.url}/api/articles/${id}#text-fn-1`,
        `${app.url}/api/articles/${id}#text-fnref-1`,
      ]);
    });

    it('returns 200 without items and without a time long ago for an unused tag', async () => {
      const text = await (await fetch(`${app.url}/tags/unused/feed.${extension}`)).text();
      expect(text).to.not.include('1970').and.not.include('lastBuildDate');
      expect((await readFeed(app.url, '/tags/unused/feed', extension)).items).to.deep.equal([]);
    });

    it('returns 400 for an invalid tag', async () => {
      expect(await codeAt(`/tags/${'x'.repeat(31)}/feed.${extension}`)).to.deep.equal([400, 'VALIDATION_FAILED']);
      expect(await codeAt(`/tags/%00/feed.${extension}`)).to.deep.equal([400, 'VALIDATION_FAILED']);
      expect(await codeAt(`/tags/%ff/feed.${extension}`)).to.deep.equal([400, 'BAD_REQUEST']);
    });
  });
}

describe('A feed', () => {
  it('returns 401 for an invalid token', async () => {
    const response = await fetch(`${app.url}/feed.xml`, { headers: { Authorization: 'Bearer bad' } });
    expect(response.status).to.equal(401);
  });

  it('returns 404 for an unknown format', async () => {
    expect(await codeAt('/feed.rdf')).to.deep.equal([404, 'ROUTE_NOT_FOUND']);
    expect(await codeAt('/tags/feed.xml')).to.deep.equal([404, 'ROUTE_NOT_FOUND']);
  });
});

describe('SITE_TITLE, SITE_URL and ARTICLE_URL', () => {
  const site = useApp({
    SITE_TITLE: 'Ours & theirs',
    SITE_URL: 'https://example.org/?a=1&b=2',
    ARTICLE_URL: 'https://example.org/read?id={id}&from=feed',
  });

  const withSlugs = useApp({ ARTICLE_URL: 'https://example.org/{slug}?id={id}' });

  for (const extension of EXTENSIONS) {
    it(`replace {slug} in the links of /feed.${extension}, percent-encoded`, async () => {
      const { id } = await buildArticle(withSlugs.url, { title: '봄날의 산책', slug: `봄날-${extension}` });
      const [item] = (await readFeed(withSlugs.url, '/feed', extension)).items;
      expect(item?.url).to.equal(`https://example.org/${encodeURIComponent(`봄날-${extension}`)}?id=${id}`);
      expect(new URL(item?.url ?? '').href).to.equal(item?.url);
    });

    it(`set the title and the links of /feed.${extension}`, async () => {
      const { id } = await buildArticle(site.url);
      const { title, site: home, items } = await readFeed(site.url, '/feed', extension);
      expect([title, home]).to.deep.equal(['Ours & theirs', 'https://example.org/?a=1&b=2']);
      expect(items[0]?.url).to.equal(`https://example.org/read?id=${id}&from=feed`);
    });
  }
});
