/** REQUIRE_VERIFIED_EMAIL: registrations that do not show whether an address has an account, and logins with confirmed addresses. */
import { expect } from 'chai';
import { createInvitation } from '../../../src/commands/invitation.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { type TestApp, useApp } from '../../support/app.js';
import { buildArticle } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { addJobs, runJobs } from '../../support/jobs.js';
import { recoveryApis, tokenFor } from '../../support/links.js';
import { sendMails } from '../../support/mails.js';
import { hashesDuring } from '../../support/password-hashes.js';
import { startSmtp } from '../../support/smtp.js';
import { statementsDuring } from '../../support/statements.js';

const smtp = await startSmtp();
after(() => smtp.close());

const password = 'twelve anchors in the bay';
let count = 0;
const account = (overrides: Record<string, unknown> = {}) => {
  count++;
  return { email: `pending${count}@example.org`, password, memberName: `Pending ${count}`, ...overrides };
};
const emailsIn = async ({ database }: TestApp) =>
  (await rowsOf<{ email: string }>(database, 'select email from members order by id')).map(({ email }) => email);

describe('With REQUIRE_VERIFIED_EMAIL=true', () => {
  const app = useApp({ ...smtp.environment, REQUIRE_VERIFIED_EMAIL: 'true' });
  const register = (json: object) => call(app.url, 'POST /api/auth/register', { json });
  const login = (email: string, given = password) =>
    call(app.url, 'POST /api/auth/login', { json: { email, password: given } });
  const link = (email: string) => tokenFor(app, smtp, 'confirm', email);
  const { confirm, resend, forgot, reset, change } = recoveryApis(app).REST;
  const execute = (sql: string) => app.database.sequelize.query(sql);
  beforeEach(() => smtp.setBehaviors('accept'));

  async function confirmed(): Promise<{ email: string; token: string }> {
    const { email, ...rest } = account();
    await register({ email, ...rest });
    expect(await confirm(await link(email))).to.equal('1');
    return { email, token: (await login(email)).body?.data.accessToken };
  }

  it('an account can log in after the confirmation of its address, and the error is shown after the correct password only', async () => {
    const { email, ...rest } = account();
    const { status, body } = await register({ email, ...rest });
    expect([status, body]).to.deep.equal([
      202,
      { code: '1', message: 'Open the link in the email to complete the registration.', data: {} },
    ]);
    await expectStatus(login(email, 'a wrong password'), 401, 'INVALID_CREDENTIALS');
    await expectStatus(login(email), 403, 'EMAIL_NOT_VERIFIED');
    const mutation = 'mutation ($input: LoginInput!) { login(input: $input) { accessToken } }';
    const { errors } = await graphql(app.url, mutation, { input: { email, password } });
    expect(errors?.[0]?.extensions.code).to.equal('EMAIL_NOT_VERIFIED');
    expect(await confirm(await link(email))).to.equal('1');
    await expectStatus(login(email), 200, '1');
  });

  it('GraphQL returns null for free and taken addresses', async () => {
    const input = account();
    for (let n = 0; n < 2; n++) {
      const { data, errors } = await graphql(
        app.url,
        'mutation ($input: RegisterInput!) { register(input: $input) { id } }',
        { input },
      );
      expect([data, errors]).to.deep.equal([{ register: null }, undefined]);
    }
    expect((await emailsIn(app)).filter((email) => email === input.email)).to.have.length(1);
  });

  it('free, taken and reserved addresses lead to the same response, statements and password hashes', async () => {
    const { email } = await confirmed();
    const { email: former, token } = await confirmed();
    const moved = `moved.${former}`;
    expect(await change(token, moved, password)).to.equal('1');
    expect(await confirm(await link(moved))).to.equal('1');
    const pending = account();
    await register(pending);
    await sendMails(app);
    await execute('delete from rate_limits');
    const before = await emailsIn(app);
    smtp.setBehaviors('accept');
    const fresh = account().email;
    const measured: unknown[] = [];
    for (const one of [fresh, email.toUpperCase(), former, pending.email]) {
      let response: unknown;
      let hashes = 0;
      const statements = await statementsDuring(async () => {
        hashes = await hashesDuring(async () => {
          const { status, body } = await register(account({ email: one }));
          response = { status, body };
        });
      });
      measured.push({ response, hashes, statements });
    }
    expect(measured.slice(1)).to.deep.equal([measured[0], measured[0], measured[0]]);
    const added = (await emailsIn(app)).slice(before.length);
    expect(added[0]).to.equal(fresh);
    expect(added.slice(1).map((email) => email.split('@')[1])).to.deep.equal(Array(3).fill('taken.invalid'));
    await sendMails(app);
    expect(smtp.messages.map(({ to, headers }) => [to[0], headers.get('subject')])).to.have.deep.members([
      [fresh, 'Confirm your email address'],
      [email.toUpperCase().replace('EXAMPLE.ORG', 'example.org'), 'You already have an account'],
      [former, 'You already have an account'],
      [pending.email, 'Confirm your email address'],
    ]);
  });

  it('a taken nickname is reported for free and taken addresses', async () => {
    const { email } = await confirmed();
    const nickname = `owl${++count}`;
    expect((await register(account({ nickname }))).status).to.equal(202);
    for (const one of [email, account().email]) {
      await expectStatus(register(account({ email: one, nickname })), 409, 'NICKNAME_TAKEN');
    }
  });

  it('nicknames, ids and profiles do not show whether an address was free, also after a week', async () => {
    const { email: taken } = await confirmed();
    const pending = account();
    await register(pending);
    const nicknames = ['heron one', 'heron two', 'heron three'];
    const [{ last = 0 } = {}] = await rowsOf<{ last: number }>(app.database, 'select max(id) as last from members');
    for (const [n, email] of [account().email, taken, pending.email].entries()) {
      expect((await register(account({ email, nickname: nicknames[n], memberName: 'Heron' }))).status).to.equal(202);
    }
    const seen = async (id: number) => {
      const { status, body } = await call(app.url, `GET /api/members/${id}`);
      const { data } = await graphql(app.url, 'query ($id: ID!) { member(id: $id) { nickname } }', { id });
      const feed = await fetch(`${app.url}/members/${id}/feed.xml`);
      const articles = await call(app.url, `GET /api/articles?memberId=${id}`);
      return [status, body?.code, data.member, feed.status, articles.body?.data.pagination.totalElements];
    };
    for (let id = last + 1; id <= last + 3; id++) {
      expect(await seen(id), String(id)).to.deep.equal([404, 'MEMBER_NOT_FOUND', null, 404, 0]);
    }
    expect((await seen(last + 4))[0]).to.equal(404);
    const taking = async () => {
      const codes = [];
      for (const nickname of nicknames) {
        const { body } = await register(account({ nickname: nickname.toUpperCase() }));
        codes.push(body?.code);
      }
      return codes;
    };
    expect(await taking()).to.deep.equal(Array(3).fill('NICKNAME_TAKEN'));
    const own = account({ memberName: 'heron one' });
    await register(own);
    expect(await confirm(await link(own.email))).to.equal('1');
    const [found] = await rowsOf<{ id: number; nickname: string }>(
      app.database,
      `select id, nickname from members where email = '${own.email}'`,
    );
    expect(found?.nickname).to.equal('heron one2');
    expect((await seen(found?.id ?? 0))[0], 'public after the confirmation').to.equal(200);
    await execute(`update members set pending_since = pending_since - interval '8 days'`);
    await addJobs(app.database, 'remove-unconfirmed-accounts', [{}]);
    await runJobs(app);
    expect(await taking()).to.deep.equal(['1', '1', '1']);
  });

  it('ten concurrent registrations of one address create one account', async () => {
    const json = account();
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await register(json)).status));
    expect(statuses).to.deep.equal(Array(10).fill(202));
    const emails = await emailsIn(app);
    expect(emails.filter((email) => email === json.email)).to.have.length(1);
    await expectStatus(login(json.email), 403, 'EMAIL_NOT_VERIFIED');
  });

  it('a reset of the password confirms the address, and a link can be sent again', async () => {
    const first = account();
    await register(first);
    expect(await forgot(first.email)).to.equal('1');
    expect(await reset(await tokenFor(app, smtp, 'reset', first.email), 'another password')).to.equal('1');
    await expectStatus(login(first.email, 'another password'), 200, '1');
    const second = account();
    await register(second);
    await sendMails(app);
    smtp.setBehaviors('accept');
    expect(await resend(second.email)).to.equal('1');
    expect(await confirm(await link(second.email))).to.equal('1');
  });

  it('accounts are deleted a week after their registration if they were never confirmed and own nothing', async () => {
    await execute('delete from members');
    const old = account();
    const recent = account();
    for (const one of [old, recent]) await register(one);
    const used = await confirmed();
    const owner = account();
    await register(owner);
    const { id } = await buildArticle(app.url, { visibility: 'PRIVATE' }, { token: used.token } as never);
    await execute(`update all_articles set member_id = (select id from members where email = '${owner.email}'),
        category_id = (select k.id from categories k join members m on m.id = k.member_id where m.email = '${owner.email}')
      where id = ${id};
      insert into members (email, password_hash, member_name, nickname) values ('existing@example.org', 'x', 'n', 'existing');
      update members set pending_since = pending_since - interval '8 days', created_at = created_at - interval '8 days'
      where email <> '${recent.email}'`);
    await addJobs(app.database, 'remove-unconfirmed-accounts', [{}]);
    await runJobs(app);
    expect(await emailsIn(app)).to.have.members([recent.email, used.email, owner.email, 'existing@example.org']);
  });
});

describe('With REQUIRE_VERIFIED_EMAIL=true and REGISTRATION=invite', () => {
  const app = useApp({ ...smtp.environment, REQUIRE_VERIFIED_EMAIL: 'true', REGISTRATION: 'invite' });

  it('an invitation is used for free and taken addresses, and invited accounts are not deleted', async () => {
    const json = account();
    for (let n = 0; n < 2; n++) {
      const { token: invitation } = await createInvitation(app.database, 86_400_000);
      const register = () => call(app.url, 'POST /api/auth/register', { json: { ...json, invitation } });
      expect((await register()).status).to.equal(202);
      await expectStatus(register(), 400, 'TOKEN_INVALID');
    }
    await addJobs(app.database, 'remove-unconfirmed-accounts', [{}]);
    await app.database.sequelize.query(`update members set created_at = created_at - interval '30 days'`);
    await runJobs(app);
    const emails = await emailsIn(app);
    expect(emails, 'that of the taken address neither').to.have.length(2);
    expect(emails[0]).to.equal(json.email);
  });
});

describe('REQUIRE_VERIFIED_EMAIL', () => {
  it('stops the start without SMTP_URL', () => {
    expect(() => loadConfig({ REQUIRE_VERIFIED_EMAIL: 'true' })).to.throw(
      'SMTP_URL must be set, since REQUIRE_VERIFIED_EMAIL is true.',
    );
  });
});
