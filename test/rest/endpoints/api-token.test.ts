/** API tokens: creating, listing and deleting them, over REST and GraphQL. */
import { createHash, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { type BuiltApiToken, buildApiToken, TOKENS } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember, useMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { buildRecipient, sendMails } from '../../support/mails.js';
import { ageLogins, removePassword, statusOf } from '../../support/session.js';
import { startSmtp } from '../../support/smtp.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';

const app = useApp({ LIMIT_API_TOKENS: '1000/1h' });
const smtp = await startSmtp();
after(() => smtp.close());
const FIELDS = ['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt'];
const CREATE = `mutation ($input: CreateApiTokenInput!) {
  createApiToken(input: $input) { id name scopes createdAt expiresAt lastUsedAt token }
}`;

const list = async ({ token }: Pick<BuiltMember, 'token'>) =>
  (await call(app.url, `GET ${TOKENS}`, { token })).body?.data.contents;

async function eventsOf({ token }: BuiltMember): Promise<string[]> {
  const { body } = await call(app.url, 'GET /api/members/me/security-events', { token });
  return body?.data.contents.map(({ kind }: { kind: string }) => kind);
}

/** Creates an API token over either API. `code`: 1, or the key of the error. */
const APIS = {
  REST: async ({ token }: BuiltMember, json: Record<string, unknown>) => {
    const { body } = await call(app.url, `POST ${TOKENS}`, { token, json });
    return { code: body?.code, data: body?.code === '1' ? body.data : null };
  },
  GraphQL: async ({ token }: BuiltMember, input: Record<string, unknown>) => {
    const { data, errors } = await graphql(app.url, CREATE, { input }, token);
    return { code: errors?.[0]?.extensions.code ?? '1', data: data?.createApiToken };
  },
};

for (const [api, create] of Object.entries(APIS)) {
  describe(`Creating an API token over ${api}`, () => {
    const member = useMember(app, beforeEach);
    const input = () => ({ name: 'Site', scopes: ['articles', 'read', 'read'], password: member.password });

    it('returns the token once, with its properties, and records the event', async () => {
      const { data } = await create(member, input());
      expect(data).to.have.all.keys(...FIELDS, 'token');
      expect(data).to.deep.include({ name: 'Site', scopes: ['read', 'articles'], expiresAt: null, lastUsedAt: null });
      const [listed, ...others] = await list(member);
      expect(others).to.deep.equal([]);
      expect(listed).to.have.all.keys(...FIELDS);
      expect(listed).to.deep.include({ id: data.id, name: 'Site', scopes: ['read', 'articles'] });
      expect(await eventsOf(member)).to.deep.equal(['API_TOKEN_CREATED', 'LOGIN']);
      expect(await statusOf(app.url, data.token)).to.equal(200);
    });

    it('gives it a checksum, and stores only its hash', async () => {
      const { token } = (await create(member, input())).data;
      expect(token).to.match(/^dbk_[0-9A-Za-z]{49}$/);
      const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
      const checksum = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
      expect(checksum).to.equal(crc32(token.slice(4, -6)));
      const [rows] = await app.database.sequelize.query(`select to_jsonb(t)::text as text, token_hash as hash
        from api_tokens t where member_id = ${member.id}`);
      const [row] = rows as { text: string; hash: Buffer }[];
      expect(row?.hash).to.deep.equal(createHash('sha256').update(token).digest());
      expect(row?.text).to.not.include(token.slice(4, -6));
    });

    it('requires the password, or a recent login where there is none', async () => {
      const without = { ...input(), password: undefined };
      expect((await create(member, without)).code).to.equal('VALIDATION_FAILED');
      expect((await create(member, { ...without, password: 'not this one' })).code).to.equal('VALIDATION_FAILED');
      await removePassword(app, member.id);
      expect((await create(member, without)).code).to.equal('1');
      await ageLogins(app, member.id, 11);
      expect((await create(member, without)).code).to.equal('PROOF_REQUIRED');
      expect(await list(member)).to.have.length(1);
    });

    it('is rejected from the 51st on, also for parallel requests', async () => {
      await app.database.sequelize.query(`insert into api_tokens (id, member_id, token_hash, name, scopes, expires_at)
        select gen_random_uuid(), ${member.id}, sha256(convert_to(${member.id}::text || n, 'UTF8')), 'Old', '{read}', now()
        from generate_series(1, 48) as n`);
      const responses = await Promise.all(Array.from({ length: 4 }, () => create(member, input())));
      const codes = responses.map(({ code }) => code).sort();
      expect(codes).to.deep.equal(['1', '1', 'TOKEN_LIMIT_REACHED', 'TOKEN_LIMIT_REACHED']);
      expect(await list(member)).to.have.length(50);
    });

    it('accepts an expiry in the next ten years', async () => {
      const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      const expiresAt = inDays(3_649);
      const { data } = await create(member, { ...input(), expiresAt });
      expect(data.expiresAt.slice(0, 19)).to.equal(expiresAt.slice(0, 19));
      for (const expiresAt of [inDays(-1), inDays(3_651), '2026-11-20T09:30:00Z', 'tomorrow', 7]) {
        expect((await create(member, { ...input(), expiresAt })).code, String(expiresAt)).to.equal('VALIDATION_FAILED');
      }
    });
  });
}

describe('POST /api/members/me/tokens', () => {
  const member = useMember(app);
  const create = (json: unknown, headers = {}) =>
    call(app.url, `POST ${TOKENS}`, { token: member.token, json, headers });

  it('returns 400 and names every wrong field', async () => {
    expectFieldErrors(await create({}), 'name: is required', 'scopes: is required');
    expectFieldErrors(
      await create({ name: 'x'.repeat(51), scopes: [], expiresAt: 'x', password: 7, token: 'dbk_' }),
      'token: is not a known field; expected name, scopes, expiresAt, password',
      'expiresAt: must be a time in UTC such as 2026-11-20T09:30:00, a date, or a time with an offset, got "x"',
      'password: must be a string, got 7',
      'name: must be 1 to 50 characters long, got 51',
      'scopes: must have at least one element',
    );
    const scopes = 'read or articles or drafts or comments or reactions or images or notifications or ai';
    expectFieldErrors(
      await create({ name: ' ', scopes: ['read', 'admin'], expiresAt: '2026-11-20' }),
      `scopes: each must be one of ${scopes}, got "admin"`,
      'name: must be 1 to 50 characters long, got 0',
    );
    expectFieldErrors(await create({ name: 'x', scopes: 'read' }), 'scopes: must be an array, got "read"');
    expectFieldErrors(
      await create({ name: 'x', scopes: Array(9).fill('read'), password: member.password }),
      'scopes: must have at most 8 elements, got 9',
    );
    expectFieldErrors(
      await create({ name: 'x', scopes: ['read'], expiresAt: '2020-01-01', password: member.password }),
      'expiresAt: must be in the future, at most 3650 days ahead, got 2020-01-01T00:00:00.000Z',
    );
    expect(await list(member)).to.deep.equal([]);
  });

  it('returns 401 without a token', async () => {
    for (const target of [`GET ${TOKENS}`, `POST ${TOKENS}`, `DELETE ${TOKENS}/${randomUUID()}`]) {
      expect((await call(app.url, target, { json: undefined })).status, target).to.equal(401);
    }
  });

  it('ignores Idempotency-Key, and so stores no token', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const json = { name: 'Twice', scopes: ['read'], password: member.password };
    const [first, second] = [await create(json, headers), await create(json, headers)];
    expect(first.body?.data.token).to.not.equal(second.body?.data.token);
    const [rows] = await app.database.sequelize.query('select from idempotency_keys');
    expect(rows).to.deep.equal([]);
  });

  it('is never compressed, in contrast to responses of this size without a token', async () => {
    const aliases = Array.from({ length: 25 }, (_, n) => n);
    const input = { name: 'x'.repeat(50), scopes: ['read'], password: member.password };
    const encodingOf = async (field: string) => {
      const selection = aliases.map((n) => `f${n}: ${field}`).join(' ');
      const query = `mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { ${selection} } }`;
      const own = { Authorization: `Bearer ${member.token}`, 'Content-Type': 'application/json' };
      const headers = { ...own, 'Accept-Encoding': 'gzip' };
      const body = JSON.stringify({ query, variables: { input } });
      return (await fetch(`${app.url}/graphql`, { method: 'POST', headers, body })).headers.get('Content-Encoding');
    };
    expect([await encodingOf('name'), await encodingOf('token')]).to.deep.equal(['gzip', null]);
  });

  it('fails if the password has changed or the account is locked after the proof', async () => {
    for (const change of [`password_hash = 'x'`, 'locked_at = now()']) {
      const other = await buildMember(app.url);
      const json = { name: 'Late', scopes: ['read'], password: other.password };
      let response: ReturnType<typeof call> | undefined;
      await app.database.sequelize.transaction(async (transaction) => {
        const { sequelize } = app.database;
        await sequelize.query(`update members set ${change} where id = ${other.id}`, { transaction });
        response = call(app.url, `POST ${TOKENS}`, { token: other.token, json });
        await until(isWaitingForLock);
      });
      expect((await response)?.body?.code, change).to.equal('UNAUTHENTICATED');
      expect(await list(other)).to.deep.equal([]);
    }
  });

  async function isWaitingForLock(): Promise<boolean> {
    const [rows] = await app.database.sequelize.query(`select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database() and query like '%for update%'`);
    return rows.length > 0;
  }
});

describe('POST /api/members/me/tokens of a service that sends email', () => {
  const mailing = useApp(smtp.environment);

  it('notifies the member', async () => {
    const member = await buildRecipient(mailing);
    await buildApiToken(mailing.url, member, ['read'], { name: 'Backup' });
    await sendMails(mailing);
    expect(smtp.messages.map(({ to }) => to)).to.deep.equal([[member.email]]);
    expect(smtp.messages[0]?.text).to.include('The API token “Backup” was created').and.not.include('dbk_');
  });
});

describe('POST /api/members/me/tokens above its limit', () => {
  const limited = useApp({ LIMIT_API_TOKENS: '2/1h' });

  it('returns 429 with Retry-After', async () => {
    const member = await buildMember(limited.url);
    for (let n = 0; n < 2; n++) await buildApiToken(limited.url, member);
    const json = { name: 'x', scopes: ['read'], password: member.password };
    const { status, body, headers } = await call(limited.url, `POST ${TOKENS}`, { token: member.token, json });
    expect([status, body?.message]).to.deep.equal([429, 'Too many new API tokens: try again in 60 minutes.']);
    expect(Number(headers.get('Retry-After'))).to.be.above(3_500);
  });
});

describe('GET /api/members/me/tokens', () => {
  it('lists only the tokens of the member, newest first, in two statements', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    await buildApiToken(app.url, other);
    const built: BuiltApiToken[] = [];
    for (const name of ['first', 'second']) built.push(await buildApiToken(app.url, member, ['ai'], { name }));
    const names = async () => (await list(member)).map(({ name }: { name: string }) => name);
    expect(await statementsDuring(names)).to.have.lengthOf(2);
    expect(await names()).to.deep.equal(['second', 'first']);
    const { data } = await graphql(app.url, '{ apiTokens { id name } }', {}, member.token);
    expect(data.apiTokens.map(({ id }: { id: string }) => id)).to.deep.equal(built.map(({ id }) => id).reverse());
  });
});

describe('DELETE /api/members/me/tokens/{id}', () => {
  it('invalidates that token immediately, and records the event', async () => {
    const member = await buildMember(app.url);
    const [first, second] = [await buildApiToken(app.url, member), await buildApiToken(app.url, member)];
    const remove = () => call(app.url, `DELETE ${TOKENS}/${first.id}`, { token: member.token });
    const { body } = await expectStatus(remove(), 200, '1');
    expect(body?.data).to.deep.equal({});
    expect(await statusOf(app.url, first.token)).to.equal(401);
    expect(await statusOf(app.url, second.token)).to.equal(200);
    expect((await eventsOf(member))[0]).to.equal('API_TOKEN_DELETED');
    await expectStatus(remove(), 404, 'TOKEN_NOT_FOUND');
    const mutation = 'mutation ($id: ID!) { deleteApiToken(id: $id) { id name } }';
    const { data } = await graphql(app.url, mutation, { id: second.id }, member.token);
    expect(data.deleteApiToken).to.deep.equal({ id: second.id, name: 'read' });
  });

  it('returns 404 for a token of another member, 400 for an id of another form', async () => {
    const [owner, stranger] = [await buildMember(app.url), await buildMember(app.url)];
    const { id, token } = await buildApiToken(app.url, owner);
    const remove = (tokenId: string) => call(app.url, `DELETE ${TOKENS}/${tokenId}`, { token: stranger.token });
    for (const unknown of [id, randomUUID()]) await expectStatus(remove(unknown), 404, 'TOKEN_NOT_FOUND');
    expectFieldErrors(await remove('1'), 'id: must be a UUID, got "1"');
    expect(await statusOf(app.url, token)).to.equal(200);
  });
});
