/** The size of the response cache when every request is different. */
import { expect } from 'chai';
import { StoredBody } from '../../../src/platform/http/compression.js';
import { ResponseCache } from '../../../src/platform/http/response-cache.js';
import { cacheBytes } from '../../../src/platform/observability/metrics/response-cache.js';
import { useApp } from '../../support/app.js';
import { buildArticle } from '../../support/build.js';
import { execute, inBulk } from '../../support/database.js';
import { rowsOf } from '../../support/imported.js';
import { scrape, scrapeGrowth } from '../../support/metrics.js';

const response = (tag: string) => ({ body: new StoredBody(Buffer.from(tag)), headers: {}, tag, validatedAtMs: 0 });

describe('The response cache with RESPONSE_CACHE_MB=1', () => {
  const app = useApp({ RESPONSE_CACHE_MB: '1' });

  it('compresses those that were not used for longest, and sends the same to clients with and without gzip', async () => {
    const { id } = await buildArticle(app.url);
    const insertion = `insert into all_articles (member_id, category_id, title, content)
      select member_id, category_id, 'T' || n, repeat('Text of ' || n || '. ', 500)
      from all_articles, generate_series(1, 300) n where id = ${id}`;
    await execute([inBulk(insertion)], app.database.url);
    const articles = await rowsOf<{ id: number }>(app.database, `select id from all_articles where id <> ${id}`);
    const readAll = async (accept: string) => {
      const read: { text: string; encoding: string | null }[] = [];
      for (const { id } of articles) {
        const response = await fetch(`${app.url}/api/articles/${id}`, { headers: { 'Accept-Encoding': accept } });
        expect(response.headers.get('Vary')).to.contain('Accept-Encoding');
        read.push({ text: await response.text(), encoding: response.headers.get('Content-Encoding') });
      }
      return read;
    };
    const first = await readAll('identity');
    for (const [accept, compressed] of [
      ['identity', 0],
      ['gzip', articles.length],
      ['br, gzip', articles.length],
    ] as const) {
      let read: typeof first = [];
      const growth = await scrapeGrowth(app.url, async () => {
        read = await readAll(accept);
      });
      expect(growth('daybook_response_cache_requests_total', { result: 'hit' }), accept).to.equal(articles.length);
      expect(read.map(({ text }) => text)).to.deep.equal(first.map(({ text }) => text));
      expect(read.filter(({ encoding }) => encoding !== null)).to.have.length(compressed);
    }
  });

  it('stays within its limit when every request is different, and keeps a part of the responses until their next use', async function () {
    this.timeout(120_000);
    const { id } = await buildArticle(app.url);
    const readAll = async () => {
      for (let page = 1; page <= 800; page += 100) {
        const urls = Array.from({ length: 100 }, (_, n) => `${app.url}/api/articles/${id}/comments?page=${page + n}`);
        await Promise.all(urls.map(async (url) => (await fetch(url)).arrayBuffer()));
      }
    };
    await readAll();
    const growth = await scrapeGrowth(app.url, readAll);
    // With all of them stored, in order of their use, each would be removed before it is read again.
    expect(growth('daybook_response_cache_requests_total', { result: 'hit' })).to.be.above(200);
    const { value } = await scrape(app.url);
    expect(value('daybook_response_cache_bytes')).to.be.within(1, 1024 * 1024);
    expect(value('daybook_response_cache_evictions_total')).to.be.above(0);
  });
});

describe('A cache of 10 MB', () => {
  it('stays within it with 1,000,000 different requests', async function () {
    this.timeout(120_000);
    const maxBytes = 10_000_000;
    const cache = new ResponseCache({ maxBytes, staleIfErrorMs: 0 });
    const bytes = async () => (await cacheBytes.get()).values[0]?.value;
    for (let count = 0; count < 1_000_000; count++) {
      cache.begin(`key ${count}`)(response('1'));
      // An entry that is in use stays.
      await cache.findOrBegin('key 0', '1');
      if (count % 50_000 === 49_999) expect(await bytes()).to.be.within(maxBytes / 2, maxBytes);
    }
    let stored = 0;
    for (let count = 0; count < 1_000_000; count++) if (cache.has(`key ${count}`)) stored++;
    expect(stored).to.be.within(1_000, maxBytes / 1_500);
    expect([cache.has('key 0'), cache.has('key 1')]).to.deep.equal([true, false]);
  });
});
