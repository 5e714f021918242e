/** Webhooks: who manages them, what is shown of them, and what is not stored in plain text. Their deliveries: test/jobs/webhooks.test.ts. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { numberChanges } from '../../support/changes.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { buildWithRole, setRole, suspend } from '../../support/roles.js';
import {
  attemptsOf,
  createWebhook,
  isSigned,
  LOOPBACK,
  status,
  useDeliveries,
  useReceiver,
  webhookOf,
} from '../../support/webhooks.js';

const app = useApp(LOOPBACK);
const HOOK = 'https://hooks.example.org/daybook';

describe('Webhooks', () => {
  const receiver = useReceiver();
  const { deliver, advance } = useDeliveries(app);
  let admin: BuiltMember;
  before(async () => {
    admin = await buildWithRole(app, 'ADMIN');
  });

  const request = (path: string, json?: object, by: BuiltMember | null = admin) =>
    call(app.url, path, { ...(by && { token: by.token }), ...(json && { json }) });

  it('are created with a secret that is shown once and stored encrypted', async () => {
    const created = await createWebhook(app, admin, HOOK, ['article.created', 'article.created', 'member.removed']);
    expect(created.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id, secret, ...shown } = created;
    expect(shown).to.deep.include({
      ...{ url: HOOK, events: ['article.created', 'member.removed'], enabled: true, disabledReason: null, failures: 0 },
      ...{ pendingSince: null, nextAttemptAt: null, lastSuccessAt: null },
    });
    expect(await webhookOf(app, admin, id)).to.deep.equal({ id, ...shown });
    const { body } = await request('GET /api/webhooks');
    expect(body?.data.contents).to.deep.equal([{ id, ...shown }]);
    const [row] = await rowsOf<{ secret: Buffer }>(app.database, 'select secret from webhooks');
    expect(row?.secret.includes(Buffer.from(secret.slice(6), 'base64'))).to.equal(false);
    expect(row?.secret.includes(secret.slice(6, 20))).to.equal(false);
  });

  it('are for admins only, whose role is read again under the lock, and not for API tokens', async () => {
    const { id } = await createWebhook(app, admin, HOOK, ['changes']);
    const [member, moderator] = [await buildMember(app.url), await buildWithRole(app, 'MODERATOR')];
    const requests: [string, object?][] = [
      ['GET /api/webhooks'],
      ['POST /api/webhooks', { url: HOOK, events: ['changes'], password: member.password }],
      [`GET /api/webhooks/${id}`],
      [`PATCH /api/webhooks/${id}`, { enabled: false }],
      [`POST /api/webhooks/${id}/secret`, { password: member.password }],
      [`POST /api/webhooks/${id}/test`],
      [`POST /api/webhooks/${id}/resume`, {}],
      [`GET /api/webhooks/${id}/attempts`],
      [`DELETE /api/webhooks/${id}`],
    ];
    for (const [path, json] of requests) {
      expect((await request(path, json, null)).status, path).to.equal(401);
      for (const by of [member, moderator])
        expect((await request(path, json, by)).body?.code, path).to.equal('ROLE_MISSING');
    }
    const created = await expectStatus(
      request('POST /api/members/me/tokens', { name: 'All', scopes: ['read', 'articles'], password: admin.password }),
      201,
      '1',
    );
    const { status, body } = await call(app.url, 'GET /api/webhooks', { token: created.body?.data.token });
    expect([status, body?.code]).to.deep.equal([403, 'SCOPE_MISSING']);
    const suspended = await buildWithRole(app, 'ADMIN');
    await suspend(app, suspended.id);
    expect((await request('GET /api/webhooks', undefined, suspended)).body?.code).to.equal('MEMBER_SUSPENDED');
    const former = await buildWithRole(app, 'ADMIN');
    await setRole(app, former.id, 'MEMBER');
    expect((await request(`DELETE /api/webhooks/${id}`, undefined, former)).body?.code).to.equal('ROLE_MISSING');
  });

  it('take proof where they are created, sent elsewhere, or get another secret', async () => {
    const { id } = await createWebhook(app, admin, HOOK, ['changes']);
    for (const [path, json] of [
      ['POST /api/webhooks', { url: HOOK, events: ['changes'] }],
      [`PATCH /api/webhooks/${id}`, { url: `${HOOK}/2` }],
      [`POST /api/webhooks/${id}/secret`, {}],
    ] as const) {
      expectFieldErrors(await request(path, json), 'password: is required: send your current password');
      expectFieldErrors(await request(path, { ...json, password: 'wrong' }), 'password: is not your current password');
    }
    await expectStatus(request(`PATCH /api/webhooks/${id}`, { url: `${HOOK}/2`, password: admin.password }), 200, '1');
    await expectStatus(request(`PATCH /api/webhooks/${id}`, { events: ['article.removed'] }), 200, '1');
    expect(await webhookOf(app, admin, id)).to.deep.include({ url: `${HOOK}/2`, events: ['article.removed'] });
  });

  it('accept https URLs of public addresses, and what WEBHOOK_ALLOWED_HOSTS permits', async () => {
    const { password } = admin;
    const wrong = ['http://example.org/', 'https://10.0.0.1/', 'https://[::1]/', 'https://[::ffff:8.8.8.8]/'];
    const others = ['https://user:pw@example.org/', 'ftp://127.0.0.1/', 'example.org', 'https://169.254.169.254/'];
    for (const url of [...wrong, ...others, 'https://0x7f000002/', 'http://2130706434/']) {
      const { status, body } = await request('POST /api/webhooks', { url, events: ['changes'], password });
      expect([status, body?.data.errors?.[0]?.field], url).to.deep.equal([400, 'url']);
    }
    for (const url of ['http://127.0.0.1:9/hook', 'https://127.0.0.1/', 'https://8.8.8.8/'])
      await createWebhook(app, admin, url, ['changes']);
  });

  it('accept known events, and `changes` alone', async () => {
    const create = (events: string[]) => request('POST /api/webhooks', { url: HOOK, events, password: admin.password });
    expectFieldErrors(await create([]), 'events: must have at least one element');
    expectFieldErrors(await create(['changes', 'article.created']), 'events: cannot have other events beside changes');
    const unknown = await create(['article.liked']);
    expect(unknown.body?.data.errors[0].message).to.include('article.created').and.to.include('article.liked');
  });

  it('are at most 20, also when they are created at the same time', async () => {
    for (let count = 0; count < 19; count++) await createWebhook(app, admin, HOOK, ['changes']);
    const json = { url: HOOK, events: ['changes'], password: admin.password };
    const created = await Promise.all([1, 2, 3].map(() => request('POST /api/webhooks', json)));
    expect(created.map(({ status }) => status).sort()).to.deep.equal([201, 400, 400]);
    expect(created.map(({ body }) => body?.code)).to.include('WEBHOOK_LIMIT_REACHED');
  });

  it('ignore the Idempotency-Key where the response has a secret', async () => {
    const headers = { 'Idempotency-Key': 'again' };
    const json = { url: HOOK, events: ['changes'], password: admin.password };
    const create = () => call(app.url, 'POST /api/webhooks', { token: admin.token, json, headers });
    const [first, second] = [await create(), await create()];
    expect(first.body?.data.id).to.not.equal(second.body?.data.id);
    expect(await rowsOf(app.database, `select body from idempotency_keys where body like '%whsec%'`)).to.have.length(0);
  });

  it('record their changes as security events of the admin', async () => {
    const by = await buildWithRole(app, 'ADMIN');
    const { id } = await createWebhook(app, by, HOOK, ['changes']);
    await expectStatus(request(`PATCH /api/webhooks/${id}`, { enabled: false }, by), 200, '1');
    await expectStatus(request(`POST /api/webhooks/${id}/resume`, {}, by), 200, '1');
    await expectStatus(request(`POST /api/webhooks/${id}/secret`, { password: by.password }, by), 200, '1');
    await expectStatus(request(`DELETE /api/webhooks/${id}`, undefined, by), 200, '1');
    const { body } = await request('GET /api/members/me/security-events', undefined, by);
    const kinds = body?.data.contents.map(({ kind }: { kind: string }) => kind);
    const expected = ['DELETED', 'SECRET_ROTATED', 'CHANGED', 'CHANGED', 'CREATED'].map((kind) => `WEBHOOK_${kind}`);
    expect(kinds.slice(0, 5)).to.deep.equal(expected);
    expect((await request(`GET /api/webhooks/${id}`, undefined, by)).body?.code).to.equal('WEBHOOK_NOT_FOUND');
  });

  it('are tested at once, also while disabled, and without an effect on what waits', async () => {
    const { id, secret } = await createWebhook(app, admin, receiver.url, ['changes']);
    await expectStatus(request(`PATCH /api/webhooks/${id}`, { enabled: false }), 200, '1');
    receiver.respond = (response) => void response.writeHead(503).end('Down \u0000for'.padEnd(300, '글'));
    const { body } = await expectStatus(request(`POST /api/webhooks/${id}/test`), 200, '1');
    const [message] = receiver.received;
    if (!message) throw new Error('no message');
    expect(message.body).to.deep.include({ type: 'webhook.test', data: { webhookId: id } });
    expect(isSigned(message, secret)).to.equal(true);
    expect(body?.data).to.deep.include({ messageId: message.id, event: 'webhook.test', status: 503, error: null });
    expect(String(body?.data.response)).to.have.length(200);
    expect(body?.data.response).to.match(/^Down {2}for글/);
    expect(await attemptsOf(app, admin, id)).to.deep.equal([body?.data]);
    expect(await webhookOf(app, admin, id)).to.deep.include({ failures: 0, enabled: false, lastSuccessAt: null });
  });

  it('show what waits for a disabled webhook, without what it does not want', async () => {
    const { id } = await createWebhook(app, admin, HOOK, ['article.removed']);
    await request(`PATCH /api/webhooks/${id}`, { enabled: false });
    const article = await buildArticle(app.url, {}, admin);
    await numberChanges(app.database);
    expect((await webhookOf(app, admin, id)).pendingSince).to.equal(null);
    await expectStatus(request(`DELETE /api/articles/${article.id}`), 200, '1');
    await numberChanges(app.database);
    expect((await webhookOf(app, admin, id)).pendingSince).to.match(/^2\d{3}-/);
  });

  it('continue where they stopped, at a cursor, or with what changes from now on', async () => {
    const { id } = await createWebhook(app, admin, receiver.url, ['article.created']);
    receiver.respond = status(500);
    const [first, second] = [await buildArticle(app.url, {}, admin), await buildArticle(app.url, {}, admin)];
    await deliver();
    const [{ messageId, cursor }] = await attemptsOf(app, admin, id);
    receiver.respond = status(204);
    expect(await webhookOf(app, admin, id)).to.deep.include({ failures: 1 });
    await expectStatus(request(`POST /api/webhooks/${id}/resume`), 200, '1');
    expect(await webhookOf(app, admin, id)).to.deep.include({ failures: 0, nextAttemptAt: null });
    await deliver();
    expect(receiver.received.map(({ body }) => body.data.id)).to.deep.equal([first.id, first.id, second.id]);
    expect(receiver.received[1]?.id).to.equal(messageId);
    await expectStatus(request(`POST /api/webhooks/${id}/resume`, { since: cursor }), 200, '1');
    await deliver();
    expect(receiver.received.map(({ body }) => body.data.id).slice(3)).to.deep.equal([second.id]);
    await buildArticle(app.url, {}, admin);
    await numberChanges(app.database);
    await expectStatus(request(`POST /api/webhooks/${id}/resume`, { since: 'latest' }), 200, '1');
    await deliver();
    expect(receiver.received).to.have.length(4);
    const expired = await request(`POST /api/webhooks/${id}/resume`, { since: 'A0000000000000000001.0.0' });
    expect([expired.status, expired.body?.code]).to.deep.equal([410, 'CURSOR_EXPIRED']);
    expect(expired.body?.message).to.include('latest');
    expectFieldErrors(
      await request(`POST /api/webhooks/${id}/resume`, { since: 'yesterday' }),
      'since: must be latest, or the cursor of a page of changes',
    );
  });

  it('sign with both secrets for 24 hours after a rotation', async () => {
    const { id, secret } = await createWebhook(app, admin, receiver.url, ['article.created']);
    const rotated = await expectStatus(
      request(`POST /api/webhooks/${id}/secret`, { password: admin.password }),
      200,
      '1',
    );
    const next = rotated.body?.data.secret;
    const signers = async () => {
      await buildArticle(app.url, {}, admin);
      await deliver();
      const message = receiver.received.at(-1);
      return message && [secret, next].map((one) => isSigned(message, one));
    };
    expect(await signers()).to.deep.equal([true, true]);
    advance(24 * 3_600_000);
    expect(await signers()).to.deep.equal([false, true]);
  });

  it('are the same over GraphQL', async () => {
    const mutation = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret } }`;
    const input = { url: HOOK, events: ['changes'], password: admin.password };
    const { id } = (await graphql(app.url, mutation, { input }, admin.token)).data.createWebhook;
    const query = `query ($id: ID!) { webhook(id: $id) { url events } webhooks { contents { id } pagination { totalElements } }
      webhookAttempts(id: $id) { contents { messageId } } }`;
    const { data } = await graphql(app.url, query, { id }, admin.token);
    expect(data.webhook).to.deep.equal({ url: HOOK, events: ['changes'] });
    expect(data.webhooks).to.deep.equal({ contents: [{ id }], pagination: { totalElements: 1 } });
    expect(data.webhookAttempts.contents).to.deep.equal([]);
    const { errors } = await graphql(app.url, query, { id }, (await buildMember(app.url)).token);
    expect(errors?.map(({ extensions }) => extensions.code)).to.deep.equal(Array(3).fill('ROLE_MISSING'));
  });
});
