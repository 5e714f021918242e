/** Changes of series by two clients of one author at once, and beside other changes of the articles. */
import { expect } from 'chai';
import { claimAuthor } from '../../../src/commands/claim-author.js';
import { MAX_SERIES } from '../../../src/models/series.js';
import { JWT_SECRET, useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, type RestResponse } from '../../support/client.js';
import { buildDraft } from '../../support/drafts.js';
import { rowsOf } from '../../support/imported.js';
import { interleave, untilWaiting } from '../../support/interleave.js';
import { type RunningService, startService } from '../../support/process.js';
import { buildSeries, countDeadlocks, storedIn, WRONG_SERIES } from '../../support/series.js';
import { until } from '../../support/until.js';

const app = useApp();
/** A process executes one change of a member at a time: the second client uses another one. */
let other: RunningService;
before(async function () {
  this.timeout(60_000);
  other = await startService(app.database.url, { JWT_SECRET });
});
after(() => other.stop());
let author: BuiltMember;
let articles: BuiltArticle[];
let series: number[];
beforeEach(async () => {
  author = await buildMember(app.url);
  articles = [];
  for (let count = 0; count < 4; count++) articles.push(await buildArticle(app.url, {}, author));
  series = [
    await buildSeries(app.url, author, articles.slice(0, 2)),
    await buildSeries(app.url, author, articles.slice(2)),
  ];
});
let logged = 0;
beforeEach(async () => {
  logged = await countDeadlocks();
});
afterEach(async () => {
  expect(await rowsOf(app.database, WRONG_SERIES)).to.deep.equal([]);
  expect(await countDeadlocks(), 'deadlocks').to.equal(logged);
});

const ids = (...wanted: number[]) => wanted.map((index) => articles[index]?.id ?? 0);
const urlOf = (client: number) => (client === 0 ? app.url : other.url);
const put = (index: number, articleIds: number[], client = 0) =>
  call(urlOf(client), `PUT /api/series/${series[index]}`, { token: author.token, json: { title: 'T', articleIds } });
const stored = (index: number) => storedIn(app, series[index] ?? 0);
const statusOf = ({ status, body }: RestResponse) => [status, body?.code];

/** Sends the requests one after the other, so that all wait for a lock, and are executed in this order. */
async function inOrder(lock: string, ...requests: (() => Promise<RestResponse>)[]): Promise<RestResponse[]> {
  const responses: Promise<RestResponse>[] = [];
  await app.database.sequelize.transaction(async (transaction) => {
    await app.database.sequelize.query(lock, { transaction });
    for (const request of requests) {
      responses.push(request());
      await untilWaiting(app.database, responses.length);
    }
  });
  return Promise.all(responses);
}

const lockMember = () => `select from members where id = ${author.id} for no key update`;

describe('Two clients', () => {
  for (const [first, second] of [
    [0, 1],
    [1, 0],
  ] as const) {
    it(`that list the same article have it in the series of the later one (${second + 1})`, async () => {
      const lists = [ids(3, 0), ids(3, 1)];
      const change = (index: number) => () => put(index, lists[index] ?? [], index);
      const responses = await inOrder(lockMember(), change(first), change(second));
      expect(responses.map(statusOf)).to.deep.equal([
        [200, '1'],
        [200, '1'],
      ]);
      expect(await stored(second)).to.deep.equal(lists[second]);
      expect(await stored(first)).to.deep.equal((lists[first] ?? []).slice(1));
    });

    it(`that replace the same list leave that of the later one (${second + 1})`, async () => {
      const lists = [ids(1, 0, 2), ids(3, 1)];
      const responses = await inOrder(
        lockMember(),
        () => put(0, lists[first] ?? []),
        () => put(0, lists[second] ?? [], 1),
      );
      expect(responses.map(({ body }) => body?.data.articleCount)).to.deep.equal([
        lists[first]?.length,
        lists[second]?.length,
      ]);
      expect(await stored(0)).to.deep.equal(lists[second]);
    });
  }

  it('one of which deletes the series: the other is 404, or its list ends with it', async () => {
    const remove = () => call(app.url, `DELETE /api/series/${series[0]}`, { token: author.token });
    const late = await inOrder(lockMember(), remove, () => put(0, ids(3), 1));
    expect(late.map(statusOf)).to.deep.equal([
      [200, '1'],
      [404, 'SERIES_NOT_FOUND'],
    ]);
    series[0] = await buildSeries(app.url, author, articles.slice(0, 2));
    const early = await inOrder(lockMember(), () => put(0, ids(3), 1), remove);
    expect(early.map(statusOf)).to.deep.equal([
      [200, '1'],
      [200, '1'],
    ]);
    expect(await rowsOf(app.database, `select id from all_articles where series_id = ${series[0]}`)).to.deep.equal([]);
  });

  it('that create series at once do not exceed the limit', async () => {
    await app.database.sequelize.query(
      `insert into series (member_id, title) select ${author.id}, 'Full' from generate_series(1, ${MAX_SERIES - 4})`,
    );
    const json = { title: 'New', articleIds: ids(0) };
    const create = (_: unknown, turn: number) =>
      call(urlOf(turn % 2), 'POST /api/series', { token: author.token, json });
    const responses = await Promise.all(Array.from({ length: 8 }, create));
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([201, 201, 400, 400, 400, 400, 400, 400]);
    expect(new Set(responses.map(({ body }) => body?.code))).to.deep.equal(new Set(['1', 'SERIES_LIMIT_REACHED']));
  });

  it('that exchange the articles of their series, again and again, cause no deadlock', async () => {
    const requests = Array.from({ length: 60 }, (_, turn) => {
      const list = turn % 4 < 2 ? ids(0, 1, 2, 3) : ids(3, 2, 1, 0);
      return () => put(turn % 2, list, Math.floor(turn / 2) % 2);
    });
    const responses = await Promise.all(requests.map((request) => request()));
    expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect([(await stored(0)).length, (await stored(1)).length].sort()).to.deep.equal([0, 4]);
  });
});

describe('A change of a series', () => {
  const lockArticle = () => `select from all_articles where id = ${ids(1)} for update`;

  it('that waits for the deletion of an article is 404, and changes nothing', async () => {
    const request = () => put(0, ids(3, 1));
    const response = await interleave(app, {
      lock: lockArticle(),
      request,
      change: `delete from all_articles where id = ${ids(1)}`,
    });
    expect(statusOf(response)).to.deep.equal([404, 'ARTICLE_NOT_FOUND']);
    expect([await stored(0), await stored(1)]).to.deep.equal([ids(0), ids(2, 3)]);
  });

  it('that waits for a change of the visibility counts what is public then', async () => {
    for (const [isPrivate, articleCount] of [
      [true, 2],
      [false, 3],
    ] as const) {
      const change = `update all_articles set is_private = ${isPrivate} where id = ${ids(1)}`;
      const response = await interleave(app, { lock: lockArticle(), request: () => put(0, ids(3, 1, 0)), change });
      expect(response.body?.data.articleCount).to.equal(articleCount);
      const page = await call(app.url, `GET /api/series/${series[0]}`);
      expect(page.body?.data.contents).to.have.lengthOf(articleCount);
    }
  });

  const create = () => call(app.url, 'POST /api/series', { token: author.token, json: { title: 'x' } });
  for (const [name, request] of Object.entries({ 'a change': () => put(0, ids(3)), 'a new series': create })) {
    it(`that waits for the withdrawal of its author is 401 (${name})`, async () => {
      const lock = `select from members where id = ${author.id} for update`;
      const response = await interleave(app, { lock, request, change: `delete from members where id = ${author.id}` });
      expect(statusOf(response)).to.deep.equal([401, 'UNAUTHENTICATED']);
    });
  }

  it('is not undone by an edit, a change of the visibility or the publication of a draft at the same time', async () => {
    const [article] = articles;
    const { token } = author;
    const started = await call(app.url, `PUT /api/articles/${article?.id}/draft`, { token });
    const others = [
      () => call(urlOf(1), `PUT /api/articles/${article?.id}`, { token, json: { title: 'Edited', content: 'Edited' } }),
      () => call(urlOf(1), `PUT /api/articles/${article?.id}/visibility`, { token, json: { visibility: 'PRIVATE' } }),
      () => call(urlOf(1), `PUT /api/articles/${article?.id}/visibility`, { token, json: { visibility: 'PUBLIC' } }),
    ];
    for (const other of others) {
      for (const isFirst of [true, false]) {
        const target = isFirst ? 1 : 0;
        const change = () => put(target, ids(0));
        const lock = `select from all_articles where id = ${ids(0)} for update`;
        const responses = await inOrder(lock, ...(isFirst ? [change, other] : [other, change]));
        expect(responses.map(({ status }) => status)).to.deep.equal([200, 200]);
        expect(await stored(target)).to.deep.equal(ids(0));
      }
    }
    const baseRevision = (await call(app.url, `GET /api/articles/${article?.id}`, { token })).body?.data.revision;
    await call(app.url, `PATCH /api/drafts/${started.body?.data.id}`, { token, json: { baseRevision } });
    const draft = await buildDraft(app.url, {}, author);
    const [published, changed, added] = await Promise.all([
      call(app.url, `POST /api/drafts/${started.body?.data.id}/publish`, { token }),
      put(1, ids(0, 2), 1),
      call(urlOf(1), `POST /api/drafts/${draft.id}/publish`, { token }),
    ]);
    expect([published.status, changed.status, added.status]).to.deep.equal([200, 200, 200]);
    expect(await stored(1)).to.deep.equal(ids(0, 2));
    expect(added.body?.data.seriesId).to.equal(null);
  });

  it('beside the deletion of a category with the same articles causes no deadlock', async () => {
    const { token } = author;
    const made = await call(app.url, 'POST /api/categories', { token, json: { categoryName: 'Shelf' } });
    // In the index of the category, the articles are in the opposite order.
    await app.database.sequelize.query(`update all_articles set category_id = ${made.body?.data.id},
      created_at = now() - id * interval '1 hour' where member_id = ${author.id}`);
    const lock = `select from all_articles where id = ${ids(1)} for update`;
    const responses = await inOrder(
      lock,
      () => put(0, ids(3, 2, 1, 0)),
      () => call(urlOf(1), `DELETE /api/categories/${made.body?.data.id}`, { token }),
    );
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('waits for a claim of the author, and the series and their articles belong to the member', async () => {
    const member = await buildMember(app.url);
    await app.database.sequelize.query(`update members set email = null, password_hash = null where id = ${author.id}`);
    const source = {
      config: { mail: null },
      database: app.database,
      client: { address: '', device: '' },
      viewer: null,
    };
    const claim = async () => {
      await claimAuthor(source, { authorId: author.id, memberId: member.id });
      return { status: 200 } as RestResponse;
    };
    const [changed] = await inOrder(lockMember(), () => put(0, ids(2, 0)), claim);
    expect(changed?.status).to.equal(200);
    await until(async () => (await rowsOf(app.database, `select from members where id = ${author.id}`)).length === 0);
    const { body } = await call(app.url, 'GET /api/series', { token: member.token });
    expect(body?.data.contents.map((one: { articleIds: number[] }) => one.articleIds).sort()).to.deep.equal(
      [ids(2, 0), ids(3)].sort(),
    );
    expect(
      (await call(app.url, `PUT /api/series/${series[1]}`, { token: member.token, json: { title: 'Mine' } })).status,
    ).to.equal(200);
  });

  it('is impossible for a claim that would exceed the limit, which transfers nothing', async () => {
    const member = await buildMember(app.url);
    await app.database.sequelize.query(
      `insert into series (member_id, title) select ${member.id}, 'Full' from generate_series(1, ${MAX_SERIES - 1})`,
    );
    await app.database.sequelize.query(`update members set email = null, password_hash = null where id = ${author.id}`);
    const source = {
      config: { mail: null },
      database: app.database,
      client: { address: '', device: '' },
      viewer: null,
    };
    const failed = await claimAuthor(source, { authorId: author.id, memberId: member.id }).catch((error) => error.key);
    expect(failed).to.equal('SERIES_LIMIT_REACHED');
    expect(await stored(0)).to.deep.equal(ids(0, 1));
    const [row] = await rowsOf<{ member: number }>(
      app.database,
      `select member_id as member from series where id = ${series[0]}`,
    );
    expect(Number(row?.member)).to.equal(author.id);
  });
});
