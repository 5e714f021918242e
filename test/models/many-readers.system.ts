/** Withdrawals, deletions and changes of the visibility with many followers, likes, comments and notifications, beside another member. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { deleteRemoved } from '../../src/jobs/removal.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { execute, inBulk } from '../support/database.js';
import { rowsOf } from '../support/imported.js';
import { runJobs } from '../support/jobs.js';
import { DIFFERENCES, withdraw } from '../support/reactions.js';
import { ageRemovals, remove } from '../support/removal.js';
import { setPrivate } from '../support/visibility.js';

/** Overridden to measure. */
const ROWS = Number(process.env.MANY_READERS ?? 3_000);

const app = useApp({ LIMIT_WRITES: '1000000/1m' });
const query = (sql: string) => execute([sql], app.database.url);

describe(`With ${ROWS} followers, likes, comments and notifications,`, function () {
  this.timeout(600_000);
  let author: BuiltMember;
  let reader: BuiltMember;
  let commenter: BuiltMember;
  let ownId: number;
  before(async () => {
    [author, reader, commenter] = [await buildMember(app.url), await buildMember(app.url), await buildMember(app.url)];
    await query(`insert into members (email, member_name, nickname)
      select n || '@example.org', 'm', 'm' || n from generate_series(1, ${ROWS}) n`);
    ({ id: ownId } = await buildArticle(app.url, {}, reader));
  });

  /** The longest time of comments, which notify a follower, while `work` runs, and its own time. */
  async function beside(name: string, work: () => Promise<unknown>): Promise<void> {
    // The plans of the comparison must not follow the statistics of an earlier file.
    await query('analyze');
    let isDone = false;
    const waits: number[] = [];
    const startedAt = performance.now();
    const working = work().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const sentAt = performance.now();
      await buildComment(app.url, ownId, {}, commenter);
      waits.push(performance.now() - sentAt);
      await delay(5);
    }
    await working;
    process.stdout.write(
      `      ${name}: ${Math.round(performance.now() - startedAt)} ms, comments at most ${Math.round(Math.max(...waits))} ms\n`,
    );
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
  }

  const follow = () =>
    query(
      `insert into follows (follower_id, member_id) select id, ${author.id} from members where id <> ${author.id} on conflict do nothing`,
    );

  async function announced(): Promise<number> {
    const { id } = await buildArticle(app.url, {}, author);
    await query(`insert into reactions (article_id, kind, member_id) select ${id}, 'LIKE', id from members`);
    await query(
      `insert into notifications (member_id, type, article_id) select follower_id, 'ARTICLE', ${id} from follows where member_id = ${author.id} order by 1`,
    );
    await query('delete from announcements');
    return id;
  }

  it('an article becomes private, and is deleted', async () => {
    await follow();
    const [hidden, deleted] = [await announced(), await announced()];
    await beside('private', () => setPrivate(app.url, { id: hidden, author }));
    await beside('deleted', () =>
      expectStatus(call(app.url, `DELETE /api/articles/${deleted}`, { token: author.token }), 200, '1'),
    );
    await beside('the job', () => runJobs(app));
  });

  /** Each member replies to the first comment of the one before, who is notified as the author is. */
  async function discussed(): Promise<number> {
    const { id } = await buildArticle(app.url, {}, author);
    await query(
      `insert into comments (article_id, member_id, content) select ${id}, id, 'Text' from members order by id`,
    );
    await query(`insert into comments (article_id, parent_id, member_id, content)
      select ${id}, id, lead(member_id, 1, ${reader.id}) over (order by id), 'Text' from comments where article_id = ${id} order by id`);
    await query(`insert into notifications (member_id, type, article_id, comment_id, actor_id)
      select coalesce(p.member_id, ${author.id}), case when p.id is null then 'COMMENT' else 'REPLY' end, ${id}, c.id, c.member_id
      from comments c left join comments p on p.id = c.parent_id where c.article_id = ${id} order by 1, c.id`);
    return id;
  }

  it('an article with many comments is deleted', async () => {
    const id = await discussed();
    await beside('deleted with comments', () =>
      expectStatus(call(app.url, `DELETE /api/articles/${id}`, { token: author.token }), 200, '1'),
    );
    await beside('the job for its comments', () => runJobs(app));
    expect(await rowsOf(app.database, `select from comments where article_id = ${id} limit 1`)).to.deep.equal([]);
    expect(await rowsOf(app.database, `select from notifications where article_id = ${id} limit 1`)).to.deep.equal([]);
  });

  it('an article that was removed and has many comments is deleted', async () => {
    const id = await discussed();
    await remove(app, 'article', id);
    await ageRemovals(app, 31);
    await beside('deleted by the job', () =>
      deleteRemoved({}, app.services, { attempt: 1, signal: new AbortController().signal }),
    );
    expect(await rowsOf(app.database, `select from all_articles where id = ${id}`)).to.deep.equal([]);
  });

  it('a followed member whose article has many comments withdraws', async () => {
    await discussed();

    await follow();
    await announced();
    await beside('withdrawal of the followed member', async () =>
      expect((await withdraw(app.url, author)).status).to.equal(200),
    );
  });

  it('a member who likes as many articles withdraws', async () => {
    await query(`insert into categories (member_id, name, is_default) select ${reader.id}, 'Many', false`);
    await query(
      inBulk(`insert into all_articles (member_id, category_id, title, content)
      select ${reader.id}, (select id from categories where name = 'Many'), 'T', 'C' from generate_series(1, ${ROWS})`),
    );
    await query(
      `insert into reactions (article_id, kind, member_id) select id, 'LIKE', ${commenter.id} from all_articles on conflict do nothing`,
    );
    const leaving = commenter;
    commenter = await buildMember(app.url);
    await beside('withdrawal of the member who likes', async () =>
      expect((await withdraw(app.url, leaving)).status).to.equal(200),
    );
  });
});
