/** Registration control (REGISTRATION) and locked accounts. */
import { expect } from 'chai';
import { createInvitation } from '../../../src/commands/invitation.js';
import { LOCK_ACCOUNT, UNLOCK_ACCOUNT } from '../../../src/models/member/administration.js';
import { endAllAccess } from '../../../src/services/auth/session.js';
import { type TestApp, useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call, expectStatus, graphql, type RestResponse } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { beforeHashes } from '../../support/password-hashes.js';
import { statementsDuring } from '../../support/statements.js';

const DAY_MS = 86_400_000;
const EXPIRE = `update invitations set expires_at = now() - interval '1 second'`;
let count = 0;

function account(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  count++;
  return {
    email: `guest${count}@example.org`,
    password: `password of ${count}`,
    memberName: `Guest ${count}`,
    ...overrides,
  };
}

function register(app: TestApp, overrides: Record<string, unknown> = {}): Promise<RestResponse> {
  return call(app.url, 'POST /api/auth/register', { json: account(overrides) });
}

async function invite(app: TestApp): Promise<string> {
  return (await createInvitation(app.database, DAY_MS)).token;
}

describe('Registration with REGISTRATION=closed', () => {
  const app = useApp({ REGISTRATION: 'closed' });

  it('returns 403 REGISTRATION_CLOSED over both APIs, also with an invitation, after the validation', async () => {
    await expectStatus(register(app), 403, 'REGISTRATION_CLOSED');
    await expectStatus(register(app, { invitation: await invite(app) }), 403, 'REGISTRATION_CLOSED');
    await expectStatus(register(app, { email: 'not an email' }), 400, 'VALIDATION_FAILED');
    const query = 'mutation ($input: RegisterInput!) { register(input: $input) { id } }';
    const { errors } = await graphql(app.url, query, { input: account() });
    expect(errors?.[0]?.extensions.code).to.equal('REGISTRATION_CLOSED');
    expect(await rowsOf(app.database, 'select id from members')).to.deep.equal([]);
  });
});

describe('Registration with REGISTRATION=invite', () => {
  const app = useApp({ REGISTRATION: 'invite' });

  it('returns 403 without an invitation, and 400 TOKEN_INVALID with one that is unknown, expired or used', async () => {
    await expectStatus(register(app), 403, 'REGISTRATION_CLOSED');
    await expectStatus(register(app, { invitation: 'unknown' }), 400, 'TOKEN_INVALID');
    const expired = await invite(app);
    await app.database.sequelize.query(EXPIRE);
    await expectStatus(register(app, { invitation: expired }), 400, 'TOKEN_INVALID');
    const expiring = await invite(app);
    const registered = beforeHashes(
      () => app.database.sequelize.query(EXPIRE),
      () => register(app, { invitation: expiring }),
    );
    await expectStatus(registered, 400, 'TOKEN_INVALID', 'while the password is hashed');
    const invitation = await invite(app);
    expect((await register(app, { invitation })).status).to.equal(201);
    await expectStatus(register(app, { invitation }), 400, 'TOKEN_INVALID');
    expect(
      await rowsOf(app.database, 'select * from invitations'),
      'the next invitation deletes expired ones',
    ).to.deep.equal([]);
  });

  it('creates one account for ten concurrent uses of an invitation', async () => {
    const invitation = await invite(app);
    const responses = await Promise.all(Array.from({ length: 10 }, () => register(app, { invitation })));
    const codes = responses.map(({ status, body }) => (status === 201 ? 'created' : body?.code)).sort();
    expect(codes).to.deep.equal([...Array(9).fill('TOKEN_INVALID'), 'created']);
  });

  it('keeps the invitation if the registration fails', async () => {
    const email = 'taken@example.org';
    expect((await register(app, { email, invitation: await invite(app) })).status).to.equal(201);
    const invitation = await invite(app);
    await expectStatus(register(app, { email, invitation }), 409, 'EMAIL_TAKEN');
    expect((await register(app, { invitation })).status).to.equal(201);
  });

  it('stores only a hash of the invitation', async () => {
    const token = await invite(app);
    const [row] = await rowsOf<{ text: string }>(app.database, 'select i::text as text from invitations i');
    expect(row?.text).to.not.contain(token).and.not.contain(Buffer.from(token).toString('hex'));
  });
});

describe('Registration with REGISTRATION=open', () => {
  const app = useApp();

  it('ignores an invitation, and needs no statement for it', async () => {
    const texts = await statementsDuring(async () => {
      expect((await register(app, { invitation: 'unknown' })).status).to.equal(201);
    });
    expect(texts.filter((text) => text.includes('invitations'))).to.deep.equal([]);
  });
});

describe('A locked account', () => {
  const app = useApp();
  const login = (email: string, password: string) =>
    call(app.url, 'POST /api/auth/login', { json: { email, password } });

  it('is rejected with 403 ACCOUNT_LOCKED only after the correct password, until it is unlocked', async () => {
    const { id, email, password, token, refreshToken } = await buildMember(app.url);
    await app.database.transaction(async (db) => {
      await db.query(LOCK_ACCOUNT, [id]);
      await endAllAccess(db, id);
    });
    await expectStatus(call(app.url, 'GET /api/members/me', { token }), 401, 'UNAUTHENTICATED');
    await expectStatus(
      call(app.url, 'POST /api/auth/refresh', { json: { refreshToken } }),
      401,
      'REFRESH_TOKEN_INVALID',
    );
    await expectStatus(login(email, 'a wrong password'), 401, 'INVALID_CREDENTIALS');
    await expectStatus(login(email, password), 403, 'ACCOUNT_LOCKED');
    expect(await rowsOf(app.database, `select id from sessions where member_id = ${id}`)).to.deep.equal([]);
    await app.database.query(UNLOCK_ACCOUNT, [id]);
    expect((await login(email, password)).status).to.equal(200);
  });
});
