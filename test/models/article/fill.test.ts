import { expect } from 'chai';
import { schedule } from '../../../src/jobs/tasks.js';
import { fillArticles } from '../../../src/models/article/fill.js';
import { useApp } from '../../support/app.js';
import { buildArticle, useMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { addJobs, runJobs } from '../../support/jobs.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
const member = useMember(app);
const run = (sql: string) => app.database.sequelize.query(sql);

/** As a process of the previous version writes articles. */
const insert = (titles: readonly string[]) =>
  run(`insert into articles (member_id, category_id, title, content)
    select ${member.id}, (select id from categories where member_id = ${member.id}), t, 'Text' from unnest(array[${titles.map((t) => `'${t}'`)}]) t`);

async function slugs(): Promise<(string | null)[]> {
  const [rows] = await run('select slug from all_articles order by id');
  return (rows as { slug: string | null }[]).map(({ slug }) => slug);
}

describe('The backfill of slugs and counts', () => {
  beforeEach(() => run('delete from all_articles'));

  it('fills what a process of the previous version wrote, and only that', async () => {
    const { id } = await buildArticle(app.url, { title: 'Owls', content: 'one two' }, member);
    await insert(['Owls', '봄날의 산책', '!!!']);
    await run(`update articles set word_count = null, reading_minutes = null where id = ${id}`);
    await fillArticles(app.database);
    expect(await slugs()).to.deep.equal(['owls', 'owls-2', '봄날의-산책', 'article']);
    const { body } = await call(app.url, `GET /api/articles/${id}`);
    expect(body?.data).to.include({ wordCount: 2, readingMinutes: 1, version: 1 });
    const statements = await statementsDuring(() => fillArticles(app.database));
    expect(statements.filter((text) => !/^(begin|commit|START|COMMIT)/i.test(text))).to.have.lengthOf(2);
  });

  it('is shared by processes that start at the same time', async () => {
    await insert(Array.from({ length: 500 }, () => 'Same'));
    await Promise.all([1, 2, 3].map(() => fillArticles(app.database)));
    const filled = await slugs();
    expect(new Set(filled).size).to.equal(500);
    expect(filled).to.not.include(null);
  });

  it('passes articles that a request changes, which the job fills later', async () => {
    await insert(['Busy', 'Idle']);
    await app.database.inTransaction(async (transaction) => {
      await app.database.sequelize.query(`select from all_articles where title = 'Busy' for update`, { transaction });
      await fillArticles(app.database);
      expect(await slugs()).to.deep.equal([null, 'idle']);
    });
    await addJobs(app.database, 'fill-articles', [{}]);
    await runJobs(app);
    expect(await slugs()).to.deep.equal(['busy', 'idle']);
    expect(schedule.map(({ task }) => task)).to.include('fill-articles');
  });

  it('gives a private article a proposal, which is not reserved', async () => {
    await insert(['Secret']);
    await run('update all_articles set is_private = true');
    await fillArticles(app.database);
    expect(await slugs()).to.deep.equal(['secret']);
    const [rows] = await run('select from article_slugs');
    expect(rows).to.be.empty;
  });

  it('counts again after a process of the previous version changed the content', async () => {
    const { id } = await buildArticle(app.url, { content: 'one two' }, member);
    await run(`update articles set content = 'one two three', excerpt = null where id = ${id}`);
    const read = async () => (await call(app.url, `GET /api/articles/${id}`)).body?.data.wordCount;
    expect(await read()).to.equal(null);
    await run(`insert into article_texts (article_id, version, text) values (${id}, 1, E'\\none two three')`);
    await fillArticles(app.database);
    expect(await read()).to.equal(3);
  });

  it('of a long run reports its progress', async () => {
    await insert(Array.from({ length: 450 }, (_, index) => `Article ${index}`));
    let time = 0;
    const lines: string[] = [];
    await fillArticles(app.database, { onProgress: (line) => lines.push(line), now: () => (time += 5_000) });
    expect(lines[0]).to.equal('Filling slugs and word counts: 100 of 450 articles.');
  });
});
