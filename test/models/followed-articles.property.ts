/** Pages and cursors of the articles of followed members, compared with a sorted list of all of them. */
import { expect } from 'chai';
import { findFollowedArticles, MAX_FOLLOWED_ARTICLES } from '../../src/models/follow.js';
import type { Slice } from '../../src/platform/database/keyset.js';
import { randomFrom } from '../hostile/seeded-random.js';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';
import { call, expectFieldErrors, graphql } from '../support/client.js';
import { inBulk } from '../support/database.js';
import { rowsOf } from '../support/imported.js';
import { casesOf } from '../support/tier.js';

const CASES = casesOf('FOLLOWED_CASES', 30, 300);
const SEED = Number(process.env.FOLLOWED_SEED ?? 20_261_123);

const app = useApp();
const query = (sql: string) => app.database.sequelize.query(sql);

describe('The articles of followed members', () => {
  let random: ReturnType<typeof randomFrom>;
  let reader: number;
  let token: string;
  before(async () => {
    ({ id: reader, token } = await buildMember(app.url));
    await query(
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm', 'm' || n from generate_series(1, 30) n`,
    );
    await query(
      'insert into categories (member_id, name, is_default) select id, $$Own$$, true from members where id > 1',
    );
  });

  /** Articles of a few or of all members, with many of some, and often at the same time. */
  async function write(): Promise<void> {
    await query('delete from all_articles');
    await query('delete from follows');
    const [articles, times] = [random.integer(0, 1_300), random.pick([3, 40, 100_000])];
    const skew = random.pick([1, 3, 8]);
    const seed = `select setseed(${random.integer(0, 1_000) / 1_000})`;
    await query(`${seed}; insert into all_articles (slug, member_id, category_id, title, content, language, is_private, created_at)
      select gen_random_uuid(), c.member_id, c.id, 'T', 'C', (array['ko', 'ko-KR', 'en', null])[1 + n % 4], n % 7 = 0, timestamptz '2026-11-01' + floor(random() * ${times}) * interval '1 second'
      from (select n, floor(power(random(), ${skew}) * 30)::int as number from generate_series(1, ${articles}) n) x
        join (select *, row_number() over (order by member_id) - 1 as number from categories where name = 'Own') c using (number)`);
    await query(`${seed}; insert into follows (follower_id, member_id)
      select ${reader}, id from members where id <> ${reader} and random() < ${random.pick([0.1, 0.6, 1])}`);
  }

  it(`are in order on ${CASES} random pages and after random cursors (seed ${SEED})`, async () => {
    random = randomFrom(SEED);
    for (let done = 0; done < CASES; ) {
      await write();
      const language = random.pick([null, null, 'ko', 'ko-KR', 'fr']);
      const all = await rowsOf<{ id: number; key: string }>(
        app.database,
        `select a.id::int as id, (extract(epoch from a.created_at) * 1000)::bigint::text as key
         from articles a join follows f on f.member_id = a.member_id and f.follower_id = ${reader}
         ${language === null ? '' : `where a.language ${language === 'ko' ? 'like' : '='} '${language}${language === 'ko' ? '%' : ''}'`} order by a.created_at desc, a.id desc`,
      );
      const idsOf = async (slice: Slice) => {
        const found = await findFollowedArticles(
          app.database,
          reader,
          slice,
          { content: false, tags: false },
          language,
        );
        expect(found.total).to.equal(all.length);
        return found.contents.map(({ id }) => id);
      };
      for (let count = 0; count < 15; count++, done++) {
        const limit = random.integer(1, 100);
        const offset = limit * random.integer(0, Math.floor(MAX_FOLLOWED_ARTICLES / limit) - 1);
        const ids = all.map(({ id }) => id);
        expect(await idsOf({ limit, offset }), `${limit} after ${offset}`).to.deep.equal(
          ids.slice(offset, offset + limit),
        );
        if (all.length === 0) continue;
        const at = random.integer(0, all.length - 1);
        const position = all[at] as (typeof all)[number];
        expect(await idsOf({ limit, after: position })).to.deep.equal(ids.slice(at + 1, at + 1 + limit));
        expect(await idsOf({ limit, before: position, isBackward: true })).to.deep.equal(
          ids.slice(Math.max(0, at - limit), at),
        );
      }
    }
  }).timeout(120_000 + CASES * 500);

  it('end on numbered pages with a clear error, in both APIs, unless the list ends before', async () => {
    await query('delete from all_articles');
    await query(
      `insert into follows (follower_id, member_id) select ${reader}, id from members where id <> ${reader} on conflict do nothing`,
    );
    const add = (count: number) =>
      query(
        inBulk(`insert into all_articles (member_id, category_id, title, content)
        select c.member_id, c.id, 'T', 'C' from (select * from categories where name = 'Own' limit 1) c, generate_series(1, ${count})`),
      );
    const page = (number: number) => call(app.url, `GET /api/articles/following?size=100&page=${number}`, { token });
    await add(MAX_FOLLOWED_ARTICLES);
    const beyond = await page(11);
    expect([beyond.status, beyond.body?.data.contents, beyond.body?.data.pagination.totalPages]).to.deep.equal([
      200,
      [],
      10,
    ]);
    expect((await page(2_000_000_000)).status).to.equal(200);
    await add(1);
    expect((await page(10)).body?.data.contents).to.have.length(100);
    const message =
      'must be within the first 1000 articles of this list; followedArticleConnection of GraphQL has the others';
    expectFieldErrors(await page(11), `page: ${message}`);
    const { errors } = await graphql(
      app.url,
      '{ followedArticles(page: 11, size: 100) { contents { id } } }',
      {},
      token,
    );
    expect(errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
  });
});
