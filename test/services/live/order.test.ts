/** Notifications under concurrency: their order, and the counters. */
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { NOTIFY_OF_SUMMARY } from '../../../src/models/notification/create.js';
import { NOTIFICATIONS_AFTER } from '../../../src/models/notification/list.js';
import { Reader } from '../../../src/models/reader.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, type RestResponse } from '../../support/client.js';
import { runJobs } from '../../support/jobs.js';
import { notificationsOf, unreadOf } from '../../support/notifications.js';
import { until } from '../../support/until.js';

const app = useApp();

async function idsAfter(member: BuiltMember, known: number): Promise<number[]> {
  const reader = new Reader(member.id, member.id, member.id, 0);
  const rows = await app.database.query(NOTIFICATIONS_AFTER, [[member.id], [known], [reader], 1_000]);
  return rows.map(({ id }) => id);
}

/** Waits until this number of transactions is blocked on writing a notification. */
async function waitForBlocked(count: number): Promise<void> {
  const blocked = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%into notifications%'`;
  await until(async () => (await app.database.sequelize.query(blocked))[0].length === count);
}

/** Polls for the notifications after the last known one, until there are `count`. */
async function follow(member: BuiltMember, count: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < count) seen.push(...(await idsAfter(member, seen.at(-1) ?? 0)));
  return seen;
}

describe('Notification ids of a member', () => {
  it('are assigned in commit order: a second transaction waits until the first has committed', async () => {
    const { id: articleId, author } = await buildArticle(app.url);
    const notify = (outcome: 'COMPLETED' | 'FAILED', until?: () => Promise<unknown>) =>
      app.database.transaction(async (db) => {
        await db.query(NOTIFY_OF_SUMMARY, [articleId, outcome]);
        await until?.();
      });
    const gate = new EventEmitter();
    const isInserted = once(gate, 'inserted');
    const first = notify('COMPLETED', () => {
      const isOpen = once(gate, 'open');
      gate.emit('inserted');
      return isOpen;
    });
    await isInserted;
    const second = notify('FAILED');
    await waitForBlocked(1);
    expect(await idsAfter(author, 0)).to.be.empty;
    gate.emit('open');
    await Promise.all([first, second]);
    const reader = new Reader(author.id, author.id, author.id, 0);
    const inserted = await app.database.query(NOTIFICATIONS_AFTER, [[author.id], [0], [reader], 10]);
    expect(inserted.map(({ outcome }) => outcome)).to.deep.equal(['COMPLETED', 'FAILED']);
  });

  it('let a polling client miss none during concurrent replies on many articles', async () => {
    const host = await buildMember(app.url);
    const threads = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { id, author } = await buildArticle(app.url);
        return { id, author, parentCommentId: (await buildComment(app.url, id, {}, host)).id };
      }),
    );
    const rounds = 12;
    const following = follow(host, threads.length * rounds);
    await Promise.all(
      threads.map(async ({ id, author, parentCommentId }) => {
        for (let round = 0; round < rounds; round++) await buildComment(app.url, id, { parentCommentId }, author);
      }),
    );
    const newestFirst = (await notificationsOf(app.url, host)).map(({ id }) => id);
    expect(await following).to.deep.equal(newestFirst.reverse());
    expect(await unreadOf(app.url, host)).to.equal(threads.length * rounds);
  });
});

describe('The counter of unread notifications', () => {
  it('is correct after concurrent comments, deletions and marks as read', async () => {
    const { id: articleId, author: host } = await buildArticle(app.url);
    const guests = await Promise.all(Array.from({ length: 4 }, () => buildMember(app.url)));
    await Promise.all(
      guests.map(async (guest, index) => {
        for (let round = 0; round < 8; round++) {
          const { id } = await buildComment(app.url, articleId, {}, guest);
          if (round % 3 === 0) await call(app.url, `DELETE /api/comments/${id}`, { token: guest.token });
          if (round % 4 === index) await call(app.url, 'PUT /api/notifications/read', { token: host.token });
        }
      }),
    );
    const all = await notificationsOf(app.url, host);
    const unread = all.filter(({ read }) => !read).length;
    expect(await unreadOf(app.url, host)).to.equal(unread);
    for (const [query, total] of [
      ['', all.length],
      ['?unreadOnly=true', unread],
    ]) {
      const { body } = await call(app.url, `GET /api/notifications${query}`, { token: host.token });
      expect(body?.data.pagination.totalElements).to.equal(total);
    }
    await call(app.url, 'PUT /api/notifications/read', { token: host.token });
    expect(await unreadOf(app.url, host)).to.equal(0);
  });

  it('stays correct when a member withdraws while others reply', async () => {
    const { id: articleId, author: host } = await buildArticle(app.url);
    const leaver = await buildMember(app.url);
    const { id: parentCommentId } = await buildComment(app.url, articleId, {}, leaver);
    const reply = async (): Promise<RestResponse> => {
      const { token } = await buildMember(app.url);
      const json = { content: 'still there?', parentCommentId };
      return call(app.url, `POST /api/articles/${articleId}/comments`, { token, json });
    };
    const replies = Array.from({ length: 6 }, reply);
    const json = { password: leaver.password };
    const withdrawn = call(app.url, 'DELETE /api/members/me', { token: leaver.token, json });
    expect((await Promise.all(replies)).map(({ status }) => status)).to.deep.equal(Array(6).fill(201));
    expect((await withdrawn).status).to.equal(200);
    await runJobs(app);
    const [rows] = await app.database.sequelize.query(`select from notifications where member_id = ${leaver.id}`);
    expect(rows).to.be.empty;
    expect(await unreadOf(app.url, host)).to.equal(7);
  });
});
