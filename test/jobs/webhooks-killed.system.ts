/** Many messages to one receiver from processes that share a database, one of which is killed between a delivery and its record. */
import { createServer, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { buildArticle, buildMember } from '../support/build.js';
import { readPage } from '../support/changes.js';
import { call, expectStatus } from '../support/client.js';
import { execute, freshDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { closeServer, freePort, listen } from '../support/server.js';
import { until } from '../support/until.js';

/** Overridden to measure. */
const MESSAGES = Number(process.env.WEBHOOK_MESSAGES ?? 700);
const BATCH = 10_000;

describe(`${MESSAGES} messages of a webhook`, function () {
  this.timeout(1_200_000);
  let environment: Record<string, string>;
  let databaseUrl: string;
  const services: ServiceProcess[] = [];
  const received: { id: string; text: string; subject: number }[] = [];
  const rejected: string[] = [];
  let library: Webhook;
  /** The message at which the receiver does not respond until it is released. */
  let heldAt = Number.POSITIVE_INFINITY;
  let held: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    try {
      library.verify(text, request.headers as Record<string, string>);
    } catch (error) {
      rejected.push(String(error));
    }
    received.push({ id: String(request.headers['webhook-id']), text, subject: JSON.parse(text).data.id });
    if (received.length === heldAt) held = response;
    else response.writeHead(204).end();
  });

  before(async () => {
    databaseUrl = await freshDatabase('webhooks_killed');
    environment = { DATABASE_URL: databaseUrl, DATA_DIR: await makeFolder(), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' };
    await start();
  });
  after(async () => {
    await Promise.all(services.map(kill));
    await closeServer(server);
  });

  async function start(): Promise<ServiceProcess> {
    const service = await startProcess({ ...environment, PORT: String(await freePort()) });
    services.push(service);
    await service.waitForOutput('Daybook is ready.');
    return service;
  }

  async function kill(service: ServiceProcess): Promise<void> {
    service.child.kill('SIGKILL');
    await service.ended;
  }

  it('arrive in order and without loss, and twice only after a kill, with the same bytes', async () => {
    const [first] = services;
    if (!first) throw new Error('no service');
    const admin = await buildMember(first.url);
    await execute([`update members set role = 'ADMIN' where id = ${admin.id}`], databaseUrl);
    const article = await buildArticle(first.url, {}, admin);
    const address = `http://127.0.0.1:${await listen(server)}/hook`;
    const json = { url: address, events: ['comment.created'], password: admin.password };
    const created = call(first.url, 'POST /api/webhooks', { token: admin.token, json });
    library = new Webhook(String((await expectStatus(created, 201, '1')).body?.data.secret));
    const { cursor } = await readPage(first.url, { since: 'latest' });
    heldAt = Math.ceil(MESSAGES / 3);
    const startedAt = performance.now();
    for (let from = 0; from < MESSAGES; from += BATCH)
      await execute(
        [
          `insert into comments (article_id, member_id, content)
           select ${article.id}, ${admin.id}, 'Comment' from generate_series(1, least(${BATCH}, ${MESSAGES - from}))`,
        ],
        databaseUrl,
      );
    await until(() => held !== undefined, 600_000);
    await kill(first);
    const beforeKill = performance.now() - startedAt;
    const others = [await start(), await start()];
    await until(() => received.length > MESSAGES, 600_000);
    const seconds = Math.round(performance.now() - startedAt) / 1_000;
    process.stderr.write(
      `    ${heldAt} messages in ${(beforeKill / 1_000).toFixed(1)} s, ${MESSAGES} with the kill in ${seconds} s\n`,
    );

    const expected: number[] = [];
    for (let since = cursor, hasMore = true; hasMore; ) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(others[0]?.url ?? '', {
        since,
        types: 'comment',
        size: 500,
      });
      expected.push(...page.changes.map(({ id }) => id));
      ({ cursor: since, hasMore } = page);
    }
    expect(expected).to.have.length(MESSAGES);
    expect(rejected).to.deep.equal([]);
    const [before, again] = received.slice(heldAt - 1, heldAt + 1);
    expect(again).to.deep.equal(before);
    received.splice(heldAt, 1);
    expect(received.map(({ subject }) => subject)).to.deep.equal(expected);
    expect(new Set(received.map(({ id }) => id)).size).to.equal(MESSAGES);
  });
});
