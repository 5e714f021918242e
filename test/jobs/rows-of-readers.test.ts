/** Articles with many likes, bookmarks and notifications of followers that are deleted or become private: short transactions, and exact counters. */
import { expect } from 'chai';
import { deleteRowsOfReaders } from '../../src/jobs/cleanup.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus, graphql } from '../support/client.js';
import { truncateAll } from '../support/database.js';
import { advance, schedule } from '../support/drafts.js';
import { rowsOf } from '../support/imported.js';
import { countDeadlocksOf } from '../support/interleave.js';
import { runDueJobs, runJobs, waitingJobs } from '../support/jobs.js';
import { decide, REASONS } from '../support/moderation.js';
import { notificationsOf, unreadOf } from '../support/notifications.js';
import { DIFFERENCES, withdraw } from '../support/reactions.js';
import { expectShortTransactions, useRemovedRows } from '../support/removed-rows.js';
import { buildWithRole } from '../support/roles.js';
import { setPrivate } from '../support/visibility.js';

const ROWS = 1_200;
/** Rows that a transaction may delete. */
const BATCH = 1_000;

const app = useApp({ LIMIT_WRITES: '1000000/1m' });
const run = (sql: string) => app.database.sequelize.query(sql);
const TABLES = ['reactions', 'bookmarks', 'notifications'];

describe(`An article with ${ROWS} likes, bookmarks and notified followers`, function () {
  this.timeout(60_000);
  let author: BuiltMember;
  let reader: BuiltMember;
  let article: BuiltArticle;

  useRemovedRows(app, TABLES);
  beforeEach(async () => {
    await truncateAll(app.database);
    await run(
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm', 'm' || n from generate_series(1, ${ROWS}) n`,
    );
    [author, reader] = [await buildMember(app.url), await buildMember(app.url)];
    article = await buildArticle(app.url, { title: 'Owls' }, author);
    await run(`insert into reactions (article_id, kind, member_id) select ${article.id}, 'LIKE', id from members`);
    await run(`insert into bookmarks (article_id, member_id) select ${article.id}, id from members`);
    await run(`insert into notifications (member_id, type, article_id)
      select id, 'ARTICLE', ${article.id} from members where id <> ${author.id} order by id`);
    await run('truncate removed_rows');
  });

  const url = () => `/api/articles/${article.id}`;
  const remove = () => expectStatus(call(app.url, `DELETE ${url()}`, { token: author.token }), 200, '1');
  const jobs = async () => (await waitingJobs(app)).filter(({ task }) => task === 'delete-rows-of-readers').length;

  /** What the article had, by table. */
  async function rowsLeft(): Promise<Record<string, number>> {
    const counts = TABLES.map((table) => {
      const ofReaders = table === 'notifications' ? "and type <> 'PUBLICATION'" : '';
      return `(select count(*)::int from ${table} where article_id = ${article.id} ${ofReaders}) as ${table}`;
    });
    const [left] = await rowsOf<Record<string, number>>(app.database, `select ${counts.join(', ')}`);
    return left ?? {};
  }

  /** The reader has no notification, in any list or number, before and after the job. */
  async function expectEnded(): Promise<void> {
    for (const filter of ['', '?unreadOnly=true']) {
      const { body } = await call(app.url, `GET /api/notifications${filter}`, { token: reader.token });
      expect(body?.data.contents).to.deep.equal([]);
      expect(body?.data.pagination.totalElements).to.equal(0);
    }
    expect(await unreadOf(app.url, reader)).to.equal(0);
    const query = '{ notificationConnection(first: 5) { totalCount edges { node { id } } } }';
    const { data } = await graphql(app.url, query, {}, reader.token);
    expect(data?.notificationConnection).to.deep.equal({ totalCount: 0, edges: [] });
    const [own] = await rowsOf<{ id: number }>(
      app.database,
      `select id from notifications where member_id = ${reader.id}`,
    );
    if (own)
      await expectStatus(
        call(app.url, `PUT /api/notifications/${own.id}`, { token: reader.token }),
        404,
        'NOTIFICATION_NOT_FOUND',
      );
  }

  async function startPrivateDraft(): Promise<number> {
    const { token } = author;
    const { body } = await call(app.url, `PUT ${url()}/draft`, { token });
    const path = `/api/drafts/${body?.data.id}`;
    await expectStatus(call(app.url, `PATCH ${path}`, { token, json: { visibility: 'PRIVATE' } }), 200, '1');
    return body?.data.id;
  }

  const ways: [name: string, end: () => Promise<unknown>, isDeleted?: boolean][] = [
    ['is deleted', () => remove(), true],
    ['becomes private', () => setPrivate(app.url, article)],
    [
      'becomes private by an edit',
      () => {
        const json = { title: 'Owls', content: 'x', visibility: 'PRIVATE' };
        return expectStatus(call(app.url, `PUT ${url()}`, { token: author.token, json }), 200, '1');
      },
    ],
    [
      'becomes private by its draft',
      async () => {
        const id = await startPrivateDraft();
        await expectStatus(call(app.url, `POST /api/drafts/${id}/publish`, { token: author.token }), 200, '1');
      },
    ],
    [
      'becomes private by its draft at the time of its schedule',
      async () => {
        await schedule(app.url, { id: await startPrivateDraft(), author });
        await advance(app, 2);
        await runDueJobs(app.services, ['publish-drafts']);
      },
    ],
    [
      'is removed by a moderator',
      async () => {
        const moderator = await buildWithRole(app, 'MODERATOR');
        const removal = { articleId: article.id, action: 'REMOVE', ...REASONS };
        await expectStatus(decide(app.url, moderator, removal), 201, '1');
      },
    ],
    ['is deleted with its author', async () => expect((await withdraw(app.url, author)).status).to.equal(200), true],
    ['is deleted by an operator', () => run(`delete from all_articles where id = ${article.id}`), true],
  ];
  for (const [name, end, isDeleted = false] of ways) {
    it(`${name} in short transactions, and its notifications end at once`, async () => {
      await end();
      expect((await rowsLeft()).notifications).to.equal(ROWS + 1);
      await expectEnded();
      const bookmarks = await call(app.url, 'GET /api/bookmarks', { token: reader.token });
      expect(bookmarks.body?.data.pagination.totalElements).to.equal(0);
      expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
      expect(await jobs()).to.equal(1);
      await runJobs(app);
      const kept = isDeleted ? 0 : ROWS + 2;
      expect(await rowsLeft()).to.deep.equal({ reactions: kept, bookmarks: kept, notifications: 0 });
      await expectEnded();
      expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
      expect(await rowsOf(app.database, 'select from ended_articles')).to.deep.equal([]);
      await expectShortTransactions(app, BATCH);
    });
  }

  it('has no notifications of before when it is public again, and deletes no later ones', async () => {
    await setPrivate(app.url, article);
    await setPrivate(app.url, article, false);
    await expectEnded();
    const json = { content: `@[${reader.nickname}]` };
    await expectStatus(call(app.url, `POST ${url()}/comments`, { token: author.token, json }), 201, '1');
    expect((await notificationsOf(app.url, reader)).map(({ type }) => type)).to.deep.equal(['MENTION']);
    expect(await unreadOf(app.url, reader)).to.equal(1);
    await runJobs(app);
    expect((await notificationsOf(app.url, reader)).map(({ type }) => type)).to.deep.equal(['MENTION']);
    expect(await rowsLeft()).to.deep.equal({ reactions: ROWS + 2, bookmarks: ROWS + 2, notifications: 1 });
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
  });

  it('is left to the next run by one that is interrupted, and to one of several at the same time', async () => {
    await setPrivate(app.url, article);
    await remove();
    const interrupted = new AbortController();
    const signal = { throwIfAborted: () => interrupted.signal.throwIfAborted() } as AbortSignal;
    const running = deleteRowsOfReaders({}, app.services, { signal });
    setTimeout(() => interrupted.abort(), 20);
    await running.catch(() => {});
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
    const leaving = withdraw(app.url, reader);
    const never = { signal: new AbortController().signal };
    await Promise.all([1, 2, 3].map(() => deleteRowsOfReaders({}, app.services, never)));
    expect((await leaving).status).to.equal(200);
    expect(await rowsLeft()).to.deep.equal({ reactions: 0, bookmarks: 0, notifications: 0 });
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
    await expectShortTransactions(app, BATCH);
  });

  it('has no notifications in any list or number beside many articles that ended', async () => {
    const ended = (count: number) =>
      run(
        `insert into ended_articles (article_id, notification_id) select -n, 1 from generate_series(1, ${count}) n on conflict do nothing`,
      );
    const keptId = (await buildArticle(app.url, {}, author)).id;
    await run(`insert into notifications (member_id, type, article_id) values (${reader.id}, 'ARTICLE', ${keptId})`);
    await setPrivate(app.url, article);
    for (const count of [1, 90, 150]) {
      await ended(count);
      const { body } = await call(app.url, 'GET /api/notifications?unreadOnly=true', { token: reader.token });
      expect(body?.data.contents.map(({ articleId }: { articleId: number }) => articleId)).to.deep.equal([keptId]);
      expect(body?.data.pagination.totalElements).to.equal(1);
      expect(await unreadOf(app.url, reader)).to.equal(1);
    }
    await runJobs(app);
    expect(await unreadOf(app.url, reader)).to.equal(1);
    expect(await rowsOf(app.database, 'select from ended_articles')).to.deep.equal([]);
  });

  it('is one of many that end together in few transactions', async () => {
    const others = 250;
    await run(`insert into all_articles (slug, member_id, category_id, title, content)
      select gen_random_uuid(), ${author.id}, category_id, 'T', 'C' from all_articles, generate_series(1, ${others}) where id = ${article.id}`);
    await run(
      `insert into reactions (article_id, kind, member_id) select id, 'LIKE', ${reader.id} from all_articles on conflict do nothing`,
    );
    expect((await withdraw(app.url, author)).status).to.equal(200);
    const counts = 'select count(*)::int as ended, count(notification_id)::int as notified from ended_articles';
    expect(await rowsOf(app.database, counts)).to.deep.equal([{ ended: others + 1, notified: 1 }]);
    await runJobs(app);
    expect(await rowsOf(app.database, counts)).to.deep.equal([{ ended: 0, notified: 0 }]);
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
    const [transactions] = await rowsOf<{ count: number }>(
      app.database,
      'select count(distinct xid)::int as count from removed_rows where rows > 0',
    );
    expect(transactions?.count).to.be.below(20);
    await expectShortTransactions(app, BATCH);
  });

  it('leaves nothing of requests at the same time', async () => {
    const readers = await Promise.all(Array.from({ length: 5 }, () => buildMember(app.url)));
    const requests = readers.flatMap(({ token }) => [
      call(app.url, `PUT ${url()}/like`, { token }),
      call(app.url, `PUT ${url()}/bookmark`, { token }),
      call(app.url, `POST ${url()}/comments`, { token, json: { content: 'Text' } }),
    ]);
    const { token } = author;
    const hidden = call(app.url, `PUT ${url()}/visibility`, { token, json: { visibility: 'PRIVATE' } });
    const statuses = (await Promise.all([...requests, hidden, call(app.url, `DELETE ${url()}`, { token })])).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => ![200, 201, 404].includes(status))).to.deep.equal([]);
    expect(await countDeadlocksOf('delete from all_articles')).to.equal(0);
    await runJobs(app);
    expect(await rowsLeft()).to.deep.equal({ reactions: 0, bookmarks: 0, notifications: 0 });
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
  });
});

describe('Rows of readers', () => {
  it('are only those of articles that exist, as with a foreign key', async () => {
    const { id } = await buildMember(app.url);
    for (const [table, columns, values] of [
      ['reactions', 'article_id, kind, member_id', `0, 'LIKE', ${id}`],
      ['bookmarks', 'article_id, member_id', `0, ${id}`],
      ['notifications', 'article_id, member_id, type', `0, ${id}, 'ARTICLE'`],
    ])
      await expectRejection(`insert into ${table} (${columns}) values (${values})`, `${table}_article_id_fkey`);
  });

  it('of a few readers are deleted after their article', async () => {
    const { id, author } = await buildArticle(app.url);
    const { token } = await buildMember(app.url);
    await expectStatus(call(app.url, `PUT /api/articles/${id}/like`, { token }), 200, '1');
    await expectStatus(call(app.url, `DELETE /api/articles/${id}`, { token: author.token }), 200, '1');
    await runJobs(app);
    expect(await rowsOf(app.database, `select from reactions where article_id = ${id}`)).to.deep.equal([]);
    expect(await rowsOf(app.database, 'select from ended_articles')).to.deep.equal([]);
  });
});

async function expectRejection(sql: string, constraint: string): Promise<void> {
  const error = await run(sql).then(
    () => null,
    (reason) => reason.parent,
  );
  expect(error).to.include({ code: '23503', constraint });
}
