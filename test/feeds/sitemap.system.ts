/** A sitemap with more articles than one file can hold. */
import { expect } from 'chai';
import { ARTICLES_PER_FILE } from '../../src/feeds/sitemap.js';
import type { Database } from '../../src/platform/database/pool.js';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { readSitemap } from '../support/feeds.js';
import { childrenOf, textOf } from '../support/xml.js';

describe('GET /sitemap.xml with many articles', () => {
  const app = useApp();

  it('returns 200 with an index of several files when one cannot hold all articles', async function () {
    this.timeout(120_000);
    const { author } = await buildArticle(app.url);
    await addArticles(app.database, author.id, ARTICLES_PER_FILE);
    const index = await readSitemap(`${app.url}/sitemap.xml`);
    const files = childrenOf(index, 'sitemap').map((file) => textOf(file, 'loc'));
    expect(files).to.deep.equal([1, 2].map((part) => `${app.url}/sitemap-${part}.xml`));
    const parts = await Promise.all(files.map(readSitemap));
    expect(parts[0]?.children).to.have.length(50_000);
    const addresses = parts.flatMap(({ children }) => children.map((url) => textOf(url, 'loc')));
    expect(new Set(addresses).size).to.equal(addresses.length);
    expect(addresses).to.have.length(1 + 1 + ARTICLES_PER_FILE);
    expect((await fetch(`${app.url}/sitemap-3.xml`)).status).to.equal(404);
  });
});

/** Inserts articles without the triggers that would index each of them for the search. */
async function addArticles(database: Database, memberId: number, count: number): Promise<void> {
  await database.sequelize.transaction(async (transaction) => {
    const run = (sql: string) => database.sequelize.query(sql, { transaction });
    await run('set local session_replication_role = replica');
    await run(`insert into articles (slug, member_id, category_id, title, content)
      select gen_random_uuid(), ${memberId}, (select id from categories where member_id = ${memberId}), 't', 'c' from generate_series(1, ${count})`);
    await run(
      `update article_totals set articles = articles + ${count} where shard = (select min(shard) from article_totals)`,
    );
  });
}
