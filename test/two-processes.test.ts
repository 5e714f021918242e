/** Two processes of the service on one database: changes by one take effect in the other immediately. */
import { expect } from 'chai';
import { buildApiToken, TOKENS } from './support/api-tokens.js';
import { JWT_SECRET, useApp } from './support/app.js';
import { buildMember } from './support/build.js';
import { call, graphql } from './support/client.js';
import { execute } from './support/database.js';
import { closeLiveClients } from './support/live.js';
import { openEvents, openSubscription } from './support/live-raw.js';
import { type NaverServer, startNaver } from './support/naver.js';
import { CLIENT } from './support/openid.js';
import { type RunningService, startService } from './support/process.js';
import { logIn, REFRESH, statusOf } from './support/session.js';
import { until } from './support/until.js';

describe('Two processes on one database', () => {
  const limits = { LIMIT_LOGIN_PAIR: '4/15m', LIMIT_WRITES: '9/10m' };
  const { settings, server } = useNaver();
  const app = useApp(Object.assign(settings, limits));
  let other: RunningService;
  let one = '';
  let two = '';

  before(async function () {
    this.timeout(60_000);
    other = await startService(app.database.url, limits);
    [one, two] = [app.url, other.url];
  });
  after(() => other.stop());

  for (const [api, refresh] of Object.entries(REFRESH)) {
    it(`return a single successor for fifty parallel uses of a refresh token over ${api}`, async () => {
      const { refreshToken } = await buildMember(one);
      const renewals = await Promise.all(
        Array.from({ length: 50 }, (_, n) => refresh(n % 2 === 0 ? one : two, refreshToken)),
      );
      expect(new Set(renewals.map(({ code }) => code))).to.deep.equal(new Set(['1']));
      expect(new Set(renewals.map(({ pair }) => pair?.refreshToken)).size).to.equal(1);
      expect(new Set(renewals.map(({ pair }) => pair?.accessToken)).size).to.equal(1);
      expect((await refresh(two, renewals[0]?.pair?.refreshToken ?? '')).code).to.equal('1');
    });
  }

  it('end a session when its retired token reaches the other process after the grace period', async () => {
    const { refreshToken } = await buildMember(one);
    const { pair } = await REFRESH.REST(one, refreshToken);
    await execute([`update sessions set rotated_at = rotated_at - interval '11 seconds'`], app.database.url);
    expect((await REFRESH.REST(two, refreshToken)).code).to.equal('REFRESH_TOKEN_INVALID');
    expect(await statusOf(one, pair?.accessToken ?? '')).to.equal(401);
  });

  it('apply a logout and a changed password at once', async () => {
    const member = await buildMember(one);
    const [phone, laptop] = [await logIn(two, member), await logIn(two, member)];
    await call(one, 'POST /api/auth/logout', { token: phone.accessToken });
    expect(await statusOf(two, phone.accessToken)).to.equal(401);
    const input = { password: 'another one of them', currentPassword: member.password };
    const mutation = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }';
    await graphql(one, mutation, { input }, member.token);
    expect(await statusOf(two, laptop.accessToken)).to.equal(401);
    expect(await statusOf(two, member.token)).to.equal(200);
  });

  it('end an API token and its streams at once when it is deleted', async () => {
    const member = await buildMember(one);
    const { id, token } = await buildApiToken(one, member, ['read', 'notifications']);
    expect(await statusOf(two, token)).to.equal(200);
    const ended = [await openEvents(two, token), await openSubscription(two, token)];
    await call(one, `DELETE ${TOKENS}/${id}`, { token: member.token });
    expect(await statusOf(two, token)).to.equal(401);
    for (const reason of ended) await until(reason);
    closeLiveClients();
  });

  it('count failed logins and writes together', async () => {
    const { email, password, token } = await buildMember(one);
    const statuses = [];
    for (let n = 0; n < 5; n++) {
      const json = { email, password: 'wrong password' };
      statuses.push((await call(n % 2 === 0 ? one : two, 'POST /api/auth/login', { json })).status);
    }
    expect(statuses).to.deep.equal([401, 401, 401, 401, 429]);
    for (const url of [one, two]) {
      expect((await call(url, 'POST /api/auth/login', { json: { email, password } })).status).to.equal(429);
    }
    const writes = [];
    for (let n = 0; n < 10; n++) {
      const json = { title: 'T', content: 'C' };
      writes.push((await call(n % 2 === 0 ? one : two, 'POST /api/articles', { token, json })).status);
    }
    expect(writes).to.deep.equal([...Array(9).fill(201), 429]);
  });

  it('accept sessions, refresh tokens and login attempts in one with a new secret beside one with the old', async function () {
    this.timeout(60_000);
    const secrets = { JWT_SECRET: 'the secret after, which is long enough', JWT_SECRET_PREVIOUS: JWT_SECRET };
    const service = await startService(app.database.url, { ...settings, ...secrets });
    const [former, next] = [one, service.url];
    const member = await buildMember(former);
    expect(await statusOf(next, member.token)).to.equal(200);
    const first = await REFRESH.REST(former, member.refreshToken);
    expect(await REFRESH.REST(next, member.refreshToken)).to.deep.equal(first);
    const renewed = await REFRESH.REST(next, first.pair?.refreshToken ?? '');
    expect(await statusOf(next, renewed.pair?.accessToken ?? '')).to.equal(200);
    expect(await statusOf(former, renewed.pair?.accessToken ?? ''), 'the old secret alone').to.equal(401);
    const { data } = await graphql(former, '{ socialLoginUrl(provider: "NAVER") { state codeVerifier } }');
    server().codes.set('code', { id: 'someone' });
    const json = { provider: 'NAVER', code: 'code', ...data.socialLoginUrl };
    const { status } = await call(next, 'POST /api/auth/oauth/login', { json });
    await service.stop();
    expect(status).to.equal(200);
  });
});

/** A server of NAVER for the tests of the calling `describe`. @returns its settings, which are complete for the hooks that follow */
function useNaver() {
  let naver: NaverServer;
  const settings: Record<string, string> = {
    OAUTH_NAVER_CLIENT_ID: CLIENT.id,
    OAUTH_NAVER_CLIENT_SECRET: CLIENT.secret,
    OAUTH_REDIRECT_URIS: 'http://localhost:3000/callback',
  };
  before(async () => {
    naver = await startNaver(CLIENT);
    settings.OAUTH_NAVER_ISSUER = naver.address;
  });
  after(() => naver.close());
  return { settings, server: () => naver };
}
