/** Emails about the security of an account: new devices, and linked and unlinked social accounts. */
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { linkSocialAccount } from '../../../src/commands/social-login.js';
import { PASSWORD_OF_MEMBER } from '../../../src/models/member/member.js';
import { type TestApp, useApp } from '../../support/app.js';
import { type BuiltMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { buildRecipient, discardMails, sendMails, waitingMails } from '../../support/mails.js';
import { startSmtp } from '../../support/smtp.js';
import { statementsDuring } from '../../support/statements.js';

const smtp = await startSmtp();
after(() => smtp.close());

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const UPDATED_FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) Safari/604.1';

async function logIn(url: string, { email, password }: Pick<BuiltMember, 'email' | 'password'>, device: string) {
  const { status } = await call(url, 'POST /api/auth/login', {
    json: { email, password },
    headers: { 'user-agent': device },
  });
  expect(status).to.equal(200);
}

/** Registered without a login. */
async function register(app: TestApp): Promise<Pick<BuiltMember, 'id' | 'email' | 'password'>> {
  const email = `new${Math.random()}@example.org`;
  const json = { email, password: 'an owl in the attic', memberName: 'New' };
  const { body } = await call(app.url, 'POST /api/auth/register', { json });
  await discardMails(app, body?.data.id);
  return { id: body?.data.id, email, password: json.password };
}

describe('The email about a login on a new device', () => {
  const app = useApp(smtp.environment);
  beforeEach(() => smtp.setBehaviors('accept'));
  const templates = async () => (await waitingMails(app)).map(({ template }) => template);

  it('is sent for a device without an earlier login, but not for the first login of the account', async () => {
    const member = await register(app);
    await logIn(app.url, member, FIREFOX);
    await logIn(app.url, member, FIREFOX);
    expect(await templates()).to.deep.equal([]);
    await logIn(app.url, member, PHONE);
    expect(await templates()).to.deep.equal(['newDevice']);
    await logIn(app.url, member, PHONE);
    await sendMails(app);
    expect(smtp.messages.map(({ to }) => to)).to.deep.equal([[member.email]]);
    expect(smtp.messages[0]?.headers.get('subject')).to.equal('Login on a new device');
    expect(smtp.messages[0]?.text).to.include(`Device: ${PHONE}`).and.include('Network address: 127.0.0.1');
    expect(smtp.messages[0]?.headers.has('list-unsubscribe')).to.equal(false);
  });

  it('is not sent after an update of the browser, and for a device whose session has ended', async () => {
    const member = await register(app);
    await logIn(app.url, member, FIREFOX);
    await logIn(app.url, member, UPDATED_FIREFOX);
    await app.database.sequelize.query('delete from sessions');
    await logIn(app.url, member, FIREFOX);
    expect(await templates()).to.deep.equal([]);
  });

  it('is not sent for the devices of other members, and for a rejected login', async () => {
    const [member, other] = [await register(app), await register(app)];
    await logIn(app.url, other, PHONE);
    await logIn(app.url, member, FIREFOX);
    const json = { email: member.email, password: 'wrong password' };
    await call(app.url, 'POST /api/auth/login', { json, headers: { 'user-agent': 'Other' } });
    expect(await templates()).to.deep.equal([]);
    await logIn(app.url, member, PHONE);
    expect(await templates()).to.deep.equal(['newDevice']);
    await sendMails(app);
  });

  it('is sent at most ten times in an hour', async () => {
    const member = await register(app);
    for (let time = 0; time < 13; time++) await logIn(app.url, member, `Device ${'x'.repeat(time)}`);
    await sendMails(app);
    expect(smtp.messages).to.have.length(10);
  });
});

describe('The emails about social accounts', () => {
  const app = useApp(smtp.environment);
  beforeEach(() => smtp.setBehaviors('accept'));

  it('are sent when one is linked and when it is unlinked', async () => {
    const { id, email, password, token } = await buildRecipient(app);
    const caller = {
      ...app.services,
      services: app.services,
      viewer: null,
      client: { address: '192.0.2.7', device: FIREFOX },
      language: 'en' as const,
      disconnectSignal: () => new AbortController().signal,
    };
    const { sid: credentialId } = jwt.decode(token) as { sid: string };
    const [member] = await app.database.query(PASSWORD_OF_MEMBER, [id, credentialId]);
    const viewer = {
      memberId: id,
      credentialId,
      scopes: null,
      role: 'MEMBER' as const,
      suspension: null,
      expiresAt: Number.POSITIVE_INFINITY,
    };
    const identity = { provider: 'KAKAO', subject: '7', email: null, name: null };
    const link = () => linkSocialAccount(caller, viewer, identity, member?.passwordHash ?? null);
    await link();
    await link();
    await sendMails(app);
    const json = { password };
    expect((await call(app.url, 'DELETE /api/members/me/social-accounts/KAKAO', { token, json })).status).to.equal(200);
    await sendMails(app);
    expect(smtp.messages.map(({ to, headers }) => [to[0], headers.get('subject')])).to.deep.equal([
      [email, 'A social account was linked'],
      [email, 'A social account was unlinked'],
    ]);
    expect(smtp.messages[0]?.text).to.include('A KAKAO account was linked').and.include('192.0.2.7');
  });
});

describe('Without an SMTP server', () => {
  const app = useApp();

  it('a login on a new device has the same statements as another one, and adds no email', async () => {
    const member = await register(app);
    await logIn(app.url, member, FIREFOX);
    const known = await statementsDuring(() => logIn(app.url, member, FIREFOX));
    const unknown = await statementsDuring(() => logIn(app.url, member, PHONE));
    expect(unknown).to.deep.equal(known);
    expect(known.join()).not.to.match(/into mails|add_job/i);
  });
});
