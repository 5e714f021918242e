/** The content of all emails in both languages: texts, links, escaping and headers. */
import { expect } from 'chai';
import { LANGUAGES } from '../../../src/platform/messages/message.js';
import { createOneTimeToken } from '../../../src/services/auth/one-time-token.js';
import { createUnsubscribeToken } from '../../../src/services/auth/unsubscribe-token.js';
import { renderMail } from '../../../src/services/mail/render.js';
import { TEMPLATES } from '../../../src/services/mail/templates.js';
import { JWT_SECRET, useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle } from '../../support/build.js';
import { MAIL_TEMPLATES, mailSamples } from '../../support/mail-samples.js';
import { addMail, buildRecipient, sendMails, waitingMails } from '../../support/mails.js';
import { type ReceivedMail, startSmtp } from '../../support/smtp.js';

const smtp = await startSmtp();
after(() => smtp.close());

describe('Every email', () => {
  const app = useApp({
    ...smtp.environment,
    ACCOUNT_URL: 'https://example.org/account/',
    PUBLIC_URL: 'https://api.example.org',
    SITE_TITLE: 'Owls & <Co>',
  });
  let member: BuiltMember;
  before(async () => {
    member = await buildRecipient(app);
    const { id } = await buildArticle(app.url, { title: 'Owls & <b>mice</b>' }, member);
    await app.database.sequelize.query(`insert into notification_settings (member_id, type, enabled, email)
      values (${member.id}, 'COMMENT', true, 'AT_ONCE'), (${member.id}, 'SUMMARY', true, 'DAILY')`);
    await app.database.sequelize.query(`insert into notifications (member_id, type, article_id, actor_id, outcome)
      values (${member.id}, 'COMMENT', ${id}, ${member.id}, null), (${member.id}, 'SUMMARY', ${id}, null, 'COMPLETED'),
        (${member.id}, 'SUMMARY', ${id}, null, 'FAILED')`);
  });
  beforeEach(() => smtp.setBehaviors('accept'));

  const tokens = new Map<string, string>();
  const samples = mailSamples((purpose) => {
    const { token, reference } = createOneTimeToken(JWT_SECRET, purpose);
    tokens.set(purpose, token);
    return reference;
  });

  async function receive(send: () => Promise<void>, language = 'en'): Promise<ReceivedMail> {
    await app.database.sequelize.query(`update members set language = '${language}'`);
    smtp.setBehaviors('accept');
    await send();
    await sendMails(app);
    expect(smtp.messages).to.have.length(1);
    return smtp.messages[0] as ReceivedMail;
  }

  for (const template of MAIL_TEMPLATES)
    for (const language of LANGUAGES)
      it(`${template} is complete as text and HTML in ${language}`, async () => {
        const values = samples[template];
        const { headers, text, html } = await receive(
          () => addMail(app, { template, memberId: member.id, values }),
          language,
        );
        const subject = headers.get('subject') ?? '';
        expect(/\p{Script=Hangul}/u.test(subject)).to.equal(language === 'ko');
        expect(/\p{Script=Hangul}/u.test(text)).to.equal(language === 'ko');
        expect(html).to.match(new RegExp(`^<!DOCTYPE html>\\n<html lang="${language}">`));
        expect(text + html).not.to.match(/undefined|null|\[object/);
        expect(text).to.include('Owls & <Co>');
        expect(html).to.include('Owls &amp; &lt;Co&gt;').and.not.include('<b>').and.not.include('<Co>');
        expect(html, 'no remote content').not.to.match(/<(?:img|link|script|iframe)|url\(|@import/i);
        const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target.replaceAll('&amp;', '&'));
        for (const target of targets) expect(text).to.include(target);
        expect(text.includes('https:')).to.equal(targets.length > 0);
      });

  it('has the link of its purpose, with a token that only the email contains', async () => {
    const { text, headers } = await receive(() =>
      addMail(app, { template: 'passwordReset', memberId: member.id, values: samples.passwordReset }),
    );
    expect(text).to.include(`\nhttps://example.org/account/reset#token=${tokens.get('reset')}\n`);
    expect(headers.has('list-unsubscribe')).to.equal(false);
    await addMail(app, { template: 'passwordReset', memberId: member.id, values: samples.passwordReset });
    const [[stored]] = (await app.database.sequelize.query(`select string_agg(m::text, '') as rows from mails m`)) as [
      { rows: string }[],
      unknown,
    ];
    expect(stored?.rows).to.include(samples.passwordReset.link.id).and.not.include(tokens.get('reset'));
    await sendMails(app);
  });

  it('about notifications can be unsubscribed from with one click', async () => {
    smtp.setBehaviors('accept');
    const { headers, text } = await receive(() =>
      addMail(app, { template: 'notification', memberId: member.id, values: samples.notification }),
    );
    const token = createUnsubscribeToken(JWT_SECRET, member.id);
    const url = `https://api.example.org/account/unsubscribe?token=${token}`;
    expect(headers.get('list-unsubscribe')).to.equal(`<${url}>`);
    expect(headers.get('list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
    expect(text).to.include(url);
  });

  it('keeps names with line breaks, of any length and direction, out of its headers and of the text around them', async () => {
    const actor = `A\r\nBcc: victim@example.org\r\n\r\n<script>\u202e${'x'.repeat(10_000)}`;
    const texts = {
      actorName: actor,
      title: 'שלום',
      commentId: null,
      draftId: null,
      outcome: null,
      likes: null,
      decision: null,
    } as const;
    const notification = { type: 'COMMENT', ...texts, url: 'https://example.org/7' } as const;
    const { config, mailer } = app.services;
    const content = TEMPLATES.notification.content({ notifications: [notification], total: 1 }, '');
    const mail = { messageId: 'id@example.org', to: member.email, unsubscribeUrl: null };
    const { raw, headers, to, html } = await receive(async () =>
      mailer?.send({ ...mail, ...renderMail(config, content, 'en') }, new AbortController().signal),
    );
    expect(to).to.deep.equal([member.email]);
    expect(raw).not.to.match(/^Bcc:/im);
    expect(headers.get('subject')).to.match(
      /^A Bcc: victim@example\.org <script>x+… commented on your article “\u2068שלום\u2069”\.$/,
    );
    expect(headers.get('subject')?.length).to.be.below(250);
    expect(html).not.to.include('<script>').and.not.include('\u202e');
    for (const line of raw.split('\r\n')) expect(line.length).to.be.below(999);
  });

  it('has one recipient, whatever the address contains', async () => {
    for (const address of [
      'a@example.org, b@example.org',
      'a@example.org>\r\nRCPT TO:<b@example.org',
      'Ada <a@example.org>',
    ]) {
      smtp.setBehaviors('accept');
      await addMail(app, {
        template: 'passwordChanged',
        memberId: member.id,
        address,
        values: samples.passwordChanged,
      });
      await sendMails(app);
      for (const { to } of smtp.messages) expect(to, address).to.have.length(1).and.not.include('b@example.org');
      expect(await waitingMails(app), 'rejected, or sent to one recipient').to.deep.equal([]);
    }
  });

  it('has the language of the last login', async () => {
    for (const [language, subject] of [
      ['ko-KR', '비밀번호가 변경되었습니다'],
      ['en', 'Your password was changed'],
    ] as const) {
      const { email, password } = member;
      await fetch(`${app.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-language': language },
        body: JSON.stringify({ email, password }),
      });
      smtp.setBehaviors('accept');
      await addMail(app, { template: 'passwordChanged', memberId: member.id, values: samples.passwordChanged });
      await sendMails(app);
      expect(smtp.messages.map(({ headers }) => headers.get('subject'))).to.deep.equal([subject]);
    }
  });

  it('is not enqueued for a member without an address', async () => {
    smtp.setBehaviors('accept');
    const [[row]] = (await app.database.sequelize.query(
      `insert into members (member_name, nickname) values ('n', 'without address') returning id`,
    )) as [{ id: number }[], unknown];
    await addMail(app, { template: 'passwordChanged', memberId: row?.id ?? 0, values: samples.passwordChanged });
    await sendMails(app);
    expect(smtp.connections()).to.equal(0);
  });

  it('is not sent with a link that the current secret cannot derive', async () => {
    smtp.setBehaviors('accept');
    const { reference } = createOneTimeToken('another secret of the tests, long enough', 'reset');
    await addMail(app, { template: 'passwordReset', memberId: member.id, values: { link: reference } });
    await sendMails(app);
    expect(smtp.connections()).to.equal(0);
  });
});

describe('Limits of emails', () => {
  const app = useApp(smtp.environment);
  const values = { at: '2026-11-22T06:30:00.000Z', device: '', address: '192.0.2.7' };

  it('permit 10 notices of each kind to a member in an hour', async () => {
    const [member, other] = [await buildRecipient(app), await buildRecipient(app)];
    smtp.setBehaviors('accept');
    for (let mail = 0; mail < 12; mail++) await addMail(app, { template: 'newDevice', memberId: member.id, values });
    await addMail(app, { template: 'passwordChanged', memberId: member.id, values });
    await addMail(app, { template: 'newDevice', memberId: other.id, values });
    await sendMails(app);
    const counts = new Map<string, number>();
    for (const { to, headers } of smtp.messages) {
      const key = `${to} ${headers.get('subject')}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).to.deep.equal({
      [`${member.email} Login on a new device`]: 10,
      [`${member.email} Your password was changed`]: 1,
      [`${other.email} Login on a new device`]: 1,
    });
  });

  it('count a retried notice once', async () => {
    const member = await buildRecipient(app);
    smtp.setBehaviors({ at: 'recipient', reply: 450 });
    await addMail(app, { template: 'newDevice', memberId: member.id, values });
    for (let attempt = 0; attempt < 12; attempt++) await sendMails(app);
    smtp.setBehaviors('accept');
    await sendMails(app);
    expect(smtp.messages).to.have.length(1);
  });
});
