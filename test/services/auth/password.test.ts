/** Passwords: which are accepted, how they are stored, and that failed logins do not reveal accounts. */
import { hash } from '@node-rs/argon2';
import { expect } from 'chai';
import { commonPasswords, hashing, PasswordHasher } from '../../../src/services/auth/password.js';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call, expectFieldErrors, graphql } from '../../support/client.js';
import { logIn, statusOf } from '../../support/session.js';
import { statementsDuring } from '../../support/statements.js';

const passwordHasher = new PasswordHasher();
const app = useApp({}, { passwordHasher });
const COMMON = 'password: must not be one of the most common passwords';

let count = 0;
function register(password: string) {
  const json = { email: `password${++count}@example.org`, password, memberName: `Password ${count}` };
  return call(app.url, 'POST /api/auth/register', { json });
}

const login = (email: string, password: string) => call(app.url, 'POST /api/auth/login', { json: { email, password } });

async function hashOf(memberId: number): Promise<string> {
  const [rows] = await app.database.sequelize.query(`select password_hash from members where id = ${memberId}`);
  return (rows as { password_hash: string }[])[0]?.password_hash ?? '';
}

describe('A new password', () => {
  it('is rejected if it is one of at least 3,000 common ones, in any case', async () => {
    expect(commonPasswords().size).to.be.at.least(3000);
    for (const common of ['password', '12345678', 'qwertyuiop', '1q2w3e4r', 'iloveyou', 'PassWord1', 'TRUSTNO1']) {
      expectFieldErrors(await register(common), COMMON);
    }
  });

  it('is also rejected for being common when it is changed, in both APIs', async () => {
    const { token, password } = await buildMember(app.url);
    const change = { password: 'football', currentPassword: password };
    const form = new FormData();
    form.append('request', JSON.stringify(change));
    const response = await call(app.url, 'PATCH /api/members/me', { token, body: form });
    expectFieldErrors(response, COMMON);
    const mutation = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }';
    const { errors } = await graphql(app.url, mutation, { input: change }, token);
    expect(errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
  });

  it('may have any character and requires no digit, capital or symbol', async () => {
    for (const fine of [
      'lowercase only',
      'ㅂㅣㅁㅣㄹㅂㅓㄴㅎㅗ',
      '        x',
      "'; drop table members; --",
      '🦆'.repeat(8),
    ]) {
      expect((await register(fine)).status, fine).to.equal(201);
    }
  });

  it('is compared in Unicode normalization form', async () => {
    const composed = '비밀번호는 카페 é';
    const response = await register(composed.normalize('NFD'));
    expect(response.status).to.equal(201);
    expect((await login(response.body?.data.email, composed)).status).to.equal(200);
    expect((await register('é'.normalize('NFD').repeat(7))).status, '7 characters, 14 code points').to.equal(400);
  });
});

describe('A stored password', () => {
  it('is an argon2id hash with the parameters that OWASP recommends', async () => {
    const { id } = await buildMember(app.url);
    expect(await hashOf(id)).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is rehashed at the next successful login only if the parameters have changed', async () => {
    const { id, email, password } = await buildMember(app.url);
    const weak = await hash(password, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    await app.database.sequelize.query(`update members set password_hash = '${weak}' where id = ${id}`);
    expect((await login(email, 'a wrong password')).status).to.equal(401);
    expect(await hashOf(id)).to.equal(weak);
    expect((await login(email, password)).status).to.equal(200);
    const strong = await hashOf(id);
    expect(passwordHasher.isOutdated(weak)).to.equal(true);
    expect(passwordHasher.isOutdated(strong)).to.equal(false);
    expect((await login(email, password)).status).to.equal(200);
    expect(await hashOf(id)).to.equal(strong);
  });
});

describe('A login that fails', () => {
  it('returns the same for an unknown email, a wrong password and an account without a password', async () => {
    const { email } = await buildMember(app.url);
    await app.database.sequelize.query(`insert into members (email, member_name, nickname)
      values ('social@example.org', 'Social', 'Social')`);
    const responses = [
      await login('nobody@example.org', 'some password'),
      await login(email, 'some password'),
      await login('social@example.org', 'some password'),
    ];
    for (const { status, body } of responses) {
      expect([status, body]).to.deep.equal([401, responses[0]?.body]);
    }
  });

  it('executes the same statements for each of these causes', async () => {
    const { email } = await buildMember(app.url);
    const kinds = [];
    for (const address of ['nobody2@example.org', email, 'social@example.org']) {
      const texts = await statementsDuring(() => login(address, 'some password'));
      kinds.push(texts.map((text) => text.replace(/\s+/g, ' ')).sort());
    }
    expect(kinds[1]).to.deep.equal(kinds[0]);
    expect(kinds[2]).to.deep.equal(kinds[0]);
    expect(kinds[0]).to.not.have.length(0);
  });
});

describe('A change of password', () => {
  it('ends sessions that were opened concurrently with the old password', async () => {
    const member = await buildMember(app.url);
    const mutation = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }';
    const input = { password: 'the new one of them', currentPassword: member.password };
    const [, ...pairs] = await Promise.all([
      graphql(app.url, mutation, { input }, member.token),
      ...Array.from({ length: 12 }, () => logIn(app.url, member)),
    ]);
    for (const pair of pairs.filter((opened) => opened?.accessToken !== undefined)) {
      expect(await statusOf(app.url, pair.accessToken)).to.equal(401);
    }
    expect((await login(member.email, 'the new one of them')).status).to.equal(200);
  });
});

describe('Hashing', () => {
  it('is limited in concurrency and does not block other requests', async () => {
    const { email } = await buildMember(app.url);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const blocked = Array.from({ length: 2 }, () => hashing.run({ key: '' }, () => released));
    try {
      let isFinished = false;
      const pending = login(email, 'some password').then(({ status }) => {
        isFinished = true;
        return status;
      });
      expect((await call(app.url, 'GET /api/articles/987654321/comments')).status).to.equal(404);
      expect(isFinished).to.equal(false);
      release();
      expect(await pending).to.equal(401);
    } finally {
      release();
      await Promise.all(blocked);
    }
  });
});
