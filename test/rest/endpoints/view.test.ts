/** Views of articles: which are counted, and when, over both APIs. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { forge } from '../../support/session.js';
import { ageStamps, fetchCopy } from '../../support/stamps.js';
import { statementsDuring } from '../../support/statements.js';
import { BROWSER, type Reader, view, viewsOf } from '../../support/views.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp({ TRUST_PROXY: '1' });
let article: BuiltArticle;
let reader: BuiltMember;
before(async () => {
  reader = await buildMember(app.url);
});
beforeEach(async () => {
  article = await buildArticle(app.url, { tags: ['sea'] });
});

const countAfter = async (...readers: Reader[]) => {
  for (const one of readers) expect(await view(app.url, article.id, one)).to.equal(204);
  return viewsOf(app, article.id);
};

describe('Views', () => {
  it('are counted at the next full minute, once for each article and reader', async () => {
    expect(await view(app.url, article.id)).to.equal(204);
    expect((await call(app.url, `GET /api/articles/${article.id}`)).body?.data.viewCount).to.equal(0);
    expect(await countAfter({}, {})).to.equal(1);
    expect(await countAfter({})).to.equal(1);
    const other = await buildArticle(app.url);
    await view(app.url, other.id);
    expect([await viewsOf(app, other.id), await viewsOf(app, article.id)]).to.deep.equal([1, 1]);
  });

  it('are recorded over GraphQL as over REST', async () => {
    const record = async (id: unknown) => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'User-Agent': BROWSER, 'X-Forwarded-For': '192.0.2.1' },
        body: JSON.stringify({ query: 'mutation ($id: ID!) { recordView(articleId: $id) }', variables: { id } }),
      });
      return response.json();
    };
    for (const id of [article.id, String(article.id), 'x', -1, '99999999999999999999'])
      expect(await record(id)).to.deep.equal({ data: { recordView: true } });
    expect(await viewsOf(app, article.id)).to.equal(1);
    expect(await countAfter({})).to.equal(1);
  });

  it('appear in all lists', async () => {
    await countAfter({});
    const { author } = article;
    const lists = ['/api/articles', `/api/articles?memberId=${author.id}`, '/api/articles?tag=sea&keyword=content'];
    for (const path of lists)
      expect((await call(app.url, `GET ${path}`)).body?.data.contents[0].viewCount, path).to.equal(1);
    const own = await call(app.url, 'GET /api/articles/me', { token: author.token });
    expect(own.body?.data.contents[0].viewCount).to.equal(1);
    const { data } = await graphql(app.url, '{ articleConnection(first: 1) { edges { node { viewCount } } } }');
    expect(data.articleConnection.edges[0].node.viewCount).to.equal(1);
  });

  it('are distinguished by network and user agent, at most ten in a network', async () => {
    const agents = (count: number) => Array.from({ length: count }, (_, n) => ({ agent: `${BROWSER} ${n}` }));
    expect(await countAfter({ address: '2001:db8::1' }, { address: '2001:db8::2' })).to.equal(1);
    expect(await countAfter({ address: '2001:db8:0:1::1' }, { address: '192.0.2.2' })).to.equal(3);
    expect(await countAfter(...agents(8))).to.equal(11);
    expect(await countAfter(...agents(30))).to.equal(13);
    expect(await countAfter({ agent: 'Mozilla/5.0 another' })).to.equal(13);
    expect(await countAfter({ address: '192.0.2.3' })).to.equal(14);
  });

  it('are counted in a household, where the author has the same network and browser', async () => {
    const author = { token: article.author.token };
    expect(await countAfter(author)).to.equal(0);
    expect(await countAfter(author, {}, author)).to.equal(1);
  });

  it('of the author are recognized by the signature of a token, without a statement', async () => {
    const { token } = article.author;
    const expired = forge(token, { exp: Math.floor(Date.now() / 1000) - 3600 });
    const statements = await statementsDuring(async () => {
      for (const one of [token, expired, 'bad', reader.token, `${token}x`])
        expect(await view(app.url, article.id, { token: one, address: '192.0.2.9' })).to.equal(204);
    });
    expect(statements).to.deep.equal([]);
    expect(await viewsOf(app, article.id)).to.equal(1);
    expect(await countAfter({ token, address: '192.0.2.10' }, { token: expired, address: '192.0.2.11' })).to.equal(1);
    expect(await countAfter({ token: reader.token, address: '192.0.2.12' })).to.equal(2);
  });

  it('of robots, HTTP libraries and prefetches are not counted', async () => {
    const robots = [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Mozilla/5.0 (compatible; Yeti/1.1; +https://naver.me/spd)',
      'Mozilla/5.0 (compatible; bingbot/2.0)',
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'kakaotalk-scrap/1.0',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0.0.0 Safari/537.36',
      'curl/8.5.0',
      'python-requests/2.32',
      'Go-http-client/2.0',
      'node',
      '',
    ];
    const prefetches = ['prefetch', 'prefetch;prerender', 'Prefetch'];
    expect(
      await countAfter(
        ...robots.map((agent) => ({ agent })),
        ...prefetches.map((purpose) => ({ headers: { 'Sec-Purpose': purpose } })),
      ),
    ).to.equal(0);
    const readers = [
      'Mozilla/5.0 (Linux; Android 9; CUBOT_P30) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1',
      'Journal/3 CFNetwork/1568.100.1 Darwin/24.0.0',
    ];
    expect(await countAfter(...readers.map((agent) => ({ agent })))).to.equal(3);
  });

  it('of anything else respond 204 as well, without a statement', async () => {
    const secret = await buildArticle(app.url, { visibility: 'PRIVATE' });
    const ids = [secret.id, 999_999, 0, -1, 'x', '1.5', '1e3', '99999999999999999999', '%F0%9F%A6%89', 'null'];
    const statements = await statementsDuring(async () => {
      for (const id of ids) expect(await view(app.url, id), String(id)).to.equal(204);
      expect(await view(app.url, `${article.id}`, { headers: { 'Idempotency-Key': ' ' } })).to.equal(204);
      for (const body of ['', '{', '{"id": 1}', 'x'.repeat(100_000)]) {
        const { status } = await fetch(`${app.url}/api/articles/${article.id}/views?x=1&x=2`, { method: 'POST', body });
        expect(status).to.equal(204);
      }
    });
    expect(statements).to.deep.equal([]);
    expect(await viewsOf(app, article.id)).to.equal(1);
    const own = await call(app.url, `GET /api/articles/${secret.id}`, { token: secret.author.token });
    expect(own.body?.data.viewCount).to.equal(0);
  });

  it('are discarded when the article is private or deleted at the time of writing, and others are counted', async () => {
    const [secret, deleted] = [await buildArticle(app.url), await buildArticle(app.url)];
    for (const { id } of [secret, deleted]) await view(app.url, id);
    await setPrivate(app.url, secret);
    await call(app.url, `DELETE /api/articles/${deleted.id}`, { token: deleted.author.token });
    expect(await countAfter({})).to.equal(1);
    await setPrivate(app.url, secret, false);
    expect(await viewsOf(app, secret.id)).to.equal(0);
    await view(app.url, secret.id);
    expect(await viewsOf(app, secret.id)).to.equal(1);
  });

  it('renew the validators of the article and of lists, once they are counted, and no others', async () => {
    const { id, author } = article;
    const changed = [`/api/articles/${id}`, '/api/articles', `/graphql?query={article(id:${id}){viewCount}}`];
    const same = [
      ...['/feed.xml', `/members/${author.id}/feed.json`, '/tags/sea/feed.atom', '/sitemap.xml'],
      ...[`/api/articles/${id}/comments`, `/api/members/${author.id}`],
    ];
    const tagsOf = () => Promise.all([...changed, ...same].map(async (path) => (await fetchCopy(app.url + path)).etag));
    await ageStamps(app.database);
    const tags = await tagsOf();
    await view(app.url, id);
    expect(await tagsOf()).to.deep.equal(tags);
    await app.services.views.write();
    const after = await tagsOf();
    expect([...changed, ...same].filter((_, index) => after[index] !== tags[index])).to.deep.equal(changed);
    await countAfter({});
    expect(await tagsOf()).to.deep.equal(after);
  });

  it('end with the article and with the account of its author', async () => {
    await countAfter({});
    const { token, password } = article.author;
    await call(app.url, 'DELETE /api/members/me', { token, json: { password } });
    const [rows] = await app.database.sequelize.query(
      `select from article_view_days where article_id = ${article.id} union all select from article_counts where article_id = ${article.id}`,
    );
    expect(rows).to.deep.equal([]);
  });
});
