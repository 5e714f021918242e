/** The rows of article_counts, and the archive, of articles from before the migration. */
import { expect } from 'chai';
import { fillArticleCounts } from '../../../src/models/article/count-fill.js';
import { useApp } from '../../support/app.js';
import { buildArticle, useMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
import { statementsDuring } from '../../support/statements.js';

// A process listens after the backfill, which therefore renews no stamp.
const app = useApp({ RESPONSE_CACHE_MB: '0' });
const member = useMember(app);
const run = (sql: string) => app.database.sequelize.query(sql);

/** Articles as they are after the migration: the last one liked before it, and the one before private. */
async function insertUnfilled(articles: number): Promise<number[]> {
  await run('delete from all_articles');
  await run(`insert into all_articles (member_id, category_id, title, content, is_private)
    select ${member.id}, (select id from categories where member_id = ${member.id}), 'T', 'C', n = ${articles - 1} from generate_series(1, ${articles}) n`);
  const ids = (await rowsOf<{ id: string }>(app.database, 'select id from all_articles order by id')).map(({ id }) =>
    Number(id),
  );
  for (const table of ['article_counts', 'member_months', 'journal_months']) await run(`delete from ${table}`);
  await run(`insert into article_likes (article_id, member_id) values (${ids.at(-1)}, ${member.id})`);
  await run(`insert into article_count_fills (after_id, until_id) values (0, ${ids.at(-1)})`);
  return ids;
}

async function state() {
  const { body } = await call(app.url, 'GET /api/articles?sort=likeCount,desc&size=1');
  const archive = await call(app.url, 'GET /api/articles/archive');
  const counts = archive.body?.data.contents.map((one: { articleCount: number }) => one.articleCount);
  const rows = await rowsOf<{ filled: number }>(
    app.database,
    'select count(*)::integer as filled from article_counts where is_private is not null',
  );
  return { first: body?.data.contents[0]?.id, archive: counts, filled: rows[0]?.filled };
}

describe('The backfill of counts', () => {
  it('fills what is missing in batches, and is shared by processes that start at the same time', async () => {
    const ids = await insertUnfilled(1_200);
    expect(await state()).to.deep.equal({ first: undefined, archive: [], filled: 0 });
    await Promise.all([1, 2, 3].map(() => fillArticleCounts(app.database)));
    expect(await state()).to.deep.equal({ first: ids.at(-1), archive: [1_199], filled: 1_200 });
    expect(await statementsDuring(() => fillArticleCounts(app.database))).to.have.lengthOf(1);
  });

  it('counts exactly what changes, appears and ends meanwhile', async () => {
    const ids = await insertUnfilled(1_200);
    const path = (id: number | undefined) => `/api/articles/${id}`;
    const { token } = member;
    const hide = (id: number | undefined) =>
      call(app.url, `PUT ${path(id)}/visibility`, { token, json: { visibility: 'PRIVATE' } });
    const changes = [hide(ids[1]), hide(ids[600]), hide(ids[1_100])];
    const ends = [2, 700, 1_101].map((index) => call(app.url, `DELETE ${path(ids[index])}`, { token }));
    const lines: string[] = [];
    let time = 0;
    const options = { onProgress: (line: string) => lines.push(line), now: () => (time += 5_000) };
    const [, ...statuses] = await Promise.all([
      fillArticleCounts(app.database, options),
      ...changes,
      ...ends,
      buildArticle(app.url, {}, member),
    ]);
    expect(statuses.slice(0, 6).map((one) => 'status' in one && one.status)).to.deep.equal(Array(6).fill(200));
    expect(lines[0]).to.match(new RegExp(`^Filling counts of articles: ID \\d+ of ${ids.at(-1)}\\.$`));
    // One of 1,200 was private, three are hidden, three deleted, one is new.
    expect((await state()).archive).to.deep.equal([1_200 - 1 - 3 - 3 + 1]);
    const different = await rowsOf(
      app.database,
      `select a.id from all_articles a left join article_counts c on c.article_id = a.id
      where (a.is_private, a.member_id, a.category_id, month_of(a.created_at)) is distinct from (c.is_private, c.member_id, c.category_id, c.month)`,
    );
    expect(different).to.deep.equal([]);
  });
});
