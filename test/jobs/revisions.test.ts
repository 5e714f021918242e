/** The job that thins the revisions of articles. */
import { expect } from 'chai';
import { schedule } from '../../src/jobs/tasks.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildImage, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { addJobs, runJobs } from '../support/jobs.js';

const app = useApp({ REVISIONS_KEPT: '4' });

/** Days since the state was written and since an edit replaced it, from the oldest revision to the newest. */
type Age = readonly [written: number, replaced: number];

describe('Thinning of revisions', () => {
  /** Noon, so that fractions of a day are on the same day. */
  const ago = (days: number) =>
    `date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' + interval '12 hours' - interval '${days} days'`;

  async function buildRevisions(ages: readonly Age[], content = 'Old.'): Promise<number> {
    const { id } = await buildArticle(app.url);
    const rows = ages.map(
      ([written, replaced], index) =>
        `(${id}, ${index + 1}, 'Title', '${content}', '{}', ${ago(written)}, ${ago(replaced)})`,
    );
    await app.database.sequelize.query(
      `insert into article_revisions (article_id, number, title, content, tags, created_at, replaced_at) values ${rows.join()}`,
    );
    await app.database.sequelize.query(`update all_articles set revision = ${ages.length + 1} where id = ${id}`);
    return id;
  }

  const numbersOf = async (id: number) =>
    (
      await rowsOf<{ number: number }>(
        app.database,
        `select number from article_revisions where article_id = ${id} order by number`,
      )
    ).map(({ number }) => number);

  async function run(): Promise<void> {
    await addJobs(app.database, 'thin-revisions', [{}]);
    await runJobs(app);
  }

  it('keeps the newest, whatever their age, and of older ones the last of each day for a year', async () => {
    const few = await buildRevisions([
      [900, 890],
      [890, 880],
      [880, 870],
      [870, 860],
    ]);
    const many = await buildRevisions([
      [900, 370],
      [370, 360],
      [30.2, 30.1],
      [30.1, 30],
      [30, 29],
      [29, 28],
      [10.4, 10.3],
      [10.3, 10.2],
      [10.2, 10.1],
      [10.1, 10],
    ]);
    await run();
    expect(await numbersOf(few)).to.deep.equal([1, 2, 3, 4]);
    expect(await numbersOf(many)).to.deep.equal([2, 5, 6, 7, 8, 9, 10]);
    await run();
    expect(await numbersOf(many)).to.deep.equal([2, 5, 6, 7, 8, 9, 10]);
  });

  it('deletes more than one batch, and releases the images', async () => {
    const member = await buildMember(app.url);
    const image = await buildImage(app.url, member);
    const id = await buildRevisions([[3, 3]], `![](${image.url})`);
    await app.database.sequelize.query(`insert into article_revisions (article_id, number, title, content, tags, created_at)
      select ${id}, n, 'Title', 'New.', '{}', now() from generate_series(2, 2500) n`);
    await app.database.sequelize.query(`update all_articles set revision = 2501 where id = ${id}`);
    const unreferenced = () =>
      rowsOf<{ since: Date | null }>(
        app.database,
        `select unreferenced_at as since from images where id = ${image.id}`,
      );
    await run();
    expect(await numbersOf(id)).to.deep.equal([1, 2497, 2498, 2499, 2500]);
    expect((await unreferenced())[0]?.since).to.equal(null);
    await app.database.sequelize.query(
      `update article_revisions set replaced_at = now() - interval '366 days' where article_id = ${id} and number = 1`,
    );
    await run();
    expect(await numbersOf(id)).to.deep.equal([2497, 2498, 2499, 2500]);
    expect((await unreferenced())[0]?.since).to.be.instanceOf(Date);
  });

  it('does not wait for an article that an edit has locked', async () => {
    const id = await buildRevisions([
      [3, 2],
      [2, 1],
      [1.4, 1.3],
      [1.3, 1.2],
      [1.2, 1.1],
      [1.1, 1],
      [1, 0],
      [0, 0],
    ]);
    await app.database.sequelize.transaction(async (transaction) => {
      await app.database.sequelize.query(`select from all_articles where id = ${id} for update`, { transaction });
      await run();
    });
    expect(await numbersOf(id)).to.deep.equal([1, 2, 5, 6, 7, 8]);
    const { status } = await call(app.url, `GET /api/articles/${id}`);
    expect(status).to.equal(200);
  });

  it('runs every day', () => {
    expect(schedule.map(({ task }) => task)).to.include('thin-revisions');
  });
});
