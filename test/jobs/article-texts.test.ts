/** The job that renders the visible texts of articles that were written by an older version. */
import { expect } from 'chai';
import { fillArticleTexts } from '../../src/jobs/article-rendering.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { addJobs, runJobs, runSummaries } from '../support/jobs.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp();

const CONTENT = '오늘 **파도**가 [높다](https://hidden.example).';

/** Writes the content as a process of an older version does: its HTML, and no text. */
async function writeAsBefore(id: number, content: string): Promise<void> {
  const { sequelize } = app.database;
  await sequelize.transaction(async (transaction) => {
    const options = { transaction, replacements: { id, content } };
    await sequelize.query("update articles set content = :content, excerpt = '파도 가' where id = :id", options);
    await sequelize.query(
      "insert into article_html (article_id, version, html) values (:id, 2, '<p>오늘 <strong>파도</strong>가 높다.</p>')",
      options,
    );
  });
}

async function found(keyword: string): Promise<number[]> {
  const { body } = await call(app.url, `GET /api/articles?keyword=${encodeURIComponent(keyword)}`);
  return body?.data.contents.map(({ id }: { id: number }) => id);
}

async function fill(): Promise<void> {
  await addJobs(app.database, 'fill-article-texts', [{}]);
  await runJobs(app);
}

describe('Articles without a visible text', () => {
  it('are found by their source until the job has rendered them, which keeps their time and version', async () => {
    const { id } = await buildArticle(app.url, { content: 'before' });
    await writeAsBefore(id, CONTENT);
    expect([await found('높다'), await found('hidden.example'), await found('파도가')]).to.deep.equal([[id], [id], []]);
    const read = async () => (await call(app.url, `GET /api/articles/${id}`)).body?.data;
    const before = await read();
    const list = `${app.url}/api/articles?keyword=hidden.example`;
    const tag = (await fetch(list)).headers.get('ETag') ?? '';
    await fill();
    expect([await found('높다'), await found('hidden.example'), await found('파도가')]).to.deep.equal([[id], [], [id]]);
    const filled = { excerpt: '오늘 파도가 높다.', wordCount: 7, readingMinutes: 1 };
    expect(await read()).to.deep.equal({ ...before, ...filled });
    expect((await fetch(list, { headers: { 'If-None-Match': tag } })).status, 'validators of searches').to.equal(200);
  });

  it('are rendered if they have no HTML either, newest first, and each once', async () => {
    const ids: number[] = [];
    for (const word of ['one', 'two', 'three']) ids.push((await buildArticle(app.url, { content: `*${word}*ly` })).id);
    await app.database.sequelize.query(`delete from article_html where article_id = any(array[${ids}]);
      delete from article_texts where article_id = any(array[${ids}]); update articles set excerpt = null`);
    const stores = (texts: readonly string[]) => texts.filter((text) => text.includes('article_html as h'));
    expect(stores(await statementsDuring(fill))).to.have.length(3);
    expect(stores(await statementsDuring(fill))).to.have.length(0);
    const rows = await rowsOf(
      app.database,
      `select t.text, h.html, a.excerpt from articles a
      join article_texts t on t.article_id = a.id join article_html h on h.article_id = a.id where a.id = ${ids[1]}`,
    );
    expect(rows).to.deep.equal([{ text: '\ntwoly', html: '<p><em>two</em>ly</p>\n', excerpt: 'twoly' }]);
  });

  it('remain for the next run if the process stops, and if rendering them fails', async () => {
    const { id: first } = await buildArticle(app.url);
    const { id: second } = await buildArticle(app.url);
    await app.database.sequelize.query('delete from article_texts');
    const missing = () =>
      rowsOf(
        app.database,
        `select id from articles a where id in (${first}, ${second})
      and not exists (select from article_texts t where t.article_id = a.id) order by id`,
      );
    const aborted = new AbortController();
    aborted.abort(new Error('stopping'));
    const run = { attempt: 1, signal: aborted.signal };
    const error = await fillArticleTexts({}, app.services, run).catch((reason: Error) => reason);
    expect((error as Error).message).to.equal('stopping');
    expect(await missing()).to.have.length(2);
    await app.database.sequelize.query(
      `alter table article_texts add constraint broken check (article_id <> ${second})`,
    );
    try {
      await fill();
      expect(await missing()).to.deep.equal([{ id: second }]);
    } finally {
      await app.database.sequelize.query('alter table article_texts drop constraint broken');
    }
    await fill();
    expect(await missing()).to.deep.equal([]);
  });

  it('are rendered by the summary of an article that was written while the renderer was busy', async () => {
    const { id } = await buildArticle(app.url, { content: '오늘 **파도**가 아주 높아 배가 뜨지 못한다.' });
    await app.database.sequelize.query(`delete from article_texts where article_id = ${id}`);
    await runSummaries(app);
    const { body } = await call(app.url, `GET /api/articles/${id}`);
    expect(body?.data.aiSummary).to.equal('오늘 파도가 아주 높아 배가 뜨지 못한다.');
    expect(await rowsOf(app.database, `select from article_texts where article_id = ${id}`)).to.have.length(1);
  });
});

describe('The visible text of an article', () => {
  /** The number of changed rows of the search index. */
  async function writesDuring(work: () => Promise<unknown>): Promise<number> {
    const run = (sql: string) => app.database.sequelize.query(sql);
    await run(`create table search_writes (id bigint);
      create function record_search_write() returns trigger language plpgsql as
        $$ begin insert into search_writes values (new.article_id); return null; end $$;
      create trigger record_search_write after insert or update on article_search
        for each row execute function record_search_write()`);
    try {
      await work();
      return (await rowsOf(app.database, 'select id from search_writes')).length;
    } finally {
      await run(`drop trigger record_search_write on article_search; drop function record_search_write;
        drop table search_writes`);
    }
  }

  it('is written to the search index once, with the article, and not by other changes', async () => {
    const { id, author } = await buildArticle(app.url, { content: '*ear*lier' });
    const edit = (json: object) => call(app.url, `PUT /api/articles/${id}`, { token: author.token, json });
    const changes: [writes: number, work: () => Promise<unknown>][] = [
      [1, () => buildArticle(app.url, { content: '*ear*lier', tags: ['time'] })],
      [1, () => edit({ title: 'Title', content: '*lat*er' })],
      [0, () => edit({ title: 'Title', content: '*lat*er' })],
      [0, () => buildComment(app.url, id)],
      [0, fill],
    ];
    const writes: number[] = [];
    for (const [, work] of changes) writes.push(await writesDuring(work));
    expect(writes).to.deep.equal(changes.map(([expected]) => expected));
    expect([await found('later'), await found('*lat*')]).to.deep.equal([[id], []]);
  });
});
