/** The page of an article, of an author, and lists, each in one request: parts, what the viewer has done, and what changes return. */
import { expect } from 'chai';
import { buildApiToken } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../support/client.js';
import { buildSeries } from '../support/series.js';
import { statementsDuring } from '../support/statements.js';

const app = useApp();
let author: BuiltMember;
let reader: BuiltMember;
/** Of the author, oldest first: public, public, public, private. */
let ids: number[];
let seriesId: number;
before(async () => {
  [author, reader] = [await buildMember(app.url), await buildMember(app.url)];
  const built = [];
  for (const title of ['The tide', 'The gull', 'The wind'])
    built.push(await buildArticle(app.url, { title, tags: ['sea'] }, author));
  built.push(await buildArticle(app.url, { title: 'The secret', tags: ['sea'], visibility: 'PRIVATE' }, author));
  ids = built.map(({ id }) => id);
  seriesId = await buildSeries(app.url, author, built, { title: 'Along the coast' });
  for (let count = 0; count < 12; count++) await buildComment(app.url, ids[1] ?? 0, {}, reader);
  await put(`articles/${ids[1]}/like`);
  await put(`articles/${ids[1]}/bookmark`);
  await put(`members/${author.id}/follow`);
});

const put = (path: string, { token } = reader) => expectStatus(call(app.url, `PUT /api/${path}`, { token }), 200, '1');

/** Without those of transactions, sessions and stamps. */
const dataStatements = async (work: () => Promise<unknown>) =>
  (await statementsDuring(work)).filter(
    (text) => !/^(?:begin|start transaction|commit|rollback)\b/i.test(text) && !/from sessions|as stamp_/.test(text),
  );

const shortened = (texts: string[]) => texts.map((text) => text.slice(0, 90)).join('\n');

const PAGE = `query ($slug: String!) {
  articleBySlug(slug: $slug) {
    id title contentHtml
    comments(first: 10) { totalCount edges { node { content authorName replies { content } } } }
    author { id nickname viewer { follows blocks } }
    category { name } series { title articles(size: 5) { contents { id } pagination { totalElements } } }
    neighbors { previous { id } next { id } } related(size: 5) { id }
    viewer { liked bookmarked followsAuthor }
  }
}`;

describe('The page of an article', () => {
  const slug = 'the-gull';
  const read = (token?: string) => graphql(app.url, PAGE, { slug }, token);

  it('is one GraphQL request by slug, with a statement for each part', async () => {
    let page: Record<string, unknown> = {};
    const statements = await dataStatements(async () => {
      page = (await read(reader.token)).data.articleBySlug;
    });
    expect(page).to.deep.include({
      id: String(ids[1]),
      series: {
        title: 'Along the coast',
        articles: {
          contents: ids.slice(0, 3).map((id) => ({ id: String(id) })),
          pagination: { totalElements: 3 },
        },
      },
      neighbors: { previous: { id: String(ids[0]) }, next: { id: String(ids[2]) } },
      related: [{ id: String(ids[2]) }, { id: String(ids[0]) }],
      viewer: { liked: true, bookmarked: true, followsAuthor: true },
    });
    expect(page.author).to.deep.include({ viewer: { follows: true, blocks: false } });
    expect(page.comments).to.have.property('totalCount', 12);
    expect(statements.length, shortened(statements)).to.be.at.most(12);
    const few = `query ($slug: String!) { articleBySlug(slug: $slug) { title content comments(first: 10) { edges { node { content } } }
      author { nickname } category { name } series { title } neighbors { next { id } } related { id } viewer { liked } } }`;
    const sent = await dataStatements(() => graphql(app.url, few, { slug }, reader.token));
    expect(sent.length, shortened(sent)).to.be.at.most(9);
  });

  it('is cached without a token, and changes with each of its parts', async () => {
    const anonymous = async () => (await read()).data.articleBySlug;
    const first = await anonymous();
    expect([first.viewer, first.author.viewer]).to.deep.equal([null, null]);
    expect((await dataStatements(anonymous)).length).to.equal(1);
    await buildComment(app.url, ids[1] ?? 0, {}, reader);
    expect((await anonymous()).comments.totalCount).to.equal(13);
    await buildArticle(app.url, { title: 'The harbor', tags: ['sea'] }, author);
    expect((await anonymous()).related).to.have.length(3);
    const json = { title: 'Along the shore' };
    await expectStatus(call(app.url, `PUT /api/series/${seriesId}`, { token: author.token, json }), 200, '1');
    expect((await anonymous()).series.title).to.equal('Along the shore');
    expect(await anonymous()).to.not.deep.equal(first);
    const restored = { title: 'Along the coast' };
    await call(app.url, `PUT /api/series/${seriesId}`, { token: author.token, json: restored });
  });

  it('is one REST request with its parts, by id and by slug, with at most nine statements', async () => {
    const include = 'contentHtml,comments,neighbors,related,series,viewer';
    const { token } = reader;
    const plain = (await call(app.url, `GET /api/articles/${ids[1]}`, { token })).body?.data;
    for (const path of [`${ids[1]}`, `by-slug/${slug}`]) {
      let page: Record<string, unknown> = {};
      const statements = await dataStatements(async () => {
        page = (await expectStatus(call(app.url, `GET /api/articles/${path}?include=${include}`, { token }), 200, '1'))
          .body?.data;
      });
      const { contentHtml, comments, neighbors, related, series, viewer, ...article } = page;
      expect(article).to.deep.equal(plain);
      expect(contentHtml).to.be.a('string');
      expect(comments).to.have.property('contents').with.length(10);
      expect(comments).to.have.nested.property('pagination.totalElements', 13);
      expect(neighbors).to.have.nested.property('previous.id', ids[0]);
      expect(related).to.have.length(3);
      expect(series).to.deep.include({ id: seriesId, title: 'Along the coast', articleCount: 3 });
      expect(viewer).to.deep.equal({ liked: true, bookmarked: true, followsAuthor: true });
      expect(statements.length, shortened(statements)).to.be.at.most(9);
      const anonymous = await call(app.url, `GET /api/articles/${path}?include=${include}`);
      expect(anonymous.body?.data).to.deep.equal({ ...page, viewer: null });
      const tag = anonymous.headers.get('ETag') ?? '';
      const again = await call(app.url, `GET /api/articles/${path}?include=${include}`, {
        headers: { 'If-None-Match': tag },
      });
      expect(again.status).to.equal(304);
    }
  });

  it('shows parts that do not exist as null, and nothing of private articles', async () => {
    const alone = await buildArticle(app.url, { visibility: 'PRIVATE' });
    const { token } = alone.author;
    const path = `GET /api/articles/${alone.id}?include=neighbors,series`;
    const { body } = await call(app.url, path, { token });
    expect(body?.data).to.deep.include({ series: null, neighbors: { previous: null, next: null } });
    expect((await call(app.url, path)).status).to.equal(404);
    const own = await graphql(app.url, PAGE, { slug }, author.token);
    expect(own.data.articleBySlug.series.articles.contents).to.have.length(3);
    expectFieldErrors(
      await call(app.url, `GET /api/articles/${alone.id}?include=all`, { token }),
      'include: must be one or more of contentHtml, comments, neighbors, related, series, viewer, each once, separated by commas, got "all"',
    );
  });

  it('has parts in no list and no change, also not through fragments: QUERY_TOO_COMPLEX', async () => {
    const messageOf = async (query: string, token?: string) => (await graphql(app.url, query, {}, token)).errors?.[0];
    const rejected = [
      '{ articles { contents { neighbors { next { id } } } } }',
      `{ article(id: ${ids[1]}) { author { articles(first: 1) { edges { node { related { id } } } } } } }`,
      `{ article(id: ${ids[1]}) { ...A author { articles { edges { node { ...A } } } } } } fragment A on Article { id ... on Article { commentPage { contents { id } } } }`,
    ];
    for (const query of rejected) {
      const error = await messageOf(query);
      expect(error?.extensions.code, query).to.equal('QUERY_TOO_COMPLEX');
      expect(error?.message).to.match(/^Article\.\w+ can be selected only directly in article and articleBySlug/);
    }
    const change = `mutation { likeArticle(articleId: ${ids[0]}) { article { neighbors { next { id } } } } }`;
    expect((await messageOf(change, reader.token))?.extensions.code).to.equal('QUERY_TOO_COMPLEX');
    const fine = `{ one: article(id: ${ids[1]}) { ...A } two: article(id: ${ids[0]}) { ...A } } fragment A on Article { neighbors { next { id } } }`;
    expect(await messageOf(fine)).to.equal(undefined);
  });
});

describe('What the viewer has done', () => {
  it('is read for a list with one statement, over both APIs', async () => {
    const query =
      '{ articles(size: 20, filter: { tag: "sea" }) { contents { id viewer { liked } author { viewer { follows } } } } }';
    let contents: { id: string; viewer: unknown; author: unknown }[] = [];
    const statements = await dataStatements(async () => {
      contents = (await graphql(app.url, query, {}, reader.token)).data.articles.contents;
    });
    expect(contents.filter(({ viewer }) => (viewer as { liked: boolean }).liked).map(({ id }) => id)).to.deep.equal([
      String(ids[1]),
    ]);
    // The list, the authors, and what the reader has done with articles and authors.
    expect(statements).to.have.length(4);
    const { token } = reader;
    for (const path of [
      'articles?include=viewer&',
      'articles/following?include=viewer&',
      'bookmarks?include=viewer&',
    ]) {
      const sent = await dataStatements(async () => {
        const { body } = await call(app.url, `GET /api/${path}size=20`, { token });
        for (const { id, viewer } of body?.data.contents ?? []) expect(viewer.liked, path).to.equal(id === ids[1]);
      });
      expect(sent.length, path).to.be.at.most(3);
    }
    const anonymous = await call(app.url, 'GET /api/articles?include=viewer');
    expect(anonymous.body?.data.contents[0].viewer).to.equal(null);
    expect(anonymous.headers.get('ETag')).to.be.a('string');
  });

  it('is in profiles, with blocks of the viewer and none of others', async () => {
    const other = await buildMember(app.url);
    await put(`members/${author.id}/block`, other);
    const viewerOf = async (path: string, token?: string) =>
      (await call(app.url, `GET /api/members/${path}?include=viewer`, token ? { token } : {})).body?.data.viewer;
    for (const path of [`${author.id}`, `by-nickname/${encodeURIComponent(author.nickname)}`]) {
      expect(await viewerOf(path, other.token)).to.deep.equal({ follows: false, blocks: true });
      expect(await viewerOf(path, reader.token)).to.deep.equal({ follows: true, blocks: false });
      expect(await viewerOf(path)).to.equal(null);
    }
    expect(await viewerOf(`${other.id}`, author.token)).to.deep.equal({ follows: false, blocks: false });
  });

  it('needs the scope `read` of an API token, only if it is selected', async () => {
    const { token: without } = await buildApiToken(app.url, reader, ['reactions']);
    const { token: withRead } = await buildApiToken(app.url, reader, ['read']);
    for (const path of [`articles/${ids[1]}`, 'articles', `members/${author.id}`]) {
      expect((await call(app.url, `GET /api/${path}`, { token: without })).status, path).to.equal(200);
      const rejected = await call(app.url, `GET /api/${path}?include=viewer`, { token: without });
      expect([rejected.status, rejected.body?.code], path).to.deep.equal([403, 'SCOPE_MISSING']);
      expect((await call(app.url, `GET /api/${path}?include=viewer`, { token: withRead })).status, path).to.equal(200);
    }
    const query = 'query ($with: Boolean!) { articles { contents { id viewer @include(if: $with) { liked } } } }';
    expect((await graphql(app.url, query, { with: false }, without)).errors).to.equal(undefined);
    const rejected = await graphql(app.url, query, { with: true }, without);
    expect(rejected.errors?.[0]?.extensions.code).to.equal('SCOPE_MISSING');
  });
});

describe('The payload of a change', () => {
  const like = (field: string, id = ids[2]) =>
    `${field}Article(articleId: ${id}) { likeCount article { id likeCount viewer { liked } } }`;

  it('has the article or the member after it, also of several changes, and with an Idempotency-Key', async () => {
    const changes = `mutation { first: ${like('like')} second: ${like('unlike')} third: ${like('like')} }`;
    const { data } = await graphql(app.url, changes, {}, reader.token);
    const expected = (likeCount: number) => ({
      likeCount,
      article: { id: String(ids[2]), likeCount, viewer: { liked: likeCount === 1 } },
    });
    expect(data).to.deep.equal({ first: expected(1), second: expected(0), third: expected(1) });
    const query = `mutation { ${like('unlike')} }`;
    const sent = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      const options = { token: reader.token, json: { query }, headers: { 'Idempotency-Key': 'page' } };
      sent.push(await call(app.url, 'POST /graphql', options));
    }
    for (const { body } of sent) expect(body).to.deep.equal({ data: { unlikeArticle: expected(0) } });
    const member = await buildMember(app.url);
    const follow = `mutation { followMember(memberId: ${author.id}) { following member { followerCount viewer { follows blocks } } }
      bookmarkArticle(articleId: ${ids[0]}) { article { viewer { bookmarked } } }
      blockMember(memberId: ${author.id}) { member { followerCount viewer { follows blocks } } } }`;
    expect((await graphql(app.url, follow, {}, member.token)).data).to.deep.equal({
      followMember: { following: true, member: { followerCount: 2, viewer: { follows: true, blocks: false } } },
      bookmarkArticle: { article: { viewer: { bookmarked: true } } },
      blockMember: { member: { followerCount: 1, viewer: { follows: false, blocks: true } } },
    });
  });

  it('reads them only if they are selected', async () => {
    const plain = `mutation { likeArticle(articleId: ${ids[0]}) { likeCount } }`;
    const texts = await dataStatements(() => graphql(app.url, plain, {}, reader.token));
    expect(texts.filter((text) => /article_viewers|from all_articles a join/.test(text))).to.deep.equal([]);
  });
});

describe('The series of members and their articles', () => {
  it('are read for all members and series of a list with one statement each', async () => {
    const query = `{ articles(size: 3, filter: { tag: "sea" }) { contents { author {
      series(size: 5) { contents { id articles(size: 2) { contents { id } pagination { totalElements } }
        articleConnection(first: 1) { edges { cursor node { id } } } } } } } } }`;
    let list: Record<string, unknown> = {};
    const statements = await dataStatements(async () => {
      [list] = (await graphql(app.url, query)).data.articles.contents[0].author.series.contents;
    });
    expect(statements).to.have.length(5);
    expect(list.articles).to.deep.equal({
      contents: ids.slice(0, 2).map((id) => ({ id: String(id) })),
      pagination: { totalElements: 3 },
    });
    const [edge] = (list.articleConnection as { edges: { cursor: string }[] }).edges;
    const next = `{ seriesArticleConnection(id: ${seriesId}, first: 1, after: "${edge?.cursor}") { edges { node { id } } } }`;
    const { data: page } = await graphql(app.url, next);
    expect(page.seriesArticleConnection.edges).to.deep.equal([{ node: { id: String(ids[1]) } }]);
  });
});
