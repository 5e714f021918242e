/** Sessions: refresh token rotation, reuse detection, logout, and the validity of access tokens. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { hashToken } from '../../../src/services/auth/token.js';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call, expectStatus, fieldErrors, graphql } from '../../support/client.js';
import { ageRotations, badTokens, forge, logIn, REFRESH, statusOf } from '../../support/session.js';
import { statementsDuring } from '../../support/statements.js';

const OLD_SECRET = 'the secret that was used before this one';
const app = useApp({ JWT_SECRET_PREVIOUS: OLD_SECRET });
/** A busy machine takes longer than ten seconds for fifty requests. */
const patient = useApp({ REFRESH_GRACE: '10m' });

async function sessionsOf(memberId: number): Promise<number> {
  const [rows] = await app.database.sequelize.query(`select id from sessions where member_id = ${memberId}`);
  return rows.length;
}

async function eventsOf(token: string): Promise<string[]> {
  const { data } = await graphql(app.url, '{ securityEvents(size: 100) { contents { kind } } }', {}, token);
  return data.securityEvents.contents.map(({ kind }: { kind: string }) => kind);
}

for (const [api, refresh] of Object.entries(REFRESH)) {
  describe(`Refreshing over ${api}`, () => {
    it('returns a new pair of valid tokens', async () => {
      const member = await buildMember(app.url);
      const { pair } = await refresh(app.url, member.refreshToken);
      expect(pair?.refreshToken).to.not.equal(member.refreshToken);
      expect(pair?.accessToken).to.not.equal(member.token);
      expect(await statusOf(app.url, pair?.accessToken ?? '')).to.equal(200);
      expect((await refresh(app.url, pair?.refreshToken ?? '')).code).to.equal('1');
    });

    it('returns one successor for fifty parallel uses, and ends no session', async () => {
      const { url } = patient;
      const member = await buildMember(url);
      const renewals = await Promise.all(Array.from({ length: 50 }, () => refresh(url, member.refreshToken)));
      expect(new Set(renewals.map(({ code }) => code))).to.deep.equal(new Set(['1']));
      expect(new Set(renewals.map(({ pair }) => pair?.refreshToken)).size).to.equal(1);
      expect(new Set(renewals.map(({ pair }) => pair?.accessToken)).size).to.equal(1);
      expect(await sessionsOf(member.id)).to.equal(1);
      expect((await refresh(url, renewals[0]?.pair?.refreshToken ?? '')).code).to.equal('1');
    });

    it('returns the same successor again when the response was lost', async () => {
      const member = await buildMember(app.url);
      const first = await refresh(app.url, member.refreshToken);
      await ageRotations(app, 9);
      expect(await refresh(app.url, member.refreshToken)).to.deep.equal(first);
    });

    it('ends the whole session when a retired token is used after the grace period', async () => {
      const member = await buildMember(app.url);
      const other = await logIn(app.url, member);
      const thief = await refresh(app.url, member.refreshToken);
      await ageRotations(app, 11);
      expect(await refresh(app.url, member.refreshToken)).to.deep.equal({ pair: null, code: 'REFRESH_TOKEN_INVALID' });
      expect(await statusOf(app.url, thief.pair?.accessToken ?? '')).to.equal(401);
      expect((await refresh(app.url, thief.pair?.refreshToken ?? '')).code).to.equal('REFRESH_TOKEN_INVALID');
      expect(await statusOf(app.url, other.accessToken)).to.equal(200);
      expect(await eventsOf(other.accessToken)).to.include('REFRESH_REUSED');
    });

    it('ends the whole session when a token before the last one is used, also within the grace period', async () => {
      const member = await buildMember(app.url);
      const second = await refresh(app.url, member.refreshToken);
      const third = await refresh(app.url, second.pair?.refreshToken ?? '');
      expect((await refresh(app.url, member.refreshToken)).code).to.equal('REFRESH_TOKEN_INVALID');
      expect(await statusOf(app.url, third.pair?.accessToken ?? '')).to.equal(401);
      expect(await sessionsOf(member.id)).to.equal(0);
    });

    it('rejects any other token, and keeps the session valid', async () => {
      const member = await buildMember(app.url);
      const expired = forge(member.refreshToken, { exp: Math.floor(Date.now() / 1000) - 1 });
      for (const [name, token] of Object.entries({
        ...badTokens(member.refreshToken, member.token, 'at+jwt'),
        'an expired one': expired,
        'one of no known session': forge(member.refreshToken, { sid: randomUUID() }),
        'one of a generation that is still to come': forge(member.refreshToken, { gen: 7 }),
        'one that differs from the one that was given out': forge(member.refreshToken, { jti: 'another' }),
      })) {
        expect((await refresh(app.url, token)).code, name).to.equal('REFRESH_TOKEN_INVALID');
      }
      expect((await refresh(app.url, member.refreshToken)).code).to.equal('1');
    });
  });
}

describe('POST /api/auth/refresh', () => {
  it('returns 400 for an invalid body', async () => {
    const response = await call(app.url, 'POST /api/auth/refresh', { json: { refreshToken: 7, token: 'x' } });
    expect(response.status).to.equal(400);
    expect(fieldErrors(response)).to.deep.equal([
      'token: is not a known field; expected refreshToken',
      'refreshToken: must be a string, got 7',
    ]);
    expect((await call(app.url, 'POST /api/auth/refresh', { json: {} })).status).to.equal(400);
    expect((await call(app.url, 'POST /api/auth/refresh', { json: { refreshToken: ' ' } })).status).to.equal(400);
  });

  it('returns 401 with a WWW-Authenticate header', async () => {
    const { status, headers } = await call(app.url, 'POST /api/auth/refresh', { json: { refreshToken: 'x' } });
    expect(status).to.equal(401);
    expect(headers.get('WWW-Authenticate')).to.equal('Bearer');
  });

  it('stores only hashes: no column of the session contains a token', async () => {
    const { id, refreshToken } = await buildMember(app.url);
    const { pair } = await REFRESH.REST(app.url, refreshToken);
    const [rows] = await app.database.sequelize.query(`select to_jsonb(s)::text as text, refresh_hash, previous_hash
      from sessions s where member_id = ${id}`);
    const [row] = rows as { text: string; refresh_hash: Buffer; previous_hash: Buffer }[];
    expect(row?.refresh_hash).to.deep.equal(hashToken(pair?.refreshToken ?? ''));
    expect(row?.previous_hash).to.deep.equal(hashToken(refreshToken));
    const { jti, signature } = signatureOf(pair?.refreshToken ?? '');
    expect(row?.text).to.not.include(jti);
    expect(row?.text).to.not.include(signature);
  });

  it('extends the session, but not beyond its maximum age', async () => {
    const { refreshToken } = await buildMember(app.url);
    const day = 24 * 60 * 60;
    const { exp = 0, iat = 0, auth_time } = jwt.decode(refreshToken) as jwt.JwtPayload;
    expect(exp - iat).to.equal(14 * day);
    const old = forge(refreshToken, { auth_time: auth_time - 89 * day });
    await app.database.sequelize.query('update sessions set refresh_hash = :hash where refresh_hash = :now', {
      replacements: { hash: hashToken(old), now: hashToken(refreshToken) },
    });
    const { pair } = await REFRESH.REST(app.url, old);
    expect((jwt.decode(pair?.refreshToken ?? '') as jwt.JwtPayload).exp).to.equal(auth_time + day);
  });
});

function signatureOf(token: string): { jti: string; signature: string } {
  const { jti = 'none' } = jwt.decode(token) as jwt.JwtPayload;
  return { jti, signature: token.split('.')[2] ?? 'none' };
}

describe('An access token', () => {
  it('is rejected when the service did not issue it', async () => {
    const { token, refreshToken } = await buildMember(app.url);
    for (const [name, bad] of Object.entries(badTokens(token, refreshToken, 'refresh+jwt'))) {
      await expectStatus(call(app.url, 'GET /api/members/me', { token: bad }), 401, 'UNAUTHENTICATED', name);
    }
    const expired = forge(token, { exp: Math.floor(Date.now() / 1000) - 1 });
    expect((await call(app.url, 'GET /api/members/me', { token: expired })).body?.code).to.equal('TOKEN_EXPIRED');
    expect(await statusOf(app.url, forge(token, {}))).to.equal(200);
  });

  it('is accepted when signed with the previous secret, and so is a refresh token', async () => {
    const { token, refreshToken } = await buildMember(app.url);
    expect(await statusOf(app.url, forge(token, {}, { secret: OLD_SECRET }))).to.equal(200);
    const old = forge(refreshToken, {}, { secret: OLD_SECRET });
    await app.database.sequelize.query('update sessions set refresh_hash = :hash where refresh_hash = :now', {
      replacements: { hash: hashToken(old), now: hashToken(refreshToken) },
    });
    expect((await REFRESH.REST(app.url, old)).code).to.equal('1');
  });

  it('is checked against its session in one statement with an index scan', async () => {
    const { token } = await buildMember(app.url);
    const statements = await statementsDuring(() => statusOf(app.url, token));
    const checks = statements.filter((text) => text.includes('sessions'));
    expect(checks).to.have.length(1);
    const explain = `explain ${checks[0]?.replace('$1', `'${randomUUID()}'`).replace('$2', '1')}`;
    const plan = await app.database.sequelize.transaction(async (transaction) => {
      // With few rows a bitmap scan of the same index costs as much.
      await app.database.sequelize.query('set local enable_seqscan = off; set local enable_bitmapscan = off', {
        transaction,
      });
      return app.database.sequelize.query(explain, { transaction });
    });
    expect(JSON.stringify(plan)).to.match(/Index Scan using sessions_(pkey|member)/);
  });

  it('becomes invalid when its member is deleted', async () => {
    const { id, token, refreshToken } = await buildMember(app.url);
    await app.database.sequelize.query(`delete from members where id = ${id}`);
    expect(await statusOf(app.url, token)).to.equal(401);
    expect((await REFRESH.REST(app.url, refreshToken)).code).to.equal('REFRESH_TOKEN_INVALID');
  });

  it('becomes invalid on other devices when the password changes', async () => {
    const member = await buildMember(app.url);
    const other = await logIn(app.url, member);
    const input = { password: 'quite another phrase', currentPassword: member.password };
    const mutation = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }';
    await graphql(app.url, mutation, { input }, member.token);
    expect(await statusOf(app.url, other.accessToken)).to.equal(401);
    expect((await REFRESH.GraphQL(app.url, other.refreshToken)).code).to.equal('REFRESH_TOKEN_INVALID');
    expect(await statusOf(app.url, member.token)).to.equal(200);
    expect(await eventsOf(member.token)).to.deep.equal(['PASSWORD_CHANGED', 'SESSION_ENDED', 'LOGIN', 'LOGIN']);
  });
});

describe('POST /api/auth/logout', () => {
  it('returns 200 and ends this session immediately, but not those on other devices', async () => {
    const member = await buildMember(app.url);
    const other = await logIn(app.url, member);
    const { status, body } = await call(app.url, 'POST /api/auth/logout', { token: member.token });
    expect([status, body?.data]).to.deep.equal([200, {}]);
    expect(await statusOf(app.url, member.token)).to.equal(401);
    expect((await REFRESH.REST(app.url, member.refreshToken)).code).to.equal('REFRESH_TOKEN_INVALID');
    expect(await statusOf(app.url, other.accessToken)).to.equal(200);
    expect(await eventsOf(other.accessToken)).to.deep.equal(['LOGOUT', 'LOGIN', 'LOGIN']);
  });

  it('returns 401 without a token and for a session that has ended', async () => {
    const { token } = await buildMember(app.url);
    expect((await call(app.url, 'POST /api/auth/logout')).status).to.equal(401);
    await call(app.url, 'POST /api/auth/logout', { token });
    expect((await call(app.url, 'POST /api/auth/logout', { token })).status).to.equal(401);
  });

  it('is available over GraphQL as the mutation logout', async () => {
    const { token } = await buildMember(app.url);
    const { data } = await graphql(app.url, 'mutation { logout { id current } }', {}, token);
    expect(data.logout.current).to.equal(true);
    expect(await statusOf(app.url, token)).to.equal(401);
  });
});

describe('Query.sessions', () => {
  const SESSIONS = '{ sessions { id device address createdAt lastUsedAt current } }';

  it('lists only the sessions of the member, with device and last use, and marks the current one', async () => {
    await buildMember(app.url);
    const member = await buildMember(app.url);
    const phone = await logIn(app.url, member, { 'User-Agent': 'Phone/1.0' });
    const { data } = await graphql(app.url, SESSIONS, {}, phone.accessToken);
    expect(data.sessions).to.have.length(2);
    expect(data.sessions[0]).to.include({ device: 'Phone/1.0', address: '127.0.0.1', current: true });
    expect(data.sessions[1]).to.include({ current: false });
    expect(data.sessions[0].lastUsedAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('updates the last use when the stored one is more than five minutes old', async () => {
    const { id, token } = await buildMember(app.url);
    await app.database.sequelize.query(`update sessions set last_used_at = now() - interval '6 minutes', device = 'old'
      where member_id = ${id}`);
    const before = Date.now() - 5_000;
    const { data } = await graphql(app.url, SESSIONS, {}, token);
    expect(Date.parse(data.sessions[0].lastUsedAt)).to.be.greaterThan(before);
    expect(data.sessions[0].device).to.not.equal('old');
  });

  it('requires authentication, as Query.securityEvents does', async () => {
    for (const query of [SESSIONS, '{ securityEvents { contents { id } } }']) {
      const { errors } = await graphql(app.url, query);
      expect(errors?.[0]?.extensions.code).to.equal('UNAUTHENTICATED');
    }
  });

  it('keeps a hundred sessions of a member, and ends those that have not been used for the longest time', async () => {
    const member = await buildMember(app.url);
    await app.database.sequelize.query(`update sessions set created_at = now() - interval '1 day';
       insert into sessions (id, member_id, refresh_hash, expires_at, created_at, last_used_at)
       select gen_random_uuid(), ${member.id}, sha256('x'), now() + interval '1 day', now(), now() - n * interval '1 minute'
       from generate_series(1, 150) as n`);
    const { accessToken } = await logIn(app.url, member);
    expect(await sessionsOf(member.id)).to.equal(100);
    expect(await statusOf(app.url, accessToken)).to.equal(200);
    expect(await statusOf(app.url, member.token)).to.equal(200);
  });
});

describe('Ending sessions over GraphQL', () => {
  const END = 'mutation ($id: ID!) { endSession(id: $id) { id } }';
  const idOf = async (token: string): Promise<string> => {
    const { data } = await graphql(app.url, '{ sessions { id current } }', {}, token);
    return data.sessions.find(({ current }: { current: boolean }) => current).id;
  };

  it('ends one session immediately with endSession', async () => {
    const member = await buildMember(app.url);
    const [phone, laptop] = [await logIn(app.url, member), await logIn(app.url, member)];
    const id = await idOf(phone.accessToken);
    const { data } = await graphql(app.url, END, { id }, member.token);
    expect(data.endSession.id).to.equal(id);
    expect(await statusOf(app.url, phone.accessToken)).to.equal(401);
    expect(await statusOf(app.url, laptop.accessToken)).to.equal(200);
    expect((await eventsOf(member.token))[0]).to.equal('SESSION_ENDED');
  });

  it("rejects endSession for another member's session, an unknown session and an invalid id", async () => {
    const [owner, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    const id = await idOf(owner.token);
    for (const unknown of [id, randomUUID()]) {
      const { errors } = await graphql(app.url, END, { id: unknown }, stranger.token);
      expect(errors?.[0]?.extensions, unknown).to.deep.equal({ code: 'SESSION_NOT_FOUND' });
    }
    for (const bad of ['1', 'x', `${id}0`]) {
      const { errors } = await graphql(app.url, END, { id: bad }, stranger.token);
      expect(errors?.[0]?.extensions, bad).to.deep.equal({
        code: 'VALIDATION_FAILED',
        errors: [{ field: 'id', message: `must be a UUID, got "${bad}"` }],
      });
    }
    expect(await statusOf(app.url, owner.token)).to.equal(200);
  });

  it('ends all sessions except the current one with endOtherSessions', async () => {
    const [member, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    const others = [await logIn(app.url, member), await logIn(app.url, member)];
    const { data } = await graphql(app.url, 'mutation { endOtherSessions { id current } }', {}, member.token);
    expect(data.endOtherSessions).to.have.length(2);
    for (const { accessToken } of others) expect(await statusOf(app.url, accessToken)).to.equal(401);
    expect(await statusOf(app.url, member.token)).to.equal(200);
    expect(await statusOf(app.url, stranger.token)).to.equal(200);
  });
});

describe('Query.securityEvents', () => {
  it('lists only the events of the member, in pages, newest first, without secrets', async () => {
    const member = await buildMember(app.url);
    await buildMember(app.url);
    await call(app.url, 'POST /api/auth/login', { json: { email: member.email, password: 'not the one' } });
    const query = `query ($page: Int!) { securityEvents(page: $page, size: 1) {
      contents { id kind provider address device createdAt } pagination { totalElements totalPages last } } }`;
    const pages = await Promise.all([1, 2, 3].map((page) => graphql(app.url, query, { page }, member.token)));
    const found = pages.map(({ data }) => data.securityEvents);
    expect(found.map(({ contents }) => contents[0]?.kind)).to.deep.equal(['LOGIN_FAILED', 'LOGIN', undefined]);
    expect(found[0].pagination).to.deep.equal({ totalElements: 2, totalPages: 2, last: false });
    expect(found[0].contents[0]).to.include({ provider: null, address: '127.0.0.1' });
    expect(JSON.stringify(found)).to.not.include('not the one');
  });
});
