/** Withdrawals of members with many comments, likes and followers: what others see at once, and the job that deletes and changes the rows in short transactions. */
import { expect } from 'chai';
import { deleteMember } from '../../src/commands/withdraw.js';
import { deleteRowsOfReaders } from '../../src/jobs/cleanup.js';
import { useApp } from '../support/app.js';
import {
  type BuiltArticle,
  type BuiltMember,
  buildArticle,
  buildComment,
  buildImage,
  buildMember,
} from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { inBulk, truncateAll } from '../support/database.js';
import { advance, buildDraft, schedule } from '../support/drafts.js';
import { rowsIn, rowsOf } from '../support/imported.js';
import { countDeadlocksOf } from '../support/interleave.js';
import { runJobs, runSummaries, waitingJobs } from '../support/jobs.js';
import { notificationsOf, setNotificationType, unreadOf } from '../support/notifications.js';
import { DIFFERENCES, OF_MEMBERS, withdraw } from '../support/reactions.js';
import { useRemovedRows } from '../support/removed-rows.js';

const ROWS = 1_200;
/** Rows of one table that a transaction of the job may delete or change. */
const BATCH = 1_000;

const app = useApp({ LIMIT_WRITES: '1000000/1m' });
const run = (sql: string) => app.database.sequelize.query(sql);
const get = async (path: string, token?: string) =>
  (await call(app.url, `GET ${path}`, token === undefined ? {} : { token })).body?.data;

/** Comments, likes, follows, mentions and notifications of a member, beside `rows` other members and articles. */
async function fill(leaver: BuiltMember, article: BuiltArticle, rows: number): Promise<void> {
  await run(`insert into members (email, member_name, nickname)
    select n || '@example.org', 'm', 'm' || n from generate_series(1, ${rows}) n on conflict do nothing`);
  await run(
    inBulk(`insert into all_articles (member_id, category_id, title, content)
    select member_id, category_id, 'T', 'C' from all_articles, generate_series(1, ${rows}) where id = ${article.id}`),
  );
  await run(`insert into comments (article_id, member_id, content) select id, ${leaver.id}, 'Text' from all_articles
    where member_id = ${article.author.id}`);
  await run(`insert into reactions (article_id, kind, member_id) select id, 'LIKE', ${leaver.id} from all_articles
    where member_id = ${article.author.id}`);
  await run(`insert into notifications (member_id, type, article_id, comment_id, actor_id)
    select ${article.author.id}, 'COMMENT', article_id, id, ${leaver.id} from comments where member_id = ${leaver.id} order by id`);
  await run(
    `insert into follows (follower_id, member_id) select id, ${leaver.id} from members where id <> ${leaver.id}`,
  );
  await run(
    `insert into follows (follower_id, member_id) select ${leaver.id}, id from members where id <> ${leaver.id}`,
  );
  await run(`insert into notifications (member_id, type, actor_id) select member_id, 'FOLLOW', ${leaver.id}
    from follows where follower_id = ${leaver.id} order by member_id`);
  await run(`insert into notifications (member_id, type, actor_id)
    select ${leaver.id}, 'FOLLOW', follower_id from follows where member_id = ${leaver.id} order by follower_id`);
  await run(`insert into comment_mentions (comment_id, member_id)
    select id, ${leaver.id} from comments where member_id = ${leaver.id}`);
}

/** The rows that still have the id of a member. */
async function rowsWith({ id }: BuiltMember): Promise<number> {
  const counts = Object.entries(OF_MEMBERS).flatMap(([table, columns]) =>
    columns.map((column) => `(select count(*)::int from ${table} where ${column} = ${id})`),
  );
  const [found] = await rowsOf<{ rows: number }>(app.database, `select ${counts.join(' + ')} as rows`);
  return found?.rows ?? 0;
}

describe(`The withdrawal of a member with ${ROWS} comments, likes and followers`, function () {
  this.timeout(120_000);
  let leaver: BuiltMember;
  let article: BuiltArticle;

  useRemovedRows(app, ['follows', 'reactions', 'notifications', 'comment_mentions']);
  beforeEach(async () => {
    await truncateAll(app.database);
    [leaver, article] = [await buildMember(app.url), await buildArticle(app.url, { title: 'Owls' })];
    await setNotificationType(app.url, article.author, 'LIKE', true);
    await fill(leaver, article, ROWS);
  });

  it('shows nothing of the member from the response on, and leaves the rest to a job', async () => {
    const { token } = article.author;
    const own = await buildArticle(app.url, { title: 'Zwielicht', tags: ['dusk'] }, leaver);
    await buildComment(app.url, own.id, { content: 'Just here' }, article.author);
    await expectStatus(call(app.url, `PUT /api/members/${leaver.id}/follow`, { token }), 200, '1');
    const paths = [
      `/api/members/${leaver.id}`,
      `/api/articles/${own.id}`,
      `/api/articles/${own.id}/comments`,
      `/api/articles/${article.id}/comments`,
      '/api/articles',
      '/api/articles?keyword=Zwielicht',
      '/api/articles?tag=dusk',
      '/api/tags',
      '/feed.xml',
      '/tags/dusk/feed.xml',
      `/members/${leaver.id}/feed.xml`,
      '/sitemap.xml',
    ];
    const shown = new RegExp(`zwielicht|>?dusk"|${leaver.nickname}|Just here|articles/${own.id}<`, 'i');
    const texts = async () => Promise.all(paths.map(async (path) => (await fetch(`${app.url}${path}`)).text()));
    for (const [index, text] of (await texts()).entries()) expect(text, paths[index]).to.match(shown);
    const etag = (await call(app.url, `GET /api/articles/${article.id}`)).headers.get('etag') ?? '';
    expect((await withdraw(app.url, leaver)).status).to.equal(200);
    expect(await rowsWith(leaver)).to.be.above(5 * ROWS);

    for (const [index, text] of (await texts()).entries()) expect(text, paths[index]).to.not.match(shown);
    expect((await call(app.url, `GET /api/members/${leaver.id}/categories`)).status).to.equal(404);
    const again = await call(app.url, `GET /api/articles/${article.id}`, { headers: { 'if-none-match': etag } });
    expect(again.body?.data).to.include({ likeCount: 0, commentCount: 1 });
    const [comment] = (await get(`/api/articles/${article.id}/comments`)).contents;
    expect(comment).to.include({ author: '(withdrawn)', memberId: 0, content: 'Text' });
    expect((await get(`/api/members/${article.author.id}`)).followerCount).to.equal(0);
    const following = await get('/api/members/me/following', token);
    expect([following.contents, following.pagination.totalElements]).to.deep.equal([[], 0]);
    const comments = await get('/api/comments/me', token);
    expect([comments.contents, comments.pagination.totalElements]).to.deep.equal([[], 0]);
    const notifications = await notificationsOf(app.url, article.author);
    expect(notifications.map(({ type }) => type)).to.not.include('FOLLOW');
    expect(JSON.stringify(notifications)).to.not.include(leaver.nickname);
    expect(await unreadOf(app.url, article.author)).to.equal(ROWS + 1);
    const { email, password, nickname } = leaver;
    const json = { email, password, nickname, memberName: 'Again' };
    await expectStatus(call(app.url, 'POST /api/auth/register', { json }), 201, '1');
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);

    await run('truncate removed_rows');
    await runJobs(app);
    expect(await rowsWith(leaver)).to.equal(0);
    expect(await rowsOf(app.database, 'select from withdrawn_members')).to.deep.equal([]);
    expect((await get(`/api/articles/${article.id}`)).likeCount).to.equal(0);
    expect((await get(`/api/members/${article.author.id}`)).followerCount).to.equal(0);
    expect(await unreadOf(app.url, article.author)).to.equal(ROWS + 1);
    expect((await get(`/api/articles/${article.id}/comments`)).contents[0]).to.deep.equal(comment);
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
    const [largest] = await rowsOf<{ rows: number }>(
      app.database,
      'select max(rows)::int as rows from (select sum(rows) as rows from removed_rows group by name, xid) n',
    );
    expect(largest?.rows).to.be.within(1, BATCH);
  });

  /** The rows that the transaction of a withdrawal reads, writes and deletes. */
  async function rowsTouched(memberId: number): Promise<number> {
    return app.database.transaction(async (db) => {
      // Former transactions of a connection count until the server collects their statistics, and small tables would be read as a whole.
      await rowsIn(db, `select set_config('enable_seqscan', 'off', true)`);
      await rowsIn(db, 'discard plans');
      const count = async () => {
        const [found] = await rowsIn<{ rows: number }>(
          db,
          `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)::int as rows
           from pg_stat_xact_user_tables where relname not like 'removed%'`,
        );
        return found?.rows ?? 0;
      };
      const before = await count();
      await deleteMember(db, memberId);
      return (await count()) - before;
    });
  }

  it('touches in its transaction no more rows than that of a member with none', async () => {
    const other = await buildMember(app.url);
    await buildComment(app.url, article.id, {}, other);
    const few = await rowsTouched(other.id);
    const many = await rowsTouched(leaver.id);
    expect(few).to.be.above(0);
    expect(many).to.be.below(few + 50);
  });

  it('is completed by the next run after one that is interrupted, and by several at the same time', async () => {
    const image = await buildImage(app.url, leaver);
    expect((await withdraw(app.url, leaver)).status).to.equal(200);
    let transactions = 0;
    const signal = {
      throwIfAborted: () => {
        transactions++;
        if (transactions > 2) throw new Error('interrupted');
      },
    } as AbortSignal;
    const interrupted = await deleteRowsOfReaders({}, app.services, { signal }).catch((error: Error) => error.message);
    expect(interrupted).to.equal('interrupted');
    expect(await rowsWith(leaver)).to.be.above(0);
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
    const never = { signal: new AbortController().signal };
    await Promise.all([1, 2, 3].map(() => deleteRowsOfReaders({}, app.services, never)));
    expect(await rowsWith(leaver)).to.equal(0);
    expect((await waitingJobs(app)).map(({ task, payload }) => [task, payload])).to.deep.include([
      'remove-unused-image',
      { key: image.url.split('/').at(-1)?.replace('.webp', ''), client: 'cleanup' },
    ]);
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
  });
});

describe('Withdrawals at the same time', function () {
  this.timeout(120_000);

  it('of members with rows of each other, beside deletions, comments, likes, follows, schedules and jobs, have no deadlock and lose nothing', async () => {
    await truncateAll(app.database);
    const before = await countDeadlocksOf('');
    for (let round = 0; round < 6; round++) {
      const members = await Promise.all(Array.from({ length: 4 }, () => buildMember(app.url)));
      const [first, second, third, witness] = members as [BuiltMember, BuiltMember, BuiltMember, BuiltMember];
      const articles = await Promise.all(members.map((member) => buildArticle(app.url, { tags: ['a', 'b'] }, member)));
      const send = (method: string, path: string, { token }: BuiltMember, json?: unknown) =>
        call(app.url, `${method} ${path}`, json === undefined ? { token } : { token, json });
      const replies: Promise<unknown>[] = [];
      for (const member of members)
        for (const { id, author } of articles) {
          const comment = await buildComment(app.url, id, {}, member);
          replies.push(buildComment(app.url, id, { parentCommentId: comment.id }, author));
          await send('PUT', `/api/articles/${id}/like`, member);
          await send('PUT', `/api/articles/${id}/bookmark`, member);
          if (author !== member) await send('PUT', `/api/members/${author.id}/follow`, member);
        }
      await Promise.all(replies);
      const [own] = articles.slice(2);
      for (const member of [first, third])
        await schedule(app.url, await buildDraft(app.url, { title: 'Scheduled', content: 'Text' }, member));
      await advance(app, 2);
      const requests = [
        withdraw(app.url, first),
        withdraw(app.url, second),
        send('DELETE', `/api/articles/${own?.id}`, third),
        deleteRowsOfReaders({}, app.services, { signal: new AbortController().signal }),
        runJobs(app),
        runSummaries(app),
        ...articles.flatMap(({ id, author }) => [
          send('POST', `/api/articles/${id}/comments`, third, { content: `@[${first.nickname}]` }),
          send('POST', `/api/articles/${id}/comments`, second, { content: 'Text' }),
          send('DELETE', `/api/articles/${id}/like`, witness),
          send('PUT', `/api/articles/${id}/like`, first),
          send('DELETE', `/api/members/${author.id}/follow`, witness),
          send('PUT', `/api/members/${first.id}/follow`, third),
        ]),
        send('POST', '/api/articles', second, { title: 'Late', content: 'Text', tags: ['b', 'a'] }),
      ];
      const responses = await Promise.all(requests);
      const statuses = responses.flatMap((response) => (response ? [response.status] : []));
      expect(statuses.slice(0, 2)).to.deep.equal([200, 200]);
      expect(statuses.filter((status) => ![200, 201, 401, 404, 409].includes(status))).to.deep.equal([]);
      await Promise.all([1, 2].map(() => runJobs(app)));
      await runJobs(app);
      expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
      expect((await rowsWith(first)) + (await rowsWith(second))).to.equal(0);
      const kept = await rowsOf(app.database, `select from comments where article_id = ${articles[3]?.id}`);
      expect(kept.length).to.be.at.least(8);
    }
    expect(await countDeadlocksOf('')).to.equal(before);
  });
});
