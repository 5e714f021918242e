/** API tokens as credentials: validity, last use, limits of the member, streams, and the ends of access. */
import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { TOUCH_API_TOKEN } from '../../../src/models/session/api-token.js';
import { generateApiToken } from '../../../src/services/auth/api-token.js';
import { endAllAccess } from '../../../src/services/auth/session.js';
import { type BuiltApiToken, buildApiToken, TOKENS } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember, useMember } from '../../support/build.js';
import { runDaybook } from '../../support/cli.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { setClockForward } from '../../support/database.js';
import { rowsIn } from '../../support/imported.js';
import { closeLiveClients, FOLLOWERS, STREAM } from '../../support/live.js';
import { openEvents, openSocket, openSubscription } from '../../support/live-raw.js';
import { logIn, statusOf } from '../../support/session.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';

const app = useApp();
const limited = useApp({ LIMIT_WRITES: '3/10m' });

const me = (token: string) => call(app.url, 'GET /api/members/me', { token });

describe('An API token', () => {
  const member = useMember(app, beforeEach);

  it('authenticates its member on both APIs, in one statement more than without a token', async () => {
    const { token } = await buildApiToken(app.url, member);
    await me(token);
    expect((await me(token)).body?.data.id).to.equal(member.id);
    const { data } = await graphql(app.url, '{ me { id email } }', {}, token);
    expect(data.me).to.deep.equal({ id: String(member.id), email: member.email });
    const statements = await statementsDuring(() => me(token));
    expect(statements.filter((text) => text.includes('api_tokens'))).to.have.length(1);
    expect(statements).to.have.length(2);
  });

  it('is rejected without a statement if its checksum or its form is wrong', async () => {
    const { token } = await buildApiToken(app.url, member);
    const last = token.at(-1) === '0' ? '1' : '0';
    const wrong = [token.slice(0, -1) + last, token.slice(0, -1), `${token}0`, 'dbk_', `dbk_${'0'.repeat(10_000)}`];
    for (const bad of wrong) {
      const statements = await statementsDuring(async () => {
        const { body } = await expectStatus(me(bad), 401, 'UNAUTHENTICATED', bad);
        expect(body?.message).to.include('its length or its checksum is wrong');
        expect((await graphql(app.url, '{ me { id } }', {}, bad)).status).to.equal(401);
      });
      expect(statements, bad).to.deep.equal([]);
    }
  });

  it('is rejected if it is unknown, deleted or expired', async () => {
    const [deleted, old] = [await buildApiToken(app.url, member), await buildApiToken(app.url, member)];
    await call(app.url, `DELETE ${TOKENS}/${deleted.id}`, { token: member.token });
    for (const token of [generateApiToken(), deleted.token]) {
      const { body } = await expectStatus(me(token), 401, 'UNAUTHENTICATED');
      expect(body?.message).to.equal('The API token does not exist: it may have been deleted.');
    }
    await app.database.sequelize.query(`update api_tokens set expires_at = now() where id = '${old.id}'`);
    const { body } = await expectStatus(me(old.token), 401, 'TOKEN_EXPIRED');
    expect(body?.message).to.equal('The API token has expired: create another one.');
    const { errors } = await graphql(app.url, '{ articles { contents { id } } }', {}, old.token);
    expect(errors?.[0]?.extensions.code).to.equal('TOKEN_EXPIRED');
  });

  it('is looked up with an index scan', async () => {
    const { token } = await buildApiToken(app.url, member);
    const [lookup] = (await statementsDuring(() => me(token))).filter((text) => text.includes('api_tokens'));
    const run = (sql: string) => app.database.sequelize.query(sql);
    // A scan of any index of a few rows costs the same.
    await run(`insert into api_tokens (id, member_id, token_hash, name, scopes)
      select gen_random_uuid(), ${member.id}, sha256(n::text::bytea), 'one of many', '{read}' from generate_series(1, 1000) n`);
    await run('analyze api_tokens');
    const plan = await run(`explain ${lookup?.replace('$1', `'\\x00'::bytea`)}`);
    await run("delete from api_tokens where name = 'one of many'");
    expect(JSON.stringify(plan)).to.include('Index Scan using api_tokens_token_hash_key');
  });

  it('reads with the scope `comments` what its member sees: the content of a comment that the author of the article has hidden', async () => {
    const article = await buildArticle(app.url, {}, member);
    const comment = await buildComment(app.url, article.id);
    const hide = `PUT /api/comments/${comment.id}/hidden`;
    await expectStatus(call(app.url, hide, { token: member.token, json: { hidden: true } }), 200, '1');
    const read = async (token?: string) => {
      const target = `GET /api/articles/${article.id}/comments`;
      const { body, headers } = await call(app.url, target, token === undefined ? {} : { token });
      return [body?.data.contents[0].content, headers.get('Cache-Control')];
    };
    expect(await read()).to.deep.equal(['(hidden)', 'public, no-cache']);
    const { token } = await buildApiToken(app.url, member, ['comments']);
    expect(await read(token)).to.deep.equal([comment.content, 'no-store']);
    const { token: other } = await buildApiToken(app.url, await buildMember(app.url), ['comments']);
    expect(await read(other)).to.deep.equal(['(hidden)', 'no-store']);
  });

  it('counts in the same limit as the sessions of its member', async () => {
    const { token } = await buildApiToken(limited.url, await buildMember(limited.url), ['articles']);
    const write = () => call(limited.url, 'POST /api/articles', { token, json: { title: 'T', content: 'C' } });
    await expectStatus(write(), 201, '1');
    await expectStatus(write(), 201, '1');
    await expectStatus(write(), 429, 'RATE_LIMITED');
  });
});

describe('The last use of an API token', () => {
  const member = useMember(app);
  const lastUse = async ({ id }: BuiltApiToken) => {
    const { body } = await call(app.url, `GET ${TOKENS}`, { token: member.token });
    return body?.data.contents.find((one: { id: string }) => one.id === id).lastUsedAt;
  };
  const inParallel = async ({ token }: BuiltApiToken) => {
    const responses = await Promise.all(Array.from({ length: 100 }, () => me(token)));
    expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([200]));
  };

  it('is written once a minute, to the minute, also for a hundred parallel requests', async () => {
    const built = await buildApiToken(app.url, member);
    expect(await lastUse(built)).to.equal(null);
    await app.database.sequelize.query(`
      create table uses (at timestamptz);
      create function use_counted() returns trigger language plpgsql as
        'begin insert into uses values (new.last_used_at); return null; end';
      create trigger use_counted after update on api_tokens for each row execute function use_counted()`);
    await inParallel(built);
    await until(async () => (await lastUse(built)) !== null);
    expect(await lastUse(built)).to.match(/:00$/);
    const [rows] = await app.database.sequelize.query(
      'select count(*)::int as count, count(distinct at)::int as minutes from uses',
    );
    const [{ count, minutes } = {}] = rows as { count?: number; minutes?: number }[];
    await app.database.sequelize.query('drop function use_counted cascade; drop table uses');
    expect([count, minutes]).to.deep.equal([minutes, minutes]);
  });

  it('adds no statement to other requests in the same minute', async () => {
    const built = await buildApiToken(app.url, member);
    await app.database.sequelize.query(`update api_tokens set last_used_at = now() + interval '1 minute'
      where id = '${built.id}'`);
    expect(await statementsDuring(() => inParallel(built))).to.have.length(200);
  });

  it('does not wait for the row, nor does the request', async () => {
    const built = await buildApiToken(app.url, member);
    await app.database.sequelize.transaction(async (transaction) => {
      await app.database.sequelize.query(`select from api_tokens where id = '${built.id}' for update`, { transaction });
      await inParallel(built);
      await app.database.query(TOUCH_API_TOKEN, [built.id]);
    });
    expect(await lastUse(built)).to.equal(null);
  });
});

describe('A GraphQL request with an API token', () => {
  const member = useMember(app);
  let tokens: Record<'read' | 'comments' | 'notifications', string>;
  before(async () => {
    const [read, comments, notifications] = [
      await buildApiToken(app.url, member, ['read']),
      await buildApiToken(app.url, member, ['comments']),
      await buildApiToken(app.url, member, ['notifications']),
    ];
    tokens = { read: read.token, comments: comments.token, notifications: notifications.token };
  });
  const send = (query: string, token: string, headers: Record<string, string> = {}, more: object = {}) =>
    fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify({ query, ...more }),
    });
  const rejection = async (response: Response) => {
    const { data, errors } = (await response.json()) as { data?: unknown; errors: Record<string, unknown>[] };
    const { extensions, message } = errors[0] as { extensions: { code: string }; message: string };
    return [response.status, extensions.code, data, message];
  };

  it('is rejected as a whole, before anything is executed, with the required and the granted scopes', async () => {
    const create = 'createComment(input: { articleId: 1, content: "x" }) { id }';
    for (const query of [
      `mutation { ${create} markAllNotificationsRead { id } }`,
      `mutation { ${create} ...Rest } fragment Rest on Mutation { markAllNotificationsRead { id } }`,
      `mutation { ${create} ...A } fragment B on Mutation { markAllNotificationsRead { id } } fragment A on Mutation { ...B }`,
      `mutation { ${create} ... on Mutation @skip(if: true) { n: markAllNotificationsRead { id } } }`,
    ]) {
      const statements = await statementsDuring(async () => {
        expect(await rejection(await send(query, tokens.comments))).to.deep.equal([
          403,
          'SCOPE_MISSING',
          undefined,
          'markAllNotificationsRead requires an API token with the scope notifications; this one has comments.',
        ]);
      });
      expect(
        statements.filter((text) => !text.includes('api_tokens')),
        query,
      ).to.deep.equal([]);
    }
  });

  it('is rejected with the header of RFC 6750, in the language of the request', async () => {
    const response = await send('{ sessions { id } }', tokens.read, { 'Accept-Language': 'ko' });
    expect(response.headers.get('WWW-Authenticate')).to.equal('Bearer error="insufficient_scope"');
    expect((await rejection(response))[3]).to.equal('sessions 작업은 API 토큰으로 실행할 수 없습니다. 로그인하십시오.');
    const rest = await call(app.url, 'GET /api/members/me/sessions', { token: tokens.read });
    expect(rest.headers.get('WWW-Authenticate')).to.equal('Bearer error="insufficient_scope"');
    expect(rest.body?.message).to.equal('sessions is not available to API tokens: log in.');
  });

  it('is rejected with the scopes that suffice, those of the token where possible', async () => {
    const comment = 'createComment(input: { articleId: 1, content: "x" }) { id }';
    const scopes: Record<string, string> = {
      [`mutation { ${comment} markAllNotificationsRead { id } }`]: 'comments notifications',
      'mutation { markAllNotificationsRead { id email } }': 'read notifications',
      '{ me { id } notifications { contents { id } } }': 'read notifications',
    };
    for (const [query, expected] of Object.entries(scopes)) {
      const response = await send(query, tokens.read);
      const header = response.headers.get('WWW-Authenticate');
      expect([response.status, header], query).to.deep.equal([
        403,
        `Bearer error="insufficient_scope", scope="${expected}"`,
      ]);
    }
    const rest = await call(app.url, 'POST /api/articles', { token: tokens.read, json: { title: 'T', content: 'C' } });
    expect(rest.headers.get('WWW-Authenticate')).to.equal('Bearer error="insufficient_scope", scope="articles"');
  });

  it('reads what its token may do, over both APIs', async () => {
    const query = '{ token { kind memberId scopes expiresAt } }';
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
    const { token } = await buildApiToken(app.url, member, ['notifications', 'images'], { expiresAt: `${expiresAt}Z` });
    const found = { kind: 'API_TOKEN', memberId: member.id, scopes: ['images', 'notifications'], expiresAt };
    expect((await call(app.url, 'GET /api/token', { token })).body?.data).to.deep.equal(found);
    const { data } = (await (await send(query, token)).json()) as { data: Record<string, unknown> };
    expect(data.token).to.deep.equal({ ...found, memberId: String(member.id), expiresAt: `${expiresAt}Z` });
    const session = (await call(app.url, 'GET /api/token', { token: member.token })).body?.data;
    expect(session).to.deep.include({ kind: 'SESSION', memberId: member.id, scopes: null });
    expect(Date.parse(`${session.expiresAt}Z`)).to.be.greaterThan(Date.now());
    await expectStatus(call(app.url, 'GET /api/token'), 401, 'UNAUTHENTICATED');
  });

  it('is rejected for a private field that the scope of its operation does not include', async () => {
    const query = (field: string) => `mutation { markAllNotificationsRead { id ${field} } }`;
    for (const field of ['email', 'memberName', '... on Account { email }']) {
      const [status, code] = await rejection(await send(query(field), tokens.notifications));
      expect([status, code], field).to.deep.equal([403, 'SCOPE_MISSING']);
    }
    for (const field of ['unreadNotifications', 'nickname', 'profile { bio articles { totalCount } }']) {
      expect((await send(query(field), tokens.notifications)).status, field).to.equal(200);
    }
    const [, , , message] = await rejection(await send('{ me { unreadNotifications } }', tokens.read));
    expect(message).to.equal(
      'Account.unreadNotifications requires an API token with the scope notifications; this one has read.',
    );
  });

  it('is admitted for the selected operation of a document, whatever the others need', async () => {
    const query = `query Me { me { ...Own } } query Tags { tags { contents { name } } } fragment Own on Account { email }`;
    expect((await send(query, tokens.comments, {}, { operationName: 'Tags' })).status).to.equal(200);
    expect((await send(query, tokens.comments, {}, { operationName: 'Me' })).status).to.equal(403);
    expect((await send(query, tokens.read, {}, { operationName: 'Me' })).status).to.equal(200);
  });

  it('is rejected by GET, as a persisted query, and after the same document was compiled for a session', async () => {
    const query = '{ me { email } }';
    for (let run = 0; run < 6; run++) expect((await send(query, member.token)).status).to.equal(200);
    expect((await send(query, tokens.comments)).status).to.equal(403);
    const headers = { Authorization: `Bearer ${tokens.comments}` };
    const byGet = (parameters: Record<string, string>) =>
      fetch(`${app.url}/graphql?${new URLSearchParams(parameters)}`, { headers });
    expect((await byGet({ query })).status).to.equal(403);
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    expect((await byGet({ extensions: JSON.stringify(extensions) })).status).to.equal(403);
    expect((await send(query, tokens.comments, {}, { extensions })).status).to.equal(403);
  });

  it('is rejected before the response that is stored for an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const query = 'mutation { markAllNotificationsRead { id } }';
    expect((await send(query, member.token, headers)).status).to.equal(200);
    expect((await send(query, tokens.notifications, headers)).headers.get('Idempotency-Replayed')).to.equal('true');
    expect((await send(query, tokens.comments, headers)).status).to.equal(403);
    const rest = (token: string) =>
      call(app.url, 'PUT /api/notifications/read', { token, headers: { 'Idempotency-Key': 'rest' } });
    expect((await rest(member.token)).status).to.equal(200);
    expect((await rest(tokens.comments)).status).to.equal(403);
  });

  it('is not rejected if its operation ignores the token', async () => {
    const { email, password } = member;
    const query = 'mutation ($input: LoginInput!) { login(input: $input) { accessToken } }';
    const { data } = await graphql(app.url, query, { input: { email, password } }, tokens.comments);
    expect(data.login.accessToken).to.be.a('string');
  });
});

/** Ways to end an API token, each with the message on an open stream. */
const ENDINGS: Record<string, (member: BuiltMember, built: BuiltApiToken) => Promise<unknown>> = {
  'its deletion': ({ token }, { id }) => call(app.url, `DELETE ${TOKENS}/${id}`, { token }),
  'the locking of its member': async ({ id }) => {
    const environment = { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir };
    expect((await runDaybook(['member', 'lock', String(id), '--yes'], environment)).code).to.equal(0);
  },
  'the withdrawal of its member': ({ token, password }) =>
    call(app.url, 'DELETE /api/members/me', { token, json: { password } }),
};

describe('API tokens and live notifications', () => {
  afterEach(closeLiveClients);
  const TRANSPORTS = {
    'Server-Sent Events': { open: openEvents, end: /does not exist/, expiry: /API token has expired/ },
    'a WebSocket': { open: openSubscription, end: /^4403 API_TOKEN_DELETED$/, expiry: /^4403 API_TOKEN_EXPIRED$/ },
  };

  for (const [transport, follow] of Object.entries(FOLLOWERS)) {
    it(`receive them over ${transport}`, async () => {
      const article = await buildArticle(app.url);
      const { token } = await buildApiToken(app.url, article.author, ['notifications']);
      const client = await follow(app.url, token);
      await buildComment(app.url, article.id);
      expect((await client.count(1))[0]?.type).to.equal('COMMENT');
    });
  }

  for (const [transport, { open, end, expiry }] of Object.entries(TRANSPORTS)) {
    for (const [cause, finish] of Object.entries(ENDINGS)) {
      it(`are closed over ${transport} by ${cause}, but not those of a session or another token`, async function () {
        this.timeout(60_000);
        const member = await buildMember(app.url);
        const built = await buildApiToken(app.url, member, ['notifications']);
        const other = await buildApiToken(app.url, await buildMember(app.url), ['notifications']);
        const [ended, stays] = [await open(app.url, built.token), await open(app.url, other.token)];
        await finish(member, built);
        expect(await until(ended)).to.match(end);
        expect(stays()).to.equal(undefined);
        expect(await statusOf(app.url, built.token)).to.equal(401);
      });
    }

    it(`are closed over ${transport} when the token expires`, async () => {
      const member = await buildMember(app.url);
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const { token } = await buildApiToken(app.url, member, ['notifications'], { expiresAt });
      const end = await open(app.url, token);
      const restore = setClockForward(app.database, 3_600_000);
      expect(await until(end).finally(restore)).to.match(expiry);
    });
  }

  it('are rejected without the scope', async () => {
    const member = await buildMember(app.url);
    const { token } = await buildApiToken(app.url, member, ['read']);
    await expectStatus(call(app.url, `GET ${STREAM}`, { token }), 403, 'SCOPE_MISSING');
    const { socket, messages } = await openSocket(app.url);
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
    await until(() => messages.length > 0);
    const query = 'subscription { notificationReceived { id } }';
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
    await until(() => messages.length > 1);
    expect(messages[1]).to.deep.include({ id: '1', type: 'error' });
    expect(JSON.stringify(messages[1])).to.include('"code":"SCOPE_MISSING"');
  });
});

describe('A change of the password', () => {
  it('keeps API tokens, while it ends the other sessions', async () => {
    const member = await buildMember(app.url);
    const other = await logIn(app.url, member);
    const { token } = await buildApiToken(app.url, member);
    const json = { password: 'quite another phrase', currentPassword: member.password };
    await call(app.url, 'PATCH /api/members/me', { token: member.token, json });
    expect(await statusOf(app.url, other.accessToken)).to.equal(401);
    expect(await statusOf(app.url, token)).to.equal(200);
  });
});

describe('endAllAccess', () => {
  it('ends all sessions and API tokens, also one that is being created', async () => {
    const member = await buildMember(app.url);
    const built = await buildApiToken(app.url, member);
    const { database } = app;
    let late: ReturnType<typeof call> | undefined;
    await database.transaction(async (db) => {
      const lock = `select from members where id = ${member.id} for update`;
      await rowsIn(db, lock);
      const json = { name: 'Late', scopes: ['read'], password: member.password };
      late = call(app.url, `POST ${TOKENS}`, { token: member.token, json });
      await until(async () => {
        const [rows] = await database.sequelize.query(`select from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database() and query like '%for update%'`);
        return rows.length > 0;
      });
      await endAllAccess(db, member.id);
    });
    expect((await late)?.body?.code).to.equal('UNAUTHENTICATED');
    for (const token of [member.token, built.token]) expect(await statusOf(app.url, token)).to.equal(401);
    const [rows] = await database.sequelize.query(`select from api_tokens where member_id = ${member.id}`);
    expect(rows).to.deep.equal([]);
  });
});
