/** Limits of searches: number of words, long texts read, and concurrent searches. */
import { expect } from 'chai';
import pg from 'pg';
import { statement } from '../../../src/platform/database/statement.js';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { truncateAll, WAITING_FOR_LOCK } from '../../support/database.js';
import { useSearch } from '../../support/search.js';
import { until } from '../../support/until.js';

const app = useApp();

/**
 * Blocks with long texts that the connection has read since it last published its statistics, at most once in a second: unlike the other
 * statistics, not those of other connections.
 */
const TOAST_READS = statement<[], { blocks: number }>(
  'toast_reads',
  `select pg_stat_get_xact_blocks_fetched(reltoastrelid)::integer as blocks
   from pg_class where oid = 'article_search'::regclass`,
);
const READ_TEXTS = statement<[], object>('read_texts', 'select sum(length(content)) from article_search');

describe('Keyword search', () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join('+');

  it("accepts at most 8 words on both APIs, also in lists of the member's own articles", async () => {
    const { token } = await buildMember(app.url);
    for (const path of ['/api/articles', '/api/articles/me']) {
      expect((await call(app.url, `GET ${path}?keyword=${words(8)}`, { token })).status).to.equal(200);
      const response = await call(app.url, `GET ${path}?keyword=${words(9)}`, { token });
      expect(response.status).to.equal(400);
      expectFieldErrors(response, 'keyword: must have at most 8 words, got 9');
    }
    const query = `{ articles(filter: { keyword: "${words(9).replaceAll('+', ' \u3000')}" }) { contents { id } } }`;
    expect((await graphql(app.url, query)).errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
  });
});

describe('Search in long texts', () => {
  const search = useSearch();
  const texts = 12;
  // These articles have explicit ids, which the sequence would assign again in the next test.
  after(() => truncateAll(app.database));

  before(async () => {
    await search.empty();
    for (let id = 1; id <= texts; id++) await search.add(id, 'Title', randomSyllables(99_000));
    await search.add(texts + 1, 'Last', 'needle');
  });

  it('does not read texts without spaces when it searches for other words', async () => {
    const { database } = search;
    const reads: number[] = [];
    search.database = {
      ...database,
      query: (sent, values) =>
        database.transaction(async (db) => {
          const blocksRead = async () => (await db.query(TOAST_READS, []))[0]?.blocks ?? 0;
          const before = await blocksRead();
          const rows = await db.query(sent, values);
          reads.push((await blocksRead()) - before);
          return rows;
        }),
    };
    for (const keyword of ['needle', 'nowhere', 'a b c d e f g h', 'a-word-that-is-longer-than-a-key']) {
      await search.find(keyword);
    }
    await search.database.query(READ_TEXTS, []);
    search.database = database;
    expect(reads.pop(), 'of a statement that reads the texts').to.be.above(100);
    expect(reads).to.deep.equal([0, 0, 0, 0]);
    expect(await search.idsOf('needle')).to.deep.equal([texts + 1]);
  });

  it('finds words in the first thousands of characters', async () => {
    await search.add(50, 'Long', `${randomSyllables(9_000)}뷁쉟뷁 ${randomSyllables(60_000)}`);
    expect(await search.idsOf('뷁쉟뷁')).to.deep.equal([50]);
  });

  it('keeps the page order when pages are filled from the newest articles', async () => {
    await search.empty();
    for (let id = 1; id <= 40; id++) {
      await search.add(id, 'Title', id % 10 === 0 ? `common ${'long '.repeat(8_000)}` : 'common');
    }
    await search.run('analyze article_search');
    const pages = [];
    for (let offset = 0; offset < 40; offset += 7) pages.push((await search.find('common', {}, 7, offset)).ids);
    expect(pages.flat()).to.deep.equal(Array.from({ length: 40 }, (_, index) => 40 - index));
  });

  function randomSyllables(length: number): string {
    return Array.from({ length }, () => String.fromCodePoint(0xac00 + Math.floor(Math.random() * 11_172))).join('');
  }
});

describe('Concurrent searches', () => {
  let locker: pg.Client;
  before(async () => {
    locker = new pg.Client({ connectionString: app.database.url });
    await locker.connect();
  });
  after(() => locker.end());

  it('run one at a time for a network, fail with 503, and leave connections for other requests', async () => {
    await locker.query('begin; lock table article_search in access exclusive mode');
    const requests = Array.from({ length: 12 }, (_, index) => call(app.url, `GET /api/articles?keyword=word${index}`));
    await until(async () => (await waitingStatements()) === 1 && app.services.limits.searches.state.waiting === 11);
    expect((await call(app.url, 'GET /api/articles')).status, 'a list meanwhile').to.equal(200);
    expect(await waitingStatements()).to.equal(1);
    const { headers } = await expectStatus(Promise.race(requests), 503, 'SERVICE_UNAVAILABLE');
    expect(Number(headers.get('Retry-After'))).to.be.within(1, 60);
    await locker.query('rollback');
    const statuses = (await Promise.all(requests)).map((response) => response.status);
    expect(statuses.filter((one) => one === 200)).to.have.length.of.at.least(10);
  });

  it('are rejected with 429 above 40 waiting searches of a member or a network', async () => {
    const { id, token } = await buildMember(app.url);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = ['127.0.0.1', `m${id}`].flatMap((key) =>
      Array.from({ length: 41 }, () => app.services.limits.searches.run({ key }, () => released)),
    );
    try {
      for (const request of ['articles?keyword=x', 'articles/me?keyword=x']) {
        const options = request.startsWith('articles/me') ? { token } : {};
        const { headers } = await expectStatus(call(app.url, `GET /api/${request}`, options), 429, 'RATE_LIMITED');
        expect(Number(headers.get('Retry-After')), request).to.be.within(1, 60);
      }
    } finally {
      release();
      await Promise.all(running);
    }
  });

  it('leave the statement timeout of their connection unchanged', async () => {
    await call(app.url, 'GET /api/articles?keyword=word');
    const [[row]] = await app.database.sequelize.query(
      `select current_setting('statement_timeout') as statement_timeout`,
    );
    expect(row).to.deep.equal({ statement_timeout: '10s' });
  });

  async function waitingStatements(): Promise<number> {
    const [rows] = await app.database.sequelize.query(WAITING_FOR_LOCK);
    return rows.length;
  }
});
