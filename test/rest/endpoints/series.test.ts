/** Series over both APIs: changes, public pages, and what readers see of private articles. */
import { expect } from 'chai';
import { MAX_SERIES, MAX_SERIES_ARTICLES } from '../../../src/models/series.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { buildSeries, storedIn } from '../../support/series.js';
import { ageStamps, fetchCopy } from '../../support/stamps.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();
let author: BuiltMember;
let articles: BuiltArticle[];
let id: number;
beforeEach(async () => {
  author = await buildMember(app.url);
  articles = [];
  for (const title of ['One', 'Two', 'Three']) articles.push(await buildArticle(app.url, { title }, author));
  id = await buildSeries(app.url, author, articles, { title: 'Coast', description: 'A walk.' });
});

const [idOf, idsOf] = [(index: number) => articles[index]?.id ?? 0, (...wanted: number[]) => wanted.map(idOf)];
const send = (target: string, json?: unknown, { token } = author) => call(app.url, target, { token, json });
const put = async (json: object, seriesId = id) =>
  (await expectStatus(send(`PUT /api/series/${seriesId}`, { title: 'Coast', ...json }), 200, '1')).body?.data;
const page = async (query = '', token?: string) => {
  const { body } = await expectStatus(
    call(app.url, `GET /api/series/${id}${query}`, token === undefined ? {} : { token }),
    200,
    '1',
  );
  return body?.data;
};
const listed = async (query = '', token?: string) =>
  (await page(query, token)).contents.map((one: { id: number }) => one.id);
const dataOf = async (target: string, member = author) => (await send(target, undefined, member)).body?.data ?? {};
const own = async () => (await dataOf('GET /api/series')).contents;
const mutate = (field: string, argument: string, selection: string, { token } = author) =>
  graphql(app.url, `mutation { ${field}(${argument}) { ${selection} } }`, {}, token);

const FIELDS = ['id', 'title', 'description', 'memberId', 'articleCount', 'updatedAt'];

describe('A series', () => {
  it('is created with its articles in their order, over both APIs', async () => {
    const created = await expectStatus(send('POST /api/series', { title: ' Sea ', articleIds: idsOf(2, 0) }), 201, '1');
    expect(Object.keys(created.body?.data)).to.deep.equal(FIELDS);
    expect(created.body?.data).to.include({ title: 'Sea', description: '', memberId: author.id, articleCount: 2 });
    const input = `input: { title: "Land", description: "Far away", articleIds: [${idsOf(1, 2)}] }`;
    const { data } = await mutate(
      'createSeries',
      input,
      'id title description memberId articleCount articleIds author { id }',
    );
    const [second, third] = idsOf(1, 2).map(String);
    expect(data.createSeries).to.deep.include({ title: 'Land', description: 'Far away', articleIds: [second, third] });
    expect(data.createSeries.author.id).to.equal(String(author.id));
    // The third article has moved.
    expect(await storedIn(app, created.body?.data.id)).to.deep.equal(idsOf(0));
    expect(await storedIn(app, id)).to.deep.equal([]);
  });

  it('is read with its articles in pages, and as a connection in both directions', async () => {
    const first = await page('?size=2');
    expect(Object.keys(first)).to.deep.equal([...FIELDS, 'contents', 'pagination']);
    expect(first).to.deep.include({ id, title: 'Coast', description: 'A walk.', articleCount: 3, memberId: author.id });
    expect(first.contents[0]).to.deep.include({ title: 'One', seriesId: id });
    expect(first.pagination).to.include({ totalElements: 3, totalPages: 2, last: false });
    expect([await listed('?size=2'), await listed('?size=2&page=2'), await listed('?page=3')]).to.deep.equal([
      idsOf(0, 1),
      idsOf(2),
      [],
    ]);
    const connection = async (args: string) => {
      const { data } = await graphql(
        app.url,
        `{ seriesArticleConnection(id: ${id}, ${args}) { totalCount edges { node { id } } pageInfo { endCursor startCursor hasNextPage } } }`,
      );
      const { edges, ...rest } = data.seriesArticleConnection;
      return { ...rest, ids: edges.map(({ node }: { node: { id: string } }) => Number(node.id)) };
    };
    const start = await connection('first: 2');
    expect([start.ids, start.totalCount, start.pageInfo.hasNextPage]).to.deep.equal([idsOf(0, 1), 3, true]);
    expect((await connection(`first: 2, after: "${start.pageInfo.endCursor}"`)).ids).to.deep.equal(idsOf(2));
    expect((await connection('last: 2')).ids).to.deep.equal(idsOf(1, 2));
    expect((await connection(`last: 2, before: "${start.pageInfo.endCursor}"`)).ids).to.deep.equal(idsOf(0));
    const other = await buildSeries(app.url, author);
    const { errors } = await graphql(
      app.url,
      `{ seriesArticleConnection(id: ${other}, after: "${start.pageInfo.endCursor}") { totalCount } }`,
    );
    expect(errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
  });

  it('keeps what a change omits, replaces its list, and is unchanged by an equal one', async () => {
    const before = await put({ articleIds: idsOf(2, 0) });
    expect(before).to.include({ description: 'A walk.', articleCount: 2 });
    expect([await listed(), await storedIn(app, id)]).to.deep.equal([idsOf(2, 0), idsOf(2, 0)]);
    await ageStamps(app.database);
    const { etag } = await fetchCopy(`${app.url}/api/series/${id}`);
    await app.database.sequelize.query(`set session_replication_role = replica;
      update series set updated_at = '2026-01-01' where id = ${id}; reset session_replication_role`);
    expect(await put({ articleIds: idsOf(2, 0), description: 'A walk.' })).to.include({
      updatedAt: '2026-01-01T00:00:00',
    });
    expect((await fetchCopy(`${app.url}/api/series/${id}`)).etag).to.equal(etag);
    expect(await put({ title: 'Shore', description: '' })).to.include({
      title: 'Shore',
      description: '',
      articleCount: 2,
    });
    expect((await put({ articleIds: [] })).articleCount).to.equal(0);
    expect(await storedIn(app, id)).to.deep.equal([]);
    const { data } = await mutate(
      'updateSeries',
      `id: ${id}, input: { title: "Again", articleIds: [${idsOf(1)}] }`,
      'title articleIds',
    );
    expect(data.updateSeries).to.deep.equal({ title: 'Again', articleIds: [String(idOf(1))] });
  });

  it('is deleted without its articles, over both APIs', async () => {
    const other = await buildSeries(app.url, author, articles.slice(2));
    const { body } = await expectStatus(send(`DELETE /api/series/${id}`), 200, '1');
    expect(body?.data).to.deep.equal({});
    const { data } = await mutate('deleteSeries', `id: ${other}`, 'id title articleCount');
    expect(data.deleteSeries).to.deep.include({ id: String(other), articleCount: 1 });
    for (const gone of [id, other])
      for (const target of [`GET /api/series/${gone}`, `DELETE /api/series/${gone}`])
        await expectStatus(send(target), 404, 'SERIES_NOT_FOUND', target);
    const own = await send('GET /api/articles/me');
    expect(own.body?.data.contents.map((one: { seriesId: unknown }) => one.seriesId)).to.deep.equal([null, null, null]);
  });

  it('appears in every form of its articles', async () => {
    const { data } = await graphql(
      app.url,
      `{ article(id: ${idOf(0)}) { seriesId series { id title articleCount articleIds } }
         articleConnection(first: 5, filter: { memberId: ${author.id} }) { edges { node { seriesId } } } }`,
    );
    const series = { id: String(id), title: 'Coast', articleCount: 3, articleIds: null };
    expect(data.article).to.deep.equal({ seriesId: String(id), series });
    expect(
      new Set(data.articleConnection.edges.map(({ node }: { node: { seriesId: string } }) => node.seriesId)),
    ).to.have.lengthOf(1);
    await buildArticle(app.url, { title: 'Alone' }, author);
    const lists = [`/api/articles?memberId=${author.id}`, '/api/articles?keyword=alone', '/api/articles/me'];
    for (const list of lists) {
      const { contents } = await dataOf(`GET ${list}`);
      for (const one of contents)
        expect([one.title, one.seriesId]).to.deep.equal([one.title, one.title === 'Alone' ? null : id]);
    }
    expect((await send(`GET /api/articles/${idOf(1)}`)).body?.data.seriesId).to.equal(id);
  });
});

describe('The series of a member', () => {
  it('are listed in pages and as connections, the last changed one first', async () => {
    const second = await buildSeries(app.url, author);
    await put({ title: 'Shore' });
    for (const target of [`/api/members/${author.id}/series`, '/api/series']) {
      const { contents, pagination } = await dataOf(`GET ${target}?size=1`);
      expect([contents.map((one: { id: number }) => one.id), pagination.totalElements]).to.deep.equal([[id], 2]);
    }
    const publicOnes = (await call(app.url, `GET /api/members/${author.id}/series`)).body?.data.contents;
    expect(publicOnes.map(Object.keys)).to.deep.equal([FIELDS, FIELDS]);
    expect((await own()).map((one: { articleIds: number[] }) => one.articleIds)).to.deep.equal([idsOf(0, 1, 2), []]);
    const { data } = await graphql(
      app.url,
      `{ memberSeriesConnection(memberId: ${author.id}, first: 1) { totalCount pageInfo { endCursor } edges { node { id articleIds } } }
         mySeriesConnection(last: 1) { edges { node { id articleIds } } } memberSeries(memberId: ${author.id}) { contents { id articleIds } } }`,
      {},
      author.token,
    );
    const ids = idsOf(0, 1, 2).map(String);
    expect(data.memberSeriesConnection.edges).to.deep.equal([{ node: { id: String(id), articleIds: ids } }]);
    expect(data.mySeriesConnection.edges).to.deep.equal([{ node: { id: String(second), articleIds: [] } }]);
    const next = await graphql(
      app.url,
      `{ memberSeriesConnection(memberId: ${author.id}, after: "${data.memberSeriesConnection.pageInfo.endCursor}") { edges { node { id articleIds } } } }`,
    );
    expect(next.data.memberSeriesConnection.edges).to.deep.equal([{ node: { id: String(second), articleIds: null } }]);
  });

  it('are 404 for an unknown member, and empty for one without any', async () => {
    for (const memberId of [999_999, ...HUGE_IDS])
      await expectStatus(
        call(app.url, `GET /api/members/${memberId}/series`),
        404,
        'MEMBER_NOT_FOUND',
        String(memberId),
      );
    const { contents, pagination } = await dataOf('GET /api/series', await buildMember(app.url));
    expect([contents, pagination.totalPages]).to.deep.equal([[], 0]);
  });
});

describe('Private articles of a series', () => {
  it('are in no public list, total or page, also for their author, who has them in articleIds', async () => {
    await setPrivate(app.url, articles[1] as BuiltArticle);
    for (const token of [undefined, author.token]) {
      const { contents, articleCount, pagination } = await page('?size=2', token);
      expect(contents.map((one: { id: number }) => one.id)).to.deep.equal(idsOf(0, 2));
      expect([articleCount, pagination.totalElements]).to.deep.equal([2, 2]);
    }
    const [series] = (await dataOf(`GET /api/members/${author.id}/series`)).contents;
    expect(series.articleCount).to.equal(2);
    expect(await own()).to.deep.equal([{ ...series, articleIds: idsOf(0, 1, 2) }]);
    expect((await send(`GET /api/articles/${idOf(1)}`)).body?.data.seriesId).to.equal(id);
    expect((await put({ articleIds: idsOf(2, 1, 0) })).articleCount).to.equal(2);
    expect([await listed(), (await own())[0].articleIds]).to.deep.equal([idsOf(2, 0), idsOf(2, 1, 0)]);
    await setPrivate(app.url, articles[1] as BuiltArticle, false);
    expect(await listed()).to.deep.equal(idsOf(2, 1, 0));
  });

  it('change nothing that others see when they are listed at the end, or leave', async () => {
    const hidden = await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    await ageStamps(app.database);
    const paths = [
      `/api/series/${id}`,
      `/api/members/${author.id}/series`,
      '/api/articles',
      `/api/articles/${idOf(0)}`,
    ];
    const read = () => Promise.all(paths.map(async (path) => fetchCopy(app.url + path)));
    const [before] = [await read()];
    for (const articleIds of [[...idsOf(0, 1, 2), hidden.id], idsOf(0, 1, 2)]) {
      await put({ articleIds });
      expect((await read()).map(({ etag, body }) => [etag, body])).to.deep.equal(
        before.map(({ etag, body }) => [etag, body]),
      );
    }
  });

  it('do not count in cursors, wherever they are listed', async () => {
    const hidden = await buildArticle(app.url, { visibility: 'PRIVATE' }, author);
    const cursors = async () => {
      const { data } = await graphql(
        app.url,
        `{ seriesArticleConnection(id: ${id}) { edges { cursor node { id } } } }`,
      );
      return data.seriesArticleConnection.edges;
    };
    const before = await cursors();
    await put({ articleIds: [hidden.id, ...idsOf(0, 1, 2)] });
    expect(await cursors()).to.deep.equal(before);
  });

  it('of an API token that may not read articles are not in articleIds', async () => {
    const { token } = await buildApiToken(app.url, author, ['reactions']);
    const { data } = await graphql(
      app.url,
      `{ memberSeries(memberId: ${author.id}) { contents { articleIds } } }`,
      {},
      token,
    );
    expect(data.memberSeries.contents).to.deep.equal([{ articleIds: null }]);
  });
});

describe('A change of a series', () => {
  it('is one statement besides authentication and limits, and so are reads', async () => {
    const changing = (texts: readonly string[]) => texts.filter((text) => !/sessions|rate_limit/.test(text));
    const reads = [`GET /api/series/${id}`, `GET /api/members/${author.id}/series`, 'GET /api/series'];
    const changes: [string, unknown][] = [
      ['POST /api/series', { title: 'More', articleIds: idsOf(0) }],
      [`PUT /api/series/${id}`, { title: 'Coast', articleIds: idsOf(2, 0, 1) }],
      [`DELETE /api/series/${id}`, undefined],
    ];
    for (const [target, json] of [...reads.map((read): [string, unknown] => [read, undefined]), ...changes]) {
      const texts = await statementsDuring(() => send(target, json));
      expect(changing(texts), target).to.have.lengthOf(1);
    }
  });

  it('renews what shows it, and no feed, comments or profile', async () => {
    const [moved] = articles;
    const changed = [
      ...[`/api/series/${id}`, `/api/members/${author.id}/series`, '/api/articles', `/api/articles/${moved?.id}`],
      `/graphql?query={article(id:${moved?.id}){series{title}}}`,
    ];
    const same = [`/api/articles/${moved?.id}/comments`, `/api/members/${author.id}`];
    const read = () => Promise.all([...changed, ...same].map(async (path) => (await fetchCopy(app.url + path)).etag));
    await ageStamps(app.database);
    const before = await read();
    expect(before.every((tag) => tag !== null)).to.equal(true);
    await put({ articleIds: idsOf(1, 2) });
    const after = await read();
    expect([...changed, ...same].filter((_, index) => before[index] !== after[index])).to.deep.equal(changed);
    await ageStamps(app.database);
    const [page, list] = [await read(), await fetchCopy(`${app.url}/feed.xml`)];
    await put({ title: 'Shore' });
    // The title is in pages of series; no article has changed.
    expect((await read()).map((tag, index) => tag === page[index])).to.deep.equal([
      false,
      false,
      false,
      true,
      false,
      ...same.map(() => true),
    ]);
    expect((await fetchCopy(`${app.url}/feed.xml`)).etag).to.equal(list.etag);
  });

  it('is rejected for unknown series, series of others, and articles of others', async () => {
    const other = await buildMember(app.url);
    const theirs = await buildArticle(app.url, {}, other);
    const hidden = await buildArticle(app.url, { visibility: 'PRIVATE' }, other);
    for (const unknown of [999_999, ...HUGE_IDS])
      for (const target of [
        `GET /api/series/${unknown}`,
        `PUT /api/series/${unknown}`,
        `DELETE /api/series/${unknown}`,
      ])
        await expectStatus(
          send(target, target.startsWith('PUT') ? { title: 'x' } : undefined),
          404,
          'SERIES_NOT_FOUND',
          target,
        );
    for (const wrong of BAD_IDS)
      expect((await call(app.url, `GET /api/series/${wrong}`)).status, wrong).to.be.oneOf([400, 404]);
    for (const [target, json] of [
      [`PUT /api/series/${id}`, { title: 'Mine', articleIds: [theirs.id] }],
      [`DELETE /api/series/${id}`],
    ] as const)
      await expectStatus(send(target, json, other), 403, 'SERIES_FORBIDDEN', target);
    for (const missing of [theirs.id, hidden.id, 999_999, 2 ** 53 - 1]) {
      for (const target of ['POST /api/series', `PUT /api/series/${id}`]) {
        const { body } = await expectStatus(
          send(target, { title: 'x', articleIds: [idOf(0), missing] }),
          404,
          'ARTICLE_NOT_FOUND',
        );
        expect(body?.message).to.equal(`None of your articles has the ID ${missing}.`);
      }
    }
    expect(await page()).to.include({ title: 'Coast', articleCount: 3 });
    expect(await own()).to.have.lengthOf(1);
  });

  it('is validated, and names all invalid fields', async () => {
    const rejected = async (json: object) => expectStatus(send('POST /api/series', json), 400, 'VALIDATION_FAILED');
    expectFieldErrors(await rejected({}), 'title: is required');
    expectFieldErrors(
      await rejected({ title: 'x'.repeat(101), description: 'x'.repeat(501) }),
      'title: must be 1 to 100 characters long, got 101',
      'description: must be 0 to 500 characters long, got 501',
    );
    const ids = (articleIds: unknown) => rejected({ title: 'x', articleIds });
    expectFieldErrors(
      await ids([idOf(0), idOf(1), idOf(0)]),
      `articleIds: must have each element once, got ${idOf(0)} repeatedly`,
    );
    expectFieldErrors(
      await ids(Array.from({ length: 201 }, (_, n) => n + 1)),
      'articleIds: must have at most 200 elements, got 201',
    );
    expectFieldErrors(await ids([0]), 'articleIds: each must be a positive whole number, got "0"');
    expectFieldErrors(await ids('1'), 'articleIds: must be an array, got "1"');
    const { errors } = await mutate('createSeries', `input: { title: "x", articleIds: [1, 1] }`, 'id');
    expect(errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
    const put201 = await send(`PUT /api/series/${id}`, { articleIds: Array.from({ length: 201 }, (_, n) => n + 1) });
    expect(put201.status).to.equal(400);
    expect(await own()).to.have.lengthOf(1);
  });

  it('reaches the limits, and is rejected beyond them', async () => {
    await app.database.sequelize.query(`insert into all_articles (slug, member_id, category_id, title, content)
      select gen_random_uuid(), ${author.id}, (select id from categories where member_id = ${author.id} and is_default), 'T', 'C' from generate_series(4, ${MAX_SERIES_ARTICLES})`);
    const [all] = await app.database.sequelize.query(
      `select id::integer from all_articles where member_id = ${author.id} order by id desc`,
    );
    const articleIds = (all as { id: number }[]).map((row) => row.id);
    expect(articleIds).to.have.lengthOf(MAX_SERIES_ARTICLES);
    expect((await put({ articleIds })).articleCount).to.equal(MAX_SERIES_ARTICLES);
    expect(await listed('?size=100&page=2')).to.deep.equal(articleIds.slice(100));
    await app.database.sequelize.query(
      `insert into series (member_id, title) select ${author.id}, 'Full' from generate_series(2, ${MAX_SERIES})`,
    );
    await expectStatus(send('POST /api/series', { title: 'x', articleIds: [999_999] }), 400, 'SERIES_LIMIT_REACHED');
    await put({ title: 'Full too' });
    await send(`DELETE /api/series/${id}`);
    await buildSeries(app.url, author);
  });

  it('needs a token with the scope articles; read lists the own ones too', async () => {
    const changes: [string, unknown][] = [
      ['POST /api/series', { title: 'x' }],
      [`PUT /api/series/${id}`, { title: 'x' }],
      [`DELETE /api/series/${id}`, undefined],
    ];
    const [read, write, none] = [
      await buildApiToken(app.url, author, ['read']),
      await buildApiToken(app.url, author, ['articles']),
      await buildApiToken(app.url, author, ['comments']),
    ];
    for (const [target, json] of changes) {
      await expectStatus(call(app.url, target, { json }), 401, 'UNAUTHENTICATED', target);
      for (const { token } of [read, none])
        await expectStatus(call(app.url, target, { token, json }), 403, 'SCOPE_MISSING', target);
    }
    await expectStatus(call(app.url, 'GET /api/series', { token: none.token }), 403, 'SCOPE_MISSING');
    for (const { token } of [read, write]) {
      const { body } = await expectStatus(call(app.url, 'GET /api/series', { token }), 200, '1');
      expect(body?.data.contents[0].articleIds).to.deep.equal(idsOf(0, 1, 2));
    }
    for (const [target, json] of changes)
      expect((await call(app.url, target, { token: write.token, json })).status, target).to.be.oneOf([200, 201]);
  });

  it('with an Idempotency-Key is repeated without a second series', async () => {
    const headers = { 'Idempotency-Key': '"series"' };
    const create = () => call(app.url, 'POST /api/series', { token: author.token, json: { title: 'Once' }, headers });
    const [first, second] = [await create(), await create()];
    expect([first.status, second.body]).to.deep.equal([201, first.body]);
    expect(await own()).to.have.lengthOf(2);
  });

  it('does not affect the neighbors of its articles', async () => {
    const neighbors = async () => (await send(`GET /api/articles/${idOf(1)}/neighbors`)).body?.data;
    const before = await neighbors();
    expect([before.previous.id, before.next.id]).to.deep.equal(idsOf(0, 2));
    await put({ articleIds: idsOf(2, 1, 0) });
    expect(await neighbors()).to.deep.equal(before);
  });
});

describe('A series', () => {
  it('ends with the account of its author', async () => {
    await expectStatus(send('DELETE /api/members/me', { password: author.password }), 200, '1');
    await expectStatus(call(app.url, `GET /api/series/${id}`), 404, 'SERIES_NOT_FOUND');
    await expectStatus(call(app.url, `GET /api/members/${author.id}/series`), 404, 'MEMBER_NOT_FOUND');
  });

  it('keeps the order of the others when an article is deleted', async () => {
    await expectStatus(send(`DELETE /api/articles/${idOf(1)}`), 200, '1');
    expect([await listed(), await listed('?size=1&page=2')]).to.deep.equal([idsOf(0, 2), idsOf(2)]);
    expect((await own())[0]).to.deep.include({ articleCount: 2, articleIds: idsOf(0, 2) });
  });
});
