/** Registration, login, and validation of access tokens. */
import { createHook } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { JWT_SECRET, useApp } from '../../support/app.js';
import { buildArticle, buildMember, useMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, fieldErrors } from '../../support/client.js';

/** The type in async_hooks of a task of @node-rs/argon2, which gives its tasks no name. */
const HASHING = 'undefined';

const app = useApp();

const register = (json: unknown) => call(app.url, 'POST /api/auth/register', { json });
const login = (json: unknown) => call(app.url, 'POST /api/auth/login', { json });

let count = 0;
function registration(overrides: Record<string, unknown> = {}) {
  count++;
  return { email: `writer${count}@example.org`, password: 'long enough', memberName: `Writer ${count}`, ...overrides };
}

async function registered(overrides: Record<string, unknown> = {}) {
  const response = await register(registration(overrides));
  expect(response.status, JSON.stringify(response.body)).to.equal(201);
  return response.body?.data;
}

async function countMembers(): Promise<number> {
  const [rows] = await app.database.sequelize.query('select count(*) as n from members');
  return (rows as { n: number }[])[0]?.n ?? 0;
}

describe('POST /api/auth/register', () => {
  it('returns 201 with exactly the documented fields of a member', async () => {
    const json = registration({ nickname: 'Pen' });
    const { body } = await expectStatus(register(json), 201, '1');
    const { id, createdAt, ...rest } = body?.data ?? {};
    expect(Object.keys(body?.data).join()).to.equal(
      'id,email,emailVerified,memberName,nickname,profileImg,profileImgSizes,bio,role,suspension,createdAt,updatedAt',
    );
    expect(id).to.be.a('number').above(0);
    expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(rest).to.deep.equal({
      email: json.email,
      emailVerified: false,
      memberName: json.memberName,
      nickname: 'Pen',
      profileImg: null,
      profileImgSizes: [],
      bio: '',
      role: 'MEMBER',
      suspension: null,
      updatedAt: createdAt,
    });
  });

  it('returns 201 with surrounding white space removed and text in NFC', async () => {
    const data = await registered({
      email: ' Trim@Example.org ',
      memberName: '  Jose\u0301 ',
      nickname: '\tJ\u00f6e ',
    });
    expect(data).to.include({ email: 'Trim@Example.org', memberName: 'Jos\u00e9', nickname: 'J\u00f6e' });
  });

  describe('without a nickname', () => {
    const nicknameOf = async (memberName: string) => (await registered({ memberName })).nickname;

    it('uses the member name, with the first free number if it is taken regardless of case', async () => {
      expect(await nicknameOf('Ada')).to.equal('Ada');
      expect(await nicknameOf('Ada')).to.equal('Ada2');
      expect(await nicknameOf('ADA')).to.equal('ADA3');
      expect((await registered({ nickname: 'Grace2' })).nickname).to.equal('Grace2');
      expect(await nicknameOf('Grace')).to.equal('Grace');
      expect(await nicknameOf('grace')).to.equal('grace3');
    });

    it('uses the member name if the nickname is null', async () => {
      expect((await registered({ memberName: 'Nully', nickname: null })).nickname).to.equal('Nully');
    });

    it('appends a number to a name of one code point', async () => {
      expect(await nicknameOf('뷁')).to.equal('뷁1');
      expect(await nicknameOf('뷁')).to.equal('뷁2');
      expect(await nicknameOf('😀')).to.equal('😀1');
    });

    it('shortens a taken name of 30 characters to make room for the number', async () => {
      const longest = '😀'.repeat(30);
      expect(await nicknameOf(longest)).to.equal(longest);
      expect(await nicknameOf(longest)).to.equal(`${'😀'.repeat(29)}2`);
    });

    it('finds a free nickname when PostgreSQL and JavaScript map the case of a letter differently', async () => {
      for (const name of ['İstanbul', 'ΣΊΣΥΦΟΣ', 'Straße']) {
        const [first, second] = [await nicknameOf(name), await nicknameOf(name)];
        expect([first, second]).to.deep.equal([name, `${name}2`]);
      }
    });

    it('returns 201 for 12 parallel registrations with the same name', async () => {
      const responses = await Promise.all(
        Array.from({ length: 12 }, () => register(registration({ memberName: 'Rush Hour' }))),
      );
      expect(responses.map(({ status }) => status)).to.deep.equal(Array(12).fill(201));
      expect(new Set(responses.map(({ body }) => body?.data.nickname)).size).to.equal(12);
    });
  });

  it('returns 201 at every length limit, counted in code points', async () => {
    const data = await registered({
      email: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.org`,
      password: '😀'.repeat(128),
      memberName: '한'.repeat(30),
      nickname: '\u{1f469}'.repeat(30),
    });
    expect(data.email).to.have.length(254);
    expect((await register(registration({ memberName: 'x', nickname: '가나', password: '12 45 78' }))).status).to.equal(
      201,
    );
  });

  it('returns 400 and names every invalid field', async () => {
    expect(
      fieldErrors(await register({ email: 5, password: 'short', nickname: 'x', role: 'admin', id: 7 })),
    ).to.have.members([
      'role: is not a known field; expected email, password, memberName, nickname, invitation',
      'id: is not a known field; expected email, password, memberName, nickname, invitation',
      'email: must be a string, got 5',
      'memberName: is required',
      'password: must be 8 to 128 characters long, got 5',
      'nickname: must be 2 to 30 characters long, got 1',
    ]);
    expect(fieldErrors(await register({}))).to.have.members([
      'email: is required',
      'password: is required',
      'memberName: is required',
    ]);
    expect(
      fieldErrors(
        await register(
          registration({ password: '😀'.repeat(129), memberName: 'n'.repeat(31), nickname: 'n'.repeat(31) }),
        ),
      ),
    ).to.have.members([
      'password: must be 8 to 128 characters long, got 129',
      'memberName: must be 1 to 30 characters long, got 31',
      'nickname: must be 2 to 30 characters long, got 31',
    ]);
  });

  it('returns 400 for an invalid email address', async () => {
    const wrong = [
      'a',
      'a@b',
      '@example.org',
      'a@',
      'a b@example.org',
      'a@b@example.org',
      'a@exa mple.org',
      '.a@b.org',
    ];
    const more = [
      'a..b@example.org',
      'a@-b.org',
      'a@b..org',
      'a,b@example.org',
      `${'a'.repeat(65)}@example.org`,
      'a@b.org\0',
    ];
    for (const email of [...wrong, ...more, 'a\n@b.org', 'a@b.org\r\nBcc: c@d.org', '', '   ', 'a\u0007@b.org']) {
      const response = await expectStatus(register(registration({ email })), 400, 'VALIDATION_FAILED', email);
      expect(
        response.body?.data.errors.map(({ field }: { field: string }) => field),
        email,
      ).to.deep.equal(['email']);
    }
  });

  it('returns 400 and names the field for NUL, lone surrogates and control characters', async () => {
    for (const field of ['email', 'password', 'memberName', 'nickname']) {
      expect(fieldErrors(await register(registration({ [field]: 'eight\0@e.org' }))), field).to.deep.equal([
        `${field}: must not contain the character U+0000`,
      ]);
      expect(fieldErrors(await register(registration({ [field]: 'eight\ud800@e.org' }))), field).to.deep.equal([
        `${field}: must be well-formed Unicode, got a lone surrogate`,
      ]);
    }
    for (const field of ['memberName', 'nickname']) {
      expect(fieldErrors(await register(registration({ [field]: 'two\nlines' }))), field).to.deep.equal([
        `${field}: must be one line without control characters`,
      ]);
      expect(fieldErrors(await register(registration({ [field]: 'bell\u0007\u0085' })))).to.have.length(1);
      expect(fieldErrors(await register(registration({ [field]: '  \t ' }))), field).to.have.length(1);
    }
  });

  it('returns 409 for a taken email, regardless of case', async () => {
    const { email } = await registered({ email: 'Taken@Example.org' });
    for (const form of [email, 'taken@example.org', 'TAKEN@EXAMPLE.ORG', ' Taken@example.org ']) {
      await expectStatus(register(registration({ email: form })), 409, 'EMAIL_TAKEN', form);
    }
  });

  it('returns 409 for a taken nickname, regardless of case, and stores nothing', async () => {
    await registered({ nickname: 'Únique' });
    const before = await countMembers();
    for (const nickname of ['Únique', 'únique', 'U\u0301NIQUE', ' Únique ']) {
      const json = registration({ nickname });
      await expectStatus(register(json), 409, 'NICKNAME_TAKEN', nickname);
      expect((await login({ email: json.email, password: json.password })).status).to.equal(401);
    }
    expect(await countMembers()).to.equal(before);
  });

  it('returns 201 for one of 12 parallel registrations with the same email, and 409 for the rest', async () => {
    const email = 'race@example.org';
    const forms = [email, email.toUpperCase()];
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, number) => register(registration({ email: forms[number % 2] }))),
    );
    const keys = responses.map(({ body }) => body?.code).sort();
    expect(keys).to.deep.equal(['1', ...Array(11).fill('EMAIL_TAKEN')]);
  });
});

describe('POST /api/auth/login', () => {
  const password = 'p\u00e4ssword of the tests';
  let email: string;
  before(async () => {
    email = (await registered({ password })).email;
  });

  it('returns 200 with an access token and a refresh token, and the access token is accepted', async () => {
    const { body } = await expectStatus(login({ email, password }), 200, '1');
    expect(Object.keys(body?.data)).to.deep.equal(['accessToken', 'refreshToken']);
    for (const token of Object.values(body?.data)) expect(token).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const me = await call(app.url, 'GET /api/members/me', { token: body?.data.accessToken });
    expect(me.body?.data.email).to.equal(email);
  });

  it('returns 200 regardless of the case of the email and of surrounding white space', async () => {
    for (const form of [email.toUpperCase(), ` ${email} `]) {
      expect((await login({ email: form, password })).status, form).to.equal(200);
    }
  });

  it('returns 200 for both Unicode normalization forms of a password', async () => {
    expect((await login({ email, password: password.normalize('NFD') })).status).to.equal(200);
    const decomposed = await registered({ password: 'e\u0301'.repeat(8) });
    expect((await login({ email: decomposed.email, password: '\u00e9'.repeat(8) })).status).to.equal(200);
  });

  it('compares whole passwords: past 72 bytes, with 128 emoji, with surrounding white space', async () => {
    const shared = 'x'.repeat(75);
    const long = await registered({ password: `${shared}1` });
    expect((await login({ email: long.email, password: `${shared}2` })).status).to.equal(401);
    expect((await login({ email: long.email, password: shared })).status).to.equal(401);
    expect((await login({ email: long.email, password: `${shared}1` })).status).to.equal(200);
    const emoji = await registered({ password: '😀'.repeat(128) });
    expect((await login({ email: emoji.email, password: '😀'.repeat(128) })).status).to.equal(200);
    expect((await login({ email: emoji.email, password: `${'😀'.repeat(127)}😁` })).status).to.equal(401);
    const spaced = await registered({ password: '  eight   ' });
    expect((await login({ email: spaced.email, password: 'eight' })).status).to.equal(401);
    expect((await login({ email: spaced.email, password: '  eight   ' })).status).to.equal(200);
  });

  it('returns 400 and names every invalid field', async () => {
    expect(fieldErrors(await login({}))).to.have.members(['email: is required', 'password: is required']);
    expect(fieldErrors(await login({ email: ['a'], password: { $ne: '' }, remember: true }))).to.have.members([
      'remember: is not a known field; expected email, password',
      'email: must be a string, got ["a"]',
      'password: must be a string, got {"$ne":""}',
    ]);
    expect(fieldErrors(await login({ email: 'nobody', password: '' }))).to.have.members([
      'email: must be an email address such as name@example.org',
      'password: must be 1 to 128 characters long, got 0',
    ]);
    expectFieldErrors(await login({ email, password: 'p\0' }), 'password: must not contain the character U+0000');
    expect(fieldErrors(await login({ email, password: 'p'.repeat(129) }))).to.have.length(1);
  });

  it('returns the same 401 for an unknown email and a wrong password', async () => {
    const wrong = await login({ email, password: 'not the password' });
    const unknown = await login({ email: 'unknown@example.org', password });
    expect([wrong.status, wrong.body?.code]).to.deep.equal([401, 'INVALID_CREDENTIALS']);
    expect(unknown.body).to.deep.equal(wrong.body);
    expect(unknown.status).to.equal(401);
  });

  it('returns 401 for a member without a password', async () => {
    await app.database.sequelize.query(
      "insert into members (email, member_name, nickname) values ('imported@example.org', 'Imported', 'Imported')",
    );
    expect((await login({ email: 'imported@example.org', password })).body?.code).to.equal('INVALID_CREDENTIALS');
  });

  it('computes one hash for an unknown email too, so that it takes as long as a wrong password', async () => {
    for (const address of [email, 'unknown@example.org']) {
      const work: string[] = [];
      const hook = createHook({ init: (_id, type) => void work.push(type) }).enable();
      await login({ email: address, password: 'not the password' });
      hook.disable();
      expect(
        work.filter((type) => type === HASHING),
        address,
      ).to.have.lengthOf(1);
    }
  });
});

describe('An access token', () => {
  const member = useMember(app);

  const read = (authorization: string) =>
    call(app.url, 'GET /api/members/me', { headers: { Authorization: authorization } });

  /** Access token of the member with changed claims or header, signed again. */
  function forged(claims: object = {}, header: object = {}, { secret = JWT_SECRET, algorithm = 'HS256' } = {}): string {
    const payload = { ...(jwt.decode(member.token) as object), ...claims };
    const known = { typ: 'at+jwt', alg: algorithm, ...header };
    return jwt.sign(JSON.parse(JSON.stringify(payload)), secret, {
      algorithm: algorithm as jwt.Algorithm,
      header: known,
    });
  }

  async function expectRejected(token: string, key = 'UNAUTHENTICATED', what = token) {
    for (const target of ['GET /api/members/me', 'GET /api/articles/1/comments', 'PATCH /api/members/me']) {
      const response = await expectStatus(call(app.url, target, { token }), 401, key, what);
      expect(response.headers.get('WWW-Authenticate'), what).to.equal('Bearer');
    }
  }

  it('is accepted with the claims of the service, regardless of the case of the scheme', async () => {
    expect((await read(`Bearer ${forged()}`)).status).to.equal(200);
    expect((await read(`bearer ${member.token}`)).status).to.equal(200);
  });

  it('has a type, an issuer, an audience, a subject and an expiry of 30 minutes', () => {
    const { header, payload } = jwt.decode(member.token, { complete: true }) as jwt.Jwt;
    expect(header).to.deep.equal({ alg: 'HS256', typ: 'at+jwt' });
    expect(payload).to.include({ iss: 'daybook', aud: 'daybook', sub: String(member.id) });
    const { exp = 0, iat = 0 } = payload as jwt.JwtPayload;
    expect(exp - iat).to.equal(1800);
  });

  it('is rejected when it is a refresh token', () => expectRejected(member.refreshToken));

  it('is rejected as TOKEN_EXPIRED after its expiry', async () => {
    await expectRejected(forged({ exp: Math.floor(Date.now() / 1000) - 1 }), 'TOKEN_EXPIRED');
  });

  it('is rejected with another algorithm, or none', async () => {
    const [header = '', payload = '', signature = ''] = member.token.split('.');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const alg of ['none', 'None', 'NONE']) {
      await expectRejected(`${part({ alg, typ: 'at+jwt' })}.${payload}.`);
      await expectRejected(`${part({ alg, typ: 'at+jwt' })}.${payload}.${signature}`);
    }
    await expectRejected(`${header}.${payload}.`);
    await expectRejected(forged({}, {}, { algorithm: 'HS512' }));
    await expectRejected(forged({}, {}, { algorithm: 'HS384' }));
  });

  it('is rejected without an expiry, or with missing or wrong claims', async () => {
    await expectRejected(forged({ exp: undefined }), undefined, 'no exp');
    await expectRejected(forged({ iss: 'elsewhere' }), undefined, 'iss');
    await expectRejected(forged({ iss: undefined }), undefined, 'no iss');
    await expectRejected(forged({ aud: 'elsewhere' }), undefined, 'aud');
    await expectRejected(forged({ aud: undefined }), undefined, 'no aud');
    await expectRejected(forged({ nbf: Math.floor(Date.now() / 1000) + 600 }), undefined, 'nbf');
    await expectRejected(forged({}, { typ: 'JWT' }), undefined, 'typ JWT');
    await expectRejected(forged({}, { typ: 'refresh+jwt' }), undefined, 'typ refresh');
    await expectRejected(forged({ sub: '999999' }), undefined, 'another member');
    await expectRejected(forged({ sub: 'abc' }), undefined, 'no member');
    await expectRejected(forged({ sub: undefined }), undefined, 'no sub');
    await expectRejected(forged({ sub: '9'.repeat(30) }), undefined, 'huge sub');
    await expectRejected(forged({ sid: 'abc' }), undefined, 'no session');
    await expectRejected(forged({ sid: undefined }), undefined, 'no sid');
    await expectRejected(forged({ sid: randomUUID() }), undefined, 'another session');
  });

  it('is rejected when it was changed or signed with another secret', async () => {
    const [header = '', payload = '', signature = ''] = member.token.split('.');
    const claims = { ...(jwt.decode(member.token) as object), sub: '1' };
    const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
    await expectRejected(`${header}.${changed}.${signature}`);
    await expectRejected(`${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`);
    await expectRejected(forged({}, {}, { secret: 'another secret of the tests, long enough' }));
  });

  it('is rejected when its session was deleted or has expired', async () => {
    const { id, token } = await buildMember(app.url);
    await app.database.sequelize.query(`delete from sessions where member_id = ${id}`);
    await expectRejected(token);
    const late = await buildMember(app.url);
    await app.database.sequelize.query(`update sessions set expires_at = now() - interval '1 second'
      where member_id = ${late.id}`);
    await expectRejected(late.token);
  });

  it('is rejected when its member was deleted', async () => {
    const { id, token } = await buildMember(app.url);
    await app.database.sequelize.query(`delete from members where id = ${id}`);
    await expectRejected(token);
  });

  it('is rejected in a malformed Authorization header', async () => {
    const { token } = member;
    const basic = Buffer.from('a:b').toString('base64');
    const malformed = [
      'Bearer',
      `Basic ${basic}`,
      token,
      `Token ${token}`,
      `Bearer${token}`,
      `Bearer ${token} ${token}`,
    ];
    for (const value of [
      ...malformed,
      `Bearer ${token},`,
      `Bearer "${token}"`,
      'Bearer null',
      'Bearer a.b.c',
      'Bearer ..',
    ]) {
      const response = await expectStatus(read(value), 401, 'UNAUTHENTICATED', value);
      expect(response.headers.get('WWW-Authenticate')).to.equal('Bearer');
    }
  });

  it('may follow more than one space, as RFC 9110 permits', async () => {
    expect((await read(`Bearer  ${member.token}`)).status).to.equal(200);
  });

  it('is rejected when it is long: with 401 within the header limit of Node.js, and 431 beyond it', async () => {
    expect((await read(`Bearer ${'a'.repeat(12_000)}`)).status).to.equal(401);
    expect((await read(`Bearer ${'a.'.repeat(6_000)}`)).status).to.equal(401);
    const { status } = await fetch(`${app.url}/api/members/me`, {
      headers: { Authorization: `Bearer ${'a'.repeat(100_000)}` },
    });
    expect(status).to.equal(431);
    expect((await read(`Bearer ${member.token}`)).status).to.equal(200);
  });

  it('is rejected before the body is parsed', async () => {
    const before = await buildArticle(app.url);
    const response = await call(app.url, 'POST /api/articles', {
      token: 'bad',
      body: '{"broken',
      headers: { 'Content-Type': 'text/plain' },
    });
    expect([response.status, response.body?.code]).to.deep.equal([401, 'UNAUTHENTICATED']);
    expect((await call(app.url, `GET /api/articles/${before.id + 1}`)).status).to.equal(404);
  });
});
