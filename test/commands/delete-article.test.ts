/** Articles with many comments, which a job deletes in short transactions after their article or its author. */
import { expect } from 'chai';
import { deleteRemoved } from '../../src/jobs/removal.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { truncateAll } from '../support/database.js';
import { rowsOf } from '../support/imported.js';
import { runJobs } from '../support/jobs.js';
import { notificationsOf, unreadOf } from '../support/notifications.js';
import { DIFFERENCES, withdraw } from '../support/reactions.js';
import { ageRemovals, remove } from '../support/removal.js';
import { expectShortTransactions, useRemovedRows } from '../support/removed-rows.js';

const MEMBERS = 1_200;
/** Rows that a transaction may delete. */
const BATCH = 1_000;

const app = useApp({ LIMIT_WRITES: '1000000/1m' });
const run = (sql: string) => app.database.sequelize.query(sql);

describe(`An article with ${2 * MEMBERS} comments`, function () {
  this.timeout(60_000);
  let author: BuiltMember;
  let commenter: BuiltMember;
  let article: BuiltArticle;

  useRemovedRows(app, ['comments', 'notifications']);
  beforeEach(async () => {
    await truncateAll(app.database);
    await run(
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm', 'm' || n from generate_series(1, ${MEMBERS}) n`,
    );
    [author, commenter] = [await buildMember(app.url), await buildMember(app.url)];
    article = await buildArticle(app.url, {}, author);
    const { id } = article;
    const members = `(select id from members where id <> ${author.id} order by id = ${commenter.id} desc, id limit ${MEMBERS}) m`;
    await run(`insert into comments (article_id, member_id, content) select ${id}, id, 'Text' from ${members}`);
    // All of them reply to the first comment, whose author is notified.
    await run(`insert into comments (article_id, parent_id, member_id, content)
      select ${id}, (select min(id) from comments), id, 'Text' from ${members}`);
    await run(`insert into notifications (member_id, type, article_id, comment_id, actor_id)
      select case when parent_id is null then ${author.id} else ${commenter.id} end, case when parent_id is null then 'COMMENT' else 'REPLY' end,
        ${id}, id, member_id from comments order by 1, id`);
    await run('truncate removed_rows');
  });

  const removeArticle = () => call(app.url, `DELETE /api/articles/${article.id}`, { token: author.token });

  const ways: [name: string, end: () => Promise<unknown>][] = [
    ['is deleted by its author', () => expectStatus(removeArticle(), 200, '1')],
    ['is deleted with its author', async () => expect((await withdraw(app.url, author)).status).to.equal(200)],
    [
      'is deleted after a removal',
      async () => {
        await remove(app, 'article', article.id);
        await ageRemovals(app, 31);
        await run('truncate removed_rows');
        await deleteRemoved({}, app.services, { attempt: 1, signal: new AbortController().signal });
      },
    ],
  ];
  for (const [name, end] of ways) {
    it(`${name} in short transactions, with exact counters`, async () => {
      const path = `/api/articles/${article.id}/comments`;
      await end();
      expect((await rowsOf(app.database, 'select from comments')).length).to.be.above(BATCH);
      await expectStatus(call(app.url, `GET ${path}`), 404, 'ARTICLE_NOT_FOUND');
      for (const filter of ['', '/received']) {
        const { body } = await call(app.url, `GET /api/comments/me${filter}`, { token: commenter.token });
        expect(body?.data.contents, filter).to.deep.equal([]);
        expect(body?.data.pagination.totalElements, filter).to.equal(0);
      }
      expect(await notificationsOf(app.url, commenter)).to.deep.equal([]);
      expect(await unreadOf(app.url, commenter)).to.equal(0);
      expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
      await runJobs(app);
      for (const table of ['all_articles', 'comments', 'notifications'])
        expect(await rowsOf(app.database, `select from ${table} limit 1`), table).to.deep.equal([]);
      expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
      expect(await unreadOf(app.url, commenter)).to.equal(0);
      await expectShortTransactions(app, BATCH);
    });
  }

  it('is deleted beside new comments, replies and deletions', async () => {
    const path = `/api/articles/${article.id}/comments`;
    const [first] = await rowsOf<{ id: number }>(app.database, 'select min(id)::int as id from comments');
    const writers = await Promise.all(Array.from({ length: 4 }, () => buildMember(app.url)));
    const requests = writers.flatMap(({ token }) =>
      [1, 2, 3].flatMap(() => [
        call(app.url, `POST ${path}`, { token, json: { content: 'Text' } }),
        call(app.url, `POST ${path}`, { token, json: { content: 'Text', parentCommentId: first?.id } }),
      ]),
    );
    const [deleted, ...others] = await Promise.all([removeArticle(), ...requests]);
    expect(deleted.status).to.equal(200);
    expect(others.map(({ status }) => status).filter((status) => ![201, 404].includes(status))).to.deep.equal([]);
    await runJobs(app);
    expect(await rowsOf(app.database, 'select from comments limit 1')).to.deep.equal([]);
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
  });
});
