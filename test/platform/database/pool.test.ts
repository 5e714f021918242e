/** Prepared statements of each connection, and its end. The timeouts of locks and of the pool: test/fault/locked-table.system.ts. */
import { expect } from 'chai';
import { BoundedClient } from '../../../src/platform/database/bounded-client.js';
import { useApp } from '../../support/app.js';
import { buildArticle } from '../../support/build.js';
import { graphql } from '../../support/client.js';
import { startRelay } from '../../support/relay.js';

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

describe('A connection to a server that does not respond', () => {
  const app = useApp();

  it('ends without its response', async () => {
    const relay = await startRelay(() => app.database.url);
    const client = new BoundedClient({ connectionString: relay.through(app.database.url) });
    await client.connect();
    relay.silence();
    await client.end();
    await relay.close();
  });
});
