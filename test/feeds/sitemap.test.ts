/** The sitemap and robots.txt. */
import { expect } from 'chai';
import type { Database } from '../../src/database/pool.js';
import { ARTICLES_PER_FILE } from '../../src/feeds/sitemap.js';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { statementsDuring } from '../support/statements.js';
import { childrenOf, parseXml, textOf } from '../support/xml.js';

async function read(url: string) {
  const response = await fetch(url);
  expect(response.headers.get('Content-Type')).to.equal('application/xml');
  const root = parseXml(await response.text());
  expect(root.namespace).to.equal('http://www.sitemaps.org/schemas/sitemap/0.9');
  return root;
}

describe('GET /sitemap.xml', () => {
  const app = useApp({ ARTICLE_URL: 'https://example.org/read?id={id}&from=map' });

  it('returns 200 with only the journal when there are no articles', async () => {
    expect((await read(`${app.url}/sitemap.xml`)).children.map((url) => textOf(url, 'loc'))).to.deep.equal([
      `${app.url}/`,
    ]);
  });

  it('returns 200 with every article and its last change, in two statements', async () => {
    const [first, second] = [await buildArticle(app.url), await buildArticle(app.url)];
    let root = await read(`${app.url}/sitemap.xml`);
    expect(
      await statementsDuring(async () => {
        root = await read(`${app.url}/sitemap.xml`);
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

  it('returns 200 with an index of several files when one cannot hold all articles', async function () {
    this.timeout(120_000);
    const { author } = await buildArticle(app.url);
    await addArticles(app.database, author.id, ARTICLES_PER_FILE);
    const index = await read(`${app.url}/sitemap.xml`);
    const files = childrenOf(index, 'sitemap').map((file) => textOf(file, 'loc'));
    expect(files).to.deep.equal([1, 2].map((part) => `${app.url}/sitemap-${part}.xml`));
    const parts = await Promise.all(files.map(read));
    expect(parts[0]?.children).to.have.length(50_000);
    const addresses = parts.flatMap(({ children }) => children.map((url) => textOf(url, 'loc')));
    expect(new Set(addresses).size).to.equal(addresses.length);
    expect(addresses).to.have.length(1 + 3 + ARTICLES_PER_FILE);
    expect((await fetch(`${app.url}/sitemap-3.xml`)).status).to.equal(404);
  });
});

/** Inserts articles without the triggers that would index each of them for the search. */
async function addArticles(database: Database, memberId: number, count: number): Promise<void> {
  await database.inTransaction(async (transaction) => {
    const run = (sql: string) => database.sequelize.query(sql, { transaction });
    await run('set local session_replication_role = replica');
    await run(`insert into articles (member_id, category_id, title, content)
      select ${memberId}, (select id from categories where member_id = ${memberId}), 't', 'c' from generate_series(1, ${count})`);
    await run(
      `update article_totals set articles = articles + ${count} where shard = (select min(shard) from article_totals)`,
    );
  });
}

describe('GET /robots.txt', () => {
  const app = useApp();

  it('returns 200 and names the sitemap', async () => {
    const response = await fetch(`${app.url}/robots.txt`);
    expect(response.headers.get('Content-Type')).to.equal('text/plain; charset=utf-8');
    expect(await response.text()).to.contain(`\nSitemap: ${app.url}/sitemap.xml\n`);
  });
});
