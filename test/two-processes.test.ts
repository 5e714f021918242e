/** Two processes of the service on one database: changes by one take effect in the other immediately. */
import { expect } from 'chai';
import { buildApiToken, TOKENS } from './support/api-tokens.js';
import { buildMember } from './support/build.js';
import { call, graphql } from './support/client.js';
import { execute, freshDatabase } from './support/database.js';
import { closeLiveClients } from './support/live.js';
import { openEvents, openSubscription } from './support/live-raw.js';
import { startNaver } from './support/naver.js';
import { CLIENT } from './support/openid.js';
import { type RunningService, startService } from './support/process.js';
import { logIn, REFRESH, statusOf } from './support/session.js';
import { until } from './support/until.js';

describe('Two processes on one database', () => {
  const services: RunningService[] = [];
  let one = '';
  let two = '';
  let database: string;

  before(async function () {
    this.timeout(60_000);
    database = await freshDatabase('two_processes');
    const limits = { LIMIT_LOGIN_PAIR: '4/15m', LIMIT_WRITES: '9/10m' };
    services.push(...(await Promise.all([startService(database, limits), startService(database, limits)])));
    [one = '', two = ''] = services.map(({ url }) => url);
  });
  after(() => Promise.all(services.map(({ stop }) => stop())));

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
    await execute([`update sessions set rotated_at = rotated_at - interval '11 seconds'`], database);
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
});

describe('A process with a new secret beside one with the old', () => {
  const services: RunningService[] = [];
  after(() => Promise.all(services.map(({ stop }) => stop())));

  it('accepts sessions, refresh tokens and login attempts that the other process signed', async function () {
    this.timeout(60_000);
    const naver = await startNaver(CLIENT);
    const provider = {
      OAUTH_NAVER_CLIENT_ID: CLIENT.id,
      OAUTH_NAVER_CLIENT_SECRET: CLIENT.secret,
      OAUTH_NAVER_ISSUER: naver.address,
      OAUTH_REDIRECT_URIS: 'http://localhost:3000/callback',
    };
    const OLD_SECRET = 'the secret before, which is long enough';
    const NEW_SECRET = 'the secret after, which is long enough';
    const database = await freshDatabase('two_secrets');
    services.push(await startService(database, { ...provider, JWT_SECRET: OLD_SECRET }));
    services.push(
      await startService(database, { ...provider, JWT_SECRET: NEW_SECRET, JWT_SECRET_PREVIOUS: OLD_SECRET }),
    );
    const [former = '', next = ''] = services.map(({ url }) => url);
    const member = await buildMember(former);
    expect(await statusOf(next, member.token)).to.equal(200);
    const first = await REFRESH.REST(former, member.refreshToken);
    expect(await REFRESH.REST(next, member.refreshToken)).to.deep.equal(first);
    const renewed = await REFRESH.REST(next, first.pair?.refreshToken ?? '');
    expect(await statusOf(next, renewed.pair?.accessToken ?? '')).to.equal(200);
    expect(await statusOf(former, renewed.pair?.accessToken ?? ''), 'the old secret alone').to.equal(401);
    const { data } = await graphql(former, '{ socialLoginUrl(provider: "NAVER") { state codeVerifier } }');
    naver.codes.set('code', { id: 'someone' });
    const json = { provider: 'NAVER', code: 'code', ...data.socialLoginUrl };
    const { status } = await call(next, 'POST /api/auth/oauth/login', { json });
    await naver.close();
    expect(status).to.equal(200);
  });
});
