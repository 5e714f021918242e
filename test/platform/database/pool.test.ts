/** Database limits: prepared statements per connection, lock timeout, pool timeout. */
import { expect } from 'chai';
import pg from 'pg';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, buildArticle } from '../../support/build.js';
import { call, graphql, type RestResponse } from '../../support/client.js';
import { freshDatabase } from '../../support/database.js';
import { describeFault, seconds } from '../../support/faults.js';
import { type RunningService, startService } from '../../support/process.js';
import { until } from '../../support/until.js';

describe('Prepared statements', () => {
  const app = useApp();

  it('are limited on every connection for any number of filter, order and selection combinations', async () => {
    const { id, author } = await buildArticle(app.url, { tags: ['sea'] });
    const queries = combinations(author.id);
    expect(queries.length).to.be.above(1000);
    // The first queries again, whose prepared statements have been evicted.
    const sent = [...queries, ...queries.slice(0, 60)];
    for (let first = 0; first < sent.length; first += 10) {
      const fields = sent.slice(first, first + 10).map((query, index) => `q${index}: ${query}`);
      const { data, errors } = await graphql(app.url, `{ ${fields.join(' ')} }`);
      expect(errors).to.equal(undefined);
      expect(JSON.stringify(data)).to.include(`"id":"${id}"`);
    }
    const counts = await onEachConnection(
      `select count(*) as count from pg_prepared_statements where name like 'list%'`,
    );
    expect(counts).to.have.length(10);
    expect(Math.max(...counts)).to.be.within(2, 50);
  });

  /** Lists that contain the article, each with a different SQL statement. */
  function combinations(memberId: number): string[] {
    const keys = ['CREATED_AT', 'UPDATED_AT', 'TITLE', 'COMMENT_COUNT'];
    const orders = keys.flatMap((key) => [`${key}_ASC`, `${key}_DESC`]);
    const filters = subsets(['tag: "sea"', `categoryId: ${memberId}`, `memberId: ${memberId}`]);
    const selections = subsets(['content', 'tags']).map((fields) => `{ id ${fields.join(' ')} }`);
    const lists = orders.flatMap((order) =>
      selections.flatMap((fields) => [
        ['articles', `size: 1, sort: ${order}`, `{ contents ${fields} }`],
        ['articles', `size: 1, sort: ${order}, KEYWORD`, `{ contents ${fields} }`],
        ['articleConnection', `first: 1, sort: ${order}`, `{ edges { node ${fields} } }`],
        ['articleConnection', `last: 1, sort: ${order}`, `{ edges { node ${fields} } }`],
      ]),
    );
    return lists.flatMap(([field, args = '', selection]) =>
      filters.map((conditions) => {
        const isSearch = args.includes('KEYWORD');
        const filter = isSearch ? [...conditions, 'keyword: "title"'] : conditions;
        return `${field}(${args.replace(', KEYWORD', '')}, filter: { ${filter.join(', ')} }) ${selection}`;
      }),
    );
  }

  function subsets(items: string[]): string[][] {
    return Array.from({ length: 2 ** items.length }, (_, set) => items.filter((_item, index) => set & (1 << index)));
  }

  /** Acquires all connections of the pool and runs the query on each. */
  async function onEachConnection(sql: string): Promise<number[]> {
    const { sequelize, poolState } = app.database;
    const transactions = await Promise.all(Array.from({ length: poolState().max }, () => sequelize.transaction()));
    const rows = await Promise.all(transactions.map((transaction) => sequelize.query(sql, { transaction })));
    await Promise.all(transactions.map((transaction) => transaction.commit()));
    return rows.map(([[row]]) => (row as { count: number }).count);
  }
});

describe('A locked table', () => {
  let service: RunningService;
  let locker: pg.Client;
  let article: BuiltArticle;

  before(async () => {
    const database = await freshDatabase('locked_table');
    service = await startService(database, {
      DATABASE_LOCK_TIMEOUT: '2s',
      DATABASE_POOL_SIZE: '2',
      DATABASE_POOL_TIMEOUT: '1s',
      DATABASE_POOL_WAITING: '3',
      // Equal requests would share one statement.
      RESPONSE_CACHE_MB: '0',
    });
    article = await buildArticle(service.url);
    locker = new pg.Client({ connectionString: database });
    await locker.connect();
  });
  beforeEach(() => locker.query('begin; lock table comments in access exclusive mode'));
  afterEach(() => locker.query('rollback'));
  after(async () => {
    await locker.end();
    await service.stop();
  });

  const target = () => `/api/articles/${article.id}/comments`;

  it('fails a write with 503 and Retry-After after the lock timeout, and nothing is written', async () => {
    const { token } = article.author;
    const response = await call(service.url, `POST ${target()}`, { token, json: { content: 'Hello' } });
    expectUnavailable(response);
    await locker.query('rollback');
    expect((await call(service.url, `GET ${target()}`)).body?.data.pagination.totalElements).to.equal(0);
  });

  describeFault('pool-exhausted', (measured) => {
    it('limits the number and time of requests that wait for a connection, and rejects others of the client with 429', async () => {
      let finished = 0;
      const startedAt = performance.now();
      const requests = Array.from({ length: 10 }, async () => {
        const response = await call(service.url, `GET ${target()}`);
        finished++;
        return response;
      });
      await until(async () => finished === 5);
      const rejectedMs = performance.now() - startedAt;
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until(async () => (await locker.query(waiting)).rows.length === 2);
      const responses = await Promise.all(requests);
      const rejected = responses.filter(({ status }) => status === 429);
      expect(rejected).to.have.length(5);
      expect(new Set(rejected.map(({ body }) => body?.code))).to.deep.equal(new Set(['RATE_LIMITED']));
      for (const response of responses) if (!rejected.includes(response)) expectUnavailable(response);
      const waitedMs = performance.now() - startedAt;
      measured(`5 of 10 requests 429 after ${seconds(rejectedMs)}, the others 503 after up to ${seconds(waitedMs)}`);
    });
  });

  function expectUnavailable({ status, headers, body }: RestResponse): void {
    expect([status, body?.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(headers.get('Retry-After'))).to.be.within(1, 60);
  }
});
