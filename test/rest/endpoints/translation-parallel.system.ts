/** Requests of one author that change translations at the same time, in two processes: one executes the changes of a member one after the other. */
import { expect } from 'chai';
import { JWT_SECRET, useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, type RestResponse } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { untilWaiting } from '../../support/interleave.js';
import { type RunningService, startService } from '../../support/process.js';
import { countDeadlocks } from '../../support/series.js';

const app = useApp({ LIMIT_WRITES: '1000000/1m' });
let other: RunningService;
before(async function () {
  this.timeout(60_000);
  other = await startService(app.database.url, { JWT_SECRET, LIMIT_WRITES: '1000000/1m' });
});
after(() => other.stop());

let author: BuiltMember;
let logged = 0;
beforeEach(async () => {
  author = await buildMember(app.url);
  logged = await countDeadlocks();
});
afterEach(async () => {
  expect(await countDeadlocks(), 'deadlocks').to.equal(logged);
  expect(
    await rowsOf(
      app.database,
      'select id from translation_groups g where not exists (select from all_articles where translation_group_id = g.id)',
    ),
  ).to.deep.equal([]);
});

const urlOf = (client: number) => (client === 0 ? app.url : other.url);
const build = async (language: string, json: object = {}) =>
  (await buildArticle(app.url, { language, ...json }, author)).id;
const edit = (client: number, id: number, json: object) => () =>
  call(urlOf(client), `PUT /api/articles/${id}`, { token: author.token, json: { title: 'T', content: 'C', ...json } });
const remove = (client: number, id: number) => () =>
  call(urlOf(client), `DELETE /api/articles/${id}`, { token: author.token });
const languagesOf = async (id: number): Promise<string[]> =>
  (await call(app.url, `GET /api/articles/${id}`)).body?.data.translations.map(
    ({ language }: { language: string }) => language,
  );

type Send = () => Promise<RestResponse>;

/** Sends the requests one after the other, so that all wait, the first one for the row that the test locks. @returns their statuses */
async function inOrder(lock: string, ...requests: Send[]): Promise<number[]> {
  const responses: Promise<RestResponse>[] = [];
  await app.database.sequelize.transaction(async (transaction) => {
    await app.database.sequelize.query(lock, { transaction });
    for (const request of requests) {
      responses.push(request());
      await untilWaiting(app.database, responses.length);
    }
  });
  return (await Promise.all(responses)).map(({ status }) => status);
}

const lockMember = () => `select from members where id = ${author.id} for no key update`;
const lockArticle = (id: number) => `select from all_articles where id = ${id} for update`;

describe('Two requests at the same time', () => {
  it('that join in the same language have one winner, the first one', async () => {
    const english = await build('en');
    const articles = [await build('ko'), await build('ko')];
    const joins = articles.map((id, client) => edit(client, id, { translationOf: english }));
    expect(await inOrder(lockMember(), ...joins)).to.deep.equal([200, 409]);
    expect(await languagesOf(english)).to.deep.equal(['ko']);
  });

  it('that create articles in the same language have one winner', async () => {
    const english = await build('en');
    const creation = (client: number) => () =>
      call(urlOf(client), 'POST /api/articles', {
        token: author.token,
        json: { title: 'T', content: 'C', language: 'ko', translationOf: english },
      });
    expect(await inOrder(lockMember(), creation(0), creation(1))).to.deep.equal([201, 409]);
    expect(await languagesOf(english)).to.deep.equal(['ko']);
  });

  it('that join each other are in one group', async () => {
    const [first, second] = [await build('en'), await build('ko')];
    const joins = [edit(0, first, { translationOf: second }), edit(1, second, { translationOf: first })];
    expect(await inOrder(lockMember(), ...joins)).to.deep.equal([200, 200]);
    expect([await languagesOf(first), await languagesOf(second)]).to.deep.equal([['ko'], ['en']]);
  });

  it('of which one joins and one changes to the same language have one winner', async () => {
    const english = await build('en');
    const [french, korean] = [await build('fr', { translationOf: english }), await build('ko')];
    const statuses = await inOrder(
      lockArticle(french),
      edit(0, french, { language: 'ko' }),
      edit(1, korean, { translationOf: french }),
    );
    expect(statuses).to.deep.equal([200, 409]);
    expect(await languagesOf(english)).to.deep.equal(['ko']);
  });

  it('of which one joins an article that the other one deletes respond 404 to the join', async () => {
    const [english, korean] = [await build('en'), await build('ko')];
    const statuses = await inOrder(
      lockArticle(english),
      remove(0, english),
      edit(1, korean, { translationOf: english }),
    );
    expect(statuses).to.deep.equal([200, 404]);
  });

  it('that remove the last two translations leave no group', async () => {
    const english = await build('en');
    const korean = await build('ko', { translationOf: english });
    const locks = `select from translation_groups where member_id = ${author.id} for update`;
    expect(await inOrder(locks, remove(0, english), edit(1, korean, { translationOf: 0 }))).to.deep.equal([200, 200]);
  });

  it('never wait for each other, in any mixture', async () => {
    const ids: number[] = [];
    for (const language of ['en', 'ko', 'fr', 'de']) ids.push(await build(language, { tags: ['sea', 'fog'] }));
    const at = (index: number) => ids[index % ids.length] ?? 0;
    for (let round = 0; round < 12; round++) {
      const requests = ids.flatMap((id, index) => [
        edit(index % 2, id, { translationOf: at(index + round + 1) === id ? 0 : at(index + round + 1), tags: ['fog'] }),
        edit((index + 1) % 2, id, { language: ['en', 'ko', 'fr', 'de', 'ja'][(index + round) % 5], tags: ['sea'] }),
      ]);
      const statuses = await Promise.all(requests.map(async (request) => (await request()).status));
      for (const status of statuses) expect(status).to.be.oneOf([200, 400, 409]);
    }
  }).timeout(60_000);
});
