/** Confirmation and change of the email address, over both APIs, with a real SMTP server. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { recoveryApis, tokenFor, tokensFor } from '../../support/links.js';
import { sendMails } from '../../support/mails.js';
import { ageLogins, logIn, removePassword, statusOf } from '../../support/session.js';
import { startSmtp } from '../../support/smtp.js';
import { statementsDuring } from '../../support/statements.js';

const smtp = await startSmtp();
after(() => smtp.close());

let count = 0;

describe('The email address of an account', () => {
  const app = useApp(smtp.environment);
  const apis = recoveryApis(app);
  const { change, confirm, resend, undo, forgot, reset } = apis.REST;
  let member: BuiltMember;
  /** The address after the change. */
  let next: string;
  beforeEach(async () => {
    smtp.setBehaviors('accept');
    await execute('delete from rate_limits');
    member = await buildMember(app.url);
    next = `next${++count}@example.org`;
  });

  const execute = (sql: string) => app.database.sequelize.query(sql);
  const request = (email = next) => change(member.token, email, member.password);
  const confirmation = (email = next) => tokenFor(app, smtp, 'confirm', email);
  const undoing = (email = member.email) => tokenFor(app, smtp, 'undo', email);
  const login = async (email: string, password = member.password) =>
    (await call(app.url, 'POST /api/auth/login', { json: { email, password } })).body?.code;
  async function account(): Promise<{ email: string; emailVerified: boolean }> {
    const [row] = await rowsOf<{ email: string; emailVerified: boolean }>(
      app.database,
      `select email, email_verified_at is not null as "emailVerified" from members where id = ${member.id}`,
    );
    return row as { email: string; emailVerified: boolean };
  }
  async function changeTo(email: string): Promise<void> {
    expect(await request(email)).to.equal('1');
    expect(await confirm(await confirmation(email))).to.equal('1');
  }

  it('is confirmed by the link of the registration, and shown in both APIs', async () => {
    const shown = async (token = member.token) => {
      const { body } = await call(app.url, 'GET /api/members/me', { token });
      const { data } = await graphql(app.url, '{ me { emailVerified } }', {}, token);
      expect(data.me.emailVerified).to.equal(body?.data.emailVerified);
      return data.me.emailVerified;
    };
    expect(await shown()).to.equal(false);
    const link = await confirmation(member.email);
    expect(await confirm(link)).to.equal('1');
    expect(await statusOf(app.url, member.token), 'the first proof ends sessions from before').to.equal(401);
    expect(await shown((await logIn(app.url, member)).accessToken)).to.equal(true);
    expect(await confirm(link)).to.equal('TOKEN_INVALID');
  });

  for (const [name, api] of Object.entries(apis)) {
    it(`is changed when the new one is confirmed, and restored by the old one, over ${name}`, async () => {
      await execute(`update members set email_verified_at = now() where id = ${member.id}`);
      expect(await api.change(member.token, next, member.password)).to.equal('1');
      const [link, back] = [await confirmation(), await undoing()];
      expect(await account()).to.deep.equal({ email: member.email, emailVerified: true });
      expect(await api.confirm(link)).to.equal('1');
      expect(await account()).to.deep.equal({ email: next, emailVerified: true });
      expect([await login(member.email), await login(next)]).to.deep.equal(['INVALID_CREDENTIALS', '1']);
      expect(await api.confirm(link)).to.equal('TOKEN_INVALID');
      expect(await api.undo(back)).to.equal('1');
      expect(await account()).to.deep.equal({ email: member.email, emailVerified: true });
      expect(await statusOf(app.url, member.token), 'all sessions end').to.equal(401);
      expect(await api.undo(back)).to.equal('TOKEN_INVALID');
      const { accessToken: token } = await logIn(app.url, member);
      const { data } = await graphql(app.url, '{ securityEvents { contents { kind } } }', {}, token);
      expect(data.securityEvents.contents.map((one: { kind: string }) => one.kind)).to.include.members([
        'EMAIL_CHANGE_REQUESTED',
        'EMAIL_CHANGED',
        'EMAIL_CHANGE_UNDONE',
      ]);
    });

    it(`is confirmed with the link that is sent again, which replaces the earlier one, over ${name}`, async () => {
      const first = await confirmation(member.email);
      expect(await api.resend(member.email)).to.equal('1');
      const [, second = ''] = await tokensFor(app, smtp, 'confirm', member.email);
      expect(await api.confirm(first)).to.equal('TOKEN_INVALID');
      expect(await api.confirm(second)).to.equal('1');
      smtp.setBehaviors('accept');
      expect(await api.resend(member.email)).to.equal('1');
      await sendMails(app);
      expect(smtp.messages, 'no email for a confirmed address').to.deep.equal([]);
    });

    it(`is not changed without proof, over ${name}`, async () => {
      expect(await api.change(member.token, next)).to.equal('VALIDATION_FAILED');
      expect(await api.change(member.token, next, 'a wrong password')).to.equal('VALIDATION_FAILED');
      expect(await api.change(member.token, 'not an address', member.password)).to.equal('VALIDATION_FAILED');
      await removePassword(app, member.id);
      expect(await api.change(member.token, next)).to.equal('1');
      await ageLogins(app, member.id, 11);
      expect(await api.change(member.token, next)).to.equal('PROOF_REQUIRED');
    });
  }

  it('is confirmed by one of ten concurrent requests, and restored by one of ten', async () => {
    await request();
    const [link, back] = [await confirmation(), await undoing()];
    for (const use of [() => confirm(link), () => undo(back)]) {
      const codes = await Promise.all(Array.from({ length: 10 }, use));
      expect(codes.sort()).to.deep.equal(['1', ...Array(9).fill('TOKEN_INVALID')]);
    }
  });

  it('is not changed by an expired link, and the link to undo a change is valid for a week', async () => {
    await request();
    const [link, back] = [await confirmation(), await undoing()];
    const [lifetimes] = await execute(`select purpose, extract(epoch from expires_at - created_at)::integer as seconds
      from one_time_tokens where member_id = ${member.id} order by purpose`);
    const day = 86_400;
    expect(lifetimes).to.deep.equal([
      { purpose: 'change', seconds: 3 * day },
      { purpose: 'confirm', seconds: 3 * day },
      { purpose: 'undo', seconds: 7 * day },
    ]);
    await execute(`update one_time_tokens set expires_at = now() - interval '1 millisecond'`);
    expect([await confirm(link), await undo(back)]).to.deep.equal(['TOKEN_INVALID', 'TOKEN_INVALID']);
    expect(await account()).to.deep.equal({ email: member.email, emailVerified: false });
  });

  it('is not changed after the change was undone', async () => {
    await request();
    const [link, back] = [await confirmation(), await undoing()];
    expect(await undo(back)).to.equal('1');
    expect(await confirm(link)).to.equal('TOKEN_INVALID');
    expect((await account()).email).to.equal(member.email);
  });

  it('is that of the last of two requested changes', async () => {
    await request();
    const first = await confirmation();
    const last = `last${count}@example.org`;
    await request(last);
    expect(await confirm(first)).to.equal('TOKEN_INVALID');
    expect(await confirm(await confirmation(last))).to.equal('1');
    expect((await account()).email).to.equal(last);
  });

  it('is the first one after two successive changes were undone at once, and the later link is invalid', async () => {
    await execute(`update members set email_verified_at = now() where id = ${member.id}`);
    await changeTo(next);
    const last = `last${count}@example.org`;
    await changeTo(last);
    const [first, second] = [await undoing(), await undoing(next)];
    expect(await undo(first)).to.equal('1');
    expect((await account()).email).to.equal(member.email);
    expect(await undo(second), 'it went to an address of the undone changes').to.equal('TOKEN_INVALID');
  });

  it('can be restored step by step after two successive changes', async () => {
    await execute(`update members set email_verified_at = now() where id = ${member.id}`);
    await changeTo(next);
    const last = `last${count}@example.org`;
    await changeTo(last);
    const [first, second] = [await undoing(), await undoing(next)];
    expect(await undo(second)).to.equal('1');
    expect((await account()).email).to.equal(next);
    expect(await undo(first)).to.equal('1');
    expect((await account()).email).to.equal(member.email);
  });

  it('is restored after the password was reset through the new one, and links for a password to the new one are invalid', async () => {
    await changeTo(next);
    expect(await forgot(next)).to.equal('1');
    expect(await reset(await tokenFor(app, smtp, 'reset', next), 'the password of a thief')).to.equal('1');
    await execute('delete from rate_limits');
    expect(await forgot(next)).to.equal('1');
    const another = (await tokensFor(app, smtp, 'reset', next)).at(-1) ?? '';
    const { accessToken } = await logIn(app.url, { email: next, password: 'the password of a thief' });
    expect(await undo(await undoing())).to.equal('1');
    expect(await statusOf(app.url, accessToken)).to.equal(401);
    expect(await reset(another, 'another password')).to.equal('TOKEN_INVALID');
    expect(await forgot(member.email)).to.equal('1');
    const [token = ''] = await tokensFor(app, smtp, 'reset', member.email);
    expect(await reset(token, 'my own password again')).to.equal('1');
    expect(await login(member.email, 'my own password again')).to.equal('1');
  });

  it('invalidates a link for a new password that the previous address received', async () => {
    await forgot(member.email);
    const token = await tokenFor(app, smtp, 'reset', member.email);
    await changeTo(next);
    expect(await reset(token, 'another password')).to.equal('TOKEN_INVALID');
  });

  it('cannot be taken by another member for as long as it can be restored', async () => {
    const other = await buildMember(app.url);
    await changeTo(next);
    const json = { email: member.email.toUpperCase(), password: 'a quiet harbor', memberName: 'Thief' };
    await expectStatus(call(app.url, 'POST /api/auth/register', { json }), 409, 'EMAIL_TAKEN');
    expect(await change(other.token, member.email, other.password)).to.equal('1');
    const [link = ''] = (await tokensFor(app, smtp, 'confirm', member.email)).slice(-1);
    expect(await confirm(link)).to.equal('EMAIL_TAKEN');
    await execute(`update one_time_tokens set expires_at = now() where purpose = 'undo'`);
    expect(await confirm(link), 'the rejected request did not use the link').to.equal('1');
  });

  it('is not restored if another member has it, and this is reported', async () => {
    await changeTo(next);
    const other = await buildMember(app.url);
    await execute(`alter table members disable trigger email_reserved;
      update members set email = '${member.email}' where id = ${other.id};
      alter table members enable trigger email_reserved`);
    expect(await undo(await undoing())).to.equal('EMAIL_TAKEN');
    expect((await account()).email).to.equal(next);
  });

  it('is requested with the same response and statements whether or not another member has the new one', async () => {
    const other = await buildMember(app.url);
    const measured: unknown[] = [];
    for (const email of [other.email, next]) {
      const statements = await statementsDuring(async () => expect(await request(email)).to.equal('1'));
      measured.push(statements);
    }
    expect(measured[1]).to.deep.equal(measured[0]);
    expect(await confirm((await tokensFor(app, smtp, 'confirm', next))[0] ?? '')).to.equal('1');
  });

  it('is not changed to that of another member, who learns it only from the email', async () => {
    const other = await buildMember(app.url);
    // The email of the registration comes first: emails of one run are sent at the same time.
    await sendMails(app);
    expect(await request(other.email)).to.equal('1');
    const [, link = ''] = await tokensFor(app, smtp, 'confirm', other.email);
    expect(await confirm(link)).to.equal('EMAIL_TAKEN');
    expect((await account()).email).to.equal(member.email);
  });

  it('can change its case without a link to undo it', async () => {
    await sendMails(app);
    smtp.setBehaviors('accept');
    const email = member.email.toUpperCase();
    await changeTo(email);
    expect(await account()).to.deep.equal({ email, emailVerified: true });
    expect(smtp.messages).to.have.length(1);
  });

  it('can be added to an account without one', async () => {
    await execute(`update members set email = null, password_hash = null where id = ${member.id}`);
    expect(await change(member.token, next)).to.equal('1');
    expect(await confirm(await confirmation())).to.equal('1');
    expect(await account()).to.deep.equal({ email: next, emailVerified: true });
  });

  it('receives the confirmation of a change again, with the first expiry', async () => {
    await request();
    const first = await confirmation();
    await execute(`update one_time_tokens set expires_at = now() + interval '1 hour' where purpose = 'change'`);
    expect(await resend(next.toUpperCase())).to.equal('1');
    const [, second = ''] = await tokensFor(app, smtp, 'confirm', next);
    const [[row]] = (await execute(`select expires_at < now() + interval '61 minutes' as "isSame" from one_time_tokens
      where member_id = ${member.id} and purpose = 'change'`)) as [{ isSame: boolean }[], unknown];
    expect(row?.isSame).to.equal(true);
    expect(await confirm(first)).to.equal('TOKEN_INVALID');
    expect(await confirm(second)).to.equal('1');
  });

  it('is not changed with a link from before a change of the password, but is restored with one', async () => {
    await request();
    const [link, back] = [await confirmation(), await undoing()];
    const options = { token: member.token, json: { password: 'a new password', currentPassword: member.password } };
    expect((await call(app.url, 'PATCH /api/members/me', options)).status).to.equal(204);
    expect(await confirm(link)).to.equal('TOKEN_INVALID');
    expect(await undo(back)).to.equal('1');
  });

  it('is changed to one address three times in an hour at most, and ten times by one member', async () => {
    const codes: string[] = [];
    for (let n = 0; n < 4; n++) codes.push(await request());
    expect(codes).to.deep.equal(['1', '1', '1', 'RATE_LIMITED']);
    for (let n = 0; n < 7; n++) codes.push(await request(`many${n}.${next}`));
    expect(codes.slice(4)).to.deep.equal([...Array(6).fill('1'), 'RATE_LIMITED']);
  });

  it('is kept out of the database with its links when the member withdraws', async () => {
    await request();
    const [link, back] = [await confirmation(), await undoing()];
    await call(app.url, 'DELETE /api/members/me', { token: member.token, json: { password: member.password } });
    expect([await confirm(link), await undo(back)]).to.deep.equal(['TOKEN_INVALID', 'TOKEN_INVALID']);
    const again = { email: member.email, password: 'a quiet harbor', memberName: 'Again' };
    expect((await call(app.url, 'POST /api/auth/register', { json: again })).status).to.equal(201);
  });
});
