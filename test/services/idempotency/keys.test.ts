/** Requests with an Idempotency-Key over both APIs: one change, and the stored response to every retry. */
import { request } from 'node:http';
import { expect } from 'chai';
import { schedule } from '../../../src/jobs/tasks.js';
import { IDEMPOTENCY_LOCKS } from '../../../src/platform/database/locks.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, fieldErrors } from '../../support/client.js';
import { buildDraft } from '../../support/drafts.js';
import { flat } from '../../support/images.js';
import { untilWaiting } from '../../support/interleave.js';
import { addJobs, runJobs } from '../../support/jobs.js';
import { BOUNDARY, filePart, multipart, type PartForm, requestPart } from '../../support/multipart.js';
import { notificationsOf } from '../../support/notifications.js';
import { checkResponse } from '../../support/openapi.js';
import { logIn } from '../../support/session.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp({ TRUST_PROXY: '1' });

let count = 0;
const newKey = () => `key-${count++}`;

interface Sent {
  status: number;
  replayed: string | null;
  etag: string | null;
  language: string | null;
  retryAfter: string | null;
  body: string;
}

/** Sends a request, and validates its response as `call` does. @returns the exact body of the response */
async function send(
  target: string,
  {
    token,
    key,
    json,
    body,
    headers,
  }: {
    token?: string;
    key?: string;
    json?: unknown;
    body?: Buffer;
    headers?: Record<string, string>;
  },
): Promise<Sent> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(app.url + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? (body ?? null) : JSON.stringify(json),
  });
  const { status, headers: received } = response;
  const text = await response.text();
  const parsed = text === '' ? null : JSON.parse(text);
  await checkResponse(app.url, method, path, { status, headers: received, body: parsed });
  const of = (name: string) => received.get(name);
  const [replayed, etag, language] = [of('Idempotency-Replayed'), of('ETag'), of('Content-Language')];
  return { status, replayed, etag, language, retryAfter: of('Retry-After'), body: text };
}

const sendGraphQL = (query: string, variables: object, { token, key }: { token?: string; key?: string }) =>
  send('POST /graphql', { ...(token && { token }), ...(key && { key }), json: { query, variables } });

const rowsOf = async (table: string): Promise<number> => {
  const [[row]] = (await app.database.sequelize.query(`select count(*)::int as n from ${table}`)) as [
    { n: number }[],
    unknown,
  ];
  return row?.n ?? 0;
};

const UPLOAD_IMAGE = JSON.stringify({
  query: 'mutation ($file: Upload!) { uploadImage(file: $file) { id url } }',
  variables: { file: null },
});

/** Requests with a file: the parts of their bodies, and the table with their result. */
const UPLOADS: readonly { target: string; table: string; partsOf: (file: Buffer) => PartForm[] }[] = [
  {
    target: 'POST /api/articles',
    table: 'articles',
    partsOf: (file) => [requestPart({ title: 'Red', content: 'x' }), filePart(file)],
  },
  { target: 'POST /api/images', table: 'images', partsOf: (file) => [filePart(file)] },
  {
    target: 'POST /graphql',
    table: 'images',
    partsOf: (file) => [
      { name: 'operations', body: UPLOAD_IMAGE },
      { name: 'map', body: '{"0":["variables.file"]}' },
      { ...filePart(file), name: '0' },
    ],
  },
];

describe('A request with an Idempotency-Key', () => {
  let member: BuiltMember;
  let article: BuiltArticle;
  before(async () => {
    member = await buildMember(app.url);
    article = await buildArticle(app.url, {}, member);
  });

  it('is executed once: a retry receives the same status, headers and body', async () => {
    const json = { title: 'Tide', content: 'Out.', tags: ['sea'] };
    const sent = { token: member.token, key: newKey(), json, headers: { 'Accept-Language': 'ko' } };
    const rows = await rowsOf('articles');
    const first = await send('POST /api/articles', sent);
    const second = await send('POST /api/articles', { ...sent, headers: { 'Accept-Language': 'en' } });
    expect(first).to.include({ status: 201, replayed: null, language: 'ko' });
    expect(first.etag).to.match(/^W\/"1\.[\w-]+"$/);
    expect(second).to.deep.equal({ ...first, replayed: 'true' });
    expect(await rowsOf('articles')).to.equal(rows + 1);
  });

  it('is executed again after a failure, also where the result may be null', async () => {
    const other = await buildMember(app.url);
    const query = 'mutation ($input: RegisterInput!) { register(input: $input) { email } }';
    const input = { email: other.email, password: 'an owl in the attic', memberName: 'Owl' };
    const key = newKey();
    expect((await sendGraphQL(query, { input }, { key })).body).to.include('EMAIL_TAKEN');
    await app.database.sequelize.query(`delete from members where id = ${other.id}`);
    const retried = await sendGraphQL(query, { input }, { key });
    expect([retried.replayed, JSON.parse(retried.body).data.register]).to.deep.equal([null, { email: other.email }]);
    expect((await sendGraphQL(query, { input }, { key })).replayed).to.equal('true');
  });

  it('is executed once for every kind of change', async () => {
    const comment = await buildComment(app.url, article.id, {}, member);
    const own = await buildArticle(app.url, {}, member);
    const { token } = member;
    const changes: [target: string, json: object | undefined, status: number][] = [
      ['POST /api/categories', { categoryName: 'Sea' }, 201],
      [`POST /api/articles/${article.id}/comments`, { content: 'Calm.' }, 201],
      [`PATCH /api/comments/${comment.id}`, { content: 'Rough.' }, 200],
      [`PUT /api/comments/${comment.id}/hidden`, { hidden: true }, 200],
      [`DELETE /api/comments/${comment.id}`, undefined, 200],
      [`PUT /api/articles/${own.id}`, { title: 'Ebb', content: 'Low.' }, 200],
      [`POST /api/articles/${own.id}/summary`, undefined, 202],
      [`DELETE /api/articles/${own.id}`, undefined, 200],
      ['PATCH /api/members/me', { bio: 'At sea.' }, 204],
      ['PUT /api/members/me/notification-settings/REPLY', undefined, 200],
      ['PUT /api/notifications/read', undefined, 200],
      ['POST /api/members/me/custom-styles', { name: 'Dry', role: 'Editor', instruction: 'Short.' }, 201],
      ['DELETE /api/members/me/sessions', undefined, 200],
    ];
    for (const [target, json, status] of changes) {
      const sent = { token, key: newKey(), ...(json && { json }) };
      const first = await send(target, sent);
      expect([first.status, first.replayed], `${target} ${first.body}`).to.deep.equal([status, null]);
      expect(await send(target, sent), target).to.deep.equal({ ...first, replayed: 'true' });
    }
  });

  it('is executed once for an anonymous client, by its network', async () => {
    const json = { email: 'keyed@example.org', password: 'a long password', memberName: 'Keyed' };
    const key = newKey();
    const register = (address: string, token?: string) =>
      send('POST /api/auth/register', {
        key,
        json,
        headers: { 'X-Forwarded-For': address },
        ...(token !== undefined && { token }),
      });
    const first = await register('2001:db8::1');
    expect(first.status, first.body).to.equal(201);
    const replayed = { ...first, replayed: 'true' };
    expect(await register('2001:db8::2')).to.deep.equal(replayed);
    // Registration ignores the token, so the key does not belong to the member.
    expect(await register('2001:db8::2', member.token)).to.deep.equal(replayed);
    const elsewhere = await register('2001:db8:0:1::1');
    expect([elsewhere.status, elsewhere.replayed, JSON.parse(elsewhere.body).code]).to.deep.equal([
      409,
      null,
      'EMAIL_TAKEN',
    ]);
  });

  it('is executed once over GraphQL', async () => {
    const mutation = 'mutation ($id: ID!) { deleteArticle(id: $id) { id title } }';
    const { id } = await buildArticle(app.url, {}, member);
    const own = { token: member.token, key: newKey() };
    const first = await sendGraphQL(mutation, { id }, own);
    expect(JSON.parse(first.body).data.deleteArticle.id).to.equal(String(id));
    expect(await sendGraphQL(mutation, { id }, own)).to.deep.equal({ ...first, replayed: 'true' });
  });

  describe('whose response shows content of other members', () => {
    const REPLY = `mutation ($input: CreateCommentInput!) {
      createComment(input: $input) { id content parent { content author { nickname } } article { title comments(first: 9) { totalCount } } }
    }`;
    const QUOTED = 'Of another member.';
    let author: BuiltMember;
    let parentId: number;
    let sent: { token: string; key: string };
    let first: Sent;
    const reply = () => sendGraphQL(REPLY, { input: { articleId: article.id, parentId, content: 'A reply.' } }, sent);
    beforeEach(async () => {
      author = await buildMember(app.url);
      parentId = (await buildComment(app.url, article.id, { content: QUOTED }, author)).id;
      sent = { token: (await buildMember(app.url)).token, key: newKey() };
      first = await reply();
      expect([first.status, first.body]).to.satisfy(
        ([status, body]: [number, string]) => status === 200 && body.includes(QUOTED),
      );
    });
    const expectRemoved = async () => {
      const rows = await rowsOf('comments');
      const { status, body } = await reply();
      expect([status, JSON.parse(body).errors?.[0].extensions.code]).to.deep.equal([410, 'RESPONSE_REMOVED']);
      expect(body).to.not.include(QUOTED);
      expect(await rowsOf('comments')).to.equal(rows);
    };

    it('is answered from what was stored while that content remains', async () => {
      await buildComment(app.url, article.id, { parentCommentId: parentId });
      expect(await reply()).to.deep.equal({ ...first, replayed: 'true' });
    });

    it('does not show a comment that was deleted since', async () => {
      await call(app.url, `DELETE /api/comments/${parentId}`, { token: author.token });
      await expectRemoved();
    });

    it('does not show a comment while it is hidden', async () => {
      const hide = (hidden: boolean) =>
        call(app.url, `PUT /api/comments/${parentId}/hidden`, { token: member.token, json: { hidden } });
      await hide(true);
      await expectRemoved();
      await hide(false);
      expect(await reply()).to.deep.equal({ ...first, replayed: 'true' });
    });

    it('does not show an article and its comments while they are private, also if they were its only content of others', async () => {
      await setPrivate(app.url, article);
      await expectRemoved();
      await setPrivate(app.url, article, false);
      expect(await reply()).to.deep.equal({ ...first, replayed: 'true' });
      const own = { token: author.token, key: newKey() };
      const comment = (selection: string) =>
        `mutation { createComment(input: { articleId: ${article.id}, content: "x" }) { ${selection} } }`;
      for (const selection of ['article { title }', 'article { id comments(first: 1) { totalCount } }']) {
        own.key = newKey();
        expect((await sendGraphQL(comment(selection), {}, own)).status).to.equal(200);
        await setPrivate(app.url, article);
        expect((await sendGraphQL(comment(selection), {}, own)).status, selection).to.equal(410);
        await setPrivate(app.url, article, false);
      }
    });

    it('shows a private article to its author, except with an API token that does not see it', async () => {
      await setPrivate(app.url, article);
      const key = newKey();
      const mutation = `mutation { createComment(input: { articleId: ${article.id}, content: "x" }) { article { title } } }`;
      const created = await sendGraphQL(mutation, {}, { token: member.token, key });
      expect(JSON.parse(created.body).data.createComment.article).to.have.property('title');
      expect(await sendGraphQL(mutation, {}, { token: member.token, key })).to.deep.equal({
        ...created,
        replayed: 'true',
      });
      const { token } = await buildApiToken(app.url, member, ['comments']);
      expect((await sendGraphQL(mutation, {}, { token, key })).status).to.equal(410);
      await setPrivate(app.url, article, false);
    });

    it('shows nothing of a private article over REST to an API token that does not see it, and its deletion to its author', async () => {
      const own = await buildArticle(app.url, { visibility: 'PRIVATE' }, member);
      const summary = "update all_articles set ai_summary = 'Of a diary.' where id = :id";
      await app.database.sequelize.query(summary, { replacements: { id: own.id } });
      const { token } = await buildApiToken(app.url, member, ['ai']);
      const target = `POST /api/articles/${own.id}/summary`;
      const sentFirst = { token: member.token, key: newKey() };
      const requested = await send(target, sentFirst);
      expect([requested.status, requested.body.includes('Of a diary.')]).to.deep.equal([202, true]);
      expect(await send(target, sentFirst)).to.deep.equal({ ...requested, replayed: 'true' });
      const { status, body } = await send(target, { ...sentFirst, token });
      expect([status, body.includes('Of a diary.')]).to.deep.equal([410, false]);
      const deletion = { token: member.token, key: newKey() };
      const deleting = () => sendGraphQL(`mutation { deleteArticle(id: ${own.id}) { title } }`, {}, deletion);
      const deleted = await deleting();
      expect([deleted.status, await deleting()]).to.deep.equal([200, { ...deleted, replayed: 'true' }]);
    });

    it('does not show an own article that has become private to an API token that does not see it', async () => {
      const mutation = `mutation { createComment(input: { articleId: ${article.id}, content: "x" }) { article { title } } }`;
      const [key, { token }] = [newKey(), await buildApiToken(app.url, member, ['comments'])];
      const statuses = async () => [
        (await sendGraphQL(mutation, {}, { token: member.token, key })).status,
        (await sendGraphQL(mutation, {}, { token, key })).status,
      ];
      expect(await statuses()).to.deep.equal([200, 200]);
      await setPrivate(app.url, article);
      expect(await statuses()).to.deep.equal([200, 410]);
      await setPrivate(app.url, article, false);
    });

    it('does not show a private article to an API token that sends the request while it is executed', async () => {
      await setPrivate(app.url, article);
      const key = newKey();
      const mutation = `mutation { createComment(input: { articleId: ${article.id}, content: "x" }) { article { title } } }`;
      const { token } = await buildApiToken(app.url, member, ['comments']);
      let sent: Promise<Sent>[] = [];
      await app.database.sequelize.transaction(async (transaction) => {
        const lock = `select from all_articles where id = ${article.id} for update`;
        await app.database.sequelize.query(lock, { transaction });
        sent = [sendGraphQL(mutation, {}, { token: member.token, key })];
        await untilWaiting(app.database, 1);
        sent.push(sendGraphQL(mutation, {}, { token, key }));
        // By the time of this response, the second request has begun.
        await send('GET /api/members/me', { token: member.token });
      });
      const [first, second] = await Promise.all(sent);
      expect([first?.status, first?.body.includes('"title"')]).to.deep.equal([200, true]);
      expect([second?.status, second?.body.includes('"title"')]).to.deep.equal([410, false]);
      await setPrivate(app.url, article, false);
    });

    it('does not show the title of an article or a draft in a notification that the reader does not see', async () => {
      const mark = 'mutation ($id: ID!) { markNotificationRead(id: $id) { message } }';
      const [{ id } = { id: 0 }] = await notificationsOf(app.url, member);
      const own = { token: member.token, key: newKey() };
      const marked = await sendGraphQL(mark, { id }, own);
      expect([marked.status, await sendGraphQL(mark, { id }, own)]).to.deep.equal([
        200,
        { ...marked, replayed: 'true' },
      ]);
      const { token } = await buildApiToken(app.url, member, ['notifications', 'read']);
      await setPrivate(app.url, article);
      expect((await sendGraphQL(mark, { id }, { token, key: own.key })).status, 'with the scope read').to.equal(200);
      const notifications = await buildApiToken(app.url, member, ['notifications']);
      expect((await sendGraphQL(mark, { id }, { ...notifications, key: own.key })).status).to.equal(410);
      await setPrivate(app.url, article, false);

      const draft = await buildDraft(app.url, {}, member);
      await app.database.sequelize.query(`insert into notifications (member_id, type, draft_id)
        values (${member.id}, 'PUBLICATION', ${draft.id})`);
      const [failed] = await notificationsOf(app.url, member);
      own.key = newKey();
      expect((await sendGraphQL(mark, { id: failed?.id }, own)).body).to.include('could not be published');
      expect((await sendGraphQL(mark, { id: failed?.id }, own)).status).to.equal(200);
      expect((await sendGraphQL(mark, { id: failed?.id }, { token, key: own.key })).status).to.equal(410);
    });

    it('does not show the name of a member who withdrew since', async () => {
      await app.database.sequelize.query(`delete from members where id = ${author.id}`);
      await expectRemoved();
    });

    it('does not show an article that was deleted since', async () => {
      const other = await buildArticle(app.url);
      const mutation = `mutation ($id: ID!) { setCommentHidden(id: $id, hidden: true) { author { articles(first: 1) { edges { node { title } } } } } }`;
      const { id } = await buildComment(app.url, article.id, {}, other.author);
      const own = { token: member.token, key: newKey() };
      expect((await sendGraphQL(mutation, { id }, own)).body).to.include('"title"');
      await call(app.url, `DELETE /api/articles/${other.id}`, { token: other.author.token });
      expect((await sendGraphQL(mutation, { id }, own)).body).to.include('RESPONSE_REMOVED');
    });

    it('has no such content in the REST API', async () => {
      const changes: [target: string, json: object, token: string][] = [
        [`POST /api/articles/${article.id}/comments`, { content: 'A reply.', parentCommentId: parentId }, sent.token],
        [`PUT /api/comments/${parentId}/hidden`, { hidden: false }, member.token],
      ];
      const key = newKey();
      const requests = changes.map(
        ([target, json, token]) =>
          () =>
            send(target, { token, key, json }),
      );
      const responses = await Promise.all(requests.map((request) => request()));
      await call(app.url, `DELETE /api/comments/${parentId}`, { token: author.token });
      for (const [index, request] of requests.entries()) {
        expect(responses[index]?.status).to.be.oneOf([200, 201]);
        expect(responses[index]?.body).to.not.include(QUOTED);
        expect(await request()).to.deep.equal({ ...responses[index], replayed: 'true' });
      }
    });
  });

  it('performs one change for 50 parallel retries, with 50 equal responses', async () => {
    for (const [target, json] of [
      [`POST /api/articles/${article.id}/comments`, { content: 'One of 50.' }],
      [
        'POST /graphql',
        { query: `mutation { createComment(input: { articleId: ${article.id}, content: "One of 50." }) { id } }` },
      ],
    ] as const) {
      const sent = { token: member.token, key: newKey(), json };
      const rows = await rowsOf('comments');
      const all = await Promise.all(Array.from({ length: 50 }, () => send(target, sent)));
      expect(new Set(all.map(({ status, body, etag }) => `${status} ${body} ${etag}`)).size, target).to.equal(1);
      expect(all[0]?.status, all[0]?.body).to.be.oneOf([200, 201]);
      expect(all.filter(({ replayed }) => replayed === 'true')).to.have.length(49);
      expect(await rowsOf('comments')).to.equal(rows + 1);
    }
  });

  for (const { target, table, partsOf } of UPLOADS) {
    it(`is executed once with a file, although each attempt has another boundary: ${target}`, async () => {
      const key = newKey();
      const upload = async (color: string, boundary: string) => {
        const { body } = multipart(partsOf(await flat(4, 4, color).png().toBuffer()));
        const rebound = Buffer.from(body.toString('latin1').replaceAll(BOUNDARY, boundary), 'latin1');
        const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
        return send(target, { token: member.token, key, body: rebound, headers });
      };
      const rows = await rowsOf(table);
      const first = await upload('#ff0000', 'one');
      expect(first.status, first.body).to.equal(target === 'POST /graphql' ? 200 : 201);
      expect(first.body).to.not.include('errors');
      expect(await upload('#ff0000', 'another')).to.deep.equal({ ...first, replayed: 'true' });
      expect((await upload('#0000ff', 'one')).body).to.include('IDEMPOTENCY_KEY_REUSED');
      expect(await rowsOf(table)).to.equal(rows + 1);
    });
  }

  it('is independent of requests of other members with the same key', async () => {
    const other = await buildMember(app.url);
    const key = newKey();
    const json = { categoryName: 'Shared' };
    const [first, second] = [
      await send('POST /api/categories', { token: member.token, key, json }),
      await send('POST /api/categories', { token: other.token, key, json }),
    ];
    expect([first.status, second.status, second.replayed]).to.deep.equal([201, 201, null]);
    expect(JSON.parse(second.body).data.memberId).to.equal(other.id);
  });

  it('is rejected if the key was used with another operation or input, in any order of properties', async () => {
    const { token } = member;
    const key = newKey();
    const target = `POST /api/articles/${article.id}/comments`;
    expect((await send(target, { token, key, json: { content: 'First.', parentCommentId: 0 } })).status).to.equal(201);
    const reordered = await send(target, { token, key, json: { parentCommentId: 0, content: 'First.' } });
    expect(reordered.replayed).to.equal('true');
    const reused = { token, headers: { 'Idempotency-Key': key } };
    const code = 'IDEMPOTENCY_KEY_REUSED';
    await expectStatus(call(app.url, target, { ...reused, json: { content: 'Second.' } }), 422, code);
    await expectStatus(call(app.url, 'POST /api/categories', { ...reused, json: { categoryName: 'K' } }), 422, code);
    // Without the key, it would be 404.
    await expectStatus(call(app.url, 'DELETE /api/comments/999999', reused), 422, code);
    const overGraphQL = await sendGraphQL('mutation { createCategory(name: "K") { id } }', {}, { token, key });
    expect(JSON.parse(overGraphQL.body).errors[0].extensions.code).to.equal(code);
    expect(overGraphQL.replayed).to.equal(null);
  });

  it('can be repeated with the same key if it failed', async () => {
    const { token } = member;
    const sent = { token, key: newKey(), json: { categoryName: 'Twice' } };
    await send('POST /api/categories', { token, json: sent.json });
    const rejected = await send('POST /api/categories', sent);
    expect([rejected.status, rejected.replayed]).to.deep.equal([409, null]);
    await app.database.sequelize.query("delete from categories where name = 'Twice'");
    expect((await send('POST /api/categories', sent)).status).to.equal(201);
    const mutation = 'mutation ($id: ID!) { deleteArticle(id: $id) { id } }';
    const failed = await sendGraphQL(mutation, { id: 999_999 }, { token, key: newKey() });
    expect([failed.replayed, JSON.parse(failed.body).errors[0].extensions.code]).to.deep.equal([
      null,
      'ARTICLE_NOT_FOUND',
    ]);
  });

  it('is rejected with an invalid key, or with more than one', async () => {
    const { token } = member;
    const json = { categoryName: 'Never' };
    for (const [key, expected] of [
      ['', 'got "" (0 characters)'],
      ['two words', 'got "two words" (9 characters)'],
      ['caf\u00e9', '(4 characters)'],
      ['k'.repeat(256), '(256 characters)'],
    ] as const) {
      const headers = { 'Idempotency-Key': key };
      const response = await call(app.url, 'POST /api/categories', { token, json, headers });
      expect([response.status, response.body?.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
      expect(fieldErrors(response)[0]).to.match(/^Idempotency-Key: Expected 1 to 255 visible ASCII characters/);
      expect(fieldErrors(response)[0]).to.contain(expected);
    }
    expect((await send('POST /api/categories', { token, key: `~!${'k'.repeat(253)}`, json })).status).to.equal(201);
    const twice = await new Promise<number>((resolve, reject) => {
      const { port } = new URL(app.url);
      const headers = ['Authorization', `Bearer ${token}`, 'Idempotency-Key', 'a', 'Idempotency-Key', 'a', 'Host', 'x'];
      const outgoing = request({ port, host: '127.0.0.1', method: 'PUT', path: '/api/notifications/read', headers });
      outgoing.once('response', (response) => resolve(response.resume().statusCode ?? 0)).once('error', reject);
      outgoing.end();
    });
    expect(twice).to.equal(400);
  });

  it('is executed again after 24 hours, also before the job has deleted the key', async () => {
    const sent = { token: member.token, key: newKey(), json: { content: 'Daily.' } };
    const target = `POST /api/articles/${article.id}/comments`;
    const first = await send(target, sent);
    const age = (hours: number) =>
      app.database.sequelize.query(`update idempotency_keys set created_at = now() - interval '${hours} hours'`);
    await age(23);
    expect((await send(target, sent)).replayed).to.equal('true');
    await age(25);
    const later = await send(target, sent);
    expect([later.status, later.replayed]).to.deep.equal([201, null]);
    expect(JSON.parse(later.body).data.id).to.not.equal(JSON.parse(first.body).data.id);
    expect((await send(target, sent)).body).to.equal(later.body);
  });

  it('is deleted by a job after 24 hours', async () => {
    const request = { token: member.token, key: newKey(), json: { categoryName: 'Old' } };
    await send('POST /api/categories', request);
    const { sequelize } = app.database;
    await sequelize.query("update idempotency_keys set created_at = now() - interval '25 hours'");
    await sequelize.query(
      "insert into idempotency_keys (id, fingerprint, status, headers, body, created_at) select sha256(n::text::bytea), sha256('x'), 200, '{}', '', now() - interval '2 days' from generate_series(1, 2500) n",
    );
    await send('POST /api/categories', { ...request, key: newKey(), json: { categoryName: 'New' } });
    await addJobs(app.database, 'delete-expired-idempotency-keys', [{}]);
    await runJobs(app);
    expect(await rowsOf('idempotency_keys')).to.equal(1);
    expect(schedule.map(({ task }) => task)).to.include('delete-expired-idempotency-keys');
  });

  it('counts in the write quota of the member, with the bytes of the stored response', async () => {
    const own = await buildMember(app.url);
    const counted = async () => {
      const [rows] = (await app.database.sequelize.query(
        "select key, points from rate_limits where key ~ '^write' order by key",
      )) as [{ key: string; points: number }[], unknown];
      return rows.map(({ points }) => points);
    };
    await app.database.sequelize.query('delete from rate_limits');
    const content = 'x'.repeat(10_000);
    const mutation = `mutation ($c: String!) { createArticle(input: { title: "T", content: $c }) { a: content b: content } }`;
    const request = { token: own.token, key: newKey() };
    const { body } = await sendGraphQL(mutation, { c: content }, request);
    expect(body.length, body).to.be.greaterThan(20_000);
    // The text is in the change once, and in the response twice, of which 4 KiB are free.
    expect(await counted()).to.deep.equal([20_002 + body.length - 10_001 - 4096, 1]);
    await sendGraphQL(mutation, { c: content }, request);
    expect((await counted())[1]).to.equal(2);
  });

  it('adds two statements to a change, and none without the header', async () => {
    const comment = `mutation { createComment(input: { articleId: ${article.id}, content: "x" }) { id author { id } } }`;
    const image = multipart([filePart(await flat(4, 4).png().toBuffer())]);
    const changes: readonly Change[] = [
      () => ['POST /api/articles', { json: { title: 'Counted', content: 'x' } }],
      () => ['PATCH /api/members/me', { json: { bio: 'Counted' } }],
      () => [`POST /api/articles/${article.id}/comments`, { json: { content: 'Counted.' } }],
      async () => [`DELETE /api/articles/${(await buildArticle(app.url, {}, member)).id}`, {}],
      () => ['POST /api/images', image],
      () => ['POST /graphql', { json: { query: comment } }],
    ];
    for (const change of changes) {
      const { target, plain, keyed } = await statementsOf(change);
      expect(
        plain.filter((text) => text.includes('idempotency')),
        target,
      ).to.deep.equal([]);
      expect(keyed.length, `${target}\n${keyed.join('\n')}`).to.equal(plain.length + 2);
      expect(keyed.filter((text) => text.includes('idempotency_keys'))).to.have.length(2);
    }
  });

  it('adds a third statement, which counts the bytes, if the response is more than 4 KiB larger than its text', async () => {
    const query = `mutation ($c: String!) { createArticle(input: { title: "T", content: $c }) { a: content b: content } }`;
    const { plain, keyed } = await statementsOf(() => [
      'POST /graphql',
      { json: { query, variables: { c: 'x'.repeat(10_000) } } },
    ]);
    expect(keyed.length, keyed.join('\n')).to.equal(plain.length + 3);
    expect(keyed.at(-1)).to.include('rate_limits');
  });

  type Change = () => RequestToSend | Promise<RequestToSend>;
  type RequestToSend = [target: string, options: Parameters<typeof send>[1]];

  /** The statements of a change without and with a key, except those that control transactions. */
  async function statementsOf(change: Change) {
    const control = /^(?:START TRANSACTION|COMMIT)/;
    const texts = async (key?: string) => {
      const [target, options] = await change();
      const all = await statementsDuring(() => send(target, { ...options, token: member.token, ...(key && { key }) }));
      return { target, texts: all.filter((text) => !control.test(text)) };
    };
    await texts();
    const { target, texts: plain } = await texts();
    return { target, plain, keyed: (await texts(newKey())).texts };
  }

  it('gives a change of one statement a transaction', async () => {
    const target = 'POST /api/drafts';
    const request = { token: member.token, key: newKey(), json: { title: 'A draft', content: 'In a transaction.' } };
    const texts = await statementsDuring(() => send(target, request));
    const from = texts.findIndex((text) => text.startsWith('START TRANSACTION'));
    const expected = [
      /^START/,
      /insert into idempotency_keys/,
      /insert into drafts/,
      /^update idempotency_keys/,
      /^COMMIT/,
    ];
    for (const [index, pattern] of expected.entries()) expect(texts[from + index]).to.match(pattern);
    expect(texts).to.have.length(from + expected.length);
  });

  it('is not stored if the operation returns a secret, or has no transaction', async () => {
    const { email, password } = member;
    const rows = await rowsOf('idempotency_keys');
    const login = { key: newKey(), json: { email, password } };
    const [first, second] = [await send('POST /api/auth/login', login), await send('POST /api/auth/login', login)];
    expect([first.status, second.status, second.replayed]).to.deep.equal([200, 200, null]);
    expect(second.body).to.not.equal(first.body);
    const mutation = 'mutation ($input: LoginInput!) { login(input: $input) { __typename } }';
    const input = { email, password };
    expect((await sendGraphQL(mutation, { input }, { key: 'not valid' })).status).to.equal(200);
    expect(
      (await send('POST /api/external/gemini', { token: member.token, key: newKey(), json: { prompt: 'x' } })).status,
    ).to.equal(503);
    expect((await send('GET /api/members/me', { token: member.token, key: 'not valid' })).status).to.equal(200);
    expect(await rowsOf('idempotency_keys')).to.equal(rows);
  });

  it('needs a GraphQL document with one mutation field', async () => {
    const two =
      'mutation { a: createCategory(name: "A") { id } ...More } fragment More on Mutation { b: createCategory(name: "B") { id } }';
    const response = await sendGraphQL(two, {}, { token: member.token, key: newKey() });
    expect(response.status).to.equal(400);
    expect(JSON.parse(response.body).errors[0].message).to.equal(
      'Idempotency-Key requires a document with exactly one mutation field, got 2.',
    );
    const query = await sendGraphQL('{ me { id } }', {}, { token: member.token, key: 'not valid' });
    expect(query.status).to.equal(200);
  });

  it('waits up to 5 seconds for the same request in another process, which holds the lock of the key', async () => {
    const sent = { token: member.token, key: newKey(), json: { content: 'Held.' } };
    const target = `POST /api/articles/${article.id}/comments`;
    await send(target, sent);
    const [[row]] = (await app.database.sequelize.query(
      'select id from idempotency_keys order by created_at desc limit 1',
    )) as [{ id: Buffer }[], unknown];
    await app.database.sequelize.query('truncate idempotency_keys');
    const blocking = await app.database.sequelize.transaction();
    await app.database.sequelize.query(
      `select pg_advisory_xact_lock(${IDEMPOTENCY_LOCKS}, ${row?.id.readInt32BE(0)})`,
      { transaction: blocking },
    );
    let later: Promise<Sent>;
    try {
      const started = performance.now();
      const waiting = send(target, sent);
      const rejected = Promise.all(Array.from({ length: 50 }, () => send(target, sent)));
      expect((await send('GET /api/members/me', { token: member.token })).status).to.equal(200);
      // They hold no connection while they wait; a few may be checking the lock at this moment.
      await until(() => app.database.poolState().inUse < 4);
      const response = await waiting;
      expect([response.status, JSON.parse(response.body).code]).to.deep.equal([409, 'IDEMPOTENCY_KEY_IN_USE']);
      expect(response.retryAfter).to.equal('1');
      expect(performance.now() - started).to.be.greaterThan(4_500);
      expect(new Set((await rejected).map(({ status }) => status))).to.deep.equal(new Set([409]));
      later = send(target, sent);
    } finally {
      await blocking.rollback();
    }
    expect((await later).status).to.equal(201);
  }).timeout(30_000);

  it('is deleted when the member withdraws', async () => {
    const { token, password } = await buildMember(app.url);
    const rows = await rowsOf('idempotency_keys');
    await send('POST /api/categories', { token, key: newKey(), json: { categoryName: 'Gone' } });
    expect(await rowsOf('idempotency_keys')).to.equal(rows + 1);
    expect((await send('DELETE /api/members/me', { token, key: newKey(), json: { password } })).status).to.equal(200);
    expect(await rowsOf('idempotency_keys')).to.equal(rows);
  });

  it('is deleted when the member withdraws whom it created', async () => {
    const rows = await rowsOf('idempotency_keys');
    const json = { email: 'gone@example.org', password: 'a long password', memberName: 'Gone' };
    await send('POST /api/auth/register', { key: newKey(), json });
    expect(await rowsOf('idempotency_keys')).to.equal(rows + 1);
    const { accessToken: token } = await logIn(app.url, json);
    await send('DELETE /api/members/me', { token, json: { password: json.password } });
    expect(await rowsOf('idempotency_keys')).to.equal(rows);
  });

  it('is rejected if its input has too many values', async () => {
    const { token } = member;
    const json = { title: 'x', content: 'x', tags: Array(20_000).fill('x') };
    const response = await send('POST /api/articles', { token, key: newKey(), json });
    expect([response.status, JSON.parse(response.body).code]).to.deep.equal([400, 'VALIDATION_FAILED']);
    const deep = `{"query":"mutation { logout { id } }","variables":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const headers = { 'Content-Type': 'application/json' };
    const nested = await send('POST /graphql', { token, key: newKey(), body: Buffer.from(deep), headers });
    expect([nested.status, JSON.parse(nested.body).errors[0].extensions.code]).to.deep.equal([
      400,
      'QUERY_TOO_COMPLEX',
    ]);
  });

  it('is rejected without a change if its response would be too large to store, or too costly to build', async () => {
    const { token } = member;
    const rows = await rowsOf('comments');
    const create = (selection: string) =>
      sendGraphQL(
        `mutation { createComment(input: { articleId: ${article.id}, content: "Large." }) { ${selection} } }`,
        {},
        { token, key: newKey() },
      );
    const costly = await create('article { comments(first: 100) { edges { node { id replies { id } } } } }');
    expect(JSON.parse(costly.body).errors[0].extensions.code).to.equal('QUERY_TOO_COMPLEX');
    expect(await rowsOf('comments')).to.equal(rows);
    const { id } = await buildArticle(app.url, { content: `a${'\u0001'.repeat(99_998)}` }, member);
    const large = await sendGraphQL(
      `mutation { createComment(input: { articleId: ${id}, content: "Large." }) { article { a: content b: content } } }`,
      {},
      { token, key: newKey() },
    );
    expect(JSON.parse(large.body).errors[0].extensions.code).to.equal('QUERY_TOO_COMPLEX');
    expect(await rowsOf('comments')).to.equal(rows);
  });
});

describe('Fields of a mutation with an Idempotency-Key', () => {
  it('show the change, which is not committed yet', async () => {
    const { id, author } = await buildArticle(app.url);
    const mutation = `mutation ($id: ID!) {
      createComment(input: { articleId: $id, content: "New." }) { author { nickname } article { commentCount comments(first: 5) { edges { node { content } } } } }
    }`;
    const { body } = await sendGraphQL(mutation, { id }, { token: author.token, key: newKey() });
    expect(JSON.parse(body).errors, body).to.equal(undefined);
    expect(JSON.parse(body).data.createComment.article).to.deep.equal({
      commentCount: 1,
      comments: { edges: [{ node: { content: 'New.' } }] },
    });
  });
});
