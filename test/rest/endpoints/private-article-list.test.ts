/** Private articles in lists: those of their author have them, and nothing public shows them. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { edit, MANY_LINKS, setApproval } from '../../support/held.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
let author: BuiltMember;
let other: BuiltMember;
beforeEach(async () => {
  [author, other] = [await buildMember(app.url), await buildMember(app.url)];
});

const write = async (fields: object = {}) => (await buildArticle(app.url, { ...fields }, author)).id;
const writePrivate = (fields: object = {}) => write({ visibility: 'PRIVATE', ...fields });
const setVisibility = (id: number, visibility: string) =>
  call(app.url, `PUT /api/articles/${id}/visibility`, { token: author.token, json: { visibility } });
const own = async (query = '', { token } = author) => {
  const { body } = await expectStatus(call(app.url, `GET /api/articles/me${query}`, { token }), 200, '1', query);
  const { contents, pagination } = body?.data ?? {};
  return { ids: contents.map(({ id }: { id: number }) => id), total: pagination.totalElements, contents };
};

describe('GET /api/articles/me', () => {
  it('lists the private articles of the author, with every filter and with exact totals, in one statement', async () => {
    const category = 'Travel';
    await call(app.url, 'POST /api/categories', { token: author.token, json: { categoryName: category } });
    const shown = await write({ title: 'Tide one', tags: ['sea'], category });
    const hidden = await writePrivate({ title: 'Tide two', tags: ['sea', 'secret'], category });
    const last = await writePrivate({ title: 'Another', content: 'The **tide** is out.' });
    const { categoryId } = (await own()).contents[1];
    const expected: [string, number[]][] = [
      ['', [last, hidden, shown]],
      ['?visibility=PRIVATE', [last, hidden]],
      ['?visibility=PUBLIC', [shown]],
      ['?keyword=tide', [hidden, shown, last]],
      ['?keyword=tide&visibility=PRIVATE', [hidden, last]],
      ['?keyword=tide&visibility=PUBLIC', [shown]],
      ['?keyword=tide&sort=title,asc', [last, shown, hidden]],
      ['?keyword=tide&tag=secret', [hidden]],
      ['?tag=secret', [hidden]],
      ['?tag=sea', [hidden, shown]],
      ['?tag=sea&visibility=PUBLIC', [shown]],
      [`?categoryId=${categoryId}`, [hidden, shown]],
      [`?categoryId=${categoryId}&visibility=PRIVATE`, [hidden]],
      ['?from=2020-01-01&visibility=PRIVATE', [last, hidden]],
      ['?to=2020-01-01', []],
      ['?sort=title,asc', [last, shown, hidden]],
    ];
    for (const [query, ids] of expected) {
      const texts = await statementsDuring(async () => {
        expect(await own(query), query).to.deep.include({ ids, total: ids.length });
      });
      expect(texts, query).to.have.lengthOf(2);
      expect(await own(query, other), query).to.deep.include({ ids: [], total: 0 });
    }
    const [first, second, third] = (await own('?keyword=tide')).contents;
    expect([first.visibility, second.visibility, third.visibility]).to.deep.equal(['PRIVATE', 'PUBLIC', 'PRIVATE']);
    expect(third.snippet).to.equal('The <mark>tide</mark> is out.');
    expect((await call(app.url, 'GET /api/articles?visibility=PRIVATE')).status).to.equal(400);
  });

  it('lists the same over GraphQL, as pages and connections', async () => {
    await write();
    const id = await writePrivate({ title: 'Nightjar' });
    const query = `{ myArticles(filter: { visibility: PRIVATE }) { contents { id visibility } pagination { totalElements } }
      all: myArticleConnection(first: 5) { totalCount edges { node { visibility } } }
      found: myArticleConnection(first: 5, filter: { keyword: "nightjar" }) { totalCount edges { node { id } } } }`;
    const { data } = await graphql(app.url, query, {}, author.token);
    expect(data).to.deep.equal({
      myArticles: { contents: [{ id: `${id}`, visibility: 'PRIVATE' }], pagination: { totalElements: 1 } },
      all: { totalCount: 2, edges: ['PRIVATE', 'PUBLIC'].map((visibility) => ({ node: { visibility } })) },
      found: { totalCount: 1, edges: [{ node: { id: `${id}` } }] },
    });
  });

  it('ranks private and public hits together, as if all were public', async () => {
    const texts = [
      ['Owls at night', 'Nothing.', []],
      ['Night of owls', 'Nothing.', []],
      ['Title', 'Owls at night.', []],
      ['Title', 'Night, and many owls.', []],
      ['Owls', 'Nothing.', ['night']],
      ['Title', 'Nothing.', ['owls', 'night']],
    ] as const;
    const ids: number[] = [];
    for (const [index, [title, content, tags]] of [...texts, ...texts].entries())
      ids.push(await write({ title, content, tags, visibility: index % 3 === 0 ? 'PUBLIC' : 'PRIVATE' }));
    const pages = async () =>
      (await Promise.all([1, 2, 3].map((page) => own(`?keyword=owls%20at%20night&size=2&page=${page}`)))).concat(
        await Promise.all([1, 2, 3].map((page) => own(`?keyword=owls%20night&size=5&page=${page}`))),
      );
    const mixed = await pages();
    for (const id of ids) await setVisibility(id, 'PUBLIC');
    expect(mixed.map(({ ids: page, total }) => [page, total])).to.deep.equal(
      (await pages()).map(({ ids: page, total }) => [page, total]),
    );
    const { body } = await call(app.url, `GET /api/articles?keyword=owls%20night&size=5&memberId=${author.id}`);
    expect(body?.data.contents.map(({ id }: { id: number }) => id)).to.deep.equal(mixed[3]?.ids);
  });
});

describe('A private article', () => {
  it('leaves its tags unknown, and counts in a category for the owner only', async () => {
    const before = (await call(app.url, 'GET /api/tags')).body?.data.pagination.totalElements;
    const id = await writePrivate({ tags: ['undertow'] });
    const tags = async (query = '') =>
      JSON.stringify((await call(app.url, `GET /api/tags?size=100${query}`, { token: author.token })).body?.data);
    const feed = async (tag: string) => {
      const { status, headers } = await fetch(`${app.url}/tags/${tag}/feed.json`);
      return [status, headers.get('ETag') !== null];
    };
    const counts = async (token?: string) => {
      const options = token ? { token } : {};
      const { body } = await call(app.url, `GET /api/members/${author.id}/categories`, options);
      return body?.data.contents.map(({ articleCount }: { articleCount: number }) => articleCount);
    };
    for (const query of ['', `&memberId=${author.id}`]) expect(await tags(query)).to.not.include('undertow');
    expect((await call(app.url, 'GET /api/tags')).body?.data.pagination.totalElements).to.equal(before);
    const list = (await call(app.url, `GET /api/tags?memberId=${author.id}&page=9`)).body?.data;
    expect(list.pagination.totalElements).to.equal(0);
    expect(await feed('undertow')).to.deep.equal(await feed('no-such-tag'));
    expect([await counts(), await counts(other.token), await counts(author.token)]).to.deep.equal([[0], [0], [1]]);
    await setVisibility(id, 'PUBLIC');
    for (const query of ['', `&memberId=${author.id}`]) expect(await tags(query)).to.include('undertow');
    expect((await call(app.url, 'GET /api/tags')).body?.data.pagination.totalElements).to.equal(before + 1);
    expect(await feed('undertow')).to.deep.equal([200, true]);
    expect(await counts()).to.deep.equal([1]);
  });

  it('renews no stamp and no validator while it is and stays private', async () => {
    await write({ tags: ['shore'] });
    const discussed = await buildArticle(app.url, {}, author);
    const held = await buildComment(app.url, discussed.id);
    await buildComment(app.url, discussed.id, { parentCommentId: held.id });
    await edit(app.url, held, MANY_LINKS);
    await setVisibility(discussed.id, 'PRIVATE');
    const publicPaths = [
      '/api/articles',
      '/api/articles?keyword=shore',
      '/api/articles?tag=shore',
      `/api/articles?memberId=${author.id}`,
      '/api/tags',
      `/api/members/${author.id}/categories`,
      '/feed.xml',
      '/tags/shore/feed.atom',
      `/members/${author.id}/feed.json`,
      '/sitemap.xml',
    ];
    const state = async () => {
      const tags = await Promise.all(
        publicPaths.map(async (path) => (await fetch(app.url + path)).headers.get('ETag')),
      );
      const { sequelize } = app.database;
      const [stamps] = await sequelize.query('select kind, shard, changed_at::text from journal_stamps order by 1, 2');
      const [names] = await sequelize.query('select changed_at::text from name_stamps');
      return { tags, stamps, names };
    };
    const { token } = author;
    const before = await state();
    expect(before.tags).to.not.include(null);
    const id = await writePrivate({ tags: ['shore', 'cove'] });
    const json = { title: 'Changed', content: 'Changed', tags: ['cove', 'reef'] };
    await expectStatus(call(app.url, `PUT /api/articles/${id}`, { token, json }), 200, '1');
    await expectStatus(setVisibility(id, 'PRIVATE'), 200, '1');
    const path = `POST /api/articles/${id}/comments`;
    await expectStatus(call(app.url, path, { token, json: { content: 'Mine' } }), 201, '1');
    await expectStatus(setApproval(app.url, held.id, true, author), 200, '1');
    expect(await state()).to.deep.equal(before);
    await expectStatus(call(app.url, `DELETE /api/articles/${id}`, { token }), 200, '1');
    expect(await state()).to.deep.equal(before);
    await writePrivate().then((hidden) => setVisibility(hidden, 'PUBLIC'));
    const after = await state();
    for (const index of [0, 3, 6, 8, 9]) expect(after.tags[index], publicPaths[index]).to.not.equal(before.tags[index]);
  });

  it('disappears from cached responses with the change, and from copies of clients', async () => {
    const id = await write({ title: 'Ebb', content: 'The ebb.', tags: ['ebb'] });
    const graph = `/graphql?query=${encodeURIComponent(`{ article(id: ${id}) { title } }`)}`;
    const lists = ['/api/articles?keyword=ebb', '/api/articles?tag=ebb', `/api/articles?memberId=${author.id}`];
    const single = [`/api/articles/${id}`, `/api/articles/${id}/rendered`];
    const neighbors = `/api/articles/${id}/neighbors`;
    const get = async (path: string, headers = {}) => {
      const response = await fetch(app.url + path, { headers });
      return { status: response.status, etag: response.headers.get('ETag'), text: await response.text() };
    };
    for (let round = 0; round < 3; round++) {
      const copies = new Map<string, string>();
      for (const path of [...lists, ...single, neighbors, graph]) {
        // The second response is a cached one.
        for (const { status, text, etag } of [await get(path), await get(path)]) {
          expect([status, path === neighbors || text.includes('bb')], path).to.deep.equal([200, true]);
          copies.set(path, etag ?? '');
        }
      }
      await expectStatus(setVisibility(id, 'PRIVATE'), 200, '1');
      for (const path of lists) expect((await get(path)).text, path).to.include('"totalElements":0');
      for (const path of single) {
        for (const headers of [{}, { 'If-None-Match': copies.get(path) }, { 'If-None-Match': '*' }])
          expect((await get(path, headers)).status, path).to.equal(404);
      }
      expect((await get(neighbors, { 'If-None-Match': copies.get(neighbors) })).status).to.equal(404);
      const { text } = await get(graph, { 'If-None-Match': copies.get(graph) });
      expect(JSON.parse(text)).to.deep.include({ data: { article: null } });
      await expectStatus(setVisibility(id, 'PUBLIC'), 200, '1');
    }
  });
});
