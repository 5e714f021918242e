/** The NOTIFY payloads of the database: they name the member, not the notification. */
import { once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import { NOTIFY_OF_SUMMARY } from '../../../src/models/notification/create.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';

const app = useApp();

describe('Postgres listeners', () => {
  let client: pg.Client;
  const received: string[] = [];
  before(async () => {
    client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('listen daybook_notifications; listen daybook_sessions');
    client.on('notification', ({ channel, payload }) => received.push(`${channel} ${payload}`));
  });
  after(() => client.end());
  beforeEach(() => {
    received.length = 0;
  });

  it('receive a NOTIFY with the member id for a committed notification, not for a rolled-back one', async () => {
    const { id: articleId, author } = await buildArticle(app.url);
    const broken = app.database.transaction(async (db) => {
      await db.query(NOTIFY_OF_SUMMARY, [articleId, 'FAILED']);
      throw new Error('rolled back');
    });
    await broken.catch(() => {});
    await Promise.all([once(client, 'notification'), buildComment(app.url, articleId)]);
    expect(received).to.deep.equal([`daybook_notifications ${author.id}`]);
  });

  it('receive a NOTIFY when a session or an account ends', async () => {
    const [leaver, withdrawer] = [await buildMember(app.url), await buildMember(app.url)];
    await Promise.all([once(client, 'notification'), call(app.url, 'POST /api/auth/logout', { token: leaver.token })]);
    const json = { password: withdrawer.password };
    await Promise.all([
      once(client, 'notification'),
      call(app.url, 'DELETE /api/members/me', { token: withdrawer.token, json }),
    ]);
    expect(received).to.deep.equal([`daybook_sessions ${leaver.id}`, `daybook_sessions ${withdrawer.id}`]);
  });
});
