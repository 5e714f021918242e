/** Login providers and linked social accounts, with a conforming OpenID provider. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { CLIENT, type OpenIdServer, startOpenId } from '../../support/openid.js';
import { ageLogins, removePassword } from '../../support/session.js';
import { statementsDuring } from '../../support/statements.js';

const REDIRECT = 'http://localhost:3000/oauth/callback';
const ACCOUNTS = '/api/members/me/social-accounts';

let openId: OpenIdServer;
const environment: NodeJS.ProcessEnv = { OAUTH_REDIRECT_URIS: REDIRECT };
before(async () => {
  openId = await startOpenId([REDIRECT]);
  for (const name of ['GOOGLE', 'HOSTED', 'DOWN']) {
    environment[`OAUTH_${name}_CLIENT_ID`] = CLIENT.id;
    environment[`OAUTH_${name}_CLIENT_SECRET`] = CLIENT.secret;
    environment[`OAUTH_${name}_ISSUER`] = openId.issuer;
  }
  environment.OAUTH_DOWN_ISSUER = 'http://127.0.0.1:9';
});
after(() => openId.close());

const app = useApp(environment);

const begin = (json: object) => call(app.url, 'POST /api/auth/oauth/url', { json });

/** Runs the login of a person up to the redirect back with a code. */
async function authorize(sub: string, provider = 'GOOGLE') {
  openId.people.set(sub, { sub, email: `${sub}@example.com`, email_verified: true, name: sub });
  const { url, state, codeVerifier } = (await begin({ provider })).body?.data ?? {};
  const back = await openId.logIn(url, sub);
  expect(back.get('state')).to.equal(state);
  return { provider, code: back.get('code') ?? '', codeVerifier };
}

const link = ({ token }: BuiltMember, json: object) => call(app.url, `POST ${ACCOUNTS}`, { token, json });
const unlink = ({ token }: BuiltMember, provider: string, json?: object) =>
  call(app.url, `DELETE ${ACCOUNTS}/${provider}`, { token, json });
const accountsOf = async ({ token }: BuiltMember) =>
  (await call(app.url, `GET ${ACCOUNTS}`, { token })).body?.data.contents;

describe('GET /api/auth/oauth/providers', () => {
  it('returns the configured providers, without validators, as Query.loginProviders does', async () => {
    const { headers, body } = await call(app.url, 'GET /api/auth/oauth/providers');
    expect(body?.data.contents).to.deep.equal([{ provider: 'DOWN' }, { provider: 'GOOGLE' }, { provider: 'HOSTED' }]);
    expect([headers.get('ETag'), headers.get('Cache-Control')]).to.deep.equal([null, 'no-store']);
    const { data } = await graphql(app.url, '{ loginProviders { provider } }');
    expect(data.loginProviders).to.deep.equal(body?.data.contents);
  });
});

describe('POST /api/auth/oauth/url', () => {
  it('returns an address, a state and a code verifier with which a login succeeds', async () => {
    const json = await authorize('rest-login');
    const { body } = await expectStatus(call(app.url, 'POST /api/auth/oauth/login', { json }), 200, '1');
    expect(body?.data).to.have.all.keys('accessToken', 'refreshToken');
  });

  it('returns 400 for another provider and another redirect address, 502 if the provider cannot be reached', async () => {
    await expectStatus(begin({ provider: 'FACEBOOK' }), 400, 'PROVIDER_UNSUPPORTED');
    const elsewhere = await begin({ provider: 'GOOGLE', redirectUri: 'https://evil.example.org' });
    expectFieldErrors(elsewhere, 'redirectUri: is not an allowed redirect URI');
    expectFieldErrors(
      await begin({ provider: 'x'.repeat(31), redirectUri: 'x'.repeat(2_001) }),
      'provider: must be 1 to 30 characters long, got 31',
      'redirectUri: must be 1 to 2000 characters long, got 2001',
    );
    await expectStatus(begin({ provider: 'DOWN' }), 502, 'OAUTH_PROVIDER_FAILED');
  });
});

describe('/api/members/me/social-accounts', () => {
  it('links an account with the password, lists it in two statements, and unlinks it', async () => {
    const member = await buildMember(app.url);
    const { password } = member;
    const response = await expectStatus(link(member, { ...(await authorize('rest-link')), password }), 201, '1');
    expect(response.body?.data).to.include({ provider: 'GOOGLE', email: 'rest-link@example.com' });
    const statements = await statementsDuring(async () => {
      expect(await accountsOf(member)).to.deep.equal([response.body?.data]);
    });
    expect(statements).to.have.lengthOf(2);
    const { body } = await expectStatus(unlink(member, 'GOOGLE', { password }), 200, '1');
    expect(body?.data).to.deep.equal({});
    expect(await accountsOf(member)).to.deep.equal([]);
    await expectStatus(unlink(member, 'GOOGLE', { password }), 404, 'SOCIAL_ACCOUNT_NOT_FOUND');
  });

  it('returns 400 on a missing or wrong password, and keeps the code valid', async () => {
    const member = await buildMember(app.url);
    const back = await authorize('rest-proof');
    expectFieldErrors(await link(member, back), 'password: is required: send your current password');
    expectFieldErrors(await link(member, { ...back, password: 'wrong' }), 'password: is not your current password');
    await expectStatus(link(member, { ...back, password: member.password }), 201, '1');
    expectFieldErrors(await unlink(member, 'GOOGLE'), 'password: is required: send your current password');
    expect(await accountsOf(member)).to.have.lengthOf(1);
  });

  it('returns 403 PROOF_REQUIRED without a password after ten minutes, and 409 for the last login method', async () => {
    const member = await buildMember(app.url);
    await link(member, { ...(await authorize('rest-last')), password: member.password });
    await removePassword(app, member.id);
    await expectStatus(unlink(member, 'GOOGLE'), 409, 'LAST_LOGIN_METHOD');
    await ageLogins(app, member.id, 11);
    const hosted = await authorize('rest-hosted', 'HOSTED');
    await expectStatus(link(member, hosted), 403, 'PROOF_REQUIRED');
    await expectStatus(unlink(member, 'GOOGLE'), 403, 'PROOF_REQUIRED');
  });

  it('returns 401 for an invalid code, and for an account of another member', async () => {
    const [member, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    await link(member, { ...(await authorize('rest-owned')), password: member.password });
    const again = { ...(await authorize('rest-owned')), password: stranger.password };
    await expectStatus(link(stranger, again), 401, 'OAUTH_REJECTED');
    await expectStatus(link(stranger, { ...again, code: 'x' }), 401, 'OAUTH_REJECTED');
    await expectStatus(unlink(stranger, 'GOOGLE', { password: stranger.password }), 404, 'SOCIAL_ACCOUNT_NOT_FOUND');
  });
});
