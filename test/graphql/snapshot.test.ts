/** Responses of more than one statement show one state of the data, and hold no connection while they wait for a queue. */
import { expect } from 'chai';
import pg from 'pg';
import { AppError } from '../../src/platform/errors.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { occupyRenderer } from '../support/renderer.js';
import { statementsDuring } from '../support/statements.js';
import { until } from '../support/until.js';

const app = useApp();
const BEGIN = 'begin isolation level repeatable read read only';

describe('A response of more than one statement', () => {
  let other: pg.Client;
  let member: BuiltMember;
  let article: BuiltArticle;
  before(async () => {
    other = new pg.Client({ connectionString: app.database.url });
    await other.connect();
    member = await buildMember(app.url);
  });
  beforeEach(async () => {
    article = await buildArticle(app.url, { title: 'Before', content: 'Before.', tags: ['tide'] }, member);
    await buildComment(app.url, article.id, { content: 'Before.' });
  });
  after(() => other.end());

  /** Makes `change` between two statements of `read`, of which the second reads the table. */
  async function changingBefore<Found>(table: string, change: string, read: () => Promise<Found>): Promise<Found> {
    await other.query(`begin; lock table ${table} in access exclusive mode`);
    const reading = read();
    const waiting = `select from pg_locks where not granted and relation = '${table}'::regclass`;
    await until(async () => (await other.query(waiting)).rows.length > 0);
    await other.query(`${change}; commit`);
    return reading;
  }

  const deletion = () => `delete from articles where id = ${article.id}`;
  const edit = () => `update articles set title = 'After', content = 'After.', revision = 2 where id = ${article.id};
    insert into article_html select ${article.id}, 100, '<p>After.</p>' where not exists (select from article_html where article_id = ${article.id})`;
  const feed = async (path = '/feed.json') => {
    const response = await fetch(app.url + path);
    return {
      status: response.status,
      items: ((await response.json()) as { items: { title: string; content_html: string }[] }).items,
    };
  };

  it('is a feed whose articles exist, although one of them is deleted meanwhile', async () => {
    for (const path of ['/feed.json', `/members/${member.id}/feed.json`, '/tags/tide/feed.json']) {
      article = await buildArticle(app.url, { title: 'Before', content: 'Before.', tags: ['tide'] }, member);
      const { status, items } = await changingBefore('article_html', deletion(), () => feed(path));
      expect([status, items[0]?.title, items[0]?.content_html], path).to.deep.equal([
        200,
        'Before',
        '<p>Before.</p>\n',
      ]);
      expect((await feed(path)).items[0]?.title).to.equal('Before');
    }
  });

  it('is a feed whose titles and contents are of one revision', async () => {
    const { items } = await changingBefore('article_html', edit(), feed);
    expect([items[0]?.title, items[0]?.content_html]).to.deep.equal(['Before', '<p>Before.</p>\n']);
    expect((await feed()).items[0]?.title).to.equal('After');
  });

  it('is a list with the comments of its articles', async () => {
    const query = '{ articles(size: 2) { contents { title comments(first: 1) { edges { node { content } } } } } }';
    const { data, errors } = await changingBefore('comments', deletion(), () => graphql(app.url, query));
    expect(errors).to.equal(undefined);
    const edges = [{ node: { content: 'Before.' } }];
    expect(data.articles.contents[0]).to.deep.equal({ title: 'Before', comments: { edges } });
  });

  it('is a query of a member, with several root fields', async () => {
    const query = `query ($id: ID!) { article(id: $id) { title } comments(articleId: $id) { contents { content } } }`;
    const read = () => graphql(app.url, query, { id: article.id }, member.token);
    const { data, errors } = await changingBefore('comments', deletion(), read);
    expect(errors).to.equal(undefined);
    const comments = { contents: [{ content: 'Before.' }] };
    expect(data).to.deep.equal({ article: { title: 'Before' }, comments });
  });

  it('is a REST response', async () => {
    const path = `GET /api/articles/${article.id}/rendered`;
    const { status, body } = await changingBefore('article_html', deletion(), () => call(app.url, path));
    expect([status, body?.data.contentHtml]).to.deep.equal([200, '<p>Before.</p>\n']);
  });

  it('adds the begin and the end of a transaction to its statements, and nothing to a response of one statement', async () => {
    const { id } = article;
    const texts = await statementsDuring(() =>
      graphql(app.url, `{ article(id: ${id}) { title author { nickname } category { name } } }`),
    );
    expect(texts[0]).to.equal(BEGIN);
    expect(texts.at(-1)).to.equal('commit');
    expect(texts).to.have.length(5);
    const single = [
      `{ article(id: ${id}) { title content tags authorName categoryName articleImg articleImgSizes { url } excerpt } }`,
      '{ articles(size: 3) { contents { title content tags authorName articleImg } pagination { totalElements } } }',
      `{ comments(articleId: ${id}) { contents { authorName replies { authorName } } } }`,
      `{ comments(articleId: ${id}) { ...Page } } fragment Page on CommentPage { contents { replies { content } } }`,
      '{ articleConnection(first: 2) { edges { node { title content } } } }',
      '{ tags { contents { name } } }',
    ];
    for (const query of single)
      expect(await statementsDuring(() => graphql(app.url, `${query} #s`)), query).to.not.include(BEGIN);
  });

  for (const [what, query] of [
    ['HTML', '{ articles(size: 1) { contents { title contentHtml } } }'],
    [
      'HTML of an author',
      '{ articles(size: 1) { contents { author { articles(first: 1) { edges { node { contentHtml } } } } } } }',
    ],
  ] as const) {
    it(`holds no connection while it waits for the renderer: ${what}`, async () => {
      const { queue } = app.services.renderer;
      await app.database.sequelize.query('delete from article_html');
      const release = occupyRenderer(app);
      const reading = graphql(app.url, query);
      await until(() => queue.state.waiting > 0);
      await until(() => app.database.poolState().inUse === 0);
      // The response shows the state before the edit.
      await app.database.sequelize.query(`update articles set content = 'After.' where id = ${article.id}`);
      await release();
      const { data, errors } = await reading;
      expect(errors).to.equal(undefined);
      expect(JSON.stringify(data)).to.include('"contentHtml":"<p>Before.</p>');
    });
  }

  it('is an error with the status 503 where the HTML is not rendered in time', async () => {
    const { queue } = app.services.renderer;
    await app.database.sequelize.query('delete from article_html');
    const run = queue.run.bind(queue);
    queue.run = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE'));
    try {
      const read = `{ article(id: ${article.id}) { contentHtml author { nickname } } tags { contents { name } } }`;
      const { status, errors } = await graphql(app.url, read);
      expect([status, errors?.[0]?.extensions.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
      const list = await graphql(app.url, '{ articles(size: 1) { contents { contentHtml } } }');
      expect([list.status, list.data.articles.contents]).to.deep.equal([200, [{ contentHtml: '<pre>Before.</pre>' }]]);
    } finally {
      queue.run = run;
    }
  });

  it('holds no connection while it waits for a search', async () => {
    const { searches } = app.services.limits;
    let release = () => {};
    const free = new Promise<void>((resolve) => (release = resolve));
    const held = ['x', 'y', 'z'].map((key) => searches.run({ key }, () => free));
    const search = (title: string) => `articles(filter: { keyword: "${title}" }) { contents { title } }`;
    const reading = graphql(app.url, `{ tags { contents { name } } a: ${search('before')} b: ${search('nothing')} }`);
    await until(() => searches.state.waiting > 0);
    expect(app.database.poolState().inUse).to.equal(0);
    release();
    await Promise.all(held);
    const { data, errors } = await reading;
    expect(errors).to.equal(undefined);
    expect(data.a.contents[0]).to.deep.equal({ title: 'Before' });
    expect(searches.state.inUse).to.equal(0);
  });

  it('frees its connection if a field fails', async () => {
    const query = '{ article(id: 999999) { author { nickname } } articles(size: 1) { contents { id } } }';
    const { data } = await graphql(app.url, query);
    expect(data.article).to.equal(null);
    expect(data.articles.contents).to.have.length(1);
    expect(app.database.poolState().inUse).to.equal(0);
  });
});
