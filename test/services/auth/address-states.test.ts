/** The states of an address from unknown to confirmed, with two people: a stranger who uses it, and its owner, who reads the emails. */
import { expect } from 'chai';
import type { Provider } from '../../../src/services/auth/oauth/provider.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { type TestApp, useApp } from '../../support/app.js';
import { Authenticator } from '../../support/authenticator.js';
import type { BuiltMember } from '../../support/build.js';
import { buildMember } from '../../support/build.js';
import { call, expectFieldErrors } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { interleave } from '../../support/interleave.js';
import { recoveryApis, tokenFor, tokensFor } from '../../support/links.js';
import { sendMails } from '../../support/mails.js';
import { buildPasskey, logInWith, loginOptions, PASSKEY_SETTINGS } from '../../support/passkeys.js';
import { logIn, statusOf } from '../../support/session.js';
import { startSmtp } from '../../support/smtp.js';

const smtp = await startSmtp();
after(() => smtp.close());

const SETTINGS = { ...smtp.environment, ...PASSKEY_SETTINGS, OAUTH_REDIRECT_URIS: 'http://localhost:3000/callback' };
const OWNERS_PASSWORD = 'a password of the owner';
const STRANGERS_PASSWORD = 'a password of the stranger';
const AGAIN =
  'password: is required: this address was registered more than once, perhaps by another person. Choose the password of the account.';
let count = 0;

/** Identifies each code as the subject; a code with an address as one that the provider has verified. */
const provider: Provider = {
  name: 'KAKAO',
  authorizationUrl: async () => '',
  identify: async ({ code }) => ({
    provider: 'KAKAO',
    subject: code,
    email: code.includes('@') ? code : null,
    name: null,
  }),
};

function useAddress(app: TestApp) {
  before(() => void (app.services.oauthProviders as Map<string, Provider>).set('KAKAO', provider));
  beforeEach(async () => {
    smtp.setBehaviors('accept');
    await app.database.sequelize.query('delete from rate_limits');
  });
  const post = (path: string, json: object, token?: string) =>
    call(app.url, `POST /api${path}`, { json, ...(token && { token }) });
  const codeOf = async (path: string, json: object) => (await post(path, json)).body?.code;
  return {
    register: (email: string, password: string) =>
      codeOf('/auth/register', { email, password, memberName: `Person ${++count}` }),
    login: (email: string, password: string) => codeOf('/auth/login', { email, password }),
    social: (code: string) => codeOf('/auth/oauth/login', { provider: 'KAKAO', code }),
    confirmation: async (email: string) => (await tokensFor(app, smtp, 'confirm', email)).at(-1) ?? '',
    confirmWith: (token: string, password?: string) => post('/auth/email/confirm', { token, password }),
    async resetByEmail(email: string): Promise<void> {
      const { forgot, reset } = recoveryApis(app).REST;
      expect(await forgot(email)).to.equal('1');
      expect(await reset(await tokenFor(app, smtp, 'reset', email), OWNERS_PASSWORD)).to.equal('1');
    },
  };
}

describe('An address that a stranger has registered', () => {
  const app = useApp(SETTINGS);
  const { register, login, social, confirmation, confirmWith, resetByEmail } = useAddress(app);
  const apis = recoveryApis(app);
  const { confirm, resend, undo, change, forgot, reset } = apis.REST;
  let address: string;
  let stranger: BuiltMember;
  let authenticator: Authenticator;
  let apiToken: string;
  /** The mailbox of the stranger. */
  let mailbox: string;
  let changeLink: string;

  /** All ways into the account that a stranger can prepare without the mailbox. */
  beforeEach(async () => {
    address = `victim${++count}@example.org`;
    mailbox = `stranger${count}@example.org`;
    stranger = await buildMember(app.url, { email: address, password: STRANGERS_PASSWORD });
    ({ authenticator } = await buildPasskey(app.url, stranger));
    const json = { provider: 'KAKAO', code: `stranger-${count}`, password: STRANGERS_PASSWORD };
    expect(
      (await call(app.url, 'POST /api/members/me/social-accounts', { token: stranger.token, json })).status,
    ).to.equal(201);
    apiToken = (await buildApiToken(app.url, stranger, ['read'])).token;
    expect(await change(stranger.token, mailbox, STRANGERS_PASSWORD)).to.equal('1');
    changeLink = await confirmation(mailbox);
  });

  /** Those that still work. */
  async function waysIn(email = address): Promise<string[]> {
    const ways: Record<string, boolean> = {
      session: (await statusOf(app.url, stranger.token)) === 200,
      'API token': (await statusOf(app.url, apiToken)) === 200,
      passkey: (await logInWith(app.url, authenticator.assert(await loginOptions(app.url)))).status === 200,
      // A login without the link would create another account.
      'social account':
        (await rowsOf(app.database, `select from social_links where member_id = ${stranger.id}`)).length > 0,
      password: (await login(email, STRANGERS_PASSWORD)) === '1',
    };
    return Object.keys(ways).filter((way) => ways[way]);
  }

  it('gives the stranger access until its first proof', async () => {
    expect(await waysIn()).to.deep.equal(['session', 'API token', 'passkey', 'social account', 'password']);
  });

  it('loses all but the password when the owner confirms it; links of the stranger are invalid', async () => {
    expect(await confirm(await confirmation(address))).to.equal('1');
    expect(await waysIn()).to.deep.equal(['password']);
    expect(await confirm(changeLink), 'the change to the mailbox of the stranger').to.equal('TOKEN_INVALID');
  });

  it('loses everything when the owner resets the password', async () => {
    await resetByEmail(address);
    expect(await waysIn()).to.deep.equal([]);
    expect(await confirm(changeLink)).to.equal('TOKEN_INVALID');
    expect(await login(address, OWNERS_PASSWORD)).to.equal('1');
  });

  for (const [name, api] of Object.entries(apis)) {
    it(`is confirmed with a new password only, after the owner has registered it too, over ${name}`, async () => {
      expect(await register(address.toUpperCase(), OWNERS_PASSWORD)).to.equal('EMAIL_TAKEN');
      const link = await confirmation(address);
      expectFieldErrors(await confirmWith(link), AGAIN);
      expect(await api.confirm(link)).to.equal('VALIDATION_FAILED');
      expect(await api.confirm(link, 'short')).to.equal('VALIDATION_FAILED');
      expect(await waysIn(), 'nothing has changed').to.have.length(5);
      expect(await api.confirm(link, OWNERS_PASSWORD)).to.equal('1');
      expect(await waysIn()).to.deep.equal([]);
      expect(await login(address, OWNERS_PASSWORD)).to.equal('1');
      expect(await api.confirm(link, OWNERS_PASSWORD)).to.equal('TOKEN_INVALID');
    });
  }

  it('is confirmed with a new password only, after the owner has logged in with a provider that verified it', async () => {
    expect(await social(address)).to.equal('OAUTH_REJECTED');
    const link = await confirmation(address);
    expect(await confirm(link)).to.equal('VALIDATION_FAILED');
    expect(await resend(address)).to.equal('1');
    const another = await confirmation(address);
    expect(another).not.to.equal(link);
    expect(await confirm(another)).to.equal('VALIDATION_FAILED');
    expect(await confirm(another, OWNERS_PASSWORD)).to.equal('1');
    expect(await waysIn()).to.deep.equal([]);
  });

  it('is confirmed with a new password only, if it is registered again while the confirmation waits', async () => {
    const link = await confirmation(address);
    const response = await interleave(app, {
      lock: `select from members where id = ${stranger.id} for update`,
      request: () => confirmWith(link),
      change: `update members set registered_again = true where id = ${stranger.id}`,
    });
    expectFieldErrors(response, AGAIN);
    expect(await confirm(link, OWNERS_PASSWORD), 'the link was not used').to.equal('1');
  });

  it('gets no password from its link after an operator has confirmed it', async () => {
    const link = await confirmation(address);
    await app.database.sequelize.query(`update members set email_verified_at = now() where id = ${stranger.id}`);
    expect(await confirm(link, OWNERS_PASSWORD)).to.equal('TOKEN_INVALID');
    expect(await login(address, OWNERS_PASSWORD)).to.equal('INVALID_CREDENTIALS');
  });

  it('is not confirmed by the undo of a change of the stranger: the owner chooses a new password', async () => {
    const undoLink = await tokenFor(app, smtp, 'undo', address);
    expect(await confirm(changeLink)).to.equal('1');
    expect(await login(mailbox, STRANGERS_PASSWORD)).to.equal('1');
    const again = await logIn(app.url, { email: mailbox, password: STRANGERS_PASSWORD });
    await buildPasskey(app.url, { token: again.accessToken, password: STRANGERS_PASSWORD }, authenticator);
    expect(await undo(undoLink)).to.equal('1');
    expect(await statusOf(app.url, again.accessToken)).to.equal(401);
    const [row] = await rowsOf(app.database, `select email, email_verified_at from members where id = ${stranger.id}`);
    expect(row).to.deep.equal({ email: address, email_verified_at: null });
    await app.database.sequelize.query('delete from rate_limits');
    expect(await resend(address)).to.equal('1');
    expect(await confirm(await confirmation(address))).to.equal('VALIDATION_FAILED');
    await resetByEmail(address);
    expect(await waysIn()).to.deep.equal([]);
    expect(await login(address, OWNERS_PASSWORD)).to.equal('1');
  });

  it('keeps what its owner adds after the first proof, also through a reset', async () => {
    await resetByEmail(address);
    const token = (await logIn(app.url, { email: address, password: OWNERS_PASSWORD })).accessToken;
    const owner = { token, password: OWNERS_PASSWORD };
    const own = await buildPasskey(app.url, owner);
    smtp.setBehaviors('accept');
    await app.database.sequelize.query('delete from rate_limits');
    expect(await forgot(address)).to.equal('1');
    expect(await reset(await tokenFor(app, smtp, 'reset', address), 'another password of the owner')).to.equal('1');
    const assertion = own.authenticator.assert(await loginOptions(app.url));
    expect((await logInWith(app.url, assertion)).status).to.equal(200);
    expect(await statusOf(app.url, token)).to.equal(401);
  });

  it('keeps a social account whose provider has verified the same address', async () => {
    await app.database.sequelize.query(
      `insert into social_links (member_id, provider, subject, email) values (${stranger.id}, 'GOOGLE', 'g${count}', '${address.toUpperCase()}')`,
    );
    expect(await confirm(await confirmation(address))).to.equal('1');
    const links = await rowsOf(app.database, `select provider from social_links where member_id = ${stranger.id}`);
    expect(links).to.deep.equal([{ provider: 'GOOGLE' }]);
  });
});

describe('A change to an address that is not confirmed', () => {
  const app = useApp(SETTINGS);
  const { register, login, confirmation } = useAddress(app);
  const { confirm, resend, change, undo } = recoveryApis(app).REST;
  let address: string;
  let stranger: BuiltMember;
  beforeEach(async () => {
    address = `wanted${++count}@example.org`;
    stranger = await buildMember(app.url);
    expect(await change(stranger.token, address, stranger.password)).to.equal('1');
  });

  it('has no effect after its owner has registered it', async () => {
    const link = await confirmation(address);
    expect(await register(address, OWNERS_PASSWORD)).to.equal('1');
    expect(await confirm(link)).to.equal('EMAIL_TAKEN');
    expect(await resend(address)).to.equal('1');
    const own = await confirmation(address);
    expect(await confirm(own)).to.equal('1');
    expect(await login(address, OWNERS_PASSWORD)).to.equal('1');
    expect(await login(stranger.email, stranger.password)).to.equal('1');
  });

  it('is the first proof of an account without a confirmed address, and takes no password', async () => {
    const { authenticator } = await buildPasskey(app.url, stranger);
    const link = await confirmation(address);
    const mail = smtp.messages.find(({ to }) => to[0] === address);
    expect(mail?.text, 'the owner of the address sees whose account it is').to.contain(`“${stranger.nickname}”`);
    expect(await confirm(link, OWNERS_PASSWORD)).to.equal('VALIDATION_FAILED');
    expect(await confirm(link)).to.equal('1');
    expect(await statusOf(app.url, stranger.token)).to.equal(401);
    expect((await logInWith(app.url, authenticator.assert(await loginOptions(app.url)))).status).to.equal(401);
    expect(await undo(await tokenFor(app, smtp, 'undo', stranger.email)), 'a thief could have changed it').to.equal(
      '1',
    );
  });

  it('ends no session and removes no login method of an account with a confirmed address', async () => {
    await app.database.sequelize.query(`update members set email_verified_at = now() where id = ${stranger.id}`);
    const { authenticator } = await buildPasskey(app.url, stranger);
    expect(await confirm(await confirmation(address))).to.equal('1');
    expect(await statusOf(app.url, stranger.token)).to.equal(200);
    expect((await logInWith(app.url, authenticator.assert(await loginOptions(app.url)))).status).to.equal(200);
  });
});

describe('With REQUIRE_VERIFIED_EMAIL, an address that a stranger has registered', () => {
  const app = useApp({ ...SETTINGS, REQUIRE_VERIFIED_EMAIL: 'true' });
  const { register, login, social, confirmation, confirmWith, resetByEmail } = useAddress(app);
  const apis = recoveryApis(app);
  const { confirm, resend } = apis.REST;
  let address: string;
  beforeEach(async () => {
    address = `victim${++count}@example.org`;
    expect(await register(address, STRANGERS_PASSWORD)).to.equal('1');
  });

  const passwords = async () => [await login(address, STRANGERS_PASSWORD), await login(address, OWNERS_PASSWORD)];

  it('is confirmed with the password of the only registration', async () => {
    expect(await confirm(await confirmation(address))).to.equal('1');
    expect(await passwords()).to.deep.equal(['1', 'INVALID_CREDENTIALS']);
  });

  for (const [name, api] of Object.entries(apis)) {
    it(`is never confirmed with the password of the stranger after the owner has registered it, over ${name}`, async () => {
      const first = await confirmation(address);
      expect(await register(address, OWNERS_PASSWORD)).to.equal('1');
      const second = await confirmation(address);
      expect(await api.confirm(first), 'replaced').to.equal('TOKEN_INVALID');
      expectFieldErrors(await confirmWith(second), AGAIN);
      expect(await passwords()).to.deep.equal(['EMAIL_NOT_VERIFIED', 'INVALID_CREDENTIALS']);
      expect(await resend(address)).to.equal('1');
      expect(await api.confirm(await confirmation(address))).to.equal('VALIDATION_FAILED');
      expect(await api.confirm(await confirmation(address), OWNERS_PASSWORD)).to.equal('1');
      expect(await passwords()).to.deep.equal(['INVALID_CREDENTIALS', '1']);
    });
  }

  it('is not confirmed with an earlier link without a password either, above the limit of emails', async () => {
    for (let n = 0; n < 4; n++) expect(await register(address, STRANGERS_PASSWORD)).to.equal('1');
    await sendMails(app);
    const tokens = await tokensFor(app, smtp, 'confirm', address);
    expect(tokens).to.have.length(3);
    expect(await confirm(tokens[2] ?? '')).to.equal('VALIDATION_FAILED');
    expect(await confirm(tokens[2] ?? '', OWNERS_PASSWORD)).to.equal('1');
    expect(await passwords()).to.deep.equal(['INVALID_CREDENTIALS', '1']);
  });

  it('is confirmed with a new password after a login with a provider, or by a reset', async () => {
    expect(await social(address)).to.equal('OAUTH_REJECTED');
    expect(await confirm(await confirmation(address))).to.equal('VALIDATION_FAILED');
    await resetByEmail(address);
    expect(await passwords()).to.deep.equal(['INVALID_CREDENTIALS', '1']);
    expect(await register(address, STRANGERS_PASSWORD), 'a confirmed address').to.equal('1');
    expect(await passwords()).to.deep.equal(['INVALID_CREDENTIALS', '1']);
  });
});
