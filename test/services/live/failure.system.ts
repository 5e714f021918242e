/** Live notifications with several processes and after failures: no notification is lost or delivered twice. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { type Address, closeLiveClients, FOLLOWERS, type LiveClient } from '../../support/live.js';
import { openEvents, openSubscription } from '../../support/live-raw.js';
import { setNotificationType } from '../../support/notifications.js';
import { type RunningService, startService } from '../../support/process.js';
import { type Relay, startRelay } from '../../support/relay.js';
import { logIn } from '../../support/session.js';
import { until } from '../../support/until.js';

const commentsIn = ({ received }: LiveClient) => received.map(({ commentId }) => Number(commentId));

/** An article whose author has disabled SUMMARY notifications, so that the summary job adds none. */
async function buildQuietArticle(url: string): Promise<BuiltArticle> {
  const author = await buildMember(url);
  await setNotificationType(url, author, 'SUMMARY', false);
  return buildArticle(url, {}, author);
}

/** Writes comments in sequence, alternating between the URLs. @returns their ids */
async function comment(urls: string[], { id }: BuiltArticle, times: number): Promise<number[]> {
  const visitor = await buildMember(urls[0] ?? '');
  const ids = [];
  for (let n = 0; n < times; n++) {
    ids.push((await buildComment(urls[n % urls.length] ?? '', id, {}, visitor)).id);
  }
  return ids;
}

describe('Live notifications served by two processes', function () {
  this.timeout(90_000);
  const app = useApp();
  let other: RunningService | undefined;
  let database = '';
  let one = '';
  let two = '';
  before(async () => {
    database = app.database.url;
    other = await startService(database);
    [one, two] = [app.url, other.url];
  });
  afterEach(closeLiveClients);
  after(() => other?.kill());

  const here = { after: 0, isElsewhere: true };

  for (const [transport, follow] of Object.entries(FOLLOWERS)) {
    it(`reach ${transport} of either process in the same order`, async () => {
      const article = await buildQuietArticle(one);
      const clients = [await follow(one, article.author.token, here), await follow(two, article.author.token, here)];
      const sent = await comment([one, two], article, 8);
      for (const client of clients) {
        await client.count(8);
        expect(commentsIn(client)).to.deep.equal(sent);
      }
    });

    it(`reach ${transport} after the LISTEN connection was terminated`, async () => {
      const article = await buildQuietArticle(one);
      const client = await follow(two, article.author.token, here);
      const before = await comment([one], article, 1);
      await client.count(1);
      const admin = new pg.Client({ connectionString: database });
      await admin.connect();
      const { rowCount } = await admin.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
        where application_name = 'daybook-notifications' and datname = current_database()`);
      await admin.end();
      expect(rowCount).to.be.above(0);
      const sent = await comment([one, two], article, 4);
      await client.count(5);
      expect(commentsIn(client)).to.deep.equal([...before, ...sent]);
    });
  }

  for (const [transport, open] of Object.entries({ 'Server-Sent Events': openEvents, WebSockets: openSubscription })) {
    it(`end over ${transport} on one process after a logout on the other`, async () => {
      const member = await buildMember(one);
      const { accessToken } = await logIn(one, member);
      const ended = await open(two, accessToken);
      await call(one, 'POST /api/auth/logout', { token: accessToken });
      expect(await until(ended)).to.match(/ended|SESSION_ENDED/);
    });
  }

  it('continue on the other process when one is killed', async () => {
    const doomed = await startService(database);
    let address = doomed.url;
    const article = await buildQuietArticle(one);
    const clients = await followAll(() => address, article);
    const before = await comment([one], article, 3);
    for (const client of clients) await client.count(2);
    const killed = doomed.kill();
    address = two;
    const sent = await comment([one], article, 5);
    await killed;
    for (const client of clients) await client.count(8);
    const last = await comment([one], article, 1);
    for (const client of clients) {
      await client.count(9);
      expect(commentsIn(client)).to.deep.equal([...before, ...sent, ...last]);
    }
  });

  it('continue on the other process when one shuts down', async () => {
    let address = two;
    const article = await buildQuietArticle(one);
    const clients = await followAll(() => address, article);
    const before = await comment([one], article, 1);
    for (const client of clients) await client.count(1);
    address = one;
    await other?.stop();
    const sent = await comment([one], article, 2);
    for (const client of clients) {
      await client.count(3);
      expect(commentsIn(client)).to.deep.equal([...before, ...sent]);
    }
  });

  /** A client of each transport for the author of an article. */
  function followAll(address: Address, { author }: BuiltArticle): Promise<LiveClient[]> {
    return Promise.all(Object.values(FOLLOWERS).map((follow) => follow(address, author.token, here)));
  }
});

describe('Live notifications while PostgreSQL is restarted', function () {
  this.timeout(120_000);
  let dataDir = '';
  let postgres: EmbeddedPostgres;
  let relay: Relay;
  let service: RunningService;
  const start = () => startEmbeddedPostgres({ dataDir, password: 'only-for-the-tests' });
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'daybook-restart-'));
    postgres = await start();
    relay = await startRelay(() => postgres.url);
    service = await startService(relay.through(postgres.url));
  });
  afterEach(closeLiveClients);
  after(async () => {
    await service.stop();
    await relay.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('stay open and deliver every committed notification', async () => {
    const { url } = service;
    const article = await buildQuietArticle(url);
    const { token, id: memberId } = article.author;
    const following = Object.values(FOLLOWERS).map((follow) => follow(url, token, { after: 0, isElsewhere: true }));
    const clients = await Promise.all(following);
    const isEnded = [await openEvents(url, token), await openSubscription(url, token)];
    await comment([url], article, 2);
    await postgres.stop();
    postgres = await start();
    // Inserted before the service has reconnected: no LISTEN connection receives its NOTIFY.
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query(`insert into notifications (member_id, type, article_id) values ($1, 'COMMENT', $2)`, [
      memberId,
      article.id,
    ]);
    await admin.end();
    await until(async () => (await fetch(`${url}/readyz`)).status === 200);
    await comment([url], article, 2);
    for (const client of clients) {
      await client.count(5);
      const ids = client.received.map(({ id }) => Number(id));
      expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => a - b));
    }
    const [first, second] = clients;
    expect(first && commentsIn(first)).to.deep.equal(second && commentsIn(second));
    expect(isEnded.map((closeReason) => closeReason())).to.deep.equal([undefined, undefined]);
  });
});
