/** Sessions and security events of the authenticated member. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus } from '../../support/client.js';
import { logIn, statusOf } from '../../support/session.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
const SESSIONS = '/api/members/me/sessions';

interface Listed {
  id: string;
  current: boolean;
}

async function sessionsOf(token: string): Promise<Listed[]> {
  return (await call(app.url, `GET ${SESSIONS}`, { token })).body?.data.contents;
}

describe('GET /api/members/me/sessions', () => {
  it('returns the sessions of the member, this one marked, in two statements', async () => {
    const member = await buildMember(app.url);
    await logIn(app.url, member, { 'User-Agent': 'a telephone' });
    let listed: Record<string, unknown>[] = [];
    const statements = await statementsDuring(async () => {
      listed = (await call(app.url, `GET ${SESSIONS}`, { token: member.token })).body?.data.contents;
    });
    expect(statements).to.have.lengthOf(2);
    expect(listed.map(({ device, current }) => [device, current])).to.have.deep.members([
      ['a telephone', false],
      ['node', true],
    ]);
    for (const session of listed) {
      expect(session).to.have.all.keys('id', 'device', 'address', 'createdAt', 'lastUsedAt', 'current');
    }
  });
});

describe('DELETE /api/members/me/sessions/{sessionId}', () => {
  it('ends that session only', async () => {
    const member = await buildMember(app.url);
    const [phone, laptop] = [await logIn(app.url, member), await logIn(app.url, member)];
    const { id = '' } = (await sessionsOf(phone.accessToken)).find(({ current }) => current) ?? {};
    const { body } = await expectStatus(call(app.url, `DELETE ${SESSIONS}/${id}`, { token: member.token }), 200, '1');
    expect(body?.data).to.deep.equal({});
    expect(await statusOf(app.url, phone.accessToken)).to.equal(401);
    expect(await statusOf(app.url, laptop.accessToken)).to.equal(200);
  });

  it('returns 404 for a session of another member and an unknown one, 400 for an id of another form', async () => {
    const [owner, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    const [{ id = '' } = {}] = await sessionsOf(owner.token);
    const end = (sessionId: string) => call(app.url, `DELETE ${SESSIONS}/${sessionId}`, { token: stranger.token });
    for (const unknown of [id, randomUUID()]) await expectStatus(end(unknown), 404, 'SESSION_NOT_FOUND');
    for (const bad of ['1', 'x'.repeat(5_000), '%00']) await expectStatus(end(bad), 400, 'VALIDATION_FAILED', bad);
    expectFieldErrors(await end('1'), 'sessionId: must be a UUID, got "1"');
    expect(await statusOf(app.url, owner.token)).to.equal(200);
  });
});

describe('DELETE /api/members/me/sessions', () => {
  it('ends all other sessions of the member', async () => {
    const [member, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    const other = await logIn(app.url, member);
    await expectStatus(call(app.url, `DELETE ${SESSIONS}`, { token: member.token }), 200, '1');
    expect(await statusOf(app.url, other.accessToken)).to.equal(401);
    expect(await statusOf(app.url, member.token)).to.equal(200);
    expect(await statusOf(app.url, stranger.token)).to.equal(200);
  });
});

describe('GET /api/members/me/security-events', () => {
  it('returns a page of the events of the member, newest first, in three statements', async () => {
    const member = await buildMember(app.url);
    await call(app.url, 'POST /api/auth/login', { json: { email: member.email, password: 'not the one' } });
    const { token } = member;
    const statements = await statementsDuring(async () => {
      const { body } = await call(app.url, 'GET /api/members/me/security-events?size=1', { token });
      const [event] = body?.data.contents ?? [];
      expect(event).to.have.all.keys('id', 'kind', 'provider', 'address', 'device', 'createdAt');
      expect([event.kind, event.address]).to.deep.equal(['LOGIN_FAILED', '127.0.0.1']);
      expect(body?.data.pagination).to.include({ totalElements: 2, totalPages: 2, last: false });
    });
    expect(statements).to.have.lengthOf(3);
    const invalid = await call(app.url, 'GET /api/members/me/security-events?size=101&page=0', { token });
    expectFieldErrors(
      invalid,
      'page: must be a whole number from 1 to 2147483647, got 0',
      'size: must be a whole number from 1 to 100, got 101',
    );
  });
});
