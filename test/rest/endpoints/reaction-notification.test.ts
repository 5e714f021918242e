/** Notifications of likes and follows, their settings, emails and the archive of a member's data. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { notificationsOf, setNotificationType, unreadOf } from '../../support/notifications.js';

const app = useApp();
let article: BuiltArticle;
let author: BuiltMember;
let readers: BuiltMember[];
beforeEach(async () => {
  article = await buildArticle(app.url, { title: 'Owls' });
  ({ author } = article);
  readers = [await buildMember(app.url), await buildMember(app.url)];
});

const like = ({ token }: BuiltMember, method = 'PUT') =>
  call(app.url, `${method} /api/articles/${article.id}/like`, { token });
const follow = ({ token }: BuiltMember, method = 'PUT') =>
  call(app.url, `${method} /api/members/${author.id}/follow`, { token });
const messages = async () =>
  (await notificationsOf(app.url, author)).map(({ type, message, read }) => [type, message, read]);
const markRead = () => call(app.url, 'PUT /api/notifications/read', { token: author.token });

describe('LIKE', () => {
  it('is off at first, and can be switched on, also by a toggle', async () => {
    for (const reader of readers) await like(reader);
    expect(await messages()).to.deep.equal([]);
    const { data } = await graphql(app.url, '{ notificationSettings { type enabled } }', {}, author.token);
    expect(data.notificationSettings.filter(({ enabled }: { enabled: boolean }) => !enabled)).to.deep.equal([
      { type: 'LIKE', enabled: false },
    ]);
    const path = 'PUT /api/members/me/notification-settings';
    const toggled = await call(app.url, `${path}/LIKE`, { token: author.token });
    expect(toggled.body?.data).to.deep.equal({ type: 'LIKE', enabled: true, email: 'OFF' });
    const other = await call(app.url, `${path}/FOLLOW`, { token: author.token });
    expect(other.body?.data.enabled).to.equal(false);
    await follow(readers[0] as BuiltMember);
    expect(await messages()).to.deep.equal([]);
  });

  it('is one notification for all likes, whose number is current, in both languages', async () => {
    const [first, second] = readers as [BuiltMember, BuiltMember];
    await setNotificationType(app.url, author, 'LIKE', true);
    await like(author);
    expect(await messages()).to.deep.equal([]);
    await like(first);
    expect(await messages()).to.deep.equal([['LIKE', 'One member likes your article “Owls”.', false]]);
    await like(second);
    expect(await messages()).to.deep.equal([['LIKE', '2 members like your article “Owls”.', false]]);
    const headers = { 'Accept-Language': 'ko' };
    const { body } = await call(app.url, 'GET /api/notifications', { token: author.token, headers });
    expect(body?.data.contents[0]).to.include({
      message: '2명이 회원님의 글 “Owls”을(를) 좋아합니다.',
      articleId: article.id,
      actor: null,
    });
    await markRead();
    await like(second, 'DELETE');
    expect(await messages()).to.deep.equal([['LIKE', 'One member likes your article “Owls”.', true]]);
    await like(second);
    expect(await messages()).to.deep.equal([['LIKE', '2 members like your article “Owls”.', false]]);
    for (const reader of readers) await like(reader, 'DELETE');
    expect([await messages(), await unreadOf(app.url, author)]).to.deep.equal([[], 0]);
  });
});

describe('FOLLOW', () => {
  it('names the follower, and ends with the follow, however often it is repeated', async () => {
    const [first, second] = readers as [BuiltMember, BuiltMember];
    for (let times = 0; times < 3; times++) {
      await follow(first);
      await follow(first);
      if (times < 2) await follow(first, 'DELETE');
    }
    await follow(second);
    const [newest, earlier] = await notificationsOf(app.url, author);
    expect(newest).to.include({
      type: 'FOLLOW',
      actor: second.nickname,
      articleId: null,
      commentId: null,
      draftId: null,
    });
    expect(earlier).to.include({ type: 'FOLLOW', message: `${first.nickname} follows you.` });
    expect(await unreadOf(app.url, author)).to.equal(2);
    const { token, password } = first;
    expect((await call(app.url, 'DELETE /api/members/me', { token, json: { password } })).status).to.equal(200);
    expect((await messages()).length).to.equal(1);
    await follow(second, 'DELETE');
    expect([await messages(), await unreadOf(app.url, author)]).to.deep.equal([[], 0]);
  });
});
