/** Social login: with a conforming OpenID provider, with forged ID tokens and failing endpoints, and with NAVER's protocol. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createInvitation } from '../../../src/commands/invitation.js';
import { LOCK_ACCOUNT } from '../../../src/models/member/administration.js';
import { LINK_BY_SUBJECT } from '../../../src/models/member/social-link.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import {
  call,
  expectFieldErrors,
  fieldErrors,
  type GraphQLResponse,
  graphql,
  type RestResponse,
} from '../../support/client.js';
import { type NaverServer, startNaver } from '../../support/naver.js';
import { CLIENT, type OpenIdServer, type Person, startOpenId } from '../../support/openid.js';
import { ageLogins, removePassword, statusOf } from '../../support/session.js';

const REDIRECTS = ['http://localhost:3000/oauth/callback', 'http://127.0.0.1:3000/other'];
const [REDIRECT = '', OTHER_REDIRECT = ''] = REDIRECTS;

let openId: OpenIdServer;
let naver: NaverServer;
const environment: NodeJS.ProcessEnv = { OAUTH_REDIRECT_URIS: REDIRECTS.join(', '), OAUTH_TIMEOUT: '1s' };

before(async () => {
  openId = await startOpenId(REDIRECTS);
  naver = await startNaver(CLIENT);
  for (const name of ['GOOGLE', 'KAKAO', 'NAVER', 'HOSTED', 'DOWN']) {
    environment[`OAUTH_${name}_CLIENT_ID`] = CLIENT.id;
    environment[`OAUTH_${name}_CLIENT_SECRET`] = CLIENT.secret;
    environment[`OAUTH_${name}_ISSUER`] = openId.issuer;
  }
  environment.OAUTH_NAVER_ISSUER = naver.address;
  environment.OAUTH_DOWN_ISSUER = 'http://127.0.0.1:9';
});
after(() => Promise.all([openId.close(), naver.close()]));
afterEach(() => openId.reset());

const app = useApp(environment);

let people = 0;
function person(overrides: Partial<Person> = {}): Person {
  const sub = `person-${++people}`;
  const full = { sub, email: `${sub}@example.com`, email_verified: true, name: `Person ${people}`, ...overrides };
  openId.people.set(sub, full);
  return full;
}

interface Begun {
  url: string;
  state: string;
  codeVerifier: string;
}

async function begin(provider = 'GOOGLE', redirectUri?: string): Promise<Begun> {
  const { data, errors } = await graphql(
    app.url,
    `query ($provider: String!, $redirectUri: String) {
      socialLoginUrl(provider: $provider, redirectUri: $redirectUri) { url state codeVerifier } }`,
    { provider, redirectUri },
  );
  expect(errors).to.equal(undefined);
  return data.socialLoginUrl;
}

interface Back extends Record<string, unknown> {
  provider: string;
  code: string;
  codeVerifier: string;
}

/** Runs the flow up to the redirect back with an authorization code. */
async function authorize({ sub }: Person, provider = 'GOOGLE'): Promise<Back> {
  const { url, state, codeVerifier } = await begin(provider);
  const query = await openId.logIn(url, sub);
  expect(query.get('state')).to.equal(state);
  return { provider, code: query.get('code') ?? '', codeVerifier };
}

const overRest = (json: Record<string, unknown>): Promise<RestResponse> =>
  call(app.url, 'POST /api/auth/oauth/login', { json });

async function loginOf(someone: Person, provider?: string): Promise<string> {
  const { status, body } = await overRest(await authorize(someone, provider));
  expect(status, JSON.stringify(body)).to.equal(200);
  return body?.data.accessToken;
}

async function me(token: string) {
  return (await call(app.url, 'GET /api/members/me', { token })).body?.data;
}

const LINK = 'mutation ($input: LinkSocialAccountInput!) { linkSocialAccount(input: $input) { provider email } }';
const UNLINK =
  'mutation ($provider: String!, $password: String) { unlinkSocialAccount(provider: $provider, password: $password) { provider } }';
const keyOf = ({ body }: RestResponse) => body?.code;

describe('Query.socialLoginUrl', () => {
  it('returns a provider URL with state, nonce, a PKCE challenge and the exact redirect address', async () => {
    const { url, state, codeVerifier } = await begin('GOOGLE', OTHER_REDIRECT);
    const { origin, searchParams } = new URL(url);
    expect(origin).to.equal(openId.issuer);
    expect(codeVerifier).to.match(/^[\w.~-]{43,128}$/);
    expect(Object.fromEntries(searchParams)).to.include({
      client_id: CLIENT.id,
      response_type: 'code',
      redirect_uri: OTHER_REDIRECT,
      scope: 'openid email profile',
      state,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(searchParams.get('nonce')).to.have.length(43);
    expect((await begin()).codeVerifier).to.not.equal(codeVerifier);
  });

  it('rejects a redirect address that does not match exactly, and an unknown provider', async () => {
    const query = 'query ($p: String!, $r: String) { socialLoginUrl(provider: $p, redirectUri: $r) { url } }';
    for (const redirect of [`${REDIRECT}/`, `${REDIRECT}?a=b`, 'https://evil.example.org', REDIRECT.toUpperCase()]) {
      const { errors } = await graphql(app.url, query, { p: 'GOOGLE', r: redirect });
      expect(errors?.[0]?.extensions.code, redirect).to.equal('VALIDATION_FAILED');
    }
    const { errors } = await graphql(app.url, query, { p: 'FACEBOOK' });
    expect(errors?.[0]).to.deep.include({
      message: 'This provider is not supported: expected DOWN, GOOGLE, HOSTED, KAKAO, NAVER.',
    });
    expect(errors?.[0]?.extensions.code).to.equal('PROVIDER_UNSUPPORTED');
  });
});

describe('POST /api/auth/oauth/login', () => {
  it('returns 200, creates an account from the claims, and finds the same one at the next login', async () => {
    const someone = person({ name: 'Ada Lovelace' });
    const first = await me(await loginOf(someone));
    const names = { memberName: 'Ada Lovelace', nickname: 'Ada Lovelace' };
    expect(first).to.include({ ...names, email: someone.email, emailVerified: true });
    openId.people.set(someone.sub, { ...someone, email: 'moved@example.com', name: 'Countess' });
    const second = await me(await loginOf(someone));
    expect(second).to.deep.equal(first);
    const { data } = await graphql(app.url, '{ categories: me { id } }', {}, await loginOf(someone));
    expect(Number(data.categories.id)).to.equal(first.id);
  });

  it('returns 200 for each provider, with a separate account for the same subject', async () => {
    const someone = person({ email_verified: false });
    const ids = [];
    for (const provider of ['GOOGLE', 'KAKAO', 'HOSTED']) ids.push((await me(await loginOf(someone, provider))).id);
    expect(new Set(ids).size).to.equal(3);
  });

  it('succeeds over GraphQL, with state and another redirect address', async () => {
    const someone = person();
    const { url, state, codeVerifier } = await begin('GOOGLE', OTHER_REDIRECT);
    const code = (await openId.logIn(url, someone.sub)).get('code');
    const input = { provider: 'GOOGLE', code, codeVerifier, state, redirectUri: OTHER_REDIRECT };
    const login = 'mutation ($input: SocialLoginInput!) { socialLogin(input: $input) { accessToken refreshToken } }';
    const { data } = await graphql(app.url, login, { input });
    expect(await statusOf(app.url, data.socialLogin.accessToken)).to.equal(200);
  });

  it('returns 200 for a client that starts the flow itself, with or without verifier and nonce', async () => {
    const someone = person();
    const bare = new URL((await begin()).url);
    for (const name of ['nonce', 'code_challenge', 'code_challenge_method']) bare.searchParams.delete(name);
    const code = (await openId.logIn(bare.href, someone.sub)).get('code');
    expect((await overRest({ provider: 'GOOGLE', code })).status).to.equal(200);
    const codeVerifier = 'v'.repeat(43);
    bare.searchParams.set('code_challenge', createHash('sha256').update(codeVerifier).digest('base64url'));
    bare.searchParams.set('code_challenge_method', 'S256');
    bare.searchParams.set('nonce', 'a nonce of its own');
    const again = (await openId.logIn(bare.href, someone.sub)).get('code');
    const json = { provider: 'GOOGLE', code: again, codeVerifier, nonce: 'a nonce of its own' };
    expect((await overRest(json)).status).to.equal(200);
  });

  it('returns 200 with a single account for concurrent first logins', async () => {
    const someone = person();
    const backs = await Promise.all(Array.from({ length: 6 }, () => authorize(someone)));
    const responses = await Promise.all(backs.map(overRest));
    const ids = await Promise.all(responses.map(async ({ body }) => (await me(body?.data.accessToken)).id));
    expect(new Set(ids).size).to.equal(1);
  });

  it('does not store an unverified email, and replaces or shortens an invalid name', async () => {
    const { email } = await buildMember(app.url);
    const account = await me(await loginOf(person({ email, email_verified: false, name: ' \n ' })));
    expect(account).to.include({ email: null, memberName: 'Member' });
    const long = await me(await loginOf(person({ name: '가'.repeat(80) })));
    expect(long.memberName).to.equal('가'.repeat(30));
  });

  it('returns 400 with every invalid field, and for an unknown provider', async () => {
    expect(fieldErrors(await overRest({ provider: 7, token: 'x' }))).to.have.members([
      'token: is not a known field; expected provider, code, redirectUri, codeVerifier, state, nonce, invitation',
      'provider: must be a string, got 7',
      'code: is required',
    ]);
    expect(keyOf(await overRest({ provider: 'FACEBOOK', code: 'x' }))).to.equal('PROVIDER_UNSUPPORTED');
    const elsewhere = await overRest({ provider: 'GOOGLE', code: 'x', redirectUri: 'https://evil.example.org' });
    expectFieldErrors(elsewhere, 'redirectUri: is not an allowed redirect URI');
  });

  it('returns 401 for a code that was used, was never issued, or belongs to another redirect address', async () => {
    const back = await authorize(person());
    expect((await overRest(back)).status).to.equal(200);
    expect(keyOf(await overRest(back)), 'used').to.equal('OAUTH_REJECTED');
    expect(keyOf(await overRest({ ...back, code: 'never given' })), 'never given').to.equal('OAUTH_REJECTED');
    const other = await authorize(person());
    expect(keyOf(await overRest({ ...other, redirectUri: OTHER_REDIRECT }))).to.equal('OAUTH_REJECTED');
  });

  it('returns 401 for a code with the verifier of another login, or none, or with another state', async () => {
    const { codeVerifier } = await begin();
    expect(keyOf(await overRest({ ...(await authorize(person())), codeVerifier }))).to.equal('OAUTH_REJECTED');
    const { provider, code } = await authorize(person());
    expect(keyOf(await overRest({ provider, code }))).to.equal('OAUTH_REJECTED');
    expect(keyOf(await overRest({ ...(await authorize(person())), state: 'another' }))).to.equal('OAUTH_REJECTED');
  });

  it('returns 401 for an ID token that is not for this login: issuer, audience, nonce, time, signature', async () => {
    const past = Math.floor(Date.now() / 1000) - 3600;
    const lies: Record<string, Record<string, unknown>> = {
      'another issuer': { iss: 'https://evil.example.org' },
      'another audience': { aud: 'another client' },
      'another nonce': { nonce: 'another' },
      'no nonce': { nonce: undefined },
      'an hour ago': { exp: past, iat: past - 60 },
      'no subject': { sub: undefined },
    };
    for (const [name, lie] of Object.entries(lies)) {
      openId.forge((claims) => JSON.parse(JSON.stringify({ ...claims, ...lie })));
      expect(keyOf(await overRest(await authorize(person()))), name).to.equal('OAUTH_REJECTED');
    }
    openId.forge((claims) => claims, 'another');
    expect(keyOf(await overRest(await authorize(person()))), 'another key').to.equal('OAUTH_REJECTED');
    openId.forge((claims) => claims);
    expect((await overRest(await authorize(person()))).status, 'the truth').to.equal(200);
  });

  it('returns 401 with instructions if an account with the verified email exists and is not linked', async () => {
    const owner = await buildMember(app.url);
    const response = await overRest(await authorize(person({ email: owner.email.toUpperCase() })));
    expect([response.status, keyOf(response)]).to.deep.equal([401, 'OAUTH_REJECTED']);
    expect(response.body?.message).to.equal(
      'An account with the email of this GOOGLE account already exists: log in with your existing method, ' +
        'then link it with the mutation linkSocialAccount.',
    );
    const { data } = await graphql(app.url, '{ securityEvents { contents { kind provider } } }', {}, owner.token);
    expect(data.securityEvents.contents[0]).to.deep.equal({ kind: 'LOGIN_FAILED', provider: 'GOOGLE' });
  });

  it('returns 502 for a provider that is unreachable or slow, or sends an invalid or endless response', async () => {
    expect(keyOf(await overRest({ provider: 'DOWN', code: 'x' })), 'down').to.equal('OAUTH_PROVIDER_FAILED');
    const failures: Record<string, Parameters<OpenIdServer['intercept']>[1]> = {
      slow: () => {},
      broken: (_request, response) => response.writeHead(500).end('oh'),
      'not JSON': (_request, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'),
      'cut off': (_request, response) => response.writeHead(200, { 'Content-Length': '99' }).end('{'),
      'the wrong client': (_request, response) =>
        response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":"invalid_client"}'),
      endless: (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const pour = () => response.write('x'.repeat(100_000), () => response.destroyed || setImmediate(pour));
        pour();
      },
    };
    for (const [name, failure] of Object.entries(failures)) {
      const back = await authorize(person());
      openId.intercept('/token', failure);
      const response = await overRest(back);
      expect([response.status, keyOf(response)], name).to.deep.equal([502, 'OAUTH_PROVIDER_FAILED']);
      openId.reset();
    }
  });

  it('returns 502 for a subject that OpenID Connect does not permit, and ignores other claims that are too long', async () => {
    const subjects = {
      empty: '',
      long: 'x'.repeat(256),
      '5,000 characters': 'x'.repeat(5_000),
      Hangul: '바다',
      control: 'a\u0000',
    };
    for (const [name, sub] of Object.entries(subjects)) {
      openId.forge((claims) => ({ ...claims, sub, email_verified: true, name: 'Person' }));
      const response = await overRest(await authorize(person()));
      expect([response.status, keyOf(response)], name).to.deep.equal([502, 'OAUTH_PROVIDER_FAILED']);
    }
    openId.forge((claims) => ({ ...claims, sub: 'x'.repeat(255), email_verified: true, name: 'n'.repeat(100_000) }));
    const longest = await me(await loginOf(person()));
    expect(longest.memberName).to.equal('n'.repeat(30));
    for (const email of [
      `${'e'.repeat(250)}@example.org`,
      'a\r\nb@example.org',
      'no address',
      ['a@example.org'],
      '\ud800@example.org',
    ]) {
      openId.forge((claims) => ({ ...claims, email, email_verified: true, name: 'Person' }));
      expect((await me(await loginOf(person()))).email, String(email).slice(0, 30)).to.equal(null);
    }
  });

  it('returns 502 for a profile that belongs to another subject or cannot be read', async () => {
    const back = await authorize(person());
    openId.intercept('/me', (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"sub":"another"}'),
    );
    expect((await overRest(back)).status).to.be.oneOf([401, 502]);
    const other = await authorize(person());
    openId.intercept('/me', (_request, response) => response.writeHead(503).end());
    expect(keyOf(await overRest(other))).to.equal('OAUTH_PROVIDER_FAILED');
  });

  it('returns 429 after too many failed logins', async () => {
    await app.database.sequelize.query('truncate rate_limits');
    const statuses = [];
    for (let n = 0; n < 102; n++) statuses.push((await overRest({ provider: 'NAVER', code: 'bad' })).status);
    expect(statuses.slice(98)).to.deep.equal([401, 401, 429, 429]);
    await app.database.sequelize.query('truncate rate_limits');
  });
});

describe('NAVER', () => {
  async function naverCode(profile: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { url, state, codeVerifier } = await begin('NAVER');
    expect(new URL(url).pathname).to.equal('/oauth2.0/authorize');
    const code = `naver-${++people}`;
    naver.codes.set(code, profile);
    return { provider: 'NAVER', code, codeVerifier, state };
  }

  it('returns 200 from the profile, whose email is treated as unverified', async () => {
    const profile = { id: 'naver-id-1', nickname: '네이버 사람', email: 'someone@naver.com' };
    const back = await naverCode(profile);
    const { body } = await overRest(back);
    expect(await me(body?.data.accessToken)).to.include({ email: null, memberName: '네이버 사람' });
    const form = Object.fromEntries(naver.tokenRequests.at(-1) ?? []);
    expect(form).to.include({ state: back.state, redirect_uri: REDIRECT, grant_type: 'authorization_code' });
    const again = await overRest(await naverCode({ ...profile, nickname: 'Another' }));
    expect((await me(again.body?.data.accessToken)).memberName).to.equal('네이버 사람');
  });

  it('returns 401 for a used or unknown code, which NAVER reports with status 200', async () => {
    const back = await naverCode({ id: 'naver-id-2' });
    expect((await overRest(back)).status).to.equal(200);
    expect(keyOf(await overRest(back))).to.equal('OAUTH_REJECTED');
  });

  it('returns 502 for a profile that NAVER does not return or that has no id', async () => {
    expect(keyOf(await overRest(await naverCode({ resultcode: '024', message: 'no' })))).to.equal(
      'OAUTH_PROVIDER_FAILED',
    );
    expect(keyOf(await overRest(await naverCode({ nickname: 'nobody' })))).to.equal('OAUTH_PROVIDER_FAILED');
    const id = 'x'.repeat(256);
    expect(keyOf(await overRest(await naverCode({ id })))).to.equal('OAUTH_PROVIDER_FAILED');
  });
});

describe('Linking', () => {
  const link = async (member: BuiltMember, someone: Person, provider = 'GOOGLE') =>
    graphql(
      app.url,
      LINK,
      { input: { ...(await authorize(someone, provider)), password: member.password } },
      member.token,
    );

  it('adds a login method, also to an account with the same email, and more than one', async () => {
    const member = await buildMember(app.url);
    const someone = person({ email: member.email });
    expect((await link(member, someone)).data.linkSocialAccount).to.deep.equal({
      provider: 'GOOGLE',
      email: member.email,
    });
    expect((await me(member.token)).emailVerified, 'the provider verified the same address').to.equal(true);
    const hosted = person();
    expect((await link(member, hosted, 'HOSTED')).errors).to.equal(undefined);
    await app.database.sequelize.query('update members set email_verified_at = null');
    expect(await me(await loginOf(hosted, 'HOSTED'))).to.include({ id: member.id, emailVerified: false });
    expect(await me(await loginOf(someone))).to.include({ id: member.id, emailVerified: true });
    const { data } = await graphql(
      app.url,
      '{ socialLinks { provider } securityEvents { contents { kind provider } } }',
      {},
      member.token,
    );
    expect(data.socialLinks).to.deep.equal([{ provider: 'GOOGLE' }, { provider: 'HOSTED' }]);
    expect(data.securityEvents.contents.slice(2, 4)).to.deep.equal([
      { kind: 'SOCIAL_LINKED', provider: 'HOSTED' },
      { kind: 'SOCIAL_LINKED', provider: 'GOOGLE' },
    ]);
  });

  it('is idempotent, and rejects an account of another member and a second one of a provider', async () => {
    const [member, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    const someone = person();
    await link(member, someone);
    expect((await link(member, someone)).errors).to.equal(undefined);
    expect((await link(stranger, someone)).errors?.[0]).to.deep.include({
      message: 'This GOOGLE account is linked to another member.',
      extensions: { code: 'OAUTH_REJECTED' },
    });
    expect((await link(member, person())).errors?.[0]?.extensions.code).to.equal('OAUTH_REJECTED');
    expect((await me(await loginOf(someone))).id).to.equal(member.id);
  });

  it('requires authentication, as unlinking does', async () => {
    const input = { provider: 'GOOGLE', code: 'x' };
    expect((await graphql(app.url, LINK, { input })).errors?.[0]?.extensions.code).to.equal('UNAUTHENTICATED');
    const unlinked = await graphql(app.url, UNLINK, { provider: 'GOOGLE' });
    expect(unlinked.errors?.[0]?.extensions.code).to.equal('UNAUTHENTICATED');
  });

  it('is undone by unlinking, except for the only login method', async () => {
    const member = await buildMember(app.url);
    const someone = person();
    await link(member, someone);
    const unlink = (token: string) =>
      graphql(app.url, UNLINK, { provider: 'GOOGLE', password: member.password }, token);
    expect((await unlink(member.token)).data.unlinkSocialAccount).to.deep.equal({ provider: 'GOOGLE' });
    expect((await unlink(member.token)).errors?.[0]?.extensions.code).to.equal('SOCIAL_ACCOUNT_NOT_FOUND');
    const token = await loginOf(someone);
    expect((await me(token)).id, 'a new account').to.not.equal(member.id);
    expect((await unlink(token)).errors?.[0]).to.deep.include({
      message: 'This is your only login method: set a password, add a passkey or link an account first.',
      extensions: { code: 'LAST_LOGIN_METHOD' },
    });
  });
});

describe('Proof for linking and unlinking', () => {
  const codeOf = async (response: Promise<GraphQLResponse>) => (await response).errors?.[0]?.extensions;
  const link = (token: string, input: object) => graphql(app.url, LINK, { input }, token);
  const unlink = (token: string, password?: string) =>
    graphql(app.url, UNLINK, { provider: 'GOOGLE', password }, token);
  const linksOf = async (token: string) =>
    (await graphql(app.url, '{ socialLinks { provider } }', {}, token)).data.socialLinks;
  const fault = (message: string) => ({ code: 'VALIDATION_FAILED', errors: [{ field: 'password', message }] });

  it('is the password: without it an access token cannot link or unlink', async () => {
    const owner = await buildMember(app.url);
    const back = await authorize(person());
    expect(await codeOf(link(owner.token, back))).to.deep.equal(fault('is required: send your current password'));
    const wrong = { ...back, password: 'wrong password' };
    expect(await codeOf(link(owner.token, wrong))).to.deep.equal(fault('is not your current password'));
    expect(await linksOf(owner.token)).to.deep.equal([]);
    const right = { ...back, password: owner.password };
    expect((await link(owner.token, right)).errors, 'the code is still good').to.equal(undefined);
    expect(await codeOf(unlink(owner.token))).to.deep.equal(fault('is required: send your current password'));
    expect(await codeOf(unlink(owner.token, 'wrong password'))).to.deep.equal(fault('is not your current password'));
    expect(await linksOf(owner.token)).to.deep.equal([{ provider: 'GOOGLE' }]);
    expect((await unlink(owner.token, owner.password)).errors).to.equal(undefined);
  });

  it('counts wrong passwords against the rate limit', async () => {
    const { token } = await buildMember(app.url);
    const codes = [];
    const back = { provider: 'GOOGLE', code: 'x', password: 'wrong password' };
    for (let n = 0; n < 11; n++) codes.push((await codeOf(link(token, back)))?.code);
    expect(codes).to.deep.equal([...Array(10).fill('VALIDATION_FAILED'), 'RATE_LIMITED']);
  });

  it('is a login within ten minutes for an account without a password; a refresh does not count', async () => {
    const someone = person();
    const { body } = await overRest(await authorize(someone));
    const { id } = await me(body?.data.accessToken);
    const hosted = await authorize(person(), 'HOSTED');
    await ageLogins(app, id, 11);
    const refreshed = await call(app.url, 'POST /api/auth/refresh', {
      json: { refreshToken: body?.data.refreshToken },
    });
    const { accessToken } = refreshed.body?.data ?? {};
    expect(await codeOf(link(accessToken, hosted))).to.deep.equal({ code: 'PROOF_REQUIRED' });
    expect(await codeOf(link(accessToken, { ...hosted, password: 'any password' }))).to.deep.equal({
      code: 'PROOF_REQUIRED',
    });
    expect(await codeOf(unlink(accessToken))).to.deep.equal({ code: 'PROOF_REQUIRED' });
    const fresh = await loginOf(someone);
    expect((await link(fresh, hosted)).errors, 'the code is still good').to.equal(undefined);
    expect((await unlink(fresh)).errors).to.equal(undefined);
  });

  it('is checked after the validation of the request', async () => {
    const { id, token } = await buildMember(app.url);
    await removePassword(app, id);
    await ageLogins(app, id, 11);
    expect((await codeOf(link(token, { provider: 'FACEBOOK', code: 'x' })))?.code).to.equal('PROVIDER_UNSUPPORTED');
    const elsewhere = { provider: 'GOOGLE', code: 'x', redirectUri: 'https://evil.example.org' };
    expect((await codeOf(link(token, elsewhere)))?.code).to.equal('VALIDATION_FAILED');
    expect((await codeOf(unlink(token)))?.code).to.equal('SOCIAL_ACCOUNT_NOT_FOUND');
  });

  it('is invalid if the password changes during the request to the provider', async () => {
    const owner = await buildMember(app.url);
    const back = await authorize(person());
    openId.intercept('/me', async (_request, response) => {
      const input = { password: 'an entirely new one', currentPassword: owner.password };
      const change = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }';
      await graphql(app.url, change, { input }, owner.token);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ sub: `person-${people}` }));
    });
    expect(await codeOf(link(owner.token, { ...back, password: owner.password }))).to.deep.equal({
      code: 'UNAUTHENTICATED',
    });
    expect(await linksOf(owner.token)).to.deep.equal([]);
  });
});

describe('First social logins', () => {
  const limited: NodeJS.ProcessEnv = { LIMIT_REGISTER: '2/1h' };
  before(() => Object.assign(limited, environment));
  const small = useApp(limited);

  it('count as registrations from one network (429); later logins do not', async () => {
    const login = async (someone: Person) => {
      const json = await authorize(someone);
      return call(small.url, 'POST /api/auth/oauth/login', { json });
    };
    const [first, ...others] = [person(), person(), person()];
    const statuses = [];
    for (const someone of [first, ...others, first]) statuses.push((await login(someone)).status);
    expect(statuses).to.deep.equal([200, 200, 429, 200]);
  });
});

describe('An account created by a social login', () => {
  const SET = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }';

  it('cannot log in with a password until it sets one within ten minutes of a login', async () => {
    const someone = person();
    const token = await loginOf(someone);
    const password = 'set after the fact';
    const login = () => call(app.url, 'POST /api/auth/login', { json: { email: someone.email, password } });
    expect(keyOf(await login())).to.equal('INVALID_CREDENTIALS');
    await app.database.sequelize.query(`update sessions set created_at = created_at - interval '11 minutes'`);
    const late = await graphql(app.url, SET, { input: { password } }, token);
    expect(late.errors?.[0]?.extensions.errors).to.deep.equal([
      { field: 'password', message: 'can be set only in the first 10 minutes after a login: log in again' },
    ]);
    const set = await graphql(app.url, SET, { input: { password } }, await loginOf(someone));
    expect(set.errors).to.equal(undefined);
    expect((await login()).status).to.equal(200);
  });

  it('requires an email to set a password', async () => {
    const token = await loginOf(person({ email_verified: false }));
    const { errors } = await graphql(app.url, SET, { input: { password: 'some password' } }, token);
    expect(errors?.[0]?.extensions.errors).to.deep.equal([
      { field: 'password', message: 'requires an email to log in with, and this account has none' },
    ]);
  });
});

describe('Settings of login providers', () => {
  it('cause a startup error where one is missing or invalid', () => {
    const set = { OAUTH_HOSTED_CLIENT_ID: 'a', OAUTH_HOSTED_CLIENT_SECRET: 'b' };
    expect(() => loadConfig({ ...set })).to.throw('OAUTH_HOSTED_ISSUER must be an https URL');
    expect(() => loadConfig({ ...set, OAUTH_HOSTED_ISSUER: 'http://example.org' })).to.throw('must be an https URL');
    expect(() => loadConfig({ OAUTH_GOOGLE_CLIENT_ID: 'a' })).to.throw('OAUTH_GOOGLE_CLIENT_SECRET must be set');
    expect(() => loadConfig({ OAUTH_REDIRECT_URIS: 'https://a.example.org/#x' })).to.throw(
      'OAUTH_REDIRECT_URIS must be',
    );
    const { oauthProviders } = loadConfig({ OAUTH_KAKAO_CLIENT_ID: 'a', OAUTH_KAKAO_CLIENT_SECRET: 'b' });
    expect(oauthProviders).to.deep.equal([
      { name: 'KAKAO', issuer: 'https://kauth.kakao.com', clientId: 'a', clientSecret: 'b' },
    ]);
  });
});

describe('A social login with REGISTRATION=invite', () => {
  const invited: NodeJS.ProcessEnv = {};
  before(() => void Object.assign(invited, environment, { REGISTRATION: 'invite' }));
  const closed = useApp(invited);
  const logIn = (json: Record<string, unknown>) => call(closed.url, 'POST /api/auth/oauth/login', { json });

  it('creates an account only with an invitation, which later logins do not need', async () => {
    const guest = person();
    expect(keyOf(await logIn(await authorize(guest)))).to.equal('REGISTRATION_CLOSED');
    expect(keyOf(await logIn({ ...(await authorize(guest)), invitation: 'unknown' }))).to.equal('TOKEN_INVALID');
    const { token: invitation } = await createInvitation(closed.database, 60_000);
    expect((await logIn({ ...(await authorize(guest)), invitation })).status).to.equal(200);
    expect((await logIn(await authorize(guest))).status).to.equal(200);
    expect(keyOf(await logIn({ ...(await authorize(person())), invitation }))).to.equal('TOKEN_INVALID');
  });

  it('is rejected with 403 while the account is locked', async () => {
    const guest = person();
    const { token: invitation } = await createInvitation(closed.database, 60_000);
    expect((await logIn({ ...(await authorize(guest)), invitation })).status).to.equal(200);
    const [link] = await closed.database.query(LINK_BY_SUBJECT, ['GOOGLE', guest.sub]);
    await closed.database.query(LOCK_ACCOUNT, [link?.memberId ?? 0]);
    const response = await logIn(await authorize(guest));
    expect([response.status, keyOf(response)]).to.deep.equal([403, 'ACCOUNT_LOCKED']);
  });
});
