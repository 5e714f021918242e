/** Series after random changes of series and articles by two processes at once. */
import { expect } from 'chai';
import { randomFrom } from '../../hostile/seeded-random.js';
import { JWT_SECRET, useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { type RunningService, startService } from '../../support/process.js';
import { buildSeries, countDeadlocks, storedIn, WRONG_SERIES } from '../../support/series.js';
import { casesOf } from '../../support/tier.js';

const CASES = casesOf('SERIES_CASES', 50, 1_000);
const SEED = Number(process.env.SERIES_SEED ?? 20_261_123);
const AT_ONCE = 25;
const LIMITS = { LIMIT_WRITES: '1000000/1m' };

const app = useApp(LIMITS);

describe('Series', function () {
  this.timeout(300_000);
  let other: RunningService;
  before(async () => {
    other = await startService(app.database.url, { ...LIMITS, JWT_SECRET });
  });
  after(() => other.stop());

  it(`contain each article once, of their author, after ${CASES} random changes, ${AT_ONCE} at a time (seed ${SEED})`, async () => {
    const random = randomFrom(SEED);
    const authors: BuiltMember[] = [];
    const articles = new Map<BuiltMember, number[]>();
    const series = new Map<BuiltMember, number[]>();
    const logged = await countDeadlocks();
    const grow = async () => {
      while (authors.length < 3) authors.push(await buildMember(app.url));
      for (const author of authors) {
        const own = articles.get(author) ?? [];
        while (own.length < 6) own.push((await buildArticle(app.url, {}, author)).id);
        articles.set(author, own);
        const lists = series.get(author) ?? [];
        while (lists.length < 3) lists.push(await buildSeries(app.url, author));
        series.set(author, lists);
      }
    };
    const changeOf = () => {
      const author = random.pick(authors);
      const [own, lists] = [articles.get(author) ?? [], series.get(author) ?? []];
      const target = random.pick(own);
      const send = (request: string, json?: object) =>
        call(random.chance(50) ? app.url : other.url, request, { token: author.token, json });
      const kind = random.integer(1, 100);
      const articleIds = own.filter(() => random.chance(60)).sort(() => random.integer(0, 1) - 0.5);
      if (kind <= 60) return () => send(`PUT /api/series/${random.pick(lists)}`, { title: 'T', articleIds });
      if (kind <= 70) return () => send('POST /api/series', { title: 'New', articleIds });
      if (kind <= 76) return () => send(`DELETE /api/series/${random.pick(lists)}`);
      if (kind <= 88)
        return () => send(`PUT /api/articles/${target}/visibility`, { visibility: random.pick(['PUBLIC', 'PRIVATE']) });
      if (kind <= 96) return () => send(`PUT /api/articles/${target}`, { title: 'T', content: `C ${kind}` });
      if (kind <= 99) return () => send(`DELETE /api/articles/${target}`);
      return () => send('DELETE /api/members/me', { password: author.password });
    };
    for (let sent = 0; sent < CASES; sent += AT_ONCE) {
      await grow();
      const responses = await Promise.all(Array.from({ length: AT_ONCE }, changeOf).map((change) => change()));
      expect(responses.filter(({ status }) => status >= 500)).to.deep.equal([]);
      expect(await rowsOf(app.database, WRONG_SERIES), `after ${sent + AT_ONCE} changes`).to.deep.equal([]);
      for (const author of [...authors]) {
        const { status, body } = await call(app.url, 'GET /api/series?size=100', { token: author.token });
        if (status === 401) {
          authors.splice(authors.indexOf(author), 1);
          continue;
        }
        series.set(
          author,
          body?.data.contents.map(({ id }: { id: number }) => id),
        );
        const { contents } =
          (await call(app.url, 'GET /api/articles/me?size=100', { token: author.token })).body?.data ?? {};
        articles.set(
          author,
          contents.map(({ id }: { id: number }) => id),
        );
        for (const { id, articleIds, articleCount } of body?.data.contents ?? []) {
          expect(articleIds).to.deep.equal(await storedIn(app, id));
          const page = (await call(app.url, `GET /api/series/${id}?size=100`)).body?.data;
          expect([page.articleCount, page.contents.length]).to.deep.equal([articleCount, articleCount]);
          const isShown = new Set(page.contents.map((one: { id: number }) => one.id));
          expect(page.contents.map((one: { id: number }) => one.id)).to.deep.equal(
            articleIds.filter((one: number) => isShown.has(one)),
          );
        }
      }
    }
    expect(await countDeadlocks(), 'deadlocks').to.equal(logged);
  });
});
