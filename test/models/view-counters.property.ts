/** Counters of views after random and parallel writes of several processes, likes, changes of visibility, deletions and withdrawals. */
import { expect } from 'chai';
import { ViewCounter } from '../../src/services/views/counter.js';
import { randomFrom } from '../hostile/seeded-random.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { countDeadlocksOf } from '../support/interleave.js';
import { casesOf } from '../support/tier.js';
import { BROWSER } from '../support/views.js';

const ROUNDS = casesOf('VIEW_ROUNDS', 3, 30);
const SEED = Number(process.env.VIEW_SEED ?? 20_261_123);
const PROCESSES = 3;

const app = useApp({ LIMIT_WRITES: '1000000/1m' });

/** Articles whose total differs from their days, and networks with too many readers. */
const DIFFERENCES = [
  `select 'total', c.article_id from article_counts c
   where c.views <> (select coalesce(sum(views), 0) from article_view_days where article_id = c.article_id)`,
  `select 'network', day from view_readers group by day, network having count(*) > 10`,
];

describe('Counters of views', function () {
  this.timeout(300_000);

  it(`are exact after ${ROUNDS} rounds of random changes, and views are part of no deadlock (seed ${SEED})`, async () => {
    const random = randomFrom(SEED);
    const members: BuiltMember[] = [];
    const articles: BuiltArticle[] = [];
    // All on the same day.
    const start = app.database.now();
    const database = { ...app.database, now: () => start };
    const counters = Array.from({ length: PROCESSES }, () => new ViewCounter(database, app.services.log));
    for (const counter of counters) await counter.open();
    const expected = new Map<number, Set<string>>();
    for (let round = 0; round < ROUNDS; round++) {
      while (members.length < 6) members.push(await buildMember(app.url));
      while (articles.length < 12) articles.push(await buildArticle(app.url, {}, random.pick(members)));
      for (let n = 0; n < 300; n++) {
        const { id, author } = random.pick(articles);
        const reader = random.chance(10) ? author : null;
        const address = `192.0.2.${random.integer(1, 250)}`;
        random.pick(counters).record(id, reader?.id ?? 0, { address, device: BROWSER });
        if (!reader) expected.set(id, (expected.get(id) ?? new Set()).add(address));
      }
      const leaving = members.splice(random.integer(0, members.length - 1), 1)[0];
      const deleted = random.pick(articles);
      const toggles = Array.from({ length: 30 }, () => {
        const { id } = random.pick(articles);
        return call(app.url, `${random.pick(['PUT', 'DELETE'])} /api/articles/${id}/like`, {
          token: random.pick(members).token,
        });
      });
      const ends = [
        call(app.url, `DELETE /api/articles/${deleted.id}`, { token: deleted.author.token }),
        call(app.url, 'DELETE /api/members/me', { token: leaving?.token ?? '', json: { password: leaving?.password } }),
      ];
      const responses = await Promise.all([...toggles, ...ends, ...counters.map((counter) => counter.write())]);
      expect(responses.filter((one) => (one?.status ?? 0) >= 500)).to.deep.equal([]);
      // Those of articles whose counters were locked.
      for (const counter of counters) await counter.write();
      for (const sql of DIFFERENCES) expect(await rowsOf(app.database, sql), `round ${round}`).to.deep.equal([]);
      const left = articles.filter((article) => article !== deleted && article.author !== leaving);
      articles.splice(0, articles.length, ...left);
      for (const { id } of articles) {
        const { body } = await call(app.url, `GET /api/articles/${id}`);
        expect(body?.data.viewCount, `article ${id}, round ${round}`).to.equal(expected.get(id)?.size ?? 0);
      }
    }
    expect(await countDeadlocksOf('count_views')).to.equal(0);
  });
});
