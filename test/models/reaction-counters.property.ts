/** Counters of likes, views, bookmarks, follows and series after random and parallel changes, among them blocks, also if connections are killed meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { ViewCounter } from '../../src/services/views/counter.js';
import { randomFrom } from '../hostile/seeded-random.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { runJobs } from '../support/jobs.js';
import { notificationsOf, setNotificationType, unreadOf } from '../support/notifications.js';
import { DIFFERENCES, RandomReactions, withdraw } from '../support/reactions.js';
import { casesOf } from '../support/tier.js';
import { BROWSER } from '../support/views.js';

const CASES = casesOf('REACTION_CASES', 100, 1_500);
const SEED = Number(process.env.REACTION_SEED ?? 20_261_123);
const AT_ONCE = 100;
const TOGGLES = casesOf('REACTION_TOGGLES', 300, 1_000);

const app = useApp({ LIMIT_WRITES: '1000000/1m' });

const differences = () => rowsOf(app.database, DIFFERENCES);

describe('Counters of readers', function () {
  this.timeout(300_000);

  it(`are exact after ${CASES} random changes, ${AT_ONCE} at a time (seed ${SEED})`, async () => {
    const reactions = new RandomReactions(randomFrom(SEED), () => app.url);
    for (let sent = 0; sent < CASES; sent += AT_ONCE) {
      await reactions.grow();
      const notified = runJobs(app);
      const responses = await Promise.all(reactions.changes(AT_ONCE).map((send) => send()));
      await notified;
      expect(responses.filter(({ status }) => status >= 500)).to.deep.equal([]);
      expect(await differences(), `after ${sent + AT_ONCE} changes`).to.deep.equal([]);
    }
  });

  it(`are exact after ${CASES / 3} random changes while connections to the database are killed (seed ${SEED})`, async () => {
    const random = randomFrom(SEED);
    const reactions = new RandomReactions(random, () => app.url);
    const views = new ViewCounter(app.database, app.services.log);
    await views.open();
    const killer = new pg.Client({ connectionString: app.database.url });
    await killer.connect();
    let kills = 0;
    // Waits until the process of the connection has ended, so that no connection ends after the last change.
    const kill = async () => {
      const { rowCount } = await killer.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' order by random() limit 1`);
      kills += rowCount ?? 0;
    };
    const statuses: number[] = [];
    for (let sent = 0; sent < CASES / 3; sent += AT_ONCE) {
      await reactions.grow();
      for (let count = 0; count < 50; count++)
        views.record(random.pick(reactions.articleIds), 0, { address: `192.0.2.${count}`, device: BROWSER });
      const work = reactions.changes(AT_ONCE).map((send) => send().then(({ status }) => statuses.push(status)));
      const done = Promise.allSettled([...work, views.write()]);
      let isDone = false;
      void done.then(() => {
        isDone = true;
      });
      while (!isDone) {
        await kill();
        await delay(5);
      }
      await runJobs(app);
      await views.write();
      expect(await differences(), `after ${sent + AT_ONCE} changes`).to.deep.equal([]);
    }
    await killer.end();
    expect(kills).to.be.above(0);
    expect(statuses.filter((status) => status >= 500 && status !== 503)).to.deep.equal([]);
  });

  it(`are exact after ${TOGGLES} toggles, 200 at a time, of one article and one member, and withdrawals, with one notification`, async () => {
    const article = await buildArticle(app.url);
    const { author } = article;
    await setNotificationType(app.url, author, 'LIKE', true);
    const readers: BuiltMember[] = [];
    for (let count = 0; count < 20; count++) readers.push(await buildMember(app.url));
    const toggles = Array.from({ length: TOGGLES }, (_, index) => {
      const { token } = readers[index % readers.length] as BuiltMember;
      const target = index % 4 < 2 ? `/api/articles/${article.id}/like` : `/api/members/${author.id}/follow`;
      return () => call(app.url, `${Math.floor(index / 20) % 3 === 1 ? 'DELETE' : 'PUT'} ${target}`, { token });
    });
    const responses: { status: number }[] = [];
    // `fetch` would open a connection for each of them, and gives up those that a busy machine accepts too late.
    // On a busy machine, a request can wait for the others until its time is up.
    const send = async (request: () => Promise<{ status: number }>) => {
      let response = await request();
      while (response.status === 503) response = await request();
      responses.push(response);
    };
    const sendAll = async () => {
      for (let toggle = toggles.shift(); toggle; toggle = toggles.shift()) await send(toggle);
    };
    const leaving = readers.slice(0, 5).map((member) => send(() => withdraw(app.url, member)));
    await Promise.all([...Array.from({ length: 200 }, sendAll), ...leaving]);
    expect(new Set(responses.map(({ status }) => status))).to.satisfy((found: Set<number>) =>
      [...found].every((status) => status === 200 || status === 401),
    );
    expect(await differences()).to.deep.equal([]);
    const left = readers.slice(5);
    const likes = await Promise.all(
      left.map(({ token }) => call(app.url, `PUT /api/articles/${article.id}/like`, { token })),
    );
    expect(Math.max(...likes.map(({ body }) => body?.data.likeCount))).to.equal(left.length);
    const found = (await notificationsOf(app.url, author)).filter(({ type }) => type === 'LIKE');
    expect(found.map(({ message }) => message)).to.deep.equal([
      `${left.length} members like your article “${(await call(app.url, `GET /api/articles/${article.id}`)).body?.data.title}”.`,
    ]);
    expect(await unreadOf(app.url, author)).to.equal((await notificationsOf(app.url, author)).length);
  });

  it('answer parallel likes with distinct numbers', async () => {
    const { id } = await buildArticle(app.url);
    const readers: BuiltMember[] = [];
    for (let count = 0; count < 10; count++) readers.push(await buildMember(app.url));
    const likes = await Promise.all(
      readers.map(({ token }) => call(app.url, `PUT /api/articles/${id}/like`, { token })),
    );
    const counts = likes.map(({ body }) => Number(body?.data.likeCount)).sort((a, b) => a - b);
    expect(counts).to.deep.equal(Array.from({ length: 10 }, (_, index) => index + 1));
  });
});
