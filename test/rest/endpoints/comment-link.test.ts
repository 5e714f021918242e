/** Reading one comment with the page that it is on, as links to comments need it. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltComment, buildArticle, buildComment } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
const COMMENTS = 7;

let article: BuiltArticle;
/** Oldest first. */
const comments: BuiltComment[] = [];
let reply: BuiltComment;

before(async () => {
  article = await buildArticle(app.url);
  for (let number = 0; number < COMMENTS; number++) {
    comments.push(await buildComment(app.url, article.id, {}, article.author));
  }
  reply = await buildComment(app.url, article.id, { parentCommentId: comments[1]?.id ?? 0 });
  // Comments of the same millisecond are sorted by id.
  await app.database.sequelize.query(
    `update comments set created_at = '2026-01-01' where article_id = ${article.id} and parent_id is null and id > ${comments[2]?.id}`,
  );
  await buildComment(app.url, (await buildArticle(app.url)).id);
});

const read = (id: number | string, query = '') => call(app.url, `GET /api/comments/${id}${query}`);
const PAGE = 'query ($id: ID!, $size: Int) { comment(id: $id) { id page(size: $size) } }';

describe('GET /api/comments/{commentId}', () => {
  it('returns the comment with its article, its parent and the page that contains it, for each size', async () => {
    const { id, content, author } = reply;
    const { body } = await expectStatus(read(id), 200, '1');
    const { createdAt, updatedAt, ...data } = body?.data ?? {};
    expect(createdAt).to.equal(updatedAt);
    const place = { articleId: article.id, parentId: comments[1]?.id, page: 1 };
    expect(data).to.deep.equal({ id, content, author: author.nickname, memberId: author.id, ...place });
    for (const size of [1, 2, 3, 100]) {
      for (const shown of [...comments, reply]) {
        const { page, parentId } = (await read(shown.id, `?size=${size}`)).body?.data ?? {};
        const list = await call(app.url, `GET /api/articles/${article.id}/comments?size=${size}&page=${page}`);
        const ids = list.body?.data.contents.map((comment: { id: number }) => comment.id);
        expect(ids, `${shown.id} of size ${size}`).to.include(parentId ?? shown.id);
        const { data: found } = await graphql(app.url, PAGE, { id: shown.id, size });
        expect(found.comment).to.deep.equal({ id: String(shown.id), page });
      }
    }
  });

  it('needs one statement, and two for an article with very many comments', async () => {
    const other = await buildArticle(app.url);
    const { id } = await buildComment(app.url, other.id);
    expect(await statementsDuring(() => read(id))).to.have.lengthOf(1);
    await app.database.sequelize.query(`update articles set top_level_count = 20001 where id = ${other.id}`);
    const statements = await statementsDuring(async () => expect((await read(id)).body?.data.page).to.equal(1));
    // The stamp for the cached response, the comment, and the count in its own statement.
    expect(statements).to.have.lengthOf(3);
    expect(
      await statementsDuring(() => graphql(app.url, 'query ($id: ID!) { comment(id: $id) { id } }', { id })),
    ).to.have.lengthOf(1);
  });

  it('is revalidated, and its tag changes with the discussion', async () => {
    const own = await buildArticle(app.url);
    const { id } = await buildComment(app.url, own.id);
    const tag = (await read(id, '?size=1')).headers.get('ETag') ?? '';
    const headers = { 'If-None-Match': tag };
    expect((await call(app.url, `GET /api/comments/${id}?size=1`, { headers })).status).to.equal(304);
    await buildComment(app.url, own.id);
    const { status, body } = await call(app.url, `GET /api/comments/${id}?size=1`, { headers });
    expect([status, body?.data.page]).to.deep.equal([200, 2]);
  });

  it('masks hidden content for everyone but the author of the comment and the author of the article', async () => {
    const token = article.author.token;
    await expectStatus(
      call(app.url, `PUT /api/comments/${reply.id}/hidden`, { token, json: { hidden: true } }),
      200,
      '1',
    );
    const contentFor = async (token?: string) => {
      const options = token === undefined ? {} : { token };
      const { data } = await graphql(
        app.url,
        'query ($id: ID!) { comment(id: $id) { content } }',
        { id: reply.id },
        token,
      );
      const { body } = await call(app.url, `GET /api/comments/${reply.id}`, options);
      expect(body?.data.content).to.equal(data.comment.content);
      return body?.data.content;
    };
    expect(await contentFor()).to.equal('(hidden)');
    expect(await contentFor((await buildArticle(app.url)).author.token)).to.equal('(hidden)');
    expect(await contentFor(reply.author.token)).to.equal(reply.content);
    expect(await contentFor(token)).to.equal(reply.content);
  });

  it('returns the place of a deleted comment while it has replies, and 404 for one that is gone', async () => {
    const own = await buildArticle(app.url);
    const [parent, alone] = [await buildComment(app.url, own.id), await buildComment(app.url, own.id)];
    await buildComment(app.url, own.id, { parentCommentId: parent.id });
    for (const { id, author } of [parent, alone]) {
      await expectStatus(call(app.url, `DELETE /api/comments/${id}`, { token: author.token }), 200, '1');
    }
    const { body } = await read(parent.id);
    expect(body?.data).to.include({ content: '(deleted)', author: '(deleted)', memberId: 0, page: 1 });
    await expectStatus(read(alone.id), 404, 'COMMENT_NOT_FOUND');
    const { data, errors } = await graphql(app.url, PAGE, { id: alone.id });
    expect([data.comment, errors?.[0]?.extensions.code]).to.deep.equal([null, 'COMMENT_NOT_FOUND']);
  });

  it('rejects sizes and ids that are out of range, and unknown parameters', async () => {
    const { id } = reply;
    expectFieldErrors(await read(id, '?size=0'), 'size: must be a whole number from 1 to 100, got 0');
    expectFieldErrors(await read(999_999, '?size=101'), 'size: must be a whole number from 1 to 100, got 101');
    expectFieldErrors(await read(id, '?size=x'), 'size: must be a whole number, got "x"');
    expectFieldErrors(await read(id, '?page=1'), 'page: is not a known query parameter; expected size');
    for (const id of HUGE_IDS) await expectStatus(read(id), 404, 'COMMENT_NOT_FOUND', id);
    for (const id of BAD_IDS) expect((await read(id)).status, id).to.equal(400);
    const { errors } = await graphql(app.url, PAGE, { id, size: 101 });
    expect(errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
  });

  it('counts the pages of a list of comments in one statement', async () => {
    const query = '{ myComments { contents { id page(size: 2) } } }';
    const statements = await statementsDuring(async () => {
      const { data } = await graphql(app.url, query, {}, article.author.token);
      const pages = data.myComments.contents.map(({ page }: { page: number }) => page);
      expect(pages.sort()).to.deep.equal([1, 1, 2, 2, 3, 3, 4]);
    });
    // The session, the list, and the positions.
    expect(statements).to.have.lengthOf(3);
  });
});
