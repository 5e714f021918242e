/** Private articles: who sees them, and how an article becomes one. */
import { expect } from 'chai';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';

const app = useApp();
let author: BuiltMember;
let other: BuiltMember;
before(async () => {
  [author, other] = [await buildMember(app.url), await buildMember(app.url)];
});

const write = (fields: object = {}) => buildArticle(app.url, { ...fields }, author);
const writePrivate = (fields: object = {}) => write({ visibility: 'PRIVATE', ...fields });
const setVisibility = (id: number, visibility: string, headers = {}, { token } = author) =>
  call(app.url, `PUT /api/articles/${id}/visibility`, { token, headers, json: { visibility } });
const read = (id: number, token?: string) => call(app.url, `GET /api/articles/${id}`, token ? { token } : {});

describe('A private article', () => {
  const json = { title: 'Other', content: 'Other' };

  /** Every operation on an article, with the status for its author. */
  const operations = (id: number) =>
    [
      [`GET /api/articles/${id}`, 200],
      [`GET /api/articles/${id}/rendered`, 200],
      [`GET /api/articles/${id}/neighbors`, 200],
      [`PUT /api/articles/${id}`, 200, json],
      [`PUT /api/articles/${id}/visibility`, 200, { visibility: 'PRIVATE' }],
      [`DELETE /api/articles/${id}`, 200],
    ] as const;

  it('exists only for its author, on every route', async () => {
    const { id } = await writePrivate();
    const readers = [undefined, other.token];
    for (const scopes of [['comments'], ['images', 'notifications', 'ai']] as const)
      readers.push((await buildApiToken(app.url, author, scopes)).token);
    for (const token of readers) {
      for (const [target, , body] of operations(id)) {
        if (token === undefined && !target.startsWith('GET')) continue;
        const unknown = target.replace(`/${id}`, '/999999');
        const options = { ...(token && { token }), ...(body && { json: body }) };
        const [found, missing] = [await call(app.url, target, options), await call(app.url, unknown, options)];
        expect([found.status, found.body], target).to.deep.equal([missing.status, missing.body]);
        expect([403, 404], target).to.include(found.status);
      }
    }
    for (const [target, status, body] of operations(id)) {
      const options = { token: author.token, ...(body && { json: body }) };
      await expectStatus(call(app.url, target, options), status, '1', target);
    }
  });

  it('is 404 for another member before its revision is compared', async () => {
    const { id } = await writePrivate();
    const headers = { 'If-Match': '"9"' };
    const options = { token: other.token, headers };
    await expectStatus(call(app.url, `PUT /api/articles/${id}`, { ...options, json }), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(call(app.url, `DELETE /api/articles/${id}`, options), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(setVisibility(id, 'PUBLIC', headers, other), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(setVisibility(id, 'PUBLIC', headers), 412, 'PRECONDITION_FAILED');
    const shown = await write();
    await expectStatus(setVisibility(shown.id, 'PRIVATE', headers, other), 403, 'ARTICLE_FORBIDDEN');
  });

  it('is read by its author with a session, and with an API token that has the scope read or articles', async () => {
    const { id } = await writePrivate({ title: 'Diary' });
    const tokens = [author.token];
    for (const scope of ['read', 'articles'] as const) {
      tokens.push((await buildApiToken(app.url, author, [scope])).token);
    }
    const query = 'query ($id: ID!) { article(id: $id) { title visibility contentHtml author { id } } }';
    for (const token of tokens) {
      const { body, headers } = await expectStatus(read(id, token), 200, '1');
      expect(body?.data).to.deep.include({ title: 'Diary', visibility: 'PRIVATE', revision: 1 });
      expect(headers.get('ETag')).to.match(/^W\/"1\./);
      expect(headers.get('Cache-Control')).to.equal('no-store');
      const { data } = await graphql(app.url, query, { id }, token);
      expect(data.article).to.deep.include({ title: 'Diary', visibility: 'PRIVATE' });
    }
    for (const token of [undefined, other.token]) {
      const { data, errors } = await graphql(app.url, query, { id }, token);
      expect([data.article, errors?.[0]?.extensions.code]).to.deep.equal([null, 'ARTICLE_NOT_FOUND']);
    }
  });

  it('is written with each input, and stays private in an edit without a visibility', async () => {
    const created = await call(app.url, 'POST /api/articles', {
      token: author.token,
      json: { ...json, visibility: 'PRIVATE' },
    });
    expect(created.body?.data.visibility).to.equal('PRIVATE');
    const { id } = created.body?.data ?? {};
    const edit = async (fields: object) =>
      (await call(app.url, `PUT /api/articles/${id}`, { token: author.token, json: { ...json, ...fields } })).body
        ?.data;
    expect(await edit({})).to.deep.include({ visibility: 'PRIVATE', revision: 2 });
    expect(await edit({ visibility: 'PUBLIC' })).to.deep.include({ visibility: 'PUBLIC', revision: 3 });
    expect(await edit({})).to.deep.include({ visibility: 'PUBLIC', revision: 4 });
    const mutation = `mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id visibility } }`;
    const { data } = await graphql(app.url, mutation, { input: { ...json, visibility: 'PRIVATE' } }, author.token);
    expect(data.createArticle.visibility).to.equal('PRIVATE');
    expect((await read(data.createArticle.id)).status).to.equal(404);
    expect((await read((await write()).id)).body?.data.visibility).to.equal('PUBLIC');
    expectFieldErrors(
      await call(app.url, 'POST /api/articles', { token: author.token, json: { ...json, visibility: 'private' } }),
      'visibility: must be one of PUBLIC or PRIVATE, got "private"',
    );
  });
});

describe('PUT /api/articles/{articleId}/visibility', () => {
  it('is an edit that keeps the time of publication, and nothing without a difference', async () => {
    const { id } = await write();
    const first = (await read(id)).body?.data;
    const hidden = await expectStatus(setVisibility(id, 'PRIVATE', { 'If-Match': '"1"' }), 200, '1');
    expect(hidden.headers.get('ETag')).to.match(/^W\/"2\./);
    expect(hidden.body?.data).to.deep.include({ visibility: 'PRIVATE', revision: 2, createdAt: first.createdAt });
    const again = await expectStatus(setVisibility(id, 'PRIVATE', { 'If-Match': '"2"' }), 200, '1');
    expect(again.body?.data).to.deep.equal(hidden.body?.data);
    expect(again.headers.get('ETag')).to.equal(hidden.headers.get('ETag'));
    expect((await read(id)).status).to.equal(404);
    const mutation =
      'mutation ($id: ID!) { setVisibility(articleId: $id, visibility: PUBLIC) { visibility revision createdAt } }';
    const { data } = await graphql(app.url, mutation, { id }, author.token);
    expect(data.setVisibility).to.deep.equal({ visibility: 'PUBLIC', revision: 3, createdAt: `${first.createdAt}Z` });
    expect((await read(id)).body?.data).to.deep.include({ title: first.title, content: first.content });
  });

  it('is rejected without a visibility, for an unknown article, and without a token', async () => {
    const { id } = await write();
    const path = `PUT /api/articles/${id}/visibility`;
    const { status } = await call(app.url, path, { token: author.token, json: {} });
    expect(status).to.equal(400);
    await expectStatus(setVisibility(999999, 'PRIVATE'), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(call(app.url, path, { json: { visibility: 'PRIVATE' } }), 401, 'UNAUTHENTICATED');
    const { token } = await buildApiToken(app.url, author, ['read']);
    await expectStatus(call(app.url, path, { token, json: { visibility: 'PRIVATE' } }), 403, 'SCOPE_MISSING');
  });

  it('keeps the slug, which leads only the author to the private article', async () => {
    const { id } = await write({ title: 'A diary of owls' });
    const { slug } = (await read(id)).body?.data ?? {};
    await setVisibility(id, 'PRIVATE');
    const path = `GET /api/articles/by-slug/${slug}`;
    await expectStatus(call(app.url, path), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(call(app.url, path, { token: other.token }), 404, 'ARTICLE_NOT_FOUND');
    const own = await expectStatus(call(app.url, path, { token: author.token }), 200, '1');
    expect(own.body?.data).to.deep.include({ id, slug });
  });

  it('serves concurrent changes one after another', async () => {
    const { id } = await write();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => setVisibility(id, index % 2 === 0 ? 'PRIVATE' : 'PUBLIC')),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(6).fill(200));
    const { revision } = (await read(id, author.token)).body?.data ?? {};
    expect(revision).to.be.within(2, 7);
  });
});

describe('Lists', () => {
  let article: BuiltArticle;
  before(async () => {
    article = await writePrivate({ title: 'Nightjar', content: 'A churring nightjar.', tags: ['secret'] });
  });
  const idsIn = (list: { contents: { id: number | string }[] }) => list.contents.map(({ id }) => Number(id));

  it('of the public leave it out for everyone, also for the author', async () => {
    const { body } = await read(article.id, author.token);
    const { categoryId } = body?.data ?? {};
    const from = '2020-01-01';
    for (const query of [
      '',
      '?keyword=nightjar',
      '?tag=secret',
      `?memberId=${author.id}`,
      `?categoryId=${categoryId}`,
    ]) {
      for (const token of [undefined, author.token]) {
        for (const path of [`/api/articles${query}`, `/api/articles${query || '?'}&from=${from}`]) {
          const list = (await call(app.url, `GET ${path}`, token ? { token } : {})).body?.data;
          expect(idsIn(list), path).to.not.include(article.id);
          const shown = path.includes('nightjar') || path.includes('secret') ? 0 : list.contents.length;
          expect(list.pagination.totalElements, path).to.equal(shown);
        }
      }
    }
    const query = `query ($id: ID!) { member(id: $id) { articles(first: 100) { totalCount edges { node { id } } } }
      articleConnection(first: 100, filter: { memberId: $id }) { totalCount edges { node { id } } } }`;
    const { data } = await graphql(app.url, query, { id: author.id }, author.token);
    for (const { totalCount, edges } of [data.member.articles, data.articleConnection]) {
      expect(edges.map(({ node }: { node: { id: string } }) => Number(node.id))).to.not.include(article.id);
      expect(totalCount).to.equal(edges.length);
    }
  });
});
