/** The deliveries of webhooks: what is sent, in which order, how often, and what ends them. */
import { expect } from 'chai';
import ms from 'ms';
import { WebhookDeliveries } from '../../src/jobs/webhooks.js';
import { RESET_CHANGES } from '../../src/models/change.js';
import { MESSAGE_DELIVERED } from '../../src/models/webhook/delivery.js';
import { MAX_WEBHOOKS } from '../../src/models/webhook/webhook.js';
import type { Database } from '../../src/platform/database/pool.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { numberChanges, readPage } from '../support/changes.js';
import { call, expectStatus } from '../support/client.js';
import { readableLog } from '../support/log.js';
import { waitingMails } from '../support/mails.js';
import { scrape } from '../support/metrics.js';
import { useNameServer } from '../support/name-server.js';
import { buildWithRole } from '../support/roles.js';
import { until } from '../support/until.js';
import {
  attemptsOf,
  briefMessage,
  createWebhook,
  isSigned,
  LOOPBACK,
  status,
  useDeliveries,
  useReceiver,
  webhookOf,
} from '../support/webhooks.js';

const app = useApp({
  ...LOOPBACK,
  WEBHOOK_BATCH_SECONDS: '10',
  ARTICLE_URL: 'https://journal.example.org/{slug}',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'journal@example.org',
});

describe('The deliveries of webhooks', () => {
  const receiver = useReceiver();
  const other = useReceiver();
  const hooks = useDeliveries(app);
  const { deliver, advance } = hooks;
  let admin: BuiltMember;
  let author: BuiltMember;
  before(async () => {
    admin = await buildWithRole(app, 'ADMIN');
    author = await buildMember(app.url);
  });

  const ALL = ['article', 'comment', 'member', 'category', 'series'].flatMap((type) =>
    ['created', 'updated', 'removed'].map((action) => `${type}.${action}`),
  );
  const create = (events: readonly string[] = ALL, url = receiver.url) => createWebhook(app, admin, url, events);
  const change = (target: string, json?: object) =>
    expectStatus(call(app.url, target, { token: author.token, ...(json && { json }) }), 200, '1');
  const setVisibility = (id: number, visibility: string) =>
    change(`PUT /api/articles/${id}/visibility`, { visibility });

  it('are signed messages with ids and no texts, in the order of the feed', async () => {
    const { id, secret } = await create();
    const { cursor } = await readPage(app.url, { since: 'latest' });
    const article = await buildArticle(app.url, { title: 'Owls at noon', content: 'In the attic.' }, author);
    const comment = await buildComment(app.url, article.id, {}, author);
    await deliver();
    await change(`DELETE /api/articles/${article.id}`);
    await deliver();
    expect(receiver.received.map(briefMessage)).to.deep.equal([
      `article.created ${article.id}`,
      `comment.created ${comment.id}`,
      `article.removed ${article.id}`,
    ]);
    const [first, second] = receiver.received;
    expect(first?.body.data).to.include({
      ...{ id: article.id, slug: 'owls-at-noon', url: 'https://journal.example.org/owls-at-noon', revision: 1 },
    });
    expect(Object.keys(first?.body.data)).to.have.members(['id', 'slug', 'url', 'revision', 'cursor']);
    expect(second?.body.data).to.include({ articleId: article.id, parentId: null, revision: 1 });
    expect(first?.body.timestamp).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(first?.headers).to.include({ 'content-type': 'application/json', 'accept-encoding': 'identity' });
    for (const message of receiver.received) {
      expect(isSigned(message, secret)).to.equal(true);
      expect(message.text.length).to.be.below(4_096);
      expect(message.id).to.match(/^msg_[\w-]+$/);
    }
    const page = await readPage(app.url, { since: first?.body.data.cursor });
    expect(page.changes.some((one) => one.id === article.id && one.action === 'created')).to.equal(false);
    expect((await readPage(app.url, { since: cursor })).cursor).to.equal((await attemptsOf(app, admin, id))[0].cursor);
    expect(await webhookOf(app, admin, id)).to.deep.include({ failures: 0, pendingSince: null });
  });

  it('repeat the same bytes with the same id, also after the object has changed, which follows', async () => {
    const { id, secret } = await create(['article.created', 'article.updated']);
    receiver.respond = status(500);
    const article = await buildArticle(app.url, { title: 'First' }, author);
    await deliver();
    const { title, content, category } = { title: 'Second', content: 'Changed.', category: undefined };
    await change(`PUT /api/articles/${article.id}`, { title, content, category });
    await deliver();
    expect(receiver.received, 'before it is due').to.have.length(1);
    const failed = await webhookOf(app, admin, id);
    expect(failed).to.include({ failures: 1 });
    expect(failed.pendingSince).to.be.a('string');
    expect(failed.nextAttemptAt).to.be.a('string');
    receiver.respond = status(204);
    advance(ms('6s'));
    await deliver();
    const [first, second, third] = receiver.received;
    if (!first || !second) throw new Error('no retry');
    expect([second.id, second.text]).to.deep.equal([first.id, first.text]);
    expect(second.timestamp).to.be.above(first.timestamp);
    expect(second.signature).to.not.equal(first.signature);
    expect(isSigned(second, secret)).to.equal(true);
    expect([third?.body.type, third?.body.data.revision]).to.deep.equal(['article.updated', 2]);
    expect(third?.id).to.not.equal(first.id);
  });

  describe('to receivers whose name servers do not respond', () => {
    const names = useNameServer();

    it('fail by themselves, and delay no other, nor the look-ups of the database', async () => {
      const silent = Array.from({ length: MAX_WEBHOOKS - 1 }, (_, index) => `hooks-${index}.example.org`);
      const created = [];
      for (const name of silent) created.push(await create(['article.created'], `https://${name}/`));
      await create(['article.created']);
      names.isForged = true;
      // Some of them respond that the response is truncated, and then no more.
      names.answer = (name, transport) =>
        !silent.includes(name) ? 3 : transport === 'UDP' && name.includes('1') ? 'truncated' : 'silent';
      const responses = new AbortController();
      const deliveries = new WebhookDeliveries(app.services, () => responses.signal);
      await buildArticle(app.url, {}, author);
      await numberChanges(app.database);
      await deliveries.startDue();
      await until(() => silent.every((name) => names.queries.includes(name)) && receiver.received.length === 1);
      expect(names.threads).to.deep.equal([]);
      responses.abort();
      await deliveries.settled();
      for (const { id } of created) {
        expect(await webhookOf(app, admin, id)).to.include({ failures: 1, enabled: true });
        expect((await attemptsOf(app, admin, id))[0]).to.include({ status: null, error: 'TIMEOUT' });
      }
    });
  });

  it('drop a message whose object is not public any more, and send its removal', async () => {
    const { id } = await create(['article.created', 'article.removed', 'comment.created']);
    receiver.respond = status(500);
    const article = await buildArticle(app.url, {}, author);
    await deliver();
    await setVisibility(article.id, 'PRIVATE');
    receiver.respond = status(204);
    advance(ms('6s'));
    await deliver();
    expect(receiver.received.map(briefMessage)).to.deep.equal([
      `article.created ${article.id}`,
      `article.removed ${article.id}`,
    ]);
    expect((await attemptsOf(app, admin, id)).map((one: { status: number }) => one.status)).to.deep.equal([204, 500]);
    await setVisibility(article.id, 'PUBLIC');
    const comment = await buildComment(app.url, article.id, {}, author);
    await deliver();
    receiver.received.length = 0;
    receiver.respond = status(500);
    const hidden = await buildComment(app.url, article.id, {}, author);
    await deliver();
    await setVisibility(article.id, 'PRIVATE');
    receiver.respond = status(204);
    advance(ms('6s'));
    await deliver();
    expect(receiver.received.map(briefMessage)).to.deep.equal([
      `comment.created ${hidden.id}`,
      `article.removed ${article.id}`,
    ]);
    expect(comment.id).to.be.below(hidden.id);
  });

  it('send every comment of an article that is public again, each with a cursor of its own', async () => {
    const article = await buildArticle(app.url, {}, author);
    const comments = [];
    for (let count = 0; count < 3; count++) comments.push(await buildComment(app.url, article.id, {}, author));
    await numberChanges(app.database);
    const { id } = await create(['article.removed', 'article.updated', 'comment.updated']);
    await setVisibility(article.id, 'PRIVATE');
    await numberChanges(app.database);
    await change(`DELETE /api/comments/${comments[1]?.id}`);
    await setVisibility(article.id, 'PUBLIC');
    await deliver();
    const rest = [comments[0], comments[2]].map((comment) => `comment.updated ${comment?.id}`);
    const expected = [`article.removed ${article.id}`, ...rest, `article.updated ${article.id}`];
    expect(receiver.received.map(briefMessage)).to.deep.equal(expected);
    // From each of the cursors, exactly what follows.
    for (const [index, { body }] of receiver.received.entries()) {
      other.received.length = 0;
      const since = body.data.cursor;
      const copy = await create(['article.removed', 'article.updated', 'comment.updated'], other.url);
      await expectStatus(
        call(app.url, `POST /api/webhooks/${copy.id}/resume`, { token: admin.token, json: { since } }),
        200,
        '1',
      );
      await deliver();
      expect(other.received.map(briefMessage), `${index}`).to.deep.equal(expected.slice(index + 1));
    }
    expect((await webhookOf(app, admin, id)).pendingSince).to.equal(null);
  });

  it('move over events that the webhook does not want', async () => {
    const { id } = await create(['series.removed']);
    for (let count = 0; count < 3; count++) await buildArticle(app.url, {}, author);
    await deliver();
    expect(receiver.received).to.deep.equal([]);
    const cursors = async () =>
      (await app.database.sequelize.query(`select cursor from webhooks where id = ${id}`))[0] as { cursor: string }[];
    expect(await cursors()).to.deep.equal([{ cursor: (await readPage(app.url, { since: 'latest' })).cursor }]);
    expect(await webhookOf(app, admin, id)).to.deep.include({ pendingSince: null, nextAttemptAt: null });
  });

  it('are one message for a burst with `changes`, some seconds after the first change', async () => {
    const { id } = await create(['changes']);
    const { cursor: since } = await readPage(app.url, { since: 'latest' });
    const article = await buildArticle(app.url, {}, author);
    await deliver();
    expect(receiver.received).to.deep.equal([]);
    const waiting = await webhookOf(app, admin, id);
    expect(Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.pendingSince)).to.be.within(9_000, 11_000);
    advance(ms('6s'));
    // The place of the only change moves, and its time does not.
    await change(`PUT /api/articles/${article.id}`, { title: 'Again', content: 'And again.' });
    await buildArticle(app.url, {}, author);
    await deliver();
    expect(receiver.received).to.deep.equal([]);
    advance(ms('5s'));
    await deliver();
    const { cursor } = await readPage(app.url, { since: 'latest' });
    expect(receiver.received.map(({ body }) => [body.type, body.data])).to.deep.equal([['changes', { since, cursor }]]);
    advance(ms('60s'));
    await deliver();
    expect(receiver.received, 'without a change').to.have.length(1);
  });

  it('send no message for changes of which nothing is left', async () => {
    await create(['changes']);
    const article = await buildArticle(app.url, {}, author);
    await deliver();
    await app.database.sequelize.query(
      `update changes set is_removed = true, created_number = null where id = ${article.id}`,
    );
    await app.database.sequelize.query(`delete from changes where type = 'article' and id = ${article.id}`);
    advance(ms('11s'));
    await deliver();
    expect(receiver.received).to.deep.equal([]);
  });

  it('are tried ten times over about 76 hours; then the webhook is disabled, and the admins get an email', async () => {
    const { id } = await create(['article.created']);
    receiver.respond = status(503);
    await buildArticle(app.url, {}, author);
    const delays: number[] = [];
    await deliver();
    for (let count = 1; count < 10; count++) {
      const { nextAttemptAt, failures } = await webhookOf(app, admin, id);
      expect(failures).to.equal(count);
      const wait = Date.parse(`${nextAttemptAt}Z`) + 1_000 - app.database.now();
      delays.push(wait);
      advance(wait);
      await deliver();
    }
    const expected = ['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'] as const;
    for (const [index, delay] of expected.entries())
      expect(delays[index], delay).to.be.within(ms(delay) * 0.9 - 2_000, ms(delay) * 1.1 + 2_000);
    expect(receiver.received).to.have.length(10);
    expect(new Set(receiver.received.map((message) => message.id))).to.have.property('size', 1);
    const disabled = await webhookOf(app, admin, id);
    expect(disabled).to.include({ enabled: false, disabledReason: 'failed', failures: 10, nextAttemptAt: null });
    expect((await waitingMails(app)).filter(({ template }) => template === 'webhookDisabled')).to.have.length(1);
    advance(ms('48h'));
    await deliver();
    expect(receiver.received).to.have.length(10);
    expect(await attemptsOf(app, admin, id)).to.have.length(10);
  });

  it('that fail are in the log once a minute, without the URL', async () => {
    const { id } = await create(['article.created']);
    receiver.respond = status(500);
    await buildArticle(app.url, {}, author);
    await numberChanges(app.database);
    const { log, lines } = readableLog('warn');
    const deliveries = new WebhookDeliveries({ ...app.services, log });
    const { now } = app.database;
    let time = now();
    app.database.now = () => time;
    for (const pauseMs of [0, ms('1m') - 1, 1, ms('1m') - 1, ms('27h')]) {
      time += pauseMs;
      await app.database.sequelize.query('update webhooks set next_attempt_at = null');
      await deliveries.startDue();
      await deliveries.settled();
    }
    app.database.now = now;
    const failed = lines.map((line) => JSON.parse(line)).map(({ time: _, ...others }) => others);
    const line = { level: 40, webhook: id, status: 500, error: null, msg: 'webhook: attempt failed' };
    expect(failed).to.deep.equal([1, 3, 5].map((failures) => ({ ...line, failures })));
  });

  it('end at once with 410', async () => {
    const { id } = await create(['article.created']);
    receiver.respond = status(410);
    await buildArticle(app.url, {}, author);
    await deliver();
    expect(await webhookOf(app, admin, id)).to.include({ enabled: false, disabledReason: 'gone', failures: 1 });
  });

  it('wait for Retry-After, at most 24 hours', async () => {
    const { id } = await create(['article.created']);
    await buildArticle(app.url, {}, author);
    const waits = async (headers: Record<string, string>) => {
      receiver.respond = status(429, headers);
      await call(app.url, `POST /api/webhooks/${id}/resume`, { token: admin.token });
      await deliver();
      return Date.parse(`${(await webhookOf(app, admin, id)).nextAttemptAt}Z`) - app.database.now();
    };
    expect(await waits({ 'Retry-After': '999999999' })).to.be.within(ms('24h') - 3_000, ms('24h') + 1_000);
    expect(await waits({ 'Retry-After': '120' })).to.be.within(ms('117s'), ms('121s'));
    const date = new Date(app.database.now() + ms('1h')).toUTCString();
    expect(await waits({ 'Retry-After': date })).to.be.within(ms('59m'), ms('61m'));
    expect(await waits({ 'Retry-After': 'soon' })).to.be.below(ms('6s'));
  });

  it('end when the secret cannot be decrypted, and read it with JWT_SECRET_PREVIOUS', async () => {
    const { id, secret } = await create(['article.created']);
    const { config, jwtSecret, ...services } = app.services;
    const rotated = { ...services, jwtSecret: 'another secret of the tests, long enough for HS256' };
    const deliverWith = async (jwtSecretPrevious: string | null, key = rotated.jwtSecret) => {
      await buildArticle(app.url, {}, author);
      await numberChanges(app.database);
      const with_ = { ...rotated, jwtSecret: key, config: { ...config, jwtSecretPrevious } };
      const deliveries = new WebhookDeliveries(with_);
      await deliveries.startDue();
      await deliveries.settled();
      return webhookOf(app, admin, id);
    };
    expect(await deliverWith(jwtSecret)).to.include({ enabled: true, failures: 0 });
    expect(receiver.received.map((message) => isSigned(message, secret))).to.deep.equal([true]);
    // Encrypted with the new key meanwhile: the previous one is not needed any more.
    expect(await deliverWith(null)).to.include({ enabled: true, failures: 0 });
    expect(await deliverWith(null, 'a third secret of the tests, long enough for HS256')).to.include({
      enabled: false,
      disabledReason: 'secret',
    });
    expect(receiver.received).to.have.length(2);
  });

  it('end when the feed was reset, and continue with what changes from now on', async () => {
    const { id } = await create(['article.created']);
    await app.database.query(RESET_CHANGES, []);
    await hooks.deliveries.startDue();
    await hooks.deliveries.settled();
    expect(await webhookOf(app, admin, id), 'while it is filled').to.include({ enabled: true, failures: 0 });
    for (let round = 0; round < 10; round++) await numberChanges(app.database);
    advance(ms('11s'));
    await deliver();
    expect(await webhookOf(app, admin, id)).to.include({ enabled: false, disabledReason: 'expired' });
    const resume = (json: object) => call(app.url, `POST /api/webhooks/${id}/resume`, { token: admin.token, json });
    await expectStatus(resume({}), 410, 'CURSOR_EXPIRED');
    await expectStatus(resume({ since: 'latest' }), 200, '1');
    const article = await buildArticle(app.url, {}, author);
    await deliver();
    expect(receiver.received.map(briefMessage)).to.deep.equal([`article.created ${article.id}`]);
  });

  it('are repeated by another process after one was killed between a delivery and its record', async () => {
    await create(['article.created']);
    const [first, second] = [await buildArticle(app.url, {}, author), await buildArticle(app.url, {}, author)];
    await numberChanges(app.database);
    // Nothing is recorded after the delivery, as if the process had been killed.
    const killed = new WebhookDeliveries({
      ...app.services,
      database: failingAt(app.database, MESSAGE_DELIVERED.name),
    });
    await killed.startDue();
    await killed.settled();
    expect(receiver.received.map(briefMessage)).to.deep.equal([`article.created ${first.id}`]);
    await deliver();
    expect(receiver.received, 'while it is claimed').to.have.length(1);
    advance(ms('61s'));
    await deliver();
    expect(receiver.received.map(briefMessage)).to.deep.equal(
      [first, first, second].map(({ id }) => `article.created ${id}`),
    );
    const [before, again] = receiver.received;
    expect([again?.id, again?.text]).to.deep.equal([before?.id, before?.text]);
  });

  it('are not blocked by times that were stored while a clock was years ahead', async () => {
    const { id } = await create(['article.created']);
    const { id: batch } = await create(['changes'], other.url);
    const query = (sql: string) => app.database.sequelize.query(sql);
    const years = "now() + interval '10 years'";
    for (const column of ['claimed_until', 'next_attempt_at']) {
      await buildArticle(app.url, {}, author);
      await query(`update webhooks set claim = gen_random_uuid(), ${column} = ${years} where id = ${id}`);
      const before = receiver.received.length;
      await deliver();
      expect(receiver.received.length, column).to.equal(before + 1);
    }
    await query(`update webhooks set pending_since = ${years} where id = ${batch}`);
    for (let count = 0; count < 2; count++) {
      advance(ms('11s'));
      await deliver();
    }
    expect(other.received).to.have.length(1);
  });

  it('run once with two processes', async () => {
    await create(['article.created']);
    const articles = [];
    for (let count = 0; count < 5; count++) articles.push(await buildArticle(app.url, {}, author));
    await numberChanges(app.database);
    const processes = [hooks.deliveries, new WebhookDeliveries(app.services)];
    for (let round = 0; round < 3; round++) await Promise.all(processes.map((one) => one.startDue()));
    await Promise.all(processes.map((one) => one.settled()));
    expect(receiver.received.map(({ body }) => body.data.id)).to.deep.equal(articles.map(({ id }) => id));
  });

  it('are not delayed by 19 receivers that never respond', async () => {
    receiver.respond = () => {};
    for (let count = 0; count < 19; count++) await create(['article.created']);
    const { id } = await create(['changes'], other.url);
    await buildArticle(app.url, {}, author);
    const hanging = new WebhookDeliveries(app.services);
    await numberChanges(app.database);
    await hanging.startDue();
    await until(() => receiver.received.length === 19);
    advance(ms('10s'));
    // Repeated as by the service: the run that has postponed the message may still have its claim.
    await until(async () => {
      await hanging.startDue();
      return other.received.length === 1;
    });
    await until(async () => (await webhookOf(app, admin, id)).lastSuccessAt !== null);
    const running = hanging.settled();
    receiver.respond = status(204);
    await hanging.stop();
    await running;
    expect(await attemptsOf(app, admin, id)).to.have.length(1);
  });

  it('that were interrupted are made again at once, and are not failures', async () => {
    const { id } = await create(['article.created']);
    receiver.respond = () => {};
    await buildArticle(app.url, {}, author);
    const stopping = new WebhookDeliveries(app.services);
    await numberChanges(app.database);
    await stopping.startDue();
    await until(() => receiver.received.length === 1);
    await stopping.stop();
    expect(await webhookOf(app, admin, id)).to.include({ failures: 0 });
    receiver.respond = status(200);
    await deliver();
    expect(receiver.received.map((message) => message.id)).to.deep.equal(Array(2).fill(receiver.received[0]?.id));
  });

  it('do not move the cursor of a webhook that was resumed elsewhere meanwhile, or deleted', async () => {
    const { id } = await create(['article.created']);
    const requests: (() => Promise<unknown>)[] = [
      () => call(app.url, `POST /api/webhooks/${id}/resume`, { token: admin.token, json: { since: 'latest' } }),
      () => call(app.url, `DELETE /api/webhooks/${id}`, { token: admin.token }),
    ];
    for (const request of requests) {
      receiver.respond = (response) => void request().then(() => response.writeHead(200).end());
      await buildArticle(app.url, {}, author);
      await buildArticle(app.url, {}, author);
      receiver.received.length = 0;
      await deliver();
      expect(receiver.received).to.have.length(1);
    }
  });

  it('keep the latest 200 attempts, and are counted in the metrics', async () => {
    const { id } = await create(['article.created']);
    const before = (await scrape(app.url)).value('daybook_webhook_deliveries_total', { result: 'delivered' }) ?? 0;
    await app.database.sequelize.query(
      `insert into webhook_attempts (webhook_id, message_id, event, cursor, attempted_at, duration_ms, response)
       select ${id}, 'msg_' || n, 'article.created', '', now(), 1, '' from generate_series(1, 205) n`,
    );
    await buildArticle(app.url, {}, author);
    await deliver();
    const { body } = await call(app.url, `GET /api/webhooks/${id}/attempts?size=100`, { token: admin.token });
    expect(body?.data.pagination.totalElements).to.equal(200);
    expect(body?.data.contents[0]).to.include({ status: 204 });
    await call(app.url, `PATCH /api/webhooks/${id}`, { token: admin.token, json: { enabled: false } });
    await buildArticle(app.url, {}, author);
    await numberChanges(app.database);
    const metrics = await scrape(app.url);
    expect(metrics.value('daybook_webhook_deliveries_total', { result: 'delivered' })).to.equal(before + 1);
    expect(metrics.value('daybook_webhook_oldest_seconds', { webhook: String(id) })).to.be.above(0);
  });
});

/** A database that loses its connection at this statement, and at all later ones. */
function failingAt(database: Database, name: string): Database {
  let isLost = false;
  const query: Database['query'] = (statement, values) => {
    isLost ||= statement.name === name;
    return isLost ? Promise.reject(new Error('killed')) : database.query(statement, values);
  };
  const failing: Database = { ...database, now: () => database.now(), query, forClient: () => failing };
  return failing;
}
