/** When streams of live notifications end: session end, token expiry, and clients that do not read. */
import { connect } from 'node:net';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { setClockForward } from '../../support/database.js';
import { closeLiveClients, followEvents, STREAM } from '../../support/live.js';
import { eventsIn, openEvents, openSubscription, readEvents } from '../../support/live-raw.js';
import { insertNotifications, notificationsOf } from '../../support/notifications.js';
import { logIn } from '../../support/session.js';
import { until } from '../../support/until.js';

const TRANSPORTS = {
  'Server-Sent Events': {
    open: openEvents,
    sessionEnd: 'The session of this access token has ended.',
    expiry: /token has expired/,
  },
  'a WebSocket': { open: openSubscription, sessionEnd: '4403 SESSION_ENDED', expiry: /^4403 TOKEN_EXPIRED$/ },
};

/** Ways to end the session of `token`; `member.token` belongs to another session of the same member. */
const ENDINGS: Record<string, (url: string, member: BuiltMember, token: string) => Promise<unknown>> = {
  'its logout': (url, _, token) => call(url, 'POST /api/auth/logout', { token }),
  'being ended from another one': (url, { token }) => graphql(url, 'mutation { endOtherSessions { id } }', {}, token),
  'a change of the password': async (url, { token, password }) => {
    const input = { password: 'quite another one', currentPassword: password };
    await graphql(
      url,
      'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }',
      { input },
      token,
    );
  },
  'the withdrawal of its member': (url, { token, password: given }) =>
    call(url, 'DELETE /api/members/me', { token, json: { password: given } }),
};

for (const [transport, { open, sessionEnd, expiry }] of Object.entries(TRANSPORTS)) {
  describe(`Closing of live notifications over ${transport}`, () => {
    const app = useApp();
    afterEach(closeLiveClients);

    for (const [cause, end] of Object.entries(ENDINGS)) {
      it(`happens when the session is ended by ${cause}`, async () => {
        const member = await buildMember(app.url);
        const { accessToken } = await logIn(app.url, member);
        const ended = await open(app.url, accessToken);
        await end(app.url, member, accessToken);
        expect(await until(ended)).to.equal(sessionEnd);
      });
    }

    it('does not affect other sessions of the member', async () => {
      const member = await buildMember(app.url);
      const { accessToken } = await logIn(app.url, member);
      const [stays, ends] = [await open(app.url, member.token), await open(app.url, accessToken)];
      await call(app.url, 'POST /api/auth/logout', { token: accessToken });
      await until(ends);
      expect(stays()).to.equal(undefined);
    });

    it('happens at logout while notifications are being sent', async () => {
      const article = await buildArticle(app.url);
      const { token } = article.author;
      const ended = await open(app.url, token);
      const inserting = Array.from({ length: 20 }, () => insertNotifications(app, article, 10));
      await call(app.url, 'POST /api/auth/logout', { token });
      expect(await until(ended)).to.equal(sessionEnd);
      await Promise.all(inserting);
      expect((await call(app.url, `GET /api/articles/${article.id}`)).status).to.equal(200);
    });

    it('happens when the access token expires', async () => {
      const { token } = await buildMember(app.url);
      const end = await open(app.url, token);
      const restore = setClockForward(app.database, app.services.config.accessTokenTtlMs);
      expect(await until(end).finally(restore)).to.match(expiry);
    });
  });
}

describe('A client of the stream that stops reading', () => {
  const app = useApp({ STREAM_LIMIT: '1', STREAM_WRITE_TIMEOUT: '1s' });
  afterEach(closeLiveClients);

  it('is disconnected, and receives every missed notification after it reconnects', async function () {
    this.timeout(60_000);
    const article = await buildArticle(app.url, { title: '\u{1f4d3}'.repeat(100) });
    const { token } = article.author;
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(`GET ${STREAM} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await until(() => text.includes('retry'));
    socket.pause();
    let inserted = 0;
    // The socket buffers on both sides take some megabytes.
    const isFree = async () => (await readEvents(app.url, token)).response.status === 200;
    for (; !(await isFree()); inserted += 200) await insertNotifications(app, article, 200);
    closeLiveClients();
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    const ids = eventsIn(text.replaceAll(/\r\n[\da-f]+\r\n/g, '')).flatMap(({ id, data }) =>
      data?.endsWith('}') ? [Number(id)] : [],
    );
    const missed = inserted - ids.length;
    expect(missed).to.be.above(0);
    await until(isFree);
    closeLiveClients();
    const client = await until(() => followEvents(app.url, token, { after: ids.at(-1) ?? 0 }));
    const rest = (await client.count(missed)).map(({ id }) => id);
    const [newest] = await notificationsOf(app.url, article.author);
    expect([...ids, ...rest]).to.deep.equal(
      Array.from({ length: inserted }, (_, n) => (newest?.id ?? 0) - inserted + 1 + n),
    );
  });
});
