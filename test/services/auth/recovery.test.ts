/** New passwords by a link in an email, over both APIs, with a real SMTP server. */
import { expect } from 'chai';
import { LOCK_ACCOUNT } from '../../../src/models/member/administration.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { recoveryApis, tokenFor, tokensFor } from '../../support/links.js';
import { sendMails, waitingMails } from '../../support/mails.js';
import { beforeHashes, hashesDuring } from '../../support/password-hashes.js';
import { logIn, statusOf } from '../../support/session.js';
import { startSmtp } from '../../support/smtp.js';
import { statementsDuring } from '../../support/statements.js';

const smtp = await startSmtp();
after(() => smtp.close());

const EXPIRE = `update one_time_tokens set expires_at = now() - interval '1 millisecond' where purpose = 'reset'`;
const NEW_PASSWORD = 'nine lanterns on the quay';
let count = 0;

describe('A new password', () => {
  const app = useApp(smtp.environment);
  const apis = recoveryApis(app);
  const { forgot, reset } = apis.REST;
  let member: BuiltMember;
  beforeEach(async () => {
    smtp.setBehaviors('accept');
    member = await buildMember(app.url);
    await sendMails(app);
    smtp.setBehaviors('accept');
  });

  const login = (password: string) =>
    call(app.url, 'POST /api/auth/login', { json: { email: member.email, password } });
  const tokens = () => tokensFor(app, smtp, 'reset', member.email);
  async function requested(): Promise<string> {
    expect(await forgot(member.email)).to.equal('1');
    return tokenFor(app, smtp, 'reset', member.email);
  }
  const execute = (sql: string) => app.database.sequelize.query(sql);

  for (const [name, api] of Object.entries(apis)) {
    it(`is set with a link, which ends all sessions and notifies the member, over ${name}`, async () => {
      const other = await logIn(app.url, member);
      const apiToken = await buildApiToken(app.url, member, ['read']);
      expect(await api.forgot(member.email.toUpperCase())).to.equal('1');
      const token = await tokenFor(app, smtp, 'reset', member.email);
      smtp.setBehaviors('accept');
      expect(await api.reset(token, NEW_PASSWORD)).to.equal('1');
      for (const old of [member.token, other.accessToken, apiToken.token])
        expect(await statusOf(app.url, old)).to.equal(401);
      await expectStatus(login(member.password), 401, 'INVALID_CREDENTIALS');
      const { body } = await expectStatus(login(NEW_PASSWORD), 200, '1');
      await sendMails(app);
      expect(smtp.messages.map(({ to, headers }) => [...to, headers.get('subject')])).to.deep.equal([
        [member.email, 'Your password was changed'],
      ]);
      const query = '{ me { emailVerified } securityEvents { contents { kind address } } }';
      const { data } = await graphql(app.url, query, {}, body?.data.accessToken);
      expect(data.me, 'the link proved access to the address').to.deep.equal({ emailVerified: true });
      const events = data.securityEvents.contents.map((one: { kind: string; address: string }) => Object.values(one));
      expect(events.slice(-5, -3)).to.deep.equal([
        ['PASSWORD_RESET', '127.0.0.1'],
        ['PASSWORD_RESET_REQUESTED', '127.0.0.1'],
      ]);
    });

    it(`is not set with a token that is used, expired, replaced, of another purpose or unknown, over ${name}`, async () => {
      const used = await requested();
      expect(await api.reset(used, NEW_PASSWORD)).to.equal('1');
      await execute('delete from rate_limits');
      smtp.setBehaviors('accept');
      const expiring = await requested();
      const code = await beforeHashes(
        () => execute(EXPIRE),
        () => api.reset(expiring, NEW_PASSWORD),
      );
      expect(code, 'while the password is hashed').to.equal('TOKEN_INVALID');
      await execute('delete from rate_limits');
      smtp.setBehaviors('accept');
      const replaced = await requested();
      await forgot(member.email);
      const [, current = ''] = await tokens();
      const other = await buildMember(app.url);
      const confirmation = await tokenFor(app, smtp, 'confirm', other.email);
      // After the last link that is added, which deletes expired ones.
      await execute(EXPIRE);
      const statements: string[][] = [];
      for (const bad of [used, replaced, current, confirmation, 'x', 'x'.repeat(43), '\u{1f511}']) {
        const texts = await statementsDuring(async () => {
          expect(await api.reset(bad, 'another new password'), bad).to.equal('TOKEN_INVALID');
        });
        statements.push(texts);
      }
      for (const texts of statements) expect(texts, 'the same work').to.deep.equal(statements[0]);
      await expectStatus(login(NEW_PASSWORD), 200, '1');
    });
  }

  it('requires a password that is not too short, long or common, and leaves the token valid', async () => {
    const token = await requested();
    for (const bad of ['short', 'x'.repeat(129), 'password1']) {
      expect(await reset(token, bad)).to.equal('VALIDATION_FAILED');
    }
    expect(await reset(token, NEW_PASSWORD)).to.equal('1');
  });

  it('is set by one of ten concurrent requests with one token', async () => {
    const token = await requested();
    const codes = await Promise.all(Array.from({ length: 10 }, (_, n) => reset(token, `${NEW_PASSWORD} ${n}`)));
    expect(codes.sort()).to.deep.equal(['1', ...Array(9).fill('TOKEN_INVALID')]);
  });

  it('cannot be set with a link from before a change of the password', async () => {
    const token = await requested();
    const options = { token: member.token, json: { password: NEW_PASSWORD, currentPassword: member.password } };
    expect((await call(app.url, 'PATCH /api/members/me', options)).status).to.equal(204);
    expect(await reset(token, 'another new password')).to.equal('TOKEN_INVALID');
    await expectStatus(login(NEW_PASSWORD), 200, '1');
  });

  it('does not unlock a locked account', async () => {
    await app.database.query(LOCK_ACCOUNT, [member.id]);
    expect(await reset(await requested(), NEW_PASSWORD)).to.equal('1');
    await expectStatus(login(NEW_PASSWORD), 403, 'ACCOUNT_LOCKED');
  });

  it('can be set in an account without one', async () => {
    await execute(`update members set password_hash = null where id = ${member.id}`);
    expect(await reset(await requested(), NEW_PASSWORD)).to.equal('1');
    await expectStatus(login(NEW_PASSWORD), 200, '1');
  });

  it('cannot be set after the withdrawal of the member, and no link is sent', async () => {
    const token = await requested();
    await forgot(member.email);
    await call(app.url, 'DELETE /api/members/me', { token: member.token, json: { password: member.password } });
    smtp.setBehaviors('accept');
    expect([await tokens(), await waitingMails(app)]).to.deep.equal([[], []]);
    expect(await reset(token, NEW_PASSWORD)).to.equal('TOKEN_INVALID');
    expect(await rowsOf(app.database, `select id from one_time_tokens where member_id = ${member.id}`)).to.deep.equal(
      [],
    );
  });

  it('is requested with the same response, statements and password hashes for a known and an unknown address', async () => {
    const measured: unknown[] = [];
    for (const email of [member.email, `nobody${++count}@example.org`]) {
      for (const target of ['password/forgot', 'email/resend']) {
        let response: unknown;
        let hashes = 0;
        const statements = await statementsDuring(async () => {
          hashes = await hashesDuring(async () => {
            const { status, body } = await call(app.url, `POST /api/auth/${target}`, { json: { email } });
            response = { status, body };
          });
        });
        measured.push({ target, response, statements, hashes });
      }
    }
    expect(measured.slice(2)).to.deep.equal(measured.slice(0, 2));
  });

  it('is requested three times an hour for an address at most, with the same response, and earlier links stay valid', async () => {
    for (let n = 0; n < 5; n++) expect(await forgot(member.email)).to.equal('1');
    const found = await tokens();
    // The registration sent one.
    expect(found).to.have.length(2);
    expect(await reset(found[1] ?? '', NEW_PASSWORD)).to.equal('1');
  });

  it('is sent when the SMTP server works again, and stores no token and no address of the request until then', async () => {
    smtp.setBehaviors({ at: 'greeting', reply: 421 });
    expect(await forgot(member.email)).to.equal('1');
    await sendMails(app);
    expect(smtp.messages).to.deep.equal([]);
    expect(await rowsOf(app.database, 'select id from link_requests')).to.deep.equal([]);
    smtp.setBehaviors('accept');
    const token = await tokenFor(app, smtp, 'reset', member.email);
    const [stored] = await rowsOf<{ text: string }>(
      app.database,
      `select t::text as text from one_time_tokens t where member_id = ${member.id} and purpose = 'reset'`,
    );
    expect(stored?.text).to.not.contain(token).and.not.contain(Buffer.from(token).toString('hex'));
    expect(await reset(token, NEW_PASSWORD)).to.equal('1');
  });

  it('ignores an Authorization header that is not valid', async () => {
    const options = { token: 'bad', json: { email: member.email } };
    expect((await call(app.url, 'POST /api/auth/password/forgot', options)).status).to.equal(202);
  });
});

describe('Links without an SMTP server', () => {
  const app = useApp();

  for (const [name, api] of Object.entries(recoveryApis(app))) {
    it(`are rejected with MAIL_NOT_CONFIGURED over ${name}`, async () => {
      const { token, email, password } = await buildMember(app.url);
      expect(await api.forgot(email)).to.equal('MAIL_NOT_CONFIGURED');
      expect(await api.resend(email)).to.equal('MAIL_NOT_CONFIGURED');
      expect(await api.change(token, 'new@example.org', password)).to.equal('MAIL_NOT_CONFIGURED');
      expect(await api.reset('x', NEW_PASSWORD)).to.equal('TOKEN_INVALID');
    });
  }

  it('need no statement in a registration', async () => {
    const statements = await statementsDuring(() => buildMember(app.url));
    expect(statements.filter((text) => /one_time_tokens|link_requests|into mails/.test(text))).to.have.length(0);
  });
});

describe('Requests for links from one network', () => {
  const app = useApp({ ...smtp.environment, LIMIT_RECOVERY: '3/1h' });

  it('are limited with 429, as are links that are not valid', async () => {
    const { forgot, reset, resend } = recoveryApis(app).REST;
    expect(await forgot('a@example.org')).to.equal('1');
    expect(await resend('b@example.org')).to.equal('1');
    expect(await reset('x', NEW_PASSWORD)).to.equal('TOKEN_INVALID');
    expect(await reset('x', NEW_PASSWORD)).to.equal('RATE_LIMITED');
    expect(await forgot('c@example.org')).to.equal('RATE_LIMITED');
  });
});
