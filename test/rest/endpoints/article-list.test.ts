/** Article lists, over REST and GraphQL. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, buildComment, useMember } from '../../support/build.js';
import { call, fieldErrors, graphql } from '../../support/client.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

async function list(query = '', token?: string, path = '/api/articles') {
  const response = await call(app.url, `GET ${path}${query}`, token === undefined ? {} : { token });
  expect(response.status, JSON.stringify(response.body)).to.equal(200);
  return response.body?.data;
}

function idsOf({ contents }: { contents: { id: number }[] }): number[] {
  return contents.map(({ id }) => id);
}

describe('GET /api/articles', () => {
  const writer = useMember(app);
  const ids: number[] = [];
  before(async () => {
    await call(app.url, 'POST /api/categories', { token: writer.token, json: { categoryName: 'Travel' } });
    const articles = [
      { title: 'banana', tags: ['Sea', 'Food'], category: 'Travel' },
      { title: 'Apple', tags: ['sea'] },
      { title: 'cherry', tags: ['food'], category: 'Travel' },
    ];
    for (const article of articles) ids.push((await buildArticle(app.url, article, writer)).id);
    for (const index of [0, 0, 2]) await buildComment(app.url, ids[index] ?? 0, {}, writer);
  });
  const [of, mine] = [(...wanted: number[]) => wanted.map((index) => ids[index]), () => `memberId=${writer.id}`];

  it('returns 200 with exactly the documented fields, newest first', async () => {
    const { contents, pagination } = await list(`?${mine()}`);
    expect(contents.map(({ id }: { id: number }) => id)).to.deep.equal(of(2, 1, 0));
    expect(contents[2]).to.include({ title: 'banana', author: writer.nickname, memberId: writer.id, commentCount: 2 });
    expect(contents[2]).to.deep.include({ category: 'Travel', tags: ['sea', 'food'], articleImg: null });
    expect(contents[2].excerpt).to.match(/^Content \d+$/);
    const fields =
      'id title slug description canonicalUrl language excerpt author authorImg memberId category categoryId articleImg articleImgAlt articleImgWidth articleImgHeight articleImgSizes tags visibility commentCount likeCount viewCount seriesId wordCount readingMinutes publishedAt createdAt updatedAt';
    expect(Object.keys(contents[0])).to.deep.equal(fields.split(' '));
    expect(pagination).to.deep.include({ currentPage: 1, totalElements: 3, totalPages: 1, first: true, last: true });
  });

  it('returns 200 filtered by tag, category and member, alone and combined, with exact totals', async () => {
    const { categoryId } = (await list(`?${mine()}`)).contents[0];
    const other = await buildArticle(app.url, { tags: ['SEA'] });
    const expected: [string, (number | undefined)[]][] = [
      ['tag=SEA', [other.id, ...of(1, 0)]],
      [`tag=sea&${mine()}`, of(1, 0)],
      [`categoryId=${categoryId}`, of(2, 0)],
      [`categoryId=${categoryId}&tag=food`, of(2, 0)],
      [`categoryId=${categoryId}&tag=sea&${mine()}`, of(0)],
      [`memberId=${other.author.id}`, [other.id]],
      ['tag=nobody', []],
      ['memberId=9223372036854775808', []],
      ['categoryId=2147483648', []],
    ];
    for (const [query, wanted] of expected) {
      const found = await list(`?${query}`);
      expect(idsOf(found), query).to.deep.equal(wanted);
      expect(found.pagination.totalElements, query).to.equal(wanted.length);
    }
    const [counted] = await app.database.sequelize.query('select count(*)::int as total from articles');
    expect((await list()).pagination.totalElements).to.equal((counted[0] as { total: number }).total);
  });

  it('returns 200 for an empty keyword, as without one', async () => {
    expect(idsOf(await list(`?keyword=&${mine()}`))).to.deep.equal(of(2, 1, 0));
    expect(idsOf(await list(`?keyword=%20&${mine()}&sort=createdAt,asc`))).to.deep.equal(of(0, 1, 2));
  });

  it('returns 200 with the articles of a period: from is inclusive, to is exclusive, in UTC', async () => {
    for (const [index, hour] of [9, 10, 11].entries()) {
      await app.database.sequelize.query(
        `update articles set created_at = '2026-03-01T${hour}:00:00Z' where id = ${ids[index]}`,
      );
      const copied = ['article_tags', 'article_search'].map(
        (table) =>
          `update ${table} set created_at = (select created_at from articles where id = article_id) where article_id = ${ids[index]}`,
      );
      for (const statement of copied) await app.database.sequelize.query(statement);
    }
    const expected: [string, (number | undefined)[]][] = [
      ['from=2026-03-01T10:00:00&to=2026-03-02', of(2, 1)],
      ['from=2026-03-01&to=2026-03-01T10:00:00', of(0)],
      ['from=2026-03-01T10:00:00Z&to=2026-03-01T19:00:00.001%2B09:00', of(1)],
      ['from=2026-03-01&to=2026-03-02&sort=title,asc', of(1, 0, 2)],
      ['from=2026-03-01&to=2026-03-02&sort=createdAt,asc&size=1&page=2', of(1)],
      ['from=2026-03-01&to=2026-03-01T11:00:00&tag=sea', of(1, 0)],
      ['from=2026-03-01&to=2026-03-01T11:00:00&tag=sea&sort=title,desc', of(0, 1)],
      [`from=2026-03-01&to=2026-03-01T11:00:00&${mine()}`, of(1, 0)],
      ['from=2026-03-01&to=2026-03-01T11:00:00&keyword=content', of(1, 0)],
      ['from=2026-03-01&to=2026-03-01T11:00:00&keyword=content&sort=title,asc', of(1, 0)],
      ['from=2026-03-02&to=2026-03-01', []],
      ['to=0001-01-01', []],
    ];
    for (const [query, wanted] of expected) {
      const statements = await statementsDuring(async () => {
        const found = await list(`?${query}`);
        expect(idsOf(found), query).to.deep.equal(wanted);
        const total = query.includes('page=') ? 3 : wanted.length;
        expect(found.pagination.totalElements, query).to.equal(total);
      });
      expect(statements, query).to.have.lengthOf(1);
    }
  });

  it('returns 400 for a time that is none', async () => {
    for (const time of ['yesterday', '2026-02-30', '2026-13-01', '2026-1-1', '12026-01-01', '0000-01-01', '1767225600'])
      expect(fieldErrors(await call(app.url, `GET /api/articles?from=${time}`)), time).to.deep.equal([
        `from: must be a time in UTC such as 2026-11-20T09:30:00, a date, or a time with an offset, got "${time}"`,
      ]);
    const query = 'query ($from: DateTime) { articles(filter: { from: $from }) { contents { id } } }';
    for (const from of ['2026-11-20T09:30:00', '2026-11-20', 7]) {
      const { status, errors } = await graphql(app.url, query, { from });
      expect([status, errors?.[0]?.extensions.code], String(from)).to.deep.equal([400, 'VALIDATION_FAILED']);
      expect(errors?.[0]?.message).to.include('such as 2026-11-20T09:30:00Z');
    }
    const { errors } = await graphql(app.url, query, { from: '2026-11-20T18:30:00+09:00' });
    expect(errors).to.equal(undefined);
  });

  it('returns 200 in every sort order, with ties broken by id', async () => {
    const { token } = writer;
    const json = { title: 'Apple', content: 'changed' };
    await call(app.url, `PUT /api/articles/${ids[1]}`, { token, json });
    const orders: [string, number[]][] = [
      ['createdAt,asc', [0, 1, 2]],
      ['createdAt,desc', [2, 1, 0]],
      ['updatedAt,asc', [0, 2, 1]],
      ['updatedAt,desc', [1, 2, 0]],
      ['title,asc', [1, 0, 2]],
      ['title,desc', [2, 0, 1]],
      ['commentCount,asc', [1, 2, 0]],
      ['commentCount,desc', [0, 2, 1]],
    ];
    for (const [order, wanted] of orders) {
      expect(idsOf(await list(`?${mine()}&sort=${order}`)), order).to.deep.equal(of(...wanted));
      const pages = await Promise.all([1, 2, 3].map((page) => list(`?${mine()}&sort=${order}&size=1&page=${page}`)));
      expect(pages.flatMap(idsOf), order).to.deep.equal(of(...wanted));
    }
  });

  it('returns 200 with keyword matches, by relevance or in the requested sort order', async () => {
    const titled = (title: string, content: string, tags: string[] = []) =>
      buildArticle(app.url, { title, content, tags }, writer);
    const inContent = await titled('One', 'about zeppelins', ['air']);
    const inTitle = await titled('Zeppelins', 'nothing');
    const latest = await titled('Two', 'zeppelins again', ['air']);
    const [first, second, third] = [inTitle.id, latest.id, inContent.id];
    const expected: [string, number[], number][] = [
      ['keyword=ZEPPELIN', [first, second, third], 3],
      ['keyword=zeppelins&size=2&page=2', [third], 3],
      ['keyword=zeppelins&sort=createdAt,asc', [third, first, second], 3],
      ['keyword=zeppelins&sort=title,desc&size=1&page=2', [second], 3],
      ['keyword=zeppelins&tag=air', [second, third], 2],
      [`keyword=zeppelins&memberId=${writer.id + 1000}`, [], 0],
      ['keyword=zeppelins+nowhere', [], 0],
    ];
    for (const [query, wanted, total] of expected) {
      const found = await list(`?${query}`);
      expect([idsOf(found), found.pagination.totalElements], query).to.deep.equal([wanted, total]);
      expect(await statementsDuring(() => list(`?${query}`)), query).to.have.length(1);
    }
    expect(idsOf(await list('?keyword=zeppelin', writer.token, '/api/articles/me'))).to.deep.equal([
      first,
      second,
      third,
    ]);
  });

  it('returns 400 for an unknown sort order and lists the valid ones', async () => {
    for (const sort of ['name,asc', 'title', 'title,ASC', 'id;drop table articles', '']) {
      const response = await call(app.url, `GET /api/articles?sort=${encodeURIComponent(sort)}`);
      expect(response.status, sort).to.equal(400);
      expect(fieldErrors(response)[0], sort).to.match(
        /^sort: must be one of createdAt,asc or .* or viewCount,desc, got /,
      );
    }
  });

  it('returns 400 and names every invalid parameter', async () => {
    const response = await call(
      app.url,
      'GET /api/articles?keyword=a%00&tag=&categoryId=x&memberId=0&page=0&size=101&sort=no',
    );
    const fields = fieldErrors(response).map((line) => line.split(':')[0]);
    expect(fields).to.have.members(['keyword', 'tag', 'categoryId', 'memberId', 'page', 'size', 'sort']);
  });

  it('takes one statement for any combination of parameters', async () => {
    for (const query of ['', '?tag=sea', `?memberId=${writer.id}&tag=sea&sort=title,asc`, '?page=9&size=100']) {
      await list(query);
      expect(await statementsDuring(() => list(query)), query).to.have.length(1);
    }
  });
});

describe('GET /api/articles/me', () => {
  it('returns 200 with only the articles of the member', async () => {
    const { id, author } = await buildArticle(app.url, { tags: ['own'] });
    await buildArticle(app.url, { tags: ['own'] });
    expect(idsOf(await list('?tag=own', author.token, '/api/articles/me'))).to.deep.equal([id]);
    const own = () => list('', author.token, '/api/articles/me');
    expect((await own()).pagination.totalElements).to.equal(1);
    expect(await statementsDuring(own), 'one for the token, one for the page').to.have.length(2);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, 'GET /api/articles/me')).body?.code).to.equal('UNAUTHENTICATED');
  });
});

describe('GraphQL articles', () => {
  it('are loaded with authors, categories, comments and replies in 5 statements and a transaction', async () => {
    const query = `{ articles(size: 100, sort: TITLE_ASC) { contents {
      title content tags author { nickname } category { name }
      comments(first: 2) { edges { node { content replies { content } } } pageInfo { hasNextPage } }
    } } }`;
    const { data, errors } = await graphql(app.url, query);
    expect(errors).to.equal(undefined);
    const sea = data.articles.contents.find(({ title }: { title: string }) => title === 'banana');
    expect(sea.comments.edges).to.have.length(2);
    expect(sea.comments.pageInfo.hasNextPage).to.equal(false);
    expect((await statementsDuring(() => graphql(app.url, query))).length).to.equal(7);
  });

  it('are counted by tag, and a tag is removed with its last article', async () => {
    const { id, author } = await buildArticle(app.url, { tags: ['Passing', 'İ'] });
    const tags = async () =>
      (await graphql(app.url, '{ tags(size: 100) { contents { name articleCount } } }')).data.tags;
    const { contents } = await tags();
    expect(contents[0]).to.deep.equal({ name: 'sea', articleCount: 3 });
    expect(contents.map(({ name }: { name: string }) => name)).to.include.members(['passing', 'i̇']);
    await call(app.url, `DELETE /api/articles/${id}`, { token: author.token });
    expect((await tags()).contents.map(({ name }: { name: string }) => name)).to.not.include('passing');
  });

  it('are rejected with QUERY_TOO_COMPLEX when nested lists may have too many elements', async () => {
    const nested =
      '{ articles(size: 100) { contents { comments(first: 100) { edges { node { id content replies { id } } } } } } }';
    const { errors } = await graphql(app.url, nested);
    expect(errors?.[0]?.extensions.code).to.equal('QUERY_TOO_COMPLEX');
  });
});

describe('GET /api/tags', () => {
  it('returns the most used tags first, in two statements: the stamp and the page', async () => {
    const { data } = await graphql(app.url, '{ tags(size: 2, page: 1) { contents { name articleCount } } }');
    const statements = await statementsDuring(async () => {
      const { body } = await call(app.url, 'GET /api/tags?size=2');
      expect(body?.data.contents).to.deep.equal(data.tags.contents);
      expect(body?.data.contents[0].articleCount).to.be.at.least(body?.data.contents[1].articleCount);
      expect(body?.data.pagination).to.include({ currentPage: 1, pageSize: 2, first: true });
    });
    expect(statements).to.have.lengthOf(2);
  });

  it('returns an empty page past the end, and 400 for an invalid page', async () => {
    const { body } = await call(app.url, 'GET /api/tags?page=2147483647&size=100');
    expect(body?.data.contents).to.deep.equal([]);
    const { status } = await call(app.url, 'GET /api/tags?page=0');
    expect(status).to.equal(400);
  });
});
