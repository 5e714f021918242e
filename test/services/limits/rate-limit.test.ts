/** Rate limits of failed logins, rejected tokens, registrations and writes, over both APIs. */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { type TrustProxy } from '../../../src/platform/config/addresses.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { clientAddress, networkOf } from '../../../src/platform/http/client-address.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { logIn, REFRESH } from '../../support/session.js';

const app = useApp({
  TRUST_PROXY: '1',
  LIMIT_LOGIN_PAIR: '3/15m',
  LIMIT_LOGIN_ADDRESS: '8/15m',
  LIMIT_LOGIN_ACCOUNT: '6/1h',
  LIMIT_REFRESH: '4/15m',
  LIMIT_WRITES: '12/10m',
});

let addressCount = 0;
/** An address that no test has used before. */
const somewhere = () => `203.0.113.${++addressCount}`;
const from = (address: string) => ({ 'X-Forwarded-For': address });
const login = (email: string, password: string, address: string) =>
  call(app.url, 'POST /api/auth/login', { json: { email, password }, headers: from(address) });

async function fail(email: string, address: string, times: number): Promise<number[]> {
  const statuses = [];
  for (let time = 0; time < times; time++) statuses.push((await login(email, 'wrong password', address)).status);
  return statuses;
}

describe('Failed logins', () => {
  it('are limited for an account and an address together: 429 with Retry-After, even for the right password', async () => {
    const { email, password } = await buildMember(app.url);
    const address = somewhere();
    expect(await fail(email, address, 4)).to.deep.equal([401, 401, 401, 429]);
    const { headers, body } = await expectStatus(login(email, password, address), 429, 'RATE_LIMITED');
    expect(Number(headers.get('Retry-After'))).to.be.within(850, 900);
    expect(body?.message).to.equal('Too many failed logins: try again in 15 minutes.');
    expect((await login(email.toUpperCase(), password, address)).status, 'the email in capitals').to.equal(429);
  });

  it('are limited for the rest of the time at most after the clock of the database was set back', async () => {
    const { email, password } = await buildMember(app.url);
    const address = somewhere();
    expect(await fail(email, address, 4)).to.deep.equal([401, 401, 401, 429]);
    const setBack = () => app.database.sequelize.query('update rate_limits set expire = expire + 60 * 60 * 1000');
    await setBack();
    const rejected = await expectStatus(login(email, password, address), 429, 'RATE_LIMITED');
    expect(Number(rejected.headers.get('Retry-After'))).to.be.within(850, 900);
    const [remaining] = await app.database.sequelize.query(
      `select min(expire) <= extract(epoch from now()) * 1000 + 900000 as "isBounded" from rate_limits
       where points = 3 and key like 'login-pair%'`,
    );
    expect(remaining).to.deep.equal([{ isBounded: true }]);
    await setBack();
    const { token } = await buildMember(app.url);
    const write = (category: string) =>
      call(app.url, 'POST /api/categories', { token, json: { categoryName: category } });
    for (let count = 0; count < 12; count++) await write(`category ${count}`);
    await setBack();
    const { headers } = await expectStatus(write('one more'), 429, 'RATE_LIMITED');
    expect(Number(headers.get('Retry-After'))).to.be.within(550, 600);
  });

  it('count for one account, regardless of the case of its email', async () => {
    const { email } = await buildMember(app.url, { email: 'capitals@example.org' });
    const address = somewhere();
    const spellings = [email, 'CAPITALS@example.org', 'capITALS@example.org', 'Capitals@EXAMPLE.org'];
    const statuses = [];
    for (const spelling of spellings) statuses.push(...(await fail(spelling, address, 1)));
    expect(statuses).to.deep.equal([401, 401, 401, 429]);
    const other = 'cap\u0130tals@example.org';
    expect(await fail(other, address, 1), 'only ASCII letters are equal in both cases').to.deep.equal([401]);
  });

  it('from one address do not lock out the owner at another', async () => {
    const { email, password } = await buildMember(app.url);
    await fail(email, somewhere(), 4);
    expect((await login(email, password, somewhere())).status).to.equal(200);
  });

  it('are limited in the same way for an account that does not exist', async () => {
    expect(await fail('nobody@example.org', somewhere(), 4)).to.deep.equal([401, 401, 401, 429]);
  });

  it('are limited for an address across all accounts', async () => {
    const address = somewhere();
    const statuses = [];
    for (let number = 0; number < 9; number++)
      statuses.push(...(await fail(`stuffed${number}@example.org`, address, 1)));
    expect(statuses).to.deep.equal([...Array(8).fill(401), 429]);
    const { email, password } = await buildMember(app.url);
    expect((await login(email, password, address)).status).to.equal(429);
    expect((await login(email, password, somewhere())).status).to.equal(200);
  });

  it('are limited for an account across all addresses, but not for a device that has logged in before', async () => {
    const { email, password } = await buildMember(app.url);
    const home = somewhere();
    expect((await login(email, password, home)).status).to.equal(200);
    for (let attempt = 0; attempt < 6; attempt++) expect(await fail(email, somewhere(), 1)).to.deep.equal([401]);
    expect((await login(email, password, somewhere())).status).to.equal(429);
    expect((await login(email, password, home)).status).to.equal(200);
    expect(await fail(email, home, 4), 'its own failures count for it').to.deep.equal([401, 401, 401, 429]);
  });

  it('no longer block the account after the period of the limit', async () => {
    const { email, password } = await buildMember(app.url);
    const address = somewhere();
    await fail(email, address, 4);
    await app.database.sequelize.query(`update rate_limits set expire = expire - 15 * 60 * 1000`);
    expect((await login(email, password, address)).status).to.equal(200);
  });

  it('are reset for account and address after a successful login', async () => {
    const { email, password } = await buildMember(app.url);
    const address = somewhere();
    expect(await fail(email, address, 2)).to.deep.equal([401, 401]);
    expect((await login(email, password, address)).status).to.equal(200);
    expect(await fail(email, address, 3)).to.deep.equal([401, 401, 401]);
  });

  it('count when they are parallel, without additional attempts', async () => {
    const { email } = await buildMember(app.url);
    const address = somewhere();
    const responses = await Promise.all(Array.from({ length: 30 }, () => login(email, 'wrong password', address)));
    const tried = responses.filter(({ status }) => status === 401);
    // Up to the concurrency limit of hashing, requests can pass the check of the limit together.
    expect(tried.length).to.be.within(3, 4);
  });

  it('by aliases end a GraphQL document at the first failure', async () => {
    const { email } = await buildMember(app.url);
    const guesses = Array.from(
      { length: 6 },
      (_, n) => `g${n}: login(input: { email: "${email}", password: "guess ${n}" }) { accessToken }`,
    );
    const guessed = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...from(somewhere()) },
      body: JSON.stringify({ query: `mutation { ${guesses.join('\n')} }` }),
    });
    const text = await guessed.text();
    expect(text.match(/INVALID_CREDENTIALS/g) ?? []).to.have.length(1);
    const { email: other } = await buildMember(app.url);
    const codes = [];
    const address = somewhere();
    for (let n = 0; n < 4; n++) {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...from(address) },
        body: JSON.stringify({
          query: `mutation { login(input: { email: "${other}", password: "guess" }) { accessToken } }`,
        }),
      });
      const { errors } = (await response.json()) as { errors: { extensions: { code: string; retryAfter?: number } }[] };
      codes.push(errors[0]?.extensions.code);
      if (n === 3) expect(response.headers.get('Retry-After')).to.equal(String(errors[0]?.extensions.retryAfter));
    }
    expect(codes).to.deep.equal([...Array(3).fill('INVALID_CREDENTIALS'), 'RATE_LIMITED']);
  });

  it('are counted apart from successes, which are not limited', async () => {
    const { email, password } = await buildMember(app.url);
    const address = somewhere();
    const responses = await Promise.all(Array.from({ length: 20 }, () => login(email, password, address)));
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
  });

  it('cannot be counted without the store, and then logins fail with 500', async () => {
    const { email, password } = await buildMember(app.url);
    const address = somewhere();
    await app.database.sequelize.query('alter table rate_limits rename to rate_limits_away');
    const { status } = await login(email, password, address);
    await app.database.sequelize.query('alter table rate_limits_away rename to rate_limits');
    expect(status).to.equal(500);
    expect((await login(email, password, address)).status).to.equal(200);
  });

  it('ignore addresses that the client itself writes into X-Forwarded-For', async () => {
    const { email } = await buildMember(app.url);
    const address = somewhere();
    const statuses = [];
    for (let n = 0; n < 4; n++)
      statuses.push((await login(email, 'wrong password', `198.51.100.${n}, ${address}`)).status);
    expect(statuses).to.deep.equal([401, 401, 401, 429]);
  });
});

describe('Wrong current passwords', () => {
  it('are limited for the member, in case the access token is stolen', async () => {
    const { token, password } = await buildMember(app.url);
    const change = (currentPassword: string) =>
      graphql(
        app.url,
        'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }',
        { input: { password: 'an entirely new one', currentPassword } },
        token,
      );
    const codes = [];
    for (let n = 0; n < 3; n++) codes.push((await change('wrong password')).errors?.[0]?.extensions.code);
    codes.push((await change(password)).errors?.[0]?.extensions.code);
    expect(codes).to.deep.equal([...Array(3).fill('VALIDATION_FAILED'), 'RATE_LIMITED']);
    const { data } = await graphql(app.url, '{ securityEvents { contents { kind } } }', {}, token);
    expect(data.securityEvents.contents.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
      ...Array(3).fill('PASSWORD_REFUSED'),
      'LOGIN',
    ]);
  });
});

describe('Wrong current passwords that are sent in parallel', () => {
  it('are compared as often as in sequence: the others return 429 with Retry-After', async () => {
    const { token, password } = await buildMember(app.url);
    const withdraw = (guess: string) => call(app.url, 'DELETE /api/members/me', { token, json: { password: guess } });
    const responses = await Promise.all(Array.from({ length: 11 }, (_, index) => withdraw(`a guess ${index}`)));
    const codes = responses.map(({ body }) => body?.code);
    expect(codes.filter((code) => code === 'VALIDATION_FAILED')).to.have.length(3);
    const rejected = responses.filter(({ body }) => body?.code === 'RATE_LIMITED');
    expect(rejected).to.have.length(8);
    for (const { headers } of rejected) expect(Number(headers.get('Retry-After'))).to.be.above(0);
    expect((await withdraw(password)).body?.code, 'the right one').to.equal('RATE_LIMITED');
  });

  it('are not counted if the password is correct', async () => {
    const { token, password } = await buildMember(app.url);
    const change = (next: string) =>
      graphql(
        app.url,
        'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }',
        { input: { password: next, currentPassword: password } },
        token,
      );
    // The new password equals the current one, so that each round can use it.
    for (let round = 0; round < 5; round++) expect((await change(password)).errors).to.equal(undefined);
  });
});

describe('Rejected refresh tokens', () => {
  it('are limited for an address, without effect on valid tokens', async () => {
    const { refreshToken } = await buildMember(app.url);
    const address = somewhere();
    const refresh = (token: string) =>
      call(app.url, 'POST /api/auth/refresh', { json: { refreshToken: token }, headers: from(address) });
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await refresh('bad')).status);
    expect(statuses).to.deep.equal([401, 401, 401, 401, 429]);
    expect(Number((await refresh('bad')).headers.get('Retry-After'))).to.be.within(850, 900);
    expect((await refresh(refreshToken)).status).to.equal(200);
    expect((await REFRESH.REST(app.url, 'bad')).code, 'elsewhere').to.equal('REFRESH_TOKEN_INVALID');
  });
});

describe('Registrations', () => {
  const REGISTER = 'mutation ($input: RegisterInput!) { register(input: $input) { id } }';
  const input = (overrides = {}) => {
    const number = ++addressCount;
    return {
      email: `many${number}@example.org`,
      password: 'a long password',
      memberName: `Many ${number}`,
      ...overrides,
    };
  };

  describe('with the default limit', () => {
    const open = useApp({ TRUST_PROXY: '1', LIMIT_REGISTER: '' });

    it('are limited to 60 from one network in an hour: 429 with Retry-After', async () => {
      const register = (address: string, json: object) =>
        call(open.url, 'POST /api/auth/register', { json, headers: from(address) });
      const statuses = [];
      for (let n = 0; n < 60; n++) statuses.push((await register(`2001:db8::${n}`, input())).status);
      expect(statuses).to.deep.equal(Array(60).fill(201));
      const { status, headers, body } = await register('2001:db8:0:0:ffff::1', input());
      expect([status, body?.code]).to.deep.equal([429, 'RATE_LIMITED']);
      expect(Number(headers.get('Retry-After'))).to.be.within(3_400, 3_600);
      expect(body?.message).to.equal('Too many registrations: try again in 60 minutes.');
      expect((await register('2001:db8:0:1::1', input())).status, 'another network').to.equal(201);
    });
  });

  describe('with a small limit', () => {
    const small = useApp({ TRUST_PROXY: '1', LIMIT_REGISTER: '3/1h' });
    const register = (address: string, json: object) =>
      call(small.url, 'POST /api/auth/register', { json, headers: from(address) });

    it('count if the email is taken, and do not count if a field is invalid', async () => {
      const [address, taken] = [somewhere(), input()];
      for (let n = 0; n < 5; n++) expect((await register(address, input({ password: 'short' }))).status).to.equal(400);
      const statuses = [];
      for (let n = 0; n < 4; n++) statuses.push((await register(address, taken)).status);
      expect(statuses).to.deep.equal([201, 409, 409, 429]);
    });

    it('count for each alias of a GraphQL document', async () => {
      const fields = Array.from({ length: 4 }, (_, n) => `r${n}: register(input: $i${n}) { id }`);
      const variables = Object.fromEntries(fields.map((_, n) => [`i${n}`, input()]));
      const declared = fields.map((_, n) => `$i${n}: RegisterInput!`);
      const query = `mutation (${declared.join(', ')}) { ${fields.join(' ')} }`;
      const { errors } = await graphql(small.url, query, variables);
      expect(errors?.map(({ path, extensions }) => [path?.[0], extensions.code])).to.deep.equal([
        ['r3', 'RATE_LIMITED'],
      ]);
      expect((await graphql(small.url, REGISTER, { input: input() })).errors?.[0]?.extensions.code).to.equal(
        'RATE_LIMITED',
      );
    });

    it('return 429 over the limit for parallel requests', async () => {
      const address = somewhere();
      const responses = await Promise.all(Array.from({ length: 40 }, () => register(address, input())));
      const rejected = responses.filter(({ status }) => status === 429);
      expect(rejected).to.have.length(37);
      for (const { headers } of rejected) expect(Number(headers.get('Retry-After'))).to.be.within(3_400, 3_600);
    });
  });
});

describe('Writes', () => {
  const write = (member: BuiltMember, title = 'T') =>
    call(app.url, 'POST /api/articles', { token: member.token, json: { title, content: 'C' } });

  it('are limited for each member, across both APIs and for each alias', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    for (let n = 0; n < 6; n++) expect((await write(member)).status).to.equal(201);
    const aliases = Array.from({ length: 6 }, (_, n) => `m${n}: updateMember(input: { bio: "${n}" }) { id }`);
    expect((await graphql(app.url, `mutation { ${aliases.join(' ')} }`, {}, member.token)).errors).to.equal(undefined);
    const { headers } = await expectStatus(write(member), 429, 'RATE_LIMITED');
    expect(Number(headers.get('Retry-After'))).to.be.within(550, 600);
    expect((await call(app.url, 'GET /api/members/me', { token: member.token })).status, 'reading').to.equal(200);
    expect((await write(other)).status, 'another member').to.equal(201);
    expect((await logIn(app.url, member)).accessToken, 'logging in').to.be.a('string');
  });
});

describe('The address that counts', () => {
  const proxies = (setting: string): TrustProxy => loadConfig({ TRUST_PROXY: setting }).trustProxy;
  const address = (remote: string, forwarded: string | undefined, trust: TrustProxy): string => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remote });
    const request = new IncomingMessage(socket);
    if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
    return clientAddress(request, trust);
  };

  it('is the address of the connection if no proxy is trusted', () => {
    expect(address('192.0.2.1', '198.51.100.1', loadConfig({}).trustProxy)).to.equal('192.0.2.1');
    expect(address('::ffff:192.0.2.1', undefined, loadConfig({}).trustProxy)).to.equal('192.0.2.1');
  });

  it('is as many hops back as there are trusted proxies', () => {
    expect(address('10.0.0.1', '6.6.6.6, 198.51.100.1', proxies('1'))).to.equal('198.51.100.1');
    expect(address('10.0.0.1', '6.6.6.6, 198.51.100.1, 10.0.0.2', proxies('2'))).to.equal('198.51.100.1');
    expect(address('10.0.0.1', undefined, proxies('2'))).to.equal('10.0.0.1');
    expect(address('10.0.0.1', 'nonsense', proxies('1'))).to.equal('10.0.0.1');
  });

  it('is the last one that is not a trusted proxy, if proxy addresses are configured', () => {
    const trust = proxies('10.0.0.0/8, fd00::/8');
    expect(address('10.0.0.1', '6.6.6.6, 198.51.100.1, fd00::2', trust)).to.equal('198.51.100.1');
    expect(address('203.0.113.9', '6.6.6.6', trust)).to.equal('203.0.113.9');
  });

  it('counts an IPv6 network as one', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::/64');
    expect(networkOf('2001:db8::6')).to.equal('2001:db8:0:0::/64');
    expect(networkOf('::1')).to.equal('0:0:0:0::/64');
    expect(networkOf('192.0.2.1')).to.equal('192.0.2.1');
  });

  it('requires valid values of TRUST_PROXY and LIMIT_LOGIN_PAIR', () => {
    for (const setting of ['yes', '10.0.0.0/33', '10.0.0', '-1', '10.0.0.1,']) {
      expect(() => loadConfig({ TRUST_PROXY: setting }), setting).to.throw(/^TRUST_PROXY must be /);
    }
    for (const setting of ['10', '0/15m', '10/', '10/15m/1', 'ten/15m']) {
      expect(() => loadConfig({ LIMIT_LOGIN_PAIR: setting }), setting).to.throw(/^LIMIT_LOGIN_PAIR must be /);
    }
  });
});
