/** Roles of members, over both APIs and with `npx daybook member role`. */
import { expect } from 'chai';
import { MEMBER_FILES } from '../../../src/export/member-files.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildComment, buildMember, useArticle } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { interleave, untilWaiting } from '../../support/interleave.js';
import { buildWithRole, setRole, suspend } from '../../support/roles.js';

const app = useApp();

const target = (id: number) => `/api/moderation/members/${id}/role`;

const change = ({ token, password }: BuiltMember, id: number, role: string) =>
  call(app.url, `PUT ${target(id)}`, { token, json: { role, password } });

async function roleOf(id: number): Promise<string> {
  return (await call(app.url, `GET /api/members/${id}`)).body?.data.role;
}

/** The kinds and devices of the events of a member, except logins. */
async function eventsOf({ token }: BuiltMember): Promise<string[]> {
  const { body } = await call(app.url, 'GET /api/members/me/security-events', { token });
  const events: { kind: string; address: string; device: string }[] = body?.data.contents;
  return events
    .filter(({ kind }) => kind !== 'LOGIN')
    .map(({ kind, address, device }) => `${kind} ${address} ${device}`);
}

describe('The role of a member', () => {
  const article = useArticle(app);

  it('is MEMBER at first, and shown in the profile, the account, and of authors', async () => {
    const member = await buildMember(app.url);
    expect(await roleOf(member.id)).to.equal('MEMBER');
    await buildComment(app.url, article.id, {}, member);
    await setRole(app, member.id, 'MODERATOR');
    const query = `query ($id: ID!, $article: ID!, $nickname: String!) {
      me { role profile { role } } member(id: $id) { role } memberByNickname(nickname: $nickname) { role }
      comments(articleId: $article) { contents { author { role } } } }`;
    const { id, nickname, token } = member;
    const { data } = await graphql(app.url, query, { id, nickname, article: article.id }, token);
    expect(JSON.stringify(data).match(/"role":"MODERATOR"/g)).to.have.length(5);
    const { body } = await call(app.url, 'GET /api/members/me', { token });
    expect([body?.data.role, await roleOf(id)]).to.deep.equal(['MODERATOR', 'MODERATOR']);
  });

  it('renews the validators of the profile', async () => {
    const { id } = await buildMember(app.url);
    const first = await call(app.url, `GET /api/members/${id}`);
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    expect((await call(app.url, `GET /api/members/${id}`, { headers })).status).to.equal(304);
    await setRole(app, id, 'ADMIN');
    const second = await call(app.url, `GET /api/members/${id}`, { headers });
    expect([second.status, second.body?.data.role]).to.deep.equal([200, 'ADMIN']);
  });

  it('is in the archive of the member', async () => {
    const member = await buildWithRole(app, 'MODERATOR');
    await suspend(app, member.id);
    const [profile] = MEMBER_FILES;
    const [row] = profile ? await app.database.query(profile.rows, [member.id]) : [];
    expect(row).to.deep.include({ role: 'MODERATOR' });
    expect(row?.suspension).to.deep.include({ until: '2099-12-31T00:00:00+00:00' });
  });
});

describe('PUT /api/moderation/members/{memberId}/role', () => {
  let admin: BuiltMember;
  before(async () => {
    admin = await buildWithRole(app, 'ADMIN');
  });

  it('changes the role, and is recorded for both members', async () => {
    const member = await buildMember(app.url);
    const { body } = await change(admin, member.id, 'MODERATOR');
    expect([body?.message, body?.data.id, body?.data.role]).to.deep.equal(['Role changed.', member.id, 'MODERATOR']);
    await change(admin, member.id, 'MODERATOR');
    // Neither the address nor the device of the admin.
    expect(await eventsOf(member)).to.deep.equal(['ROLE_CHANGED  by an admin']);
    expect(await eventsOf(admin)).to.deep.equal(['ROLE_ASSIGNED 127.0.0.1 node', 'ROLE_CHANGED  npx daybook']);
  });

  it('requires the password, a member and a role that exist', async () => {
    const { id } = await buildMember(app.url);
    const { token, password } = admin;
    const send = (json: object, on = id) => call(app.url, `PUT ${target(on)}`, { token, json });
    await expectStatus(send({ role: 'ADMIN' }), 400, 'VALIDATION_FAILED');
    await expectStatus(send({ role: 'ADMIN', password: 'wrong' }), 400, 'VALIDATION_FAILED');
    await expectStatus(send({ role: 'OWNER', password }), 400, 'VALIDATION_FAILED');
    await expectStatus(send({ role: 'ADMIN', password }, 999_999), 404, 'MEMBER_NOT_FOUND');
    expect(await roleOf(id)).to.equal('MEMBER');
  });

  it('is 404 for a registration that is not confirmed', async () => {
    const { id } = await buildMember(app.url);
    await app.database.sequelize.query(
      `update members set pending_since = now(), email_verified_at = null where id = ${id}`,
    );
    await expectStatus(change(admin, id, 'ADMIN'), 404, 'MEMBER_NOT_FOUND');
  });

  it('has no effect if the role of the admin is removed while the request runs', async () => {
    const [removed, member] = [await buildWithRole(app, 'ADMIN'), await buildMember(app.url)];
    const { status, body } = await interleave(app, {
      lock: `select from members where id = ${removed.id} for update`,
      request: () => change(removed, member.id, 'ADMIN'),
      change: `update members set role = 'MODERATOR' where id = ${removed.id}`,
    });
    expect([status, body?.code]).to.deep.equal([403, 'ROLE_MISSING']);
    expect(await roleOf(member.id)).to.equal('MEMBER');
  });

  it('has no effect if the session has ended, or the admin was suspended, while the request runs', async () => {
    const [ended, suspended] = [await buildWithRole(app, 'ADMIN'), await buildWithRole(app, 'ADMIN')];
    const member = await buildMember(app.url);
    const during = ({ id }: BuiltMember, change: string, request: () => ReturnType<typeof call>) =>
      interleave(app, { lock: `select from members where id = ${id} for update`, request, change });
    const first = await during(ended, `delete from sessions where member_id = ${ended.id}`, () =>
      change(ended, member.id, 'ADMIN'),
    );
    expect(first.body?.code).to.equal('UNAUTHENTICATED');
    const second = await during(
      suspended,
      `update members set suspended_since = now(), suspended_until = 'infinity', suspension_rule = 'A', suspension_statement = 'B'
       where id = ${suspended.id}`,
      () => change(suspended, member.id, 'ADMIN'),
    );
    expect(second.body?.code).to.equal('MEMBER_SUSPENDED');
    expect(await roleOf(member.id)).to.equal('MEMBER');
  });

  it('leaves one of two admins who demote each other at the same time', async () => {
    const [one, other] = [await buildWithRole(app, 'ADMIN'), await buildWithRole(app, 'ADMIN')];
    let responses: Promise<Awaited<ReturnType<typeof change>>[]> | undefined;
    await app.database.sequelize.transaction(async (transaction) => {
      const ids = `${one.id}, ${other.id}`;
      await app.database.sequelize.query(`select from members where id in (${ids}) for update`, { transaction });
      responses = Promise.all([change(one, other.id, 'MEMBER'), change(other, one.id, 'MEMBER')]);
      await untilWaiting(app.database, 2);
    });
    const codes = (await responses)?.map(({ body }) => body?.code);
    expect(codes).to.have.members(['1', 'ROLE_MISSING']);
    expect([await roleOf(one.id), await roleOf(other.id)]).to.have.members(['ADMIN', 'MEMBER']);
  });
});

describe('The last admin', () => {
  const own = useApp();
  const admins: BuiltMember[] = [];

  it('keeps the role, also if two operators change those of the last two at the same time', async () => {
    const admin = await buildWithRole(own, 'ADMIN');
    const refused = await setRole(own, admin.id, 'MEMBER').catch((error: Error) => error.message);
    expect(refused).to.equal('The last admin keeps the role: make another member an admin first.');
    const other = await buildWithRole(own, 'ADMIN');
    admins.push(admin, other);
    const results = await Promise.allSettled([setRole(own, admin.id, 'MEMBER'), setRole(own, other.id, 'MEMBER')]);
    expect(results.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
    expect(await rowsOf(own.database, `select from members where role = 'ADMIN'`)).to.have.length(1);
  });

  it('may withdraw', async () => {
    const [row] = await rowsOf<{ id: number }>(own.database, `select id from members where role = 'ADMIN'`);
    const last = admins.find(({ id }) => id === row?.id);
    const { token, password } = last ?? {};
    await expectStatus(
      call(own.url, 'DELETE /api/members/me', { ...(token && { token }), json: { password } }),
      200,
      '1',
    );
  });
});
