/** Views in memory and at full minutes: several processes, faults, midnight, and hostile clients. */
import { mock } from 'node:test';
import { expect } from 'chai';
import { schedule } from '../../../src/jobs/tasks.js';
import type { Database } from '../../../src/platform/database/pool.js';
import { MAX_WAITING_OF_NETWORK, ViewCounter } from '../../../src/services/views/counter.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, buildArticle } from '../../support/build.js';
import { call } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { addJobs, runJobs } from '../../support/jobs.js';
import { scrapeGrowth } from '../../support/metrics.js';
import { mockTimeouts } from '../../support/mock-timers.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';
import { BROWSER, view, viewsOf } from '../../support/views.js';

const app = useApp({ TRUST_PROXY: '1' });
const DAY_MS = 86_400_000;
let article: BuiltArticle;
beforeEach(async () => {
  await app.services.views.open();
  article = await buildArticle(app.url);
});
afterEach(() => mock.restoreAll());

const clientOf = (host: number) => ({ address: `192.0.2.${host}`, device: BROWSER });
const agentOf = (n: number) => ({ address: '192.0.2.1', device: `${BROWSER} ${n}` });
const daysOf = (articleId: number) =>
  rowsOf(app.database, `select day::text, views from article_view_days where article_id = ${articleId} order by day`);
const countOf = async (articleId: number) =>
  (await call(app.url, `GET /api/articles/${articleId}`)).body?.data.viewCount;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** A process of its own, on the same database. */
async function openCounter(replaced: Partial<Database> = {}, maxWaiting?: number): Promise<ViewCounter> {
  const counter = new ViewCounter({ ...app.database, ...replaced }, app.services.log, maxWaiting);
  await counter.open();
  return counter;
}

/** Writes until none waits: views of an article whose counters another process is changing wait for the next full minute. */
async function writeAll(counters: readonly ViewCounter[]): Promise<void> {
  await until(async () => {
    const statements = await statementsDuring(() => Promise.all(counters.map((counter) => counter.write())));
    return !statements.some((text) => text.includes('count_views'));
  });
}

describe('Several processes', () => {
  it('agree on the salt of a day, which they add at the same time', async () => {
    await app.database.sequelize.query('delete from view_salts');
    const counters = await Promise.all(Array.from({ length: 8 }, () => openCounter()));
    for (const counter of counters) counter.record(article.id, 0, clientOf(1));
    await writeAll(counters);
    expect(await countOf(article.id)).to.equal(1);
    expect(await rowsOf(app.database, 'select from view_salts')).to.have.lengthOf(2);
  });

  it('count at most ten readers of a network together', async () => {
    const counters = await Promise.all(Array.from({ length: 4 }, () => openCounter()));
    for (const [index, counter] of counters.entries())
      for (let n = 0; n < 10; n++) counter.record(article.id, 0, agentOf(index * 5 + n));
    await writeAll(counters);
    expect(await countOf(article.id)).to.equal(10);
    expect(await daysOf(article.id)).to.deep.equal([{ day: dayOf(app.database.now()), views: 10 }]);
  });

  it('write the views of many articles at the same time, in batches', async () => {
    const articles = [article, await buildArticle(app.url), await buildArticle(app.url)];
    const counters = await Promise.all(Array.from({ length: 4 }, () => openCounter()));
    for (const [index, counter] of counters.entries())
      for (let n = 0; n < 6_000; n++) {
        const { id } = articles[(n + index) % 3] ?? article;
        counter.record(id, 0, { address: `10.${index}.${n >> 8}.${n & 255}`, device: BROWSER });
      }
    const statements = await statementsDuring(() => writeAll(counters));
    expect(await Promise.all(articles.map(({ id }) => countOf(id)))).to.deep.equal([8_000, 8_000, 8_000]);
    expect(statements.filter((text) => text.includes('count_views')).length).to.be.at.least(8);
  });
});

describe('A write that fails', () => {
  it('is repeated at the next full minute, without a second count', async () => {
    let isLost = false;
    const { query } = app.database;
    const counter = await openCounter({
      query: async (...given) => {
        if (isLost) throw new Error('the database is unavailable');
        return query(...given);
      },
    });
    counter.record(article.id, 0, clientOf(1));
    isLost = true;
    await counter.write();
    counter.record(article.id, 0, clientOf(2));
    await counter.write();
    isLost = false;
    expect(await countOf(article.id)).to.equal(0);
    await counter.write();
    expect(await countOf(article.id)).to.equal(2);
  });

  it('although the database has committed it is not counted again', async () => {
    let isLost = true;
    const { query } = app.database;
    const counter = await openCounter({
      query: async (...given) => {
        const rows = await query(...given);
        if (isLost && given[0].name === 'count_views') throw new Error('the connection was lost');
        return rows;
      },
    });
    for (const host of [1, 2]) counter.record(article.id, 0, clientOf(host));
    await counter.write();
    expect(await countOf(article.id)).to.equal(2);
    isLost = false;
    counter.record(article.id, 0, clientOf(3));
    await counter.write();
    expect(await countOf(article.id)).to.equal(3);
  });

  it('because another transaction changes the counters of one article delays only the views of this article', async () => {
    const other = await buildArticle(app.url);
    for (const { id } of [article, other]) await view(app.url, id);
    await app.database.sequelize.transaction(async (transaction) => {
      const lock = `select from article_counts where article_id = ${article.id} for update`;
      await app.database.sequelize.query(lock, { transaction });
      expect(await viewsOf(app, other.id)).to.equal(1);
      expect(await countOf(article.id)).to.equal(0);
    });
    expect(await viewsOf(app, article.id)).to.equal(1);
  });

  it('at the stop is limited, and the stop itself writes the views', async () => {
    const counter = await openCounter();
    counter.record(article.id, 0, clientOf(1));
    const hanging = await openCounter();
    hanging.record(article.id, 0, clientOf(2));
    await app.database.sequelize.transaction(async (transaction) => {
      await app.database.sequelize.query('select from view_salts for update', { transaction });
      mockTimeouts();
      const stopped = hanging.stop();
      mock.timers.tick(3_000);
      await stopped;
    });
    await counter.stop();
    mock.timers.reset();
    await hanging.write();
    expect(await countOf(article.id)).to.equal(2);
  });
});

describe('Views around midnight', () => {
  it('belong to the day on which they were recorded, and a reader counts on each', async () => {
    const midnight = (Math.floor(app.database.now() / DAY_MS) + 1) * DAY_MS;
    let now = midnight - 100;
    const counter = await openCounter({ now: () => now });
    counter.record(article.id, 0, clientOf(1));
    now = midnight + 100;
    const statements = await statementsDuring(async () => {
      counter.record(article.id, 0, clientOf(1));
      counter.record(article.id, 0, clientOf(2));
    });
    expect(statements).to.deep.equal([]);
    await counter.write();
    expect(await daysOf(article.id)).to.deep.equal([
      { day: dayOf(midnight - 1), views: 1 },
      { day: dayOf(midnight), views: 2 },
    ]);
    expect(await countOf(article.id)).to.equal(3);
  });

  it('are discarded after the salt of their day was deleted, so that none is counted twice', async () => {
    const counter = await openCounter({ now: () => app.database.now() - 2 * DAY_MS });
    counter.record(article.id, 0, clientOf(1));
    await counter.write();
    counter.record(article.id, 0, clientOf(1));
    await addJobs(app.database, 'delete-readers', [{}]);
    await runJobs(app);
    await counter.write();
    expect(await countOf(article.id)).to.equal(1);
  });

  it('need no database: without the salt of the day, views are dropped until it can be read', async () => {
    let now = app.database.now();
    const counter = await openCounter({ now: () => now });
    now += 2 * DAY_MS;
    const growth = await scrapeGrowth(app.url, async () => counter.record(article.id, 0, clientOf(1)));
    expect(growth('daybook_views_dropped_total', { reason: 'salt' })).to.equal(1);
    await counter.write();
    counter.record(article.id, 0, clientOf(1));
    await counter.write();
    expect(await daysOf(article.id)).to.deep.equal([{ day: dayOf(now), views: 1 }]);
  });
});

describe('The job delete-readers', () => {
  it('deletes the salts and hashes of past days, and no others', async () => {
    await view(app.url, article.id);
    await viewsOf(app, article.id);
    const past = `(now() at time zone 'UTC')::date - 2`;
    await app.database.sequelize.query(`insert into view_salts values (${past}, repeat('x', 44));
      insert into view_readers select ${past}, 'network', n::text::bytea from generate_series(1, 2500) n`);
    const rows = () =>
      rowsOf(
        app.database,
        `select 'salt' as kind, day::text from view_salts where day < now() - interval '36 hours'
         union all select 'reader', day::text from view_readers where day < now() - interval '36 hours'`,
      );
    const current = () =>
      rowsOf(app.database, `select day::text, reader from view_readers where day > now() - interval '25 hours'`);
    const before = await current();
    expect([(await rows()).length, before.length > 0]).to.deep.equal([2_501, true]);
    await addJobs(app.database, 'delete-readers', [{}]);
    await runJobs(app);
    expect(await rows()).to.deep.equal([]);
    expect(await current()).to.deep.equal(before);
    expect(schedule.map(({ task }) => task)).to.include('delete-readers');
  });
});

describe('What is stored', () => {
  it('contains no address, user agent or id of a member, and no hash that two articles or days share', async () => {
    await app.database.sequelize.query('delete from view_readers');
    const other = await buildArticle(app.url);
    const { token } = other.author;
    for (const { id } of [article, other])
      await view(app.url, id, { address: '198.51.100.7', ...(id === article.id && { token }) });
    await app.services.views.write();
    const stored = await rowsOf<{ network: Buffer; reader: Buffer }>(
      app.database,
      'select network, reader from view_readers',
    );
    const hashes = stored.flatMap(({ network, reader }) => [network.toString('hex'), reader.toString('hex')]);
    expect(new Set(hashes).size).to.equal(hashes.length);
    for (const hash of hashes) expect(hash).to.match(/^[\da-f]{24}$/);
    const columns = await rowsOf<{ name: string }>(
      app.database,
      `select attname as name from pg_attribute where attrelid = 'view_readers'::regclass and attnum > 0 order by attnum`,
    );
    expect(columns.map(({ name }) => name)).to.deep.equal(['day', 'network', 'reader']);
    const [table] = await rowsOf(app.database, `select relpersistence from pg_class where relname = 'view_readers'`);
    expect(table).to.deep.equal({ relpersistence: 'u' });
  });
});

describe('Hostile views', () => {
  it('from one network leave the space of others, and count ten for an article', async () => {
    const send = (id: number, address: string, agent: string) =>
      fetch(`${app.url}/api/articles/${id}/views`, {
        method: 'POST',
        headers: { 'User-Agent': agent, 'X-Forwarded-For': address },
      });
    const growth = await scrapeGrowth(app.url, async () => {
      for (let n = 0; n < 40; n++) await send(article.id, `2001:db8::${n}`, `${BROWSER} ${n}`);
      for (let n = 0; n < MAX_WAITING_OF_NETWORK + 20; n++) await send(1_000_000 + n, '2001:db8::1', BROWSER);
      await send(article.id, '192.0.2.1', BROWSER);
    });
    expect(growth('daybook_views_dropped_total', { reason: 'network' })).to.equal(30);
    expect(growth('daybook_views_dropped_total', { reason: 'memory' })).to.equal(0);
    expect(await viewsOf(app, article.id)).to.equal(11);
    expect(await view(app.url, article.id, { address: '2001:db8:0:1::1' })).to.equal(204);
    expect(await viewsOf(app, article.id)).to.equal(12);
  });

  it('from many networks fill the memory at most, until they are written', async () => {
    const counter = await openCounter({}, 100);
    const growth = await scrapeGrowth(app.url, async () => {
      for (let n = 1; n <= 130; n++) counter.record(article.id, 0, clientOf(n));
    });
    expect(growth('daybook_views_dropped_total', { reason: 'memory' })).to.equal(30);
    await counter.write();
    for (let n = 120; n <= 130; n++) counter.record(article.id, 0, clientOf(n));
    await counter.write();
    expect(await countOf(article.id)).to.equal(111);
  });
});
