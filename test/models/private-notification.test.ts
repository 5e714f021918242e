/** Notifications about articles that become private. */
import { expect } from 'chai';
import { NOTIFY_OF_SUMMARY } from '../../src/models/notification/create.js';
import type { Scope } from '../../src/models/session/api-token.js';
import { buildApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call, expectStatus, graphql } from '../support/client.js';
import { buildDraft } from '../support/drafts.js';
import { interleave } from '../support/interleave.js';
import { type Notified, notificationsOf, unreadOf } from '../support/notifications.js';
import { setPrivate } from '../support/visibility.js';

const app = useApp();

let host: BuiltMember;
let guest: BuiltMember;
let third: BuiltMember;
let article: BuiltArticle;
beforeEach(async () => {
  [host, guest, third] = [await buildMember(app.url), await buildMember(app.url), await buildMember(app.url)];
  article = await buildArticle(app.url, { title: 'Owls' }, host);
});

const commentOn = (author: BuiltMember, parentCommentId?: number) =>
  buildComment(app.url, article.id, parentCommentId === undefined ? {} : { parentCommentId }, author);
const kinds = (received: Notified[]) => received.map(({ type }) => type);

/** The types of what a member has received, and the counters of all and of unread notifications. */
async function stateOf(member: BuiltMember): Promise<[string[], number, number]> {
  const { body } = await call(app.url, 'GET /api/notifications', { token: member.token });
  return [kinds(body?.data.contents), body?.data.pagination.totalElements, await unreadOf(app.url, member)];
}

describe('The change of an article to private', () => {
  it('deletes the notifications of other members about it, read or not, and keeps those of its author', async () => {
    const { id } = await commentOn(guest);
    await commentOn(host, id);
    await commentOn(third, id);
    const [newest] = await notificationsOf(app.url, guest);
    await call(app.url, `PUT /api/notifications/${newest?.id}`, { token: guest.token });
    const other = await buildArticle(app.url, {}, guest);
    await buildComment(app.url, other.id, {}, third);
    expect(await stateOf(guest)).to.deep.equal([['COMMENT', 'REPLY', 'REPLY'], 3, 2]);
    await setPrivate(app.url, article);
    expect(await stateOf(guest)).to.deep.equal([['COMMENT'], 1, 1]);
    expect(await stateOf(host)).to.deep.equal([['COMMENT', 'COMMENT'], 2, 2]);
    await setPrivate(app.url, article, false);
    expect(await stateOf(guest)).to.deep.equal([['COMMENT'], 1, 1]);
  });

  it('hides that the author has notifications about it', async () => {
    await commentOn(guest);
    const [newest] = await notificationsOf(app.url, host);
    const mark = () => call(app.url, `PUT /api/notifications/${newest?.id}`, { token: third.token });
    await expectStatus(mark(), 403, 'NOTIFICATION_FORBIDDEN');
    await setPrivate(app.url, article);
    await expectStatus(mark(), 404, 'NOTIFICATION_NOT_FOUND');
    expect(await unreadOf(app.url, host)).to.equal(1);
  });

  it('has no comment that is written at the same time', async () => {
    const { id } = await commentOn(third);
    await notificationsOf(app.url, third);
    const response = await interleave(app, {
      lock: `select from all_articles where id = ${article.id} for update`,
      request: () =>
        call(app.url, `POST /api/articles/${article.id}/comments`, {
          token: guest.token,
          json: { content: 'At the same time.', parentCommentId: id },
        }),
      change: `update all_articles set is_private = true where id = ${article.id}`,
    });
    expect(response.status).to.equal(404);
    expect(await stateOf(third)).to.deep.equal([[], 0, 0]);
    expect(await stateOf(host)).to.deep.equal([['COMMENT'], 1, 1]);
  });

  it('leaves no notification of a reply that is written before its commit', async () => {
    const { id } = await commentOn(third);
    const json = { content: 'At the same time.', parentCommentId: id };
    const { status } = await interleave(app, {
      lock: `update all_articles set is_private = true where id = ${article.id}`,
      request: () => call(app.url, `POST /api/articles/${article.id}/comments`, { token: guest.token, json }),
      change: 'select',
    });
    expect(status).to.equal(201);
    expect(await stateOf(third)).to.deep.equal([[], 0, 0]);
  });
});

describe('Changes of the visibility', () => {
  it('leave no notification of others and no wrong counter among concurrent replies, and fail none of them', async () => {
    const { id: parentCommentId } = await commentOn(guest);
    const reply = async ({ token }: BuiltMember) => {
      const json = { content: 'At the same time.', parentCommentId };
      return (await call(app.url, `POST /api/articles/${article.id}/comments`, { token, json })).status;
    };
    for (let round = 0; round < 4; round++) {
      const replies = [host, third, host, third, host, third].map(reply);
      await setPrivate(app.url, article);
      expect([201, 404]).to.include.members(await Promise.all(replies));
      expect(await stateOf(guest)).to.deep.equal([[], 0, 0]);
      await setPrivate(app.url, article, false);
    }
  });
});

describe('A private article', () => {
  it('notifies no member of a reply of its author', async () => {
    const { id } = await commentOn(guest);
    await setPrivate(app.url, article);
    await commentOn(host, id);
    expect(await stateOf(guest)).to.deep.equal([[], 0, 0]);
    await setPrivate(app.url, article, false);
    await commentOn(host, id);
    expect(await stateOf(guest)).to.deep.equal([['REPLY'], 1, 1]);
  });

  it('notifies its author of its summary, and no API token without a scope for articles sees that', async () => {
    const other = await buildArticle(app.url, {}, host);
    await buildComment(app.url, other.id, {}, guest);
    await commentOn(guest);
    await setPrivate(app.url, article);
    await app.database.query(NOTIFY_OF_SUMMARY, [article.id, 'COMPLETED']);
    const [summary, ...others] = await notificationsOf(app.url, host);
    expect(summary).to.deep.include({ type: 'SUMMARY', articleId: article.id });
    expect(summary?.message).to.include('“Owls”');
    expect(kinds(others)).to.deep.equal(['COMMENT', 'COMMENT']);
    const query = `{ notificationConnection(unreadOnly: true, first: 1) {
      totalCount pageInfo { hasNextPage } edges { node { articleId article { title } } } } }`;
    const of = async (...scopes: ('notifications' | 'read')[]) => {
      const token = await buildApiToken(app.url, host, scopes);
      const { body } = await call(app.url, 'GET /api/notifications?size=1', token);
      const { data } = await graphql(app.url, query, {}, token.token);
      const { totalCount, edges, pageInfo } = data.notificationConnection;
      expect(edges[0].node.articleId).to.equal(String(body?.data.contents[0].articleId));
      expect(totalCount).to.equal(body?.data.pagination.totalElements);
      return [totalCount, pageInfo.hasNextPage, edges[0].node];
    };
    const node = ({ id }: BuiltArticle, title: unknown) => ({ articleId: String(id), article: { title } });
    expect(await of('notifications', 'read')).to.deep.equal([3, true, node(article, 'Owls')]);
    const title = (await call(app.url, `GET /api/articles/${other.id}`)).body?.data.title;
    expect(await of('notifications')).to.deep.equal([1, false, node(other, title)]);
    const { token } = await buildApiToken(app.url, host, ['notifications']);
    const mark = await call(app.url, `PUT /api/notifications/${summary?.id}`, { token });
    expect([mark.status, mark.body?.code]).to.deep.equal([404, 'NOTIFICATION_NOT_FOUND']);
    expect(await unreadOf(app.url, host)).to.equal(3);
  });
});

describe('The number of unread notifications', () => {
  it('is that of the list which an API token reads, without drafts unless it has the scope for articles', async () => {
    const { id } = await buildDraft(app.url, {}, host);
    await app.database.sequelize.query(
      `insert into notifications (member_id, type, draft_id) values (${host.id}, 'PUBLICATION', ${id})`,
    );
    await commentOn(guest);
    const of = async (...scopes: Scope[]) => {
      const { token } = await buildApiToken(app.url, host, scopes);
      const { data } = await graphql(
        app.url,
        '{ me { unreadNotifications } notifications(unreadOnly: true) { pagination { totalElements } } }',
        {},
        token,
      );
      return [data.me.unreadNotifications, data.notifications.pagination.totalElements];
    };
    expect(await of('read', 'notifications')).to.deep.equal([1, 1]);
    expect(await of('read', 'notifications', 'articles')).to.deep.equal([2, 2]);
    expect(await unreadOf(app.url, host)).to.equal(2);
    const { token } = await buildApiToken(app.url, host, ['notifications']);
    await setPrivate(app.url, article);
    const mark = await graphql(app.url, 'mutation { markAllNotificationsRead { unreadNotifications } }', {}, token);
    expect(mark.data.markAllNotificationsRead).to.deep.equal({ unreadNotifications: 0 });
  });
});
