/** Emails about notifications: the settings, emails at once and their limit, and daily digests. */
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { mailDigests } from '../../../src/jobs/notification-mails.js';
import { MAIL_NOTIFICATIONS, NOTIFY_OF_SUMMARY } from '../../../src/models/notification/create.js';
import { TURNS } from '../../../src/platform/database/queue.js';
import { CATALOGS } from '../../../src/platform/messages/message.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment } from '../../support/build.js';
import { call, expectFieldErrors, graphql } from '../../support/client.js';
import { advance, buildDraft, schedule } from '../../support/drafts.js';
import { addJobs, runDueJobs, runJobs, waitingJobs } from '../../support/jobs.js';
import { buildRecipient, sendMails, waitingMails } from '../../support/mails.js';
import { insertNotifications, notificationsOf } from '../../support/notifications.js';
import { startSmtp } from '../../support/smtp.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const smtp = await startSmtp();
after(() => smtp.close());

const app = useApp({ ...smtp.environment, ARTICLE_URL: 'https://journal.example.org/{id}/{slug}' });

let host: BuiltMember;
let guest: BuiltMember;
let article: BuiltArticle;
beforeEach(async () => {
  smtp.setBehaviors('accept');
  [host, guest] = [await buildRecipient(app), await buildRecipient(app)];
  article = await buildArticle(app.url, { title: 'Owls', slug: '부엉이' }, host);
});
afterEach(async () => {
  await app.database.sequelize.query('delete from members');
  await app.database.sequelize.query(
    `select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))`,
  );
});

const PATH = 'PUT /api/members/me/notification-settings';

async function setEmail(email: string, type = 'COMMENT', { token } = host): Promise<void> {
  const { status, body } = await call(app.url, `${PATH}/${type}`, { token, json: { email } });
  expect([status, body?.data]).to.deep.equal([200, { type, enabled: true, email }]);
}

const comment = () => buildComment(app.url, article.id, {}, guest);
const subjects = () => smtp.messages.map(({ headers }) => headers.get('subject'));
const enqueued = async () => (await waitingJobs(app)).map(({ task }) => task).filter((task) => /mail/.test(task));

/** Runs the jobs that are due, without bringing delayed ones forward. */
async function runDue(): Promise<void> {
  const only: string[] = ['mail-notifications', 'mail-digests', 'send-mail'];
  // The emails are added by the jobs of the first run.
  for (let run = 0; run < 2; run++) await runDueJobs(app.services, only);
}

/** As the cron schedule does. */
async function runDigests(): Promise<void> {
  await addJobs(app.database, 'mail-digests', [{}]);
  await runDue();
}

const onNextDay = () => app.database.sequelize.query('update notification_counts set digest_on = digest_on - 1');

describe('The email setting of notifications', () => {
  it('is set for one type, over both APIs, without toggling it', async () => {
    await setEmail('AT_ONCE');
    const set = 'mutation { setNotification(type: REPLY, email: DAILY, enabled: false) { type enabled email } }';
    const { data } = await graphql(app.url, set, {}, host.token);
    expect(data.setNotification).to.deep.equal({ type: 'REPLY', enabled: false, email: 'DAILY' });
    await setEmail('DAILY');
    const expected = [
      { type: 'COMMENT', enabled: true, email: 'DAILY' },
      { type: 'REPLY', enabled: false, email: 'DAILY' },
    ];
    const isOn = ({ email }: { email: string }) => email !== 'OFF';
    const listed = await call(app.url, 'GET /api/members/me/notification-settings', { token: host.token });
    expect(listed.body?.data.contents.filter(isOn)).to.deep.equal(expected);
    const query = await graphql(app.url, '{ notificationSettings { type enabled email } }', {}, host.token);
    expect(query.data.notificationSettings.filter(isOn)).to.deep.equal(expected);
    const { body } = await call(app.url, `${PATH}/COMMENT`, { token: host.token });
    expect(body?.data, 'toggled').to.deep.equal({ type: 'COMMENT', enabled: false, email: 'DAILY' });
  });

  it('is changed with one statement, and requires a confirmed address', async () => {
    const statements = await statementsDuring(() => setEmail('DAILY'));
    expect(statements.filter((text) => !/rate_limits|sessions/.test(text))).to.have.length(1);
    await app.database.sequelize.query(`update members set email_verified_at = null where id = ${host.id}`);
    const response = await call(app.url, `${PATH}/REPLY`, { token: host.token, json: { email: 'AT_ONCE' } });
    expectFieldErrors(response, 'email: requires a confirmed email address, and this account has none');
    await setEmail('OFF', 'REPLY');
  });
});

describe('AT_ONCE', () => {
  it('sends an email about a notification, with its text, the URL of the article and a way to unsubscribe', async () => {
    await setEmail('AT_ONCE');
    await comment();
    await runDue();
    expect(smtp.messages).to.have.length(1);
    const [mail] = smtp.messages;
    expect(mail?.to).to.deep.equal([host.email]);
    expect(subjects()).to.deep.equal([`${guest.nickname} commented on your article “Owls”.`]);
    expect(mail?.text).to.include(`https://journal.example.org/${article.id}/${encodeURIComponent('부엉이')}`);
    const link = `${app.url}/account/unsubscribe?token=${host.id}.`;
    expect(mail?.headers.get('list-unsubscribe'))
      .to.match(/^<.{60,150}>$/)
      .and.include(link);
    expect(mail?.headers.get('list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
    expect(await waitingMails(app)).to.deep.equal([]);
  });

  it('contains nothing of the comment, which may be hidden meanwhile, nor does the digest', async () => {
    for (const [email, run] of [
      ['AT_ONCE', runDue],
      ['DAILY', runDigests],
    ] as const) {
      await setEmail(email);
      for (const isHidden of [false, true]) {
        const { id } = await buildComment(app.url, article.id, { content: 'Heuhaufen' }, guest);
        const hidden = { token: host.token, json: { hidden: isHidden } };
        expect((await call(app.url, `PUT /api/comments/${id}/hidden`, hidden)).status).to.equal(200);
        smtp.setBehaviors('accept');
        await run();
        const sent = smtp.messages.map(({ headers, text, html }) => `${headers.get('subject')} ${text} ${html}`);
        expect(sent, `${email} ${isHidden}`).to.have.length(1);
        expect(sent[0]).to.not.include('Heuhaufen');
        await onNextDay();
      }
    }
  });

  it('adds one statement to a comment, and only where a recipient wants an email at once', async () => {
    const mailing = async () =>
      (await statementsDuring(comment)).filter((text) => text.includes('mail_at_once')).length;
    expect(await mailing()).to.equal(0);
    await setEmail('AT_ONCE');
    expect(await mailing()).to.equal(1);
    expect(await enqueued()).to.deep.equal(['mail-notifications']);
  });

  it('has a job in the queues and turns of its type', async () => {
    const [found] = await app.database.sequelize.query<{ body: string }>(
      "select prosrc as body from pg_proc where proname = 'mail_at_once'",
      { type: QueryTypes.SELECT },
    );
    const { name, queues } = MAIL_NOTIFICATIONS;
    for (const part of [`'${name}'`, `'${queues.name}-' || recipient % ${queues.count}`, `between 0 and ${TURNS - 1}`])
      expect(found?.body).to.include(part);
  });

  it('adds nothing for OFF, for another type, and for a comment that is rolled back', async () => {
    await comment();
    await setEmail('AT_ONCE', 'SUMMARY');
    await comment();
    await setEmail('AT_ONCE');
    const json = { content: 'x', parentCommentId: 999_999 };
    await call(app.url, `POST /api/articles/${article.id}/comments`, { token: guest.token, json });
    expect(await enqueued()).to.deep.equal([]);
  });

  it('begins with the next notification after the change of the setting', async () => {
    await comment();
    await setEmail('AT_ONCE');
    await comment();
    await runDue();
    expect(subjects()).to.deep.equal([`${guest.nickname} commented on your article “Owls”.`]);
  });

  it('does not send what is read, switched off, withdrawn or of a locked account before the email is sent', async () => {
    const changes = {
      read: () => call(app.url, 'PUT /api/notifications/read', { token: host.token }),
      'switched off': () => setEmail('OFF'),
      'without the comment': () => app.database.sequelize.query('delete from comments'),
      'without the article': () => call(app.url, `DELETE /api/articles/${article.id}`, { token: host.token }),
      locked: () => app.database.sequelize.query(`update members set locked_at = now() where id = ${host.id}`),
      withdrawn: () =>
        call(app.url, 'DELETE /api/members/me', { token: host.token, json: { password: host.password } }),
    };
    for (const [name, change] of Object.entries(changes)) {
      await app.database.sequelize.query('delete from rate_limits');
      article = await buildArticle(app.url, { title: 'Owls' }, host);
      await setEmail('AT_ONCE');
      await comment();
      await runDueJobs(app.services, ['mail-notifications']);
      expect(await waitingMails(app), name).to.have.length(1);
      await change();
      await runDueJobs(app.services, ['send-mail']);
      expect(await waitingMails(app), name).to.deep.equal([]);
    }
    expect(smtp.messages).to.deep.equal([]);
  });

  it('does not send what is about an article that has become private since, nor does the digest', async () => {
    await setEmail('AT_ONCE', 'REPLY', guest);
    const { id } = await comment();
    await buildComment(app.url, article.id, { parentCommentId: id }, host);
    await runDueJobs(app.services, ['mail-notifications']);
    expect(await waitingMails(app)).to.have.length(1);
    await setPrivate(app.url, { ...article, author: host });
    await runDueJobs(app.services, ['send-mail']);
    expect(await waitingMails(app)).to.deep.equal([]);
    await setEmail('DAILY', 'REPLY', guest);
    await runDigests();
    expect(smtp.messages).to.deep.equal([]);
  });

  it('sends an email about a summary, in the language of the last login', async () => {
    await setEmail('AT_ONCE', 'SUMMARY');
    await app.database.sequelize.query(`update members set language = 'ko' where id = ${host.id}`);

    await app.database.transaction((db) => db.query(NOTIFY_OF_SUMMARY, [article.id, 'FAILED']));
    await runDue();
    expect(subjects()).to.deep.equal([CATALOGS.ko.summaryFailed('Owls')]);
  });

  it('does not send what is read before the email is added', async () => {
    await setEmail('AT_ONCE');
    await comment();
    await call(app.url, 'PUT /api/notifications/read', { token: host.token });
    await runDue();
    expect([subjects(), await enqueued()]).to.deep.equal([[], []]);
  });

  it('sends five emails in an hour, and then one about all further notifications', async () => {
    await setEmail('AT_ONCE');
    for (let time = 0; time < 7; time++) {
      await comment();
      await runDue();
    }
    expect(smtp.messages).to.have.length(5);
    await insertNotifications(app, article, 1_000);
    await comment();
    await runDue();
    expect(smtp.messages).to.have.length(5);
    const [waiting, ...others] = (await waitingJobs(app)).filter(({ task }) => task === 'mail-notifications');
    expect(others).to.deep.equal([]);
    expect(waiting?.seconds).to.be.within(3_500, 3_600);
    // An hour later.
    await app.database.sequelize.query('delete from rate_limits');
    await sendMails(app);
    await runDue();
    expect(subjects().slice(5)).to.deep.equal(['1003 new notifications']);
    expect(smtp.messages[5]?.text).to.include('953 more notifications');
    expect(smtp.messages[5]?.text.match(/journal\.example/g)).to.have.length(50);
    await comment();
    await runDue();
    expect(smtp.messages).to.have.length(7);
  }).timeout(60_000);

  it('combines notifications that arrive before the job runs', async () => {
    await setEmail('AT_ONCE');
    for (let time = 0; time < 3; time++) await comment();
    expect(await enqueued()).to.deep.equal(['mail-notifications']);
    await runDue();
    expect(subjects()).to.deep.equal(['3 new notifications']);
  });

  it('sends to the authors of the article and of the parent comment', async () => {
    const third = await buildRecipient(app);
    await setEmail('AT_ONCE');
    await setEmail('AT_ONCE', 'REPLY', guest);
    const { id } = await comment();
    await runDue();
    smtp.setBehaviors('accept');
    await buildComment(app.url, article.id, { parentCommentId: id }, third);
    await runDue();
    expect(smtp.messages.map(({ to }) => to[0])).to.have.members([host.email, guest.email]);
  });
});

describe('Emails about articles of followed members', () => {
  const followHost = async (...followers: BuiltMember[]) => {
    for (const { token } of followers) await call(app.url, `PUT /api/members/${host.id}/follow`, { token });
  };
  const publish = async (title: string) => {
    await buildArticle(app.url, { title }, host);
    await runDueJobs(app.services, ['announce-article']);
  };

  it('are sent at once, with a way to unsubscribe, behind all other emails, and combined with them', async () => {
    const followers = [guest, await buildRecipient(app), await buildRecipient(app)];
    await followHost(...followers);
    for (const follower of followers) await setEmail('AT_ONCE', 'ARTICLE', follower);
    await setEmail('AT_ONCE');
    await publish('Larks');
    await comment();
    await setEmail('AT_ONCE', 'COMMENT', guest);
    const own = await buildArticle(app.url, { title: 'Wrens' }, guest);
    await buildComment(app.url, own.id, {}, host);
    await runDue();
    expect(subjects().slice(0, 2)).to.have.members([
      `${guest.nickname} commented on your article “Owls”.`,
      '2 new notifications',
    ]);
    expect(subjects().slice(2)).to.deep.equal(Array(2).fill(`${host.nickname} published “Larks”.`));
    const [, , mail] = smtp.messages;
    expect(mail?.text).to.include('https://journal.example.org/').and.include('larks');
    const link = /<(.*)>/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? '';
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await fetch(link, { method: 'POST', body })).status).to.equal(200);
    smtp.setBehaviors('accept');
    await app.database.sequelize.query('delete from rate_limits');
    await publish('Swifts');
    await runDue();
    expect(smtp.messages).to.have.length(2);
  });

  it('are in the digest of a day', async () => {
    await followHost(guest);
    await setEmail('DAILY', 'ARTICLE', guest);
    await publish('Larks');
    await publish('Swifts');
    expect(await enqueued()).to.deep.equal([]);
    await runDigests();
    expect(subjects()).to.deep.equal(['2 new notifications']);
    expect(smtp.messages[0]?.text).to.include(`${host.nickname} published “Swifts”.`);
  });
});

describe('Emails about likes and followers', () => {
  it('are sent at once, and in the digest with the number at that time', async () => {
    const third = await buildRecipient(app);
    const react = async (path: string, ...members: BuiltMember[]) => {
      for (const { token } of members) await call(app.url, `PUT /api/${path}`, { token });
    };
    await call(app.url, `${PATH}/LIKE`, { token: host.token, json: { enabled: true } });
    for (const [email, run] of [
      ['AT_ONCE', runDue],
      ['DAILY', runDigests],
    ] as const) {
      await setEmail(email, 'LIKE');
      await setEmail(email, 'FOLLOW');
      smtp.setBehaviors('accept');
      await react(`articles/${article.id}/like`, guest, third);
      await react(`members/${host.id}/follow`, guest);
      await run();
      expect(subjects(), email).to.deep.equal(['2 new notifications']);
      expect(smtp.messages[0]?.text)
        .to.include('2 members like your article “Owls”.')
        .and.include(`${guest.nickname} follows you.`);
      await app.database.sequelize.query('delete from reactions');
      await app.database.sequelize.query('delete from follows');
    }
  });
});

describe('DAILY', () => {
  it('sends one digest of the unread notifications of a UTC day, and none without', async () => {
    await setEmail('DAILY');
    await runDigests();
    expect(smtp.messages).to.deep.equal([]);
    await comment();
    await comment();
    const [newest] = await notificationsOf(app.url, host);
    await call(app.url, `PUT /api/notifications/${newest?.id}`, { token: host.token });
    await runDigests();
    expect(subjects()).to.deep.equal(['1 new notification']);
    expect(smtp.messages[0]?.headers.get('list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
    await comment();
    await runDigests();
    expect(smtp.messages, 'on the same day').to.have.length(1);
    await onNextDay();
    await runDigests();
    expect(subjects()).to.deep.equal(['1 new notification', '1 new notification']);
    await onNextDay();
    await runDigests();
    expect(smtp.messages, 'without new ones').to.have.length(2);
  });

  it('contains the types with DAILY only, beside emails at once of others', async () => {
    await setEmail('DAILY', 'SUMMARY');
    await setEmail('AT_ONCE', 'COMMENT');
    await app.database.sequelize.query(`insert into notifications (member_id, type, article_id, outcome)
      values (${host.id}, 'SUMMARY', ${article.id}, 'COMPLETED')`);
    await comment();
    await runDue();
    await runDigests();
    const atOnce = `${guest.nickname} commented on your article “Owls”.`;
    expect(subjects()).to.deep.equal([atOnce, '1 new notification']);
    expect(smtp.messages[1]?.text).to.include('The summary of your article “Owls” is ready.').and.not.include(atOnce);
  });

  it('contains publications at their time and failed ones, as emails at once do', async () => {
    for (const [email, run, slug] of [
      ['AT_ONCE', runDue, 'flood'],
      ['DAILY', runDigests, 'springs'],
    ] as const) {
      await setEmail(email, 'PUBLICATION');
      smtp.setBehaviors('accept');
      for (const [title, content] of [
        ['Tides', 'They come and go.'],
        ['Ebb', ''],
      ]) {
        const draft = await buildDraft(app.url, { title, slug: content && slug }, host);
        await schedule(app.url, draft);
        await app.database.sequelize.query(`update drafts set content = '${content}' where id = ${draft.id}`);
      }
      await advance(app, 2);
      await runJobs(app);
      await run();
      const text = smtp.messages.map((mail) => mail.text).join('\n');
      expect(text).to.include('“Tides” was published as scheduled.');
      expect(text).to.match(new RegExp(`https://journal.example.org/\\d+/${slug}`));
      expect(text).to.include('Your draft “Ebb” could not be published as scheduled.');
      await setEmail('OFF', 'PUBLICATION');
      await app.database.sequelize.query('delete from drafts');
    }
  });

  it('sends each digest once, with concurrent and repeated runs over several batches', async () => {
    const members = 120;
    await app.database.sequelize.query(`insert into members (email, member_name, nickname)
      select 'm' || n || '@example.org', 'M', 'digest' || n from generate_series(1, ${members}) n`);
    await app.database.sequelize.query(`insert into notification_settings (member_id, type, enabled, email)
      select id, 'COMMENT', true, 'DAILY' from members where nickname like 'digest%'`);
    await app.database.sequelize.query(`insert into notifications (member_id, type, article_id)
      select id, 'COMMENT', ${article.id} from members where nickname like 'digest%'`);
    const signal = new AbortController().signal;
    const run = () => mailDigests({}, app.services, { attempt: 1, signal });
    await Promise.all([run(), run(), run()]);
    await run();
    const rows = await app.database.sequelize.query<{ mails: number; members: number }>(
      'select count(*)::int as mails, count(distinct member_id)::int as members from mails',
      { type: QueryTypes.SELECT },
    );
    expect(rows).to.deep.equal([{ mails: members, members }]);
  });

  it('stops between two batches when the process stops', async () => {
    await setEmail('DAILY');
    await comment();
    const signal = AbortSignal.abort(new Error('stopping'));
    const error = await mailDigests({}, app.services, { attempt: 1, signal }).catch((reason) => reason);
    expect(error).to.have.property('message', 'stopping');
    expect(await waitingMails(app)).to.deep.equal([]);
  });
});
