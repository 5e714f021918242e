/** The key of email addresses: equal in JavaScript and in PostgreSQL, and used for accounts and for limits. */
import { expect } from 'chai';
import pg from 'pg';
import { emailKey, emailKeySql, mailboxKey } from '../../src/platform/email-address.js';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { execute } from '../support/database.js';
import { addJobs } from '../support/jobs.js';
import { recoveryApis, tokensFor } from '../support/links.js';
import { sendMails, waitingMails } from '../support/mails.js';
import { startSmtp } from '../support/smtp.js';

const smtp = await startSmtp();
after(() => smtp.close());

/** Every character that has a case, and some combinations whose lower case depends on the characters around them. */
const CASED = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((letter) => /\p{Changes_When_Casemapped}/u.test(letter))
  .concat('ΑΣ', 'ΑΣΑ', 'I\u0307', 'J\u0301');

describe('emailKey', () => {
  it('is the same in JavaScript and PostgreSQL for all letters, in a database of any locale', async () => {
    const url = new URL(process.env.TEST_SERVER_URL ?? '');
    for (const [name, locale] of [
      ['email_key_c', `locale_provider libc locale 'C.UTF-8'`],
      ['email_key_tr', `locale_provider icu icu_locale 'tr-TR' locale 'C.UTF-8'`],
    ] as const) {
      await execute([
        `drop database if exists ${name}`,
        `create database ${name} template template0 encoding 'UTF8' ${locale}`,
      ]);
      url.pathname = `/${name}`;
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      try {
        const { rows } = await client.query(
          `select ${emailKeySql('letter')} as key from unnest($1::text[]) with ordinality as u(letter, n) order by n`,
          [CASED],
        );
        expect(
          rows.map(({ key }) => key),
          name,
        ).to.deep.equal(CASED.map(emailKey));
      } finally {
        await client.end();
      }
      await execute([`drop database ${name}`]);
    }
    expect(CASED).to.have.length.above(2_500);
    expect(emailKey('ABC.xyz+İ\u212a@EXAMPLE.org')).to.equal('abc.xyz+İ\u212a@example.org');
  });

  it('differs for addresses that mail servers distinguish, and the limit of emails is that of the mailbox', () => {
    expect(emailKey('mİna@example.org')).not.to.equal(emailKey('mina@example.org'));
    const same = ['mina@example.org', 'MINA@EXAMPLE.ORG', 'Mina@ｅｘａｍｐｌｅ.org', 'mina@exam\u00adple.org'];
    expect(new Set(same.map(mailboxKey))).to.deep.equal(new Set(['mina@example.org']));
    expect(mailboxKey('a@münchen.example')).to.equal('a@xn--mnchen-3ya.example');
    expect(mailboxKey('a@münchen.example')).to.equal(mailboxKey('A@MÜNCHEN.EXAMPLE'));
  });
});

describe('An address in another spelling', () => {
  const app = useApp(smtp.environment);
  const { forgot, reset, resend } = recoveryApis(app).REST;
  beforeEach(() => smtp.setBehaviors('accept'));

  it('is that of the account if only A to Z differ, for logins, registrations, links and limits', async () => {
    const member = await buildMember(app.url, { email: 'mira.İ@example.org' });
    const { password } = member;
    const register = (email: string) =>
      call(app.url, 'POST /api/auth/register', { json: { email, password, memberName: 'Mira' } });
    const login = (email: string) => call(app.url, 'POST /api/auth/login', { json: { email, password } });
    await expectStatus(register('MIRA.İ@EXAMPLE.org'), 409, 'EMAIL_TAKEN');
    await expectStatus(login('Mira.İ@example.ORG'), 200, '1');
    await expectStatus(login('mira.i̇@example.org'), 401, 'INVALID_CREDENTIALS');
    await expectStatus(login('mira.i@example.org'), 401, 'INVALID_CREDENTIALS');
    await sendMails(app);
    smtp.setBehaviors('accept');
    for (const email of ['mira.i@example.org', 'mira.i̇@example.org', 'mIRA.ı@example.org']) {
      expect(await forgot(email)).to.equal('1');
      expect(await resend(email)).to.equal('1');
    }
    await sendMails(app);
    expect(smtp.messages, 'no spelling that another comparison would accept causes an email').to.deep.equal([]);
  });

  it('does not raise the limit of emails to a mailbox, with or without an account', async () => {
    const member = await buildMember(app.url, { email: 'limited@example.org' });
    await sendMails(app);
    smtp.setBehaviors('accept');
    const spellings = [
      'limİted@example.org',
      'LIMITED@example.org',
      'limited@ＥＸＡＭＰＬＥ.org',
      'LımIted@example.org',
    ];
    for (let round = 0; round < 3; round++) {
      for (const spelling of spellings) expect(await forgot(spelling)).to.equal('1');
    }
    const tokens = await tokensFor(app, smtp, 'reset', member.email);
    // With the email of the registration, which was sent to the same address.
    expect(tokens).to.have.length.within(1, 2);
    expect(await reset(tokens.at(-1) ?? '', 'a quiet harbor at noon')).to.equal('1');
  });

  it('does not matter for the limit of links that a member receives, and further ones do not replace the last', async () => {
    const member = await buildMember(app.url, { email: 'often@example.org' });
    await sendMails(app);
    smtp.setBehaviors('accept');
    for (let n = 0; n < 6; n++) {
      const [requests] = await app.database.sequelize.query(
        `insert into link_requests (purpose, email, address, device) values ('reset', 'OFTEN@example.org', '', '') returning id`,
      );
      await app.database.transaction((db) => addJobs(db, 'send-link', requests as { id: string }[]));
    }
    const tokens = await tokensFor(app, smtp, 'reset', member.email);
    expect(tokens).to.have.length(3);
    expect(await waitingMails(app)).to.deep.equal([]);
    expect(await reset(tokens.at(-1) ?? '', 'a quiet harbor at noon')).to.equal('1');
  });
});

describe('An internationalized mail domain', () => {
  const app = useApp();
  const FORMS = [
    'bücher.example',
    'xn--bcher-kva.example',
    'BÜCHER.example',
    'XN--BCHER-KVA.EXAMPLE',
    'Bücher.example',
    'bücher.ｅｘａｍｐｌｅ',
  ];
  const password = 'tide-and-owl-7';
  const register = (email: string, nickname: string) =>
    call(app.url, 'POST /api/auth/register', { json: { email, password, memberName: 'Owl', nickname } });
  const logIn = (email: string, given = password) =>
    call(app.url, 'POST /api/auth/login', { json: { email, password: given } });

  it('is one account in all forms', async () => {
    for (const [index, stored] of FORMS.entries()) {
      expect((await register(`idn${index}@${stored}`, `idn${index}`)).status).to.equal(201);
      for (const form of FORMS) {
        const email = `IDN${index}@${form}`;
        expect((await register(email, `idn${index}x`)).body?.code, `${stored} ${form}`).to.equal('EMAIL_TAKEN');
        expect((await logIn(email)).status, `${stored} ${form}`).to.equal(200);
      }
    }
  });

  it('finds an account that version 1.0.0 has stored in another form; of two, each by its own', async () => {
    for (const [index, stored] of FORMS.slice(0, 5).entries()) {
      const { id } = await buildMember(app.url, { email: `old${index}@plain.example`, password });
      await app.database.query({ name: '', text: 'update members set email = $1 where id = $2' }, [
        `old${index}@${stored}`,
        id,
      ]);
      for (const form of FORMS.slice(0, 5))
        expect((await logIn(`old${index}@${form}`)).status, `${stored} ${form}`).to.equal(200);
    }
    for (const [index, domain] of FORMS.slice(0, 2).entries()) {
      const { id } = await buildMember(app.url, {
        email: `two${index}@plain.example`,
        password: `${password}${index}`,
      });
      await app.database.query({ name: '', text: 'update members set email = $1 where id = $2' }, [
        `two@${domain}`,
        id,
      ]);
    }
    for (const [index, domain] of FORMS.slice(0, 2).entries()) {
      expect((await logIn(`two@${domain}`, `${password}${index}`)).status).to.equal(200);
      expect((await logIn(`two@${domain}`, `${password}${1 - index}`)).status).to.equal(401);
    }
  });
});
