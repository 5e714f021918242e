/** Transactions that change the same sums (migrations/0001/01-stamps.sql). */
import { expect } from 'chai';
import type pg from 'pg';
import { useApp } from '../../support/app.js';
import { buildArticle } from '../../support/build.js';
import { call } from '../../support/client.js';
import { truncateAll } from '../../support/database.js';
import { untilWaiting } from '../../support/interleave.js';
import { connectToShard } from '../../support/shards.js';

const app = useApp();

/** In which a statement would wait for a row lock. */
const LOCK_TIMEOUT_MS = 2_000;

describe('Two connections that would share the rows of all sums', () => {
  const clients: pg.Client[] = [];
  before(async () => {
    await truncateAll(app.database);
    while (clients.length < 2) {
      const client = await connectToShard(process.env.TEST_DATABASE_URL ?? '', 0);
      await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
      clients.push(client);
    }
  });
  after(() => Promise.all(clients.map((client) => client.end())));

  it('insert and delete articles with the same tag, and only the tag makes one wait', async () => {
    const [inserting, deleting] = clients as [pg.Client, pg.Client];
    const kept = await buildArticle(app.url, { tags: ['travel'] });
    const removed = await buildArticle(app.url, { tags: ['travel'] });
    await inserting.query('begin');
    await inserting.query(
      `insert into articles (member_id, category_id, title, content)
       select member_id, category_id, 'Title', 'Text' from articles where id = $1`,
      [kept.id],
    );
    await deleting.query('begin');
    await deleting.query('delete from articles where id = $1', [removed.id]);
    const tagged = inserting.query(
      `insert into article_tags (article_id, position, tag_id)
       select max(a.id), 0, max(t.id) from articles a, tags t where t.name = 'travel'`,
    );
    await untilWaiting(app.database, 1);
    await deleting.query('commit');
    await tagged;
    await inserting.query('commit');
    const { body } = await call(app.url, 'GET /api/tags');
    expect(body?.data.contents).to.deep.equal([{ name: 'travel', articleCount: 2 }]);
  });
});
