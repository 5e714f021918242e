/** Listing notifications, marking them as read, and the settings by type. */
import { expect } from 'chai';
import { NOTIFICATION_KINDS, SETTABLE_KINDS, type SettableKind } from '../../../src/models/notification/kinds.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, fieldErrors, type RestResponse } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { notificationsOf, setNotificationType, unreadOf } from '../../support/notifications.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

let host: BuiltMember;
let guest: BuiltMember;
let articleId: number;
async function meet(): Promise<void> {
  [host, guest] = [await buildMember(app.url), await buildMember(app.url)];
  articleId = (await buildArticle(app.url, {}, host)).id;
}

/** Notifies the host with `times` comments. @returns the ids of all notifications of the host, newest first */
async function notify(times: number): Promise<number[]> {
  for (let time = 0; time < times; time++) await buildComment(app.url, articleId, {}, guest);
  return (await notificationsOf(app.url, host)).map(({ id }) => id);
}

function send(target: string, { token }: BuiltMember = host, json?: unknown): Promise<RestResponse> {
  return call(app.url, target, json === undefined ? { token } : { token, json });
}

const idsOf = ({ body }: RestResponse): number[] => body?.data.contents.map(({ id }: { id: number }) => id);

describe('GET /api/notifications', () => {
  beforeEach(meet);

  it('returns 200 with pages, newest first, and the total of all or of the unread', async () => {
    const ids = await notify(3);
    await send(`PUT /api/notifications/${ids[1]}`);
    const second = await send('GET /api/notifications?size=2&page=2');
    expect(idsOf(second)).to.deep.equal([ids[2]]);
    expect(second.body?.data.pagination).to.deep.equal({
      currentPage: 2,
      pageSize: 2,
      totalElements: 3,
      totalPages: 2,
      last: true,
      first: false,
    });
    const unread = await send('GET /api/notifications?unreadOnly=true');
    expect(idsOf(unread)).to.deep.equal([ids[0], ids[2]]);
    expect(unread.body?.data.pagination.totalElements).to.equal(2);
    expect(idsOf(await send('GET /api/notifications?unreadOnly=false'))).to.deep.equal(ids);
  });

  it('returns 200 with exactly the documented fields', async () => {
    await notify(1);
    const [notification] = (await send('GET /api/notifications')).body?.data.contents ?? [];
    const fields = [
      'id',
      'type',
      'message',
      'articleId',
      'commentId',
      'draftId',
      'decisionId',
      'actor',
      'read',
      'createdAt',
    ];
    expect(Object.keys(notification)).to.deep.equal(fields);
  });

  it('returns 200 with an empty list for a new member and past the last page', async () => {
    expect((await send('GET /api/notifications', guest)).body?.data).to.deep.include({ contents: [] });
    await notify(1);
    expect(idsOf(await send('GET /api/notifications?page=1000000'))).to.deep.equal([]);
  });

  it('executes one statement besides the token check, for any number of notifications', async () => {
    await notify(4);
    for (const query of ['', '?unreadOnly=true', '?size=1&page=3']) {
      expect(await statementsDuring(() => send(`GET /api/notifications${query}`)), query).to.have.length(2);
    }
  });

  it('returns 400 naming every invalid parameter', async () => {
    expect(fieldErrors(await send('GET /api/notifications?page=0&size=101&unreadOnly=yes'))).to.have.members([
      'page: must be a whole number from 1 to 2147483647, got 0',
      'size: must be a whole number from 1 to 100, got 101',
      'unreadOnly: must be true or false, got "yes"',
    ]);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, 'GET /api/notifications')).status).to.equal(401);
  });
});

describe('PUT /api/notifications/{id}', () => {
  beforeEach(meet);

  it('returns 200 and marks the notification as read; repeating it changes nothing', async () => {
    const [newest] = await notify(2);
    for (let time = 0; time < 2; time++) {
      const { status, body } = await send(`PUT /api/notifications/${newest}`);
      expect([status, body?.data]).to.deep.equal([200, {}]);
      expect(await unreadOf(app.url, host)).to.equal(1);
    }
    expect((await notificationsOf(app.url, host)).map(({ read }) => read)).to.deep.equal([true, false]);
  });

  it('returns 200 for parallel requests and decrements the counter once', async () => {
    const [newest] = await notify(2);
    const responses = await Promise.all(Array.from({ length: 8 }, () => send(`PUT /api/notifications/${newest}`)));
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    expect(await unreadOf(app.url, host)).to.equal(1);
  });

  it('returns 400 for a malformed id and 401 without a token', async () => {
    for (const bad of BAD_IDS) expect((await send(`PUT /api/notifications/${bad}`)).status, bad).to.equal(400);
    expect((await call(app.url, 'PUT /api/notifications/1')).status).to.equal(401);
  });

  it('returns 403 for another member and leaves the notification unread', async () => {
    const [newest] = await notify(1);
    await expectStatus(send(`PUT /api/notifications/${newest}`, guest), 403, 'NOTIFICATION_FORBIDDEN');
    expect(await unreadOf(app.url, host)).to.equal(1);
  });

  it('returns 404 if the notification does not exist', async () => {
    for (const huge of [...HUGE_IDS, '999999']) {
      expect((await send(`PUT /api/notifications/${huge}`)).body?.code, huge).to.equal('NOTIFICATION_NOT_FOUND');
    }
  });
});

describe('PUT /api/notifications/read', () => {
  beforeEach(meet);

  it('returns 200 and marks all notifications of this member only', async () => {
    await notify(3);
    const other = await buildArticle(app.url, {}, guest);
    await buildComment(app.url, other.id, {}, host);
    for (let time = 0; time < 2; time++) {
      expect((await send('PUT /api/notifications/read')).body?.data).to.deep.equal({});
      expect(await unreadOf(app.url, host)).to.equal(0);
    }
    expect((await notificationsOf(app.url, host)).every(({ read }) => read)).to.equal(true);
    expect(await unreadOf(app.url, guest)).to.equal(1);
    await notify(1);
    expect(await unreadOf(app.url, host)).to.equal(1);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, 'PUT /api/notifications/read')).status).to.equal(401);
  });
});

describe('Notification settings', () => {
  beforeEach(meet);

  const PATH = '/api/members/me/notification-settings';
  const all = async (member = host) => (await send(`GET ${PATH}`, member)).body?.data.contents;

  it('returns 200 with every type and its default', async () => {
    const settings: { type: SettableKind; enabled: boolean; email: string }[] = await all();
    expect(settings.map(({ type }) => type)).to.deep.equal(SETTABLE_KINDS);
    for (const { type, enabled, email } of settings)
      expect([enabled, email], type).to.deep.equal([type !== 'LIKE', 'OFF']);
  });

  it('returns 200 and sets one type, or toggles it without a body, for this member only', async () => {
    await setNotificationType(app.url, host, 'REPLY', true);
    await setNotificationType(app.url, host, 'REPLY', false);
    for (const [json, enabled] of [
      [undefined, true],
      [{}, true],
      [{ enabled: null }, true],
      [undefined, false],
    ]) {
      expect((await send(`PUT ${PATH}/REPLY`, host, json)).body?.data).to.deep.equal({
        type: 'REPLY',
        enabled,
        email: 'OFF',
      });
    }
    const toggled = { type: 'COMMENT', enabled: false, email: 'OFF' };
    expect((await send(`PUT ${PATH}/COMMENT`)).body?.data).to.deep.equal(toggled);
    const settings: { type: string; enabled: boolean }[] = await all();
    const off = settings.filter(({ enabled }) => !enabled).map(({ type }) => type);
    expect(off).to.deep.equal(['COMMENT', 'REPLY', 'LIKE']);
    expect((await all(guest))[0].enabled).to.equal(true);
  });

  it('returns 200 and toggles once for each parallel request', async () => {
    const responses = await Promise.all(Array.from({ length: 9 }, () => send(`PUT ${PATH}/SUMMARY`)));
    expect(responses.filter(({ body }) => body?.data.enabled)).to.have.length(4);
    expect((await all())[2].enabled).to.equal(false);
  });

  it('returns 400 naming the valid types and the valid body fields', async () => {
    for (const type of ['NEWS', 'comment', '1']) {
      const response = await send(`PUT ${PATH}/${type}`);
      expectFieldErrors(
        response,
        `type: must be one of ${Object.keys(NOTIFICATION_KINDS).join(' or ')}, got "${type}"`,
      );
    }
    const response = await send(`PUT ${PATH}/REPLY`, host, { enabled: 'no', email: 'daily', on: true });
    expect(fieldErrors(response)).to.deep.equal([
      'on: is not a known field; expected enabled, email',
      'enabled: must be true or false, got "no"',
      'email: must be one of OFF or AT_ONCE or DAILY, got "daily"',
    ]);
  });

  it('returns 503 for emails of a service that sends none, and 200 for no emails', async () => {
    for (const email of ['AT_ONCE', 'DAILY'])
      await expectStatus(send(`PUT ${PATH}/REPLY`, host, { email }), 503, 'MAIL_NOT_CONFIGURED');
    const { body } = await send(`PUT ${PATH}/REPLY`, host, { email: 'OFF' });
    expect(body?.data).to.deep.equal({ type: 'REPLY', enabled: true, email: 'OFF' });
  });

  it('returns 401 without a token', async () => {
    for (const target of [`GET ${PATH}`, `PUT ${PATH}/REPLY`])
      expect((await call(app.url, target)).status).to.equal(401);
  });
});
