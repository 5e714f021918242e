/** Which events notify which members. */
import { expect } from 'chai';
import { NOTIFY_OF_SUMMARY } from '../../src/models/notification/create.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { type Notified, notificationsOf, setNotificationType, unreadOf } from '../support/notifications.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp();

let host: BuiltMember;
let guest: BuiltMember;
let third: BuiltMember;
let article: BuiltArticle;
async function meet(): Promise<void> {
  [host, guest, third] = [await buildMember(app.url), await buildMember(app.url), await buildMember(app.url)];
  article = await buildArticle(app.url, { title: 'Owls' }, host);
}

const receivedBy = (member: BuiltMember) => notificationsOf(app.url, member);
const commentOn = (author: BuiltMember, parentCommentId?: number) =>
  buildComment(app.url, article.id, parentCommentId === undefined ? {} : { parentCommentId }, author);
const remove = (path: string, { token }: BuiltMember) => call(app.url, `DELETE /api/${path}`, { token });
const kinds = (received: Notified[]) => received.map(({ type }) => type);

describe('A comment', () => {
  beforeEach(meet);

  it('notifies the author of the article', async () => {
    const comment = await commentOn(guest);
    const [received, ...others] = await receivedBy(host);
    expect(others).to.be.empty;
    expect(received).to.deep.include({ type: 'COMMENT', articleId: article.id, commentId: comment.id, read: false });
    expect(received?.actor).to.equal(guest.nickname);
    expect(received?.message).to.equal(`${guest.nickname} commented on your article “Owls”.`);
    expect(await unreadOf(app.url, host)).to.equal(1);
  });

  it('does not notify the author of the comment', async () => {
    const comment = await commentOn(host);
    await commentOn(host, comment.id);
    expect(await receivedBy(host)).to.be.empty;
  });

  it('notifies the parent comment author of a REPLY and the article author of a COMMENT', async () => {
    const comment = await commentOn(guest);
    const reply = await commentOn(third, comment.id);
    const [received] = await receivedBy(guest);
    expect(received).to.deep.include({ type: 'REPLY', commentId: reply.id, actor: third.nickname });
    expect(received?.message).to.equal(`${third.nickname} replied to your comment on “Owls”.`);
    expect(kinds(await receivedBy(host))).to.deep.equal(['COMMENT', 'COMMENT']);
    expect(await receivedBy(third)).to.be.empty;
  });

  it('notifies once, as REPLY, a member who wrote both the article and the parent comment', async () => {
    const comment = await commentOn(host);
    await commentOn(guest, comment.id);
    expect(kinds(await receivedBy(host))).to.deep.equal(['REPLY']);
  });

  it('does not notify members who have disabled its notification type', async () => {
    await setNotificationType(app.url, host, 'COMMENT', false);
    const comment = await commentOn(guest);
    await setNotificationType(app.url, guest, 'REPLY', false);
    await commentOn(third, comment.id);
    expect([...(await receivedBy(host)), ...(await receivedBy(guest))]).to.be.empty;
    await setNotificationType(app.url, host, 'COMMENT', true);
    await commentOn(third);
    expect(kinds(await receivedBy(host))).to.deep.equal(['COMMENT']);
  });

  it('falls back to the enabled type for a member who wrote both the article and the parent comment', async () => {
    const comment = await commentOn(host);
    await setNotificationType(app.url, host, 'REPLY', false);
    await commentOn(guest, comment.id);
    await setNotificationType(app.url, host, 'REPLY', true);
    await setNotificationType(app.url, host, 'COMMENT', false);
    await commentOn(guest, comment.id);
    await setNotificationType(app.url, host, 'REPLY', false);
    await commentOn(guest, comment.id);
    expect(kinds(await receivedBy(host))).to.deep.equal(['REPLY', 'COMMENT']);
  });

  it('does not notify anyone if it is rejected with 404', async () => {
    const comment = await commentOn(host);
    await remove(`comments/${comment.id}`, host);
    const json = { content: 'late', parentCommentId: comment.id };
    const path = `POST /api/articles/${article.id}/comments`;
    expect((await call(app.url, path, { token: guest.token, json })).status).to.equal(404);
    expect(await receivedBy(host)).to.be.empty;
  });

  it('is rolled back together with its notification if the notification cannot be inserted', async () => {
    await app.database.sequelize.query('alter table notifications add constraint refused check (id = 0) not valid');
    try {
      const request = { token: guest.token, json: { content: 'in vain' } };
      expect((await call(app.url, `POST /api/articles/${article.id}/comments`, request)).status).to.equal(500);
    } finally {
      await app.database.sequelize.query('alter table notifications drop constraint refused');
    }
    const { body } = await call(app.url, `GET /api/articles/${article.id}/comments`);
    expect(body?.data.contents).to.be.empty;
    expect(await unreadOf(app.url, host)).to.equal(0);
  });

  it('shows a withdrawn actor as (withdrawn), and does not notify a withdrawn parent author', async () => {
    const comment = await commentOn(guest);
    await call(app.url, 'DELETE /api/members/me', { token: guest.token, json: { password: guest.password } });
    const [received] = await receivedBy(host);
    expect(received).to.deep.include({ actor: '(withdrawn)', commentId: comment.id });
    expect(received?.message).to.equal('(withdrawn) commented on your article “Owls”.');
    await commentOn(third, comment.id);
    expect(await receivedBy(host)).to.have.length(2);
  });

  it('inserts all its notifications with one statement', async () => {
    const comment = await commentOn(guest);
    const alone = await statementsDuring(() => commentOn(third));
    const both = await statementsDuring(() => commentOn(third, comment.id));
    expect(both.length).to.equal(alone.length);
    expect(both.filter((text) => text.includes('into notifications'))).to.have.length(1);
  });
});

describe('A deleted comment', () => {
  beforeEach(meet);

  it('deletes its unread notifications and keeps the read ones without a comment id', async () => {
    const [first, second] = [await commentOn(guest), await commentOn(guest)];
    const [newest] = await receivedBy(host);
    await call(app.url, `PUT /api/notifications/${newest?.id}`, { token: host.token });
    for (const { id } of [first, second]) await remove(`comments/${id}`, guest);
    const left = await receivedBy(host);
    expect(left).to.have.length(1);
    expect(left[0]).to.deep.include({ id: newest?.id, commentId: null, read: true, articleId: article.id });
    expect(await unreadOf(app.url, host)).to.equal(0);
  });

  it('deletes its notifications, but not those of its replies, if it has replies', async () => {
    const comment = await commentOn(guest);
    const reply = await commentOn(third, comment.id);
    await remove(`comments/${comment.id}`, guest);
    expect((await receivedBy(host)).map(({ commentId }) => commentId)).to.deep.equal([reply.id]);
    expect((await receivedBy(guest)).map(({ commentId }) => commentId)).to.deep.equal([reply.id]);
    await remove(`comments/${reply.id}`, third);
    expect([...(await receivedBy(host)), ...(await receivedBy(guest))]).to.be.empty;
    expect([await unreadOf(app.url, host), await unreadOf(app.url, guest)]).to.deep.equal([0, 0]);
  });

  it('is removed with its article, together with all notifications of both', async () => {
    const comment = await commentOn(guest);
    await commentOn(third, comment.id);
    await call(app.url, 'PUT /api/notifications/read', { token: host.token });
    await remove(`articles/${article.id}`, host);
    expect([...(await receivedBy(host)), ...(await receivedBy(guest))]).to.be.empty;
    expect([await unreadOf(app.url, host), await unreadOf(app.url, guest)]).to.deep.equal([0, 0]);
  });
});

describe('A summary', () => {
  beforeEach(meet);

  const end = (outcome: 'COMPLETED' | 'FAILED') =>
    app.database.transaction((db) => db.query(NOTIFY_OF_SUMMARY, [article.id, outcome]));

  it('notifies the author of the article when it completes or fails', async () => {
    await end('COMPLETED');
    await end('FAILED');
    const received = await receivedBy(host);
    expect(received.map(({ message }) => message)).to.deep.equal([
      'The summary of your article “Owls” could not be generated.',
      'The summary of your article “Owls” is ready.',
    ]);
    for (const one of received) {
      expect(one).to.deep.include({ type: 'SUMMARY', articleId: article.id, commentId: null, actor: null });
    }
  });

  it('does not notify for a disabled type, a deleted article or a rolled-back transaction', async () => {
    await setNotificationType(app.url, host, 'SUMMARY', false);
    await end('COMPLETED');
    await setNotificationType(app.url, host, 'SUMMARY', true);
    const broken = app.database.transaction(async (db) => {
      await db.query(NOTIFY_OF_SUMMARY, [article.id, 'FAILED']);
      throw new Error('the job failed');
    });
    await broken.catch(() => {});
    await remove(`articles/${article.id}`, host);
    await end('COMPLETED');
    expect(await receivedBy(host)).to.be.empty;
    expect(await unreadOf(app.url, host)).to.equal(0);
  });
});
