/** The categories and tags of an author, with the numbers of articles. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
let author: BuiltMember;
beforeEach(async () => {
  author = await buildMember(app.url);
});

const write = (fields: object = {}) => buildArticle(app.url, { ...fields }, author);
const edit = (id: number, fields: object) =>
  call(app.url, `PUT /api/articles/${id}`, {
    token: author.token,
    json: { title: 'Title', content: 'Content', ...fields },
  });
const addCategory = async (categoryName: string): Promise<number> => {
  const { body } = await call(app.url, 'POST /api/categories', { token: author.token, json: { categoryName } });
  return body?.data.id;
};

describe('GET /api/members/{memberId}/categories', () => {
  const read = (id: number | string, headers = {}) => call(app.url, `GET /api/members/${id}/categories`, { headers });
  const countsOf = async () =>
    (await read(author.id)).body?.data.contents.map(
      ({ categoryName, articleCount }: { categoryName: string; articleCount: number }) =>
        `${categoryName} ${articleCount}`,
    );

  it('lists the categories of the member, the default one first, with their articles, as Member.categories does', async () => {
    const [travel, food] = [await addCategory('Travel'), await addCategory('food')];
    await write({ category: 'Travel' });
    await write({ category: 'travel' });
    await write();
    await buildArticle(app.url);
    const { contents } = (await expectStatus(read(author.id), 200, '1')).body?.data ?? {};
    const general = contents[0].id;
    expect(contents).to.deep.equal([
      { id: general, categoryName: 'General', articleCount: 1 },
      { id: food, categoryName: 'food', articleCount: 0 },
      { id: travel, categoryName: 'Travel', articleCount: 2 },
    ]);
    const query = 'query ($id: ID!) { member(id: $id) { categories { name articleCount } } }';
    const { data } = await graphql(app.url, query, { id: author.id });
    expect(data.member.categories.map(({ articleCount }: { articleCount: number }) => articleCount)).to.deep.equal([
      1, 0, 2,
    ]);
  });

  it('follows each change, also in responses that clients and the service have cached', async () => {
    expect(await countsOf()).to.deep.equal(['General 0']);
    const id = await addCategory('Travel');
    expect(await countsOf()).to.deep.equal(['General 0', 'Travel 0']);
    const article = await write({ category: 'Travel' });
    expect(await countsOf()).to.deep.equal(['General 0', 'Travel 1']);
    await call(app.url, `PUT /api/categories/${id}`, { token: author.token, json: { categoryName: 'Journeys' } });
    expect(await countsOf()).to.deep.equal(['General 0', 'Journeys 1']);
    await edit(article.id, { category: 'General' });
    expect(await countsOf()).to.deep.equal(['General 1', 'Journeys 0']);
    await call(app.url, `DELETE /api/categories/${id}`, { token: author.token });
    expect(await countsOf()).to.deep.equal(['General 1']);
    const headers = { 'If-None-Match': (await read(author.id)).headers.get('ETag') ?? '' };
    expect((await read(author.id, headers)).status).to.equal(304);
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: author.token });
    expect((await read(author.id, headers)).body?.data.contents[0].articleCount).to.equal(0);
  });

  it('needs the stamp, and one statement each for the member, the categories and all counts, in a snapshot', async () => {
    for (const name of ['A', 'B', 'C']) await addCategory(name);
    expect(await statementsDuring(() => read(author.id))).to.have.lengthOf(6);
  });

  it('is 404 for an unknown member, and 400 for an invalid id', async () => {
    for (const id of HUGE_IDS) await expectStatus(read(id), 404, 'MEMBER_NOT_FOUND', id);
    for (const id of BAD_IDS) expect((await read(id)).status, id).to.equal(400);
  });
});

describe('GET /api/tags?memberId', () => {
  const read = async (query = '') => (await call(app.url, `GET /api/tags?memberId=${author.id}${query}`)).body?.data;
  const tagsOf = async () =>
    (await read()).contents.map(
      ({ name, articleCount }: { name: string; articleCount: number }) => `${name} ${articleCount}`,
    );

  it('lists the tags of the member, most used first, then by name, as tags(memberId) does', async () => {
    await write({ tags: ['sea', 'owls'] });
    await write({ tags: ['Sea', '바다'] });
    await buildArticle(app.url, { tags: ['sea', 'land'] });
    expect(await tagsOf()).to.deep.equal(['sea 2', 'owls 1', '바다 1']);
    const { contents, pagination } = await read('&size=1&page=2');
    expect(contents).to.deep.equal([{ name: 'owls', articleCount: 1 }]);
    expect(pagination).to.deep.include({ currentPage: 2, totalElements: 3, totalPages: 3, last: false });
    expect(await read('&page=9')).to.deep.include({ contents: [] });
    expect((await read('&page=9')).pagination.totalElements).to.equal(3);
    const query =
      'query ($id: ID) { tags(memberId: $id) { contents { name articleCount } pagination { totalElements } } }';
    const { data } = await graphql(app.url, query, { id: author.id });
    expect([data.tags.contents[0], data.tags.pagination]).to.deep.equal([
      { name: 'sea', articleCount: 2 },
      { totalElements: 3 },
    ]);
  });

  it('follows edits, deletions and withdrawals', async () => {
    const first = await write({ tags: ['sea', 'owls'] });
    const second = await write({ tags: ['sea'] });
    await edit(first.id, { tags: ['owls', 'fog'] });
    expect(await tagsOf()).to.deep.equal(['fog 1', 'owls 1', 'sea 1']);
    await edit(first.id, { tags: [] });
    expect(await tagsOf()).to.deep.equal(['sea 1']);
    await call(app.url, `DELETE /api/articles/${second.id}`, { token: author.token });
    expect(await tagsOf()).to.deep.equal([]);
    for (const tags of [['fog', 'sea'], ['fog'], ['sea']]) await write({ tags });
    const { token, password } = author;
    await call(app.url, 'DELETE /api/members/me', { token, json: { password } });
    expect(await tagsOf()).to.deep.equal([]);
    const rows = 'select count(*)::int as rows from member_tags where member_id';
    const [[left]] = (await app.database.sequelize.query(`${rows} = ${author.id}`)) as [{ rows: number }[], unknown];
    expect(left?.rows).to.equal(0);
  });

  it('has exact counts after parallel writes of several members, without deadlocks', async () => {
    const others = [author, await buildMember(app.url), await buildMember(app.url)];
    const names = ['a', 'b', 'c', 'd'];
    const articles = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        buildArticle(app.url, { tags: names.slice(index % 3) }, others[index % others.length]),
      ),
    );
    const results = await Promise.all(
      articles.flatMap(({ id, author: { token } }, index) => [
        call(app.url, `PUT /api/articles/${id}`, {
          token,
          json: { title: 't', content: 'c', tags: index % 2 === 0 ? names.toReversed() : ['b'] },
        }),
        ...(index % 3 === 2 ? [call(app.url, `DELETE /api/articles/${id}`, { token })] : []),
      ]),
    );
    expect(results.filter(({ status }) => ![200, 404].includes(status))).to.deep.equal([]);
    const [wrong] = await app.database.sequelize.query(`select * from (
        select a.member_id, x.tag_id, count(*) as articles from article_tags x join articles a on a.id = x.article_id group by 1, 2
      ) n full join member_tags m using (member_id, tag_id)
      where n.articles is distinct from m.article_count`);
    expect(wrong).to.deep.equal([]);
  });

  it('needs one statement and that of the stamp, is empty for an unknown member, and 400 for an invalid id', async () => {
    await write({ tags: ['sea'] });
    expect(await statementsDuring(() => read())).to.have.lengthOf(2);
    for (const id of HUGE_IDS) {
      const { body } = await expectStatus(call(app.url, `GET /api/tags?memberId=${id}`), 200, '1', id);
      expect([body?.data.contents, body?.data.pagination.totalElements]).to.deep.equal([[], 0]);
    }
    for (const id of ['x', '0', '-1', '1.5']) {
      expectFieldErrors(
        await call(app.url, `GET /api/tags?memberId=${id}`),
        `memberId: must be a positive whole number, got "${id}"`,
      );
    }
  });
});
