/** Comments and replies, over REST and GraphQL. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import {
  type BuiltMember,
  buildArticle,
  buildComment,
  buildMember,
  useArticle,
  useMember,
} from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, fieldErrors, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

async function listOf(articleId: number | string, query = '') {
  const { body } = await call(app.url, `GET /api/articles/${articleId}/comments${query}`);
  return body?.data;
}

describe('GET /api/articles/{articleId}/comments', () => {
  const article = useArticle(app);

  it('returns 200 with an empty page for an article without comments', async () => {
    expect(await listOf(article.id)).to.deep.equal({
      contents: [],
      pagination: { currentPage: 1, pageSize: 10, totalElements: 0, totalPages: 0, last: true, first: true },
    });
  });

  it('returns 200 with exactly the documented fields, top level newest first, replies oldest first', async () => {
    const first = await buildComment(app.url, article.id);
    const second = await buildComment(app.url, article.id);
    const reply = await buildComment(app.url, article.id, { parentCommentId: first.id });
    const later = await buildComment(app.url, article.id, { parentCommentId: first.id });
    const { contents, pagination } = await listOf(article.id);
    expect(contents.map(({ id }: { id: number }) => id)).to.deep.equal([second.id, first.id]);
    expect(contents[1].replies.map(({ id }: { id: number }) => id)).to.deep.equal([reply.id, later.id]);
    expect(Object.keys(contents[1]).join()).to.equal('id,content,author,memberId,createdAt,updatedAt,replies');
    expect(Object.keys(contents[1].replies[0]).join()).to.equal('id,content,author,memberId,createdAt,updatedAt');
    expect(contents[1]).to.include({
      content: first.content,
      author: first.author.nickname,
      memberId: first.author.id,
    });
    expect(contents[1].createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(pagination).to.deep.equal({
      currentPage: 1,
      pageSize: 10,
      totalElements: 2,
      totalPages: 1,
      last: true,
      first: true,
    });
  });

  it('returns 200 with numbered pages that contain each comment once', async () => {
    const { id, author } = await buildArticle(app.url);
    const made: number[] = [];
    for (let number = 0; number < 7; number++) made.push((await buildComment(app.url, id, {}, author)).id);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => listOf(id, `?page=${page}&size=3`)));
    const ids = pages.flatMap(({ contents }) => contents.map((comment: { id: number }) => comment.id));
    expect(ids).to.deep.equal(made.reverse());
    expect(pages.map(({ pagination }) => [pagination.currentPage, pagination.first, pagination.last])).to.deep.equal([
      [1, true, false],
      [2, false, false],
      [3, false, true],
      [4, false, true],
    ]);
    expect(pages[3].contents).to.deep.equal([]);
    expect(pages[0].pagination).to.include({ totalElements: 7, totalPages: 3, pageSize: 3 });
  });

  it('returns 200 with the oldest first if requested, also in numbered pages, with replies oldest first', async () => {
    const { id, author } = await buildArticle(app.url);
    const made: number[] = [];
    for (let number = 0; number < 5; number++) made.push((await buildComment(app.url, id, {}, author)).id);
    const parentCommentId = made[0];
    const replies = [1, 2].map(() => buildComment(app.url, id, { parentCommentId }, author));
    await Promise.all(replies);
    const pages = await Promise.all([1, 2, 3].map((page) => listOf(id, `?page=${page}&size=2&sort=createdAt,asc`)));
    const ids = pages.flatMap(({ contents }) => contents.map((comment: { id: number }) => comment.id));
    expect(ids).to.deep.equal(made);
    const [first, second] = pages[0].contents[0].replies;
    expect(first.id).to.be.below(second.id);
    const newest = await listOf(id, '?sort=createdAt,desc');
    expect(newest.contents.map((comment: { id: number }) => comment.id)).to.deep.equal(made.toReversed());
    const wrong = await call(app.url, `GET /api/articles/${id}/comments?sort=id`);
    expectFieldErrors(wrong, 'sort: must be one of createdAt,asc or createdAt,desc, got "id"');
  });

  it('returns 200 with at most 100 embedded replies, the oldest', async () => {
    const { id, author } = await buildArticle(app.url);
    const parent = await buildComment(app.url, id, {}, author);
    await app.database.sequelize.query(`insert into comments (article_id, parent_id, member_id, content, created_at)
       select ${id}, ${parent.id}, ${author.id}, 'reply ' || n, now() + n * interval '1 second'
       from generate_series(1, 103) n`);
    const { contents } = await listOf(id);
    expect(contents[0].replies).to.have.length(100);
    expect(contents[0].replies[0].content).to.equal('reply 1');
    expect(contents[0].replies[99].content).to.equal('reply 100');
  });

  it('returns 400 for an id that is not a positive whole number', async () => {
    for (const id of BAD_IDS) {
      const response = await call(app.url, `GET /api/articles/${id}/comments`);
      expect(response.status, id).to.equal(400);
      expect(response.body?.code, id).to.be.oneOf(['VALIDATION_FAILED', 'BAD_REQUEST']);
    }
  });

  it('returns 400 and names page and size when they are invalid, out of range or repeated', async () => {
    for (const value of ['0', '-1', '1.5', '1e1', '2147483648', '99999999999999999999', '', 'abc', '%00']) {
      const response = await call(app.url, `GET /api/articles/${article.id}/comments?page=${value}&size=${value}`);
      expect(response.status, value).to.equal(400);
      const fields = response.body?.data.errors.map(({ field }: { field: string }) => field);
      expect(fields, value).to.have.members(['page', 'size']);
    }
    expect(fieldErrors(await call(app.url, `GET /api/articles/${article.id}/comments?size=101`))).to.deep.equal([
      'size: must be a whole number from 1 to 100, got 101',
    ]);
    expect(fieldErrors(await call(app.url, `GET /api/articles/${article.id}/comments?page=1&page=2`))).to.deep.equal([
      'page: must be given once, got 2 times',
    ]);
  });

  it('returns 401 for an invalid token, although no token is required', async () => {
    const response = await call(app.url, `GET /api/articles/${article.id}/comments`, { token: 'nonsense' });
    expect(response.status).to.equal(401);
    expect(response.body?.code).to.equal('UNAUTHENTICATED');
    expect(response.headers.get('WWW-Authenticate')).to.equal('Bearer');
  });

  it('returns 404 for an unknown article, for ids of any size', async () => {
    for (const id of HUGE_IDS) {
      await expectStatus(call(app.url, `GET /api/articles/${id}/comments`), 404, 'ARTICLE_NOT_FOUND', id);
    }
  });

  describe('SQL statements', () => {
    for (const rows of [1, 20, 100]) {
      it(`are 1 for a page of ${rows} with replies and nicknames`, async () => {
        const { id, author } = await buildArticle(app.url);
        await fill(id, author, rows);
        const path = `GET /api/articles/${id}/comments?size=100`;
        await call(app.url, path);
        const sent = await statementsDuring(() => call(app.url, path));
        expect(sent).to.have.length(1);
        expect((await listOf(id, '?size=100')).contents).to.have.length(rows);
      });

      it(`are at most 4 in a snapshot for ${rows} comments with nested objects over GraphQL`, async () => {
        const { id, author } = await buildArticle(app.url);
        await fill(id, author, rows);
        const query = `query ($id: ID!) { comments(articleId: $id, size: 100) {
          contents { id author { nickname } replies { id author { nickname } parent { id } article { title } } }
        } }`;
        await graphql(app.url, query, { id });
        const sent = await statementsDuring(() => graphql(app.url, query, { id }));
        expect(sent.filter((text) => !/^(?:begin|commit)/.test(text)).length).to.be.within(1, 4);
      });
    }

    it('omit replies and nicknames that the query does not select', async () => {
      const { id, author } = await buildArticle(app.url);
      await fill(id, author, 3);
      const query = 'query ($id: ID!) { comments(articleId: $id) { contents { id content } } }';
      const [sent = '', ...others] = await statementsDuring(() => graphql(app.url, query, { id }));
      expect(others).to.deep.equal([]);
      expect(sent).not.to.match(/nickname|replies|parent_id = /);
    });
  });
});

/** Inserts `rows` comments, each with one reply. */
async function fill(articleId: number, author: BuiltMember, rows: number): Promise<void> {
  await app.database.sequelize.query(`with made as (
       insert into comments (article_id, member_id, content)
       select ${articleId}, ${author.id}, 'comment ' || n from generate_series(1, ${rows}) n returning id
     ) select count(*) from made`);
  await app.database.sequelize.query(`insert into comments (article_id, parent_id, member_id, content)
     select ${articleId}, id, ${author.id}, 'reply' from comments where article_id = ${articleId}`);
}

describe('REST_PAGE_BASE=0', () => {
  const zeroBased = useApp({ REST_PAGE_BASE: '0' });

  it('numbers the first page 0 in the query and 1 in the response', async () => {
    const { id, author } = await buildArticle(zeroBased.url);
    for (let number = 0; number < 3; number++) await buildComment(zeroBased.url, id, {}, author);
    const first = await call(zeroBased.url, `GET /api/articles/${id}/comments?page=0&size=2`);
    expect(first.body?.data.contents).to.have.length(2);
    expect(first.body?.data.pagination).to.include({ currentPage: 1, first: true, last: false });
    const second = await call(zeroBased.url, `GET /api/articles/${id}/comments?page=1&size=2`);
    expect(second.body?.data.contents).to.have.length(1);
    expect(fieldErrors(await call(zeroBased.url, `GET /api/articles/${id}/comments?page=-1`))).to.deep.equal([
      'page: must be a whole number from 0, got -1',
    ]);
  });
});

describe('POST /api/articles/{articleId}/comments', () => {
  const article = useArticle(app);
  const member = useMember(app);
  const create = (json: unknown, articleId: number | string = article.id, token = member.token) =>
    call(app.url, `POST /api/articles/${articleId}/comments`, { token, json });

  it('returns 201 with a top-level comment when parentCommentId is 0, null or absent', async () => {
    for (const json of [
      { content: 'a' },
      { content: 'b', parentCommentId: 0 },
      { content: 'c', parentCommentId: null },
    ]) {
      const { status, body } = await create(json);
      expect(status).to.equal(201);
      expect(body?.data).to.include({ content: json.content, author: member.nickname, memberId: member.id });
      expect(body?.data).to.include({ articleId: article.id, parentId: null });
    }
    expect((await listOf(article.id)).pagination.totalElements).to.equal(3);
  });

  it('returns 201 for a reply', async () => {
    const parent = await buildComment(app.url, article.id);
    const { status, body } = await create({ content: 'reply', parentCommentId: parent.id });
    expect(status).to.equal(201);
    const { contents } = await listOf(article.id);
    const { articleId, parentId, held, ...reply } = body?.data ?? {};
    expect([articleId, parentId, held]).to.deep.equal([article.id, parent.id, false]);
    expect(contents.find(({ id }: { id: number }) => id === parent.id).replies).to.deep.equal([reply]);
    const changed = await call(app.url, `PATCH /api/comments/${reply.id}`, {
      token: member.token,
      json: { content: 'x' },
    });
    expect(changed.body?.data).to.include({ articleId: article.id, parentId: parent.id });
  });

  it('returns 201 for up to 1,000 code points, stored in NFC', async () => {
    const { status, body } = await create({ content: '😀'.repeat(1000) });
    expect(status).to.equal(201);
    expect([...(body?.data.content ?? '')]).to.have.length(1000);
    expect((await create({ content: '\u1112\u1161\u11ab' })).body?.data.content).to.equal('한');
    expect(fieldErrors(await create({ content: '😀'.repeat(1001) }))).to.deep.equal([
      'content: must be 1 to 1000 characters long, got 1001',
    ]);
  });

  it('returns 400 and names every invalid field', async () => {
    expect(fieldErrors(await create({ content: 5, parentCommentId: 'x', role: 'admin', id: 7 }))).to.have.members([
      'role: is not a known field; expected content, parentCommentId',
      'id: is not a known field; expected content, parentCommentId',
      'content: must be a string, got 5',
      'parentCommentId: must be a positive whole number, got "x"',
    ]);
    expect(fieldErrors(await create({ parentCommentId: -3 }))).to.have.members([
      'content: is required',
      'parentCommentId: must be a positive whole number, got "-3"',
    ]);
    expectFieldErrors(await create({ content: ' \n ' }), 'content: must not be blank');
  });

  it('returns 400 for text that PostgreSQL cannot store', async () => {
    expectFieldErrors(await create({ content: 'a\0b' }), 'content: must not contain the character U+0000');
    expect(fieldErrors(await create({ content: 'a\ud800b' }))).to.deep.equal([
      'content: must be well-formed Unicode, got a lone surrogate',
    ]);
  });

  it('returns 400 for a reply to a reply', async () => {
    const parent = await buildComment(app.url, article.id);
    const reply = await buildComment(app.url, article.id, { parentCommentId: parent.id });
    await expectStatus(create({ content: 'deeper', parentCommentId: reply.id }), 400, 'REPLY_TOO_DEEP');
  });

  it('returns 401 without a token before it validates the path and body', async () => {
    const response = await call(app.url, 'POST /api/articles/abc/comments', { json: { nothing: 'right' } });
    expect([response.status, response.body?.code]).to.deep.equal([401, 'UNAUTHENTICATED']);
  });

  it('returns 404 for an unknown article or parent, and for a parent on another article', async () => {
    for (const id of HUGE_IDS)
      expect((await create({ content: 'x' }, id)).body?.code, id).to.equal('ARTICLE_NOT_FOUND');
    expect((await create({ content: 'x', parentCommentId: 2_147_483_648 })).body?.code).to.equal('COMMENT_NOT_FOUND');
    expect((await create({ content: 'x', parentCommentId: 1e300 })).body?.code).to.equal('COMMENT_NOT_FOUND');
    const elsewhere = await buildComment(app.url, (await buildArticle(app.url)).id);
    await expectStatus(create({ content: 'x', parentCommentId: elsewhere.id }), 404, 'COMMENT_NOT_FOUND');
  });

  it('keeps exact counts under parallel writes', async () => {
    const { id, author } = await buildArticle(app.url);
    const parent = await buildComment(app.url, id, {}, author);
    const write = (number: number) =>
      buildComment(app.url, id, number % 2 ? { parentCommentId: parent.id } : {}, author);
    const made = await Promise.all(Array.from({ length: 30 }, (_, number) => write(number)));
    await Promise.all(
      made.slice(0, 10).map((comment) => call(app.url, `DELETE /api/comments/${comment.id}`, { token: author.token })),
    );
    const { body } = await call(app.url, `GET /api/articles/${id}`);
    expect(body?.data.commentCount).to.equal(21);
    expect((await listOf(id)).pagination.totalElements).to.equal(11);
    expect((await listOf(id, '?size=100')).contents.at(-1).replies).to.have.length(10);
  });
});

describe('DELETE /api/comments/{commentId}', () => {
  const article = useArticle(app, beforeEach);
  const member = useMember(app, beforeEach);
  const remove = (id: number | string, token?: string) =>
    call(app.url, `DELETE /api/comments/${id}`, token === undefined ? {} : { token });

  it('returns 200 with {} and deletes the comment', async () => {
    const { id } = await buildComment(app.url, article.id, {}, member);
    const { status, body } = await remove(id, member.token);
    expect([status, body]).to.deep.equal([200, { code: '1', message: 'Comment deleted.', data: {} }]);
    expect((await listOf(article.id)).contents).to.deep.equal([]);
  });

  it('returns 200 and keeps a placeholder until the last reply is deleted', async () => {
    const parent = await buildComment(app.url, article.id, {}, member);
    const replies = [];
    for (let number = 0; number < 2; number++) {
      replies.push(await buildComment(app.url, article.id, { parentCommentId: parent.id }, member));
    }
    expect((await remove(parent.id, member.token)).status).to.equal(200);
    const [placeholder] = (await listOf(article.id)).contents;
    expect(placeholder).to.include({ id: parent.id, content: '(deleted)', author: '(deleted)', memberId: 0 });
    expect(placeholder.replies).to.have.length(2);
    expect((await call(app.url, `GET /api/articles/${article.id}`)).body?.data.commentCount).to.equal(2);
    expect((await remove(parent.id, member.token)).status).to.equal(404);
    await remove(replies[0]?.id ?? 0, member.token);
    expect((await listOf(article.id)).contents).to.have.length(1);
    await remove(replies[1]?.id ?? 0, member.token);
    expect((await listOf(article.id)).pagination.totalElements).to.equal(0);
    const [rows] = await app.database.sequelize.query(`select id from comments where article_id = ${article.id}`);
    expect(rows).to.deep.equal([]);
  });

  it('prevents new replies to the placeholder of a deleted comment', async () => {
    const parent = await buildComment(app.url, article.id, {}, member);
    await buildComment(app.url, article.id, { parentCommentId: parent.id }, member);
    await remove(parent.id, member.token);
    const response = await call(app.url, `POST /api/articles/${article.id}/comments`, {
      token: member.token,
      json: { content: 'late', parentCommentId: parent.id },
    });
    expect([response.status, response.body?.code]).to.deep.equal([404, 'COMMENT_NOT_FOUND']);
  });

  it('returns 200 for one of 20 parallel requests and 404 for the rest', async () => {
    const { id } = await buildComment(app.url, article.id, {}, member);
    const responses = await Promise.all(Array.from({ length: 20 }, () => remove(id, member.token)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([200, ...Array(19).fill(404)]);
    expect((await call(app.url, `GET /api/articles/${article.id}`)).body?.data.commentCount).to.equal(0);
  });

  it('removes the placeholder when its last replies are deleted in parallel', async () => {
    const parent = await buildComment(app.url, article.id, {}, member);
    const reply = () => buildComment(app.url, article.id, { parentCommentId: parent.id }, member);
    const replies = [await reply(), await reply(), await reply(), await reply()];
    await remove(parent.id, member.token);
    const responses = await Promise.all(replies.map(({ id }) => remove(id, member.token)));
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect((await listOf(article.id)).pagination.totalElements).to.equal(0);
  });

  it('returns 400 for an id that is not a positive whole number', async () => {
    for (const id of BAD_IDS) expect((await remove(id, member.token)).status, id).to.equal(400);
    expectFieldErrors(await remove('abc', member.token), 'commentId: must be a positive whole number, got "abc"');
  });

  it('returns 401 without a token, also for unknown comments and invalid ids', async () => {
    const { id } = await buildComment(app.url, article.id, {}, member);
    for (const target of [id, 'abc', 999_999_999]) {
      await expectStatus(remove(target), 401, 'UNAUTHENTICATED');
    }
    expect((await listOf(article.id)).contents).to.have.length(1);
  });

  it('returns 403 for another member and changes nothing', async () => {
    const { id } = await buildComment(app.url, article.id, {}, member);
    await expectStatus(remove(id, article.author.token), 403, 'COMMENT_FORBIDDEN');
    expect((await listOf(article.id)).contents).to.have.length(1);
  });

  it('returns 404 for an unknown comment and for a second deletion', async () => {
    for (const id of HUGE_IDS) {
      await expectStatus(remove(id, member.token), 404, 'COMMENT_NOT_FOUND', id);
    }
    const { id } = await buildComment(app.url, article.id, {}, member);
    await remove(id, member.token);
    expect((await remove(id, member.token)).status).to.equal(404);
  });
});

describe('GraphQL comments', () => {
  it('link to their author, article, parent and replies', async () => {
    const article = await buildArticle(app.url);
    const parent = await buildComment(app.url, article.id);
    const reply = await buildComment(app.url, article.id, { parentCommentId: parent.id });
    const { data, errors } = await graphql(
      app.url,
      `query ($id: ID!) { comments(articleId: $id) {
        contents { id createdAt author { id nickname } article { title } parent { id }
                   replies { id author { nickname } parent { id } replies { id } } }
        pagination { totalElements }
      } }`,
      { id: article.id },
    );
    expect(errors).to.equal(undefined);
    const [comment] = data.comments.contents;
    expect(comment).to.deep.include({
      id: String(parent.id),
      author: { id: String(parent.author.id), nickname: parent.author.nickname },
      parent: null,
      replies: [
        {
          id: String(reply.id),
          author: { nickname: reply.author.nickname },
          parent: { id: String(parent.id) },
          replies: [],
        },
      ],
    });
    expect(comment.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('are created and deleted under the same rules as over REST', async () => {
    const article = await buildArticle(app.url);
    const { token, nickname } = await buildMember(app.url);
    const create = `mutation ($input: CreateCommentInput!) { createComment(input: $input) {
      id content author { nickname } article { id commentCount }
    } }`;
    const input = { articleId: article.id, content: 'over GraphQL' };
    const made = await graphql(app.url, create, { input }, token);
    expect(made.data.createComment).to.deep.include({
      content: 'over GraphQL',
      author: { nickname },
      article: { id: String(article.id), commentCount: 1 },
    });
    const rejected = await graphql(app.url, create, { input });
    expect(rejected.errors?.[0]?.extensions).to.deep.equal({ code: 'UNAUTHENTICATED' });
    const invalid = await graphql(app.url, create, { input: { articleId: '0', content: '' } }, token);
    expect(invalid.errors?.[0]?.extensions).to.deep.equal({
      code: 'VALIDATION_FAILED',
      errors: [
        { field: 'articleId', message: 'must be a positive whole number, got "0"' },
        { field: 'content', message: 'must be 1 to 1000 characters long, got 0' },
      ],
    });
    const remove = 'mutation ($id: ID!) { deleteComment(id: $id) { id } }';
    const { id } = made.data.createComment;
    const forbidden = await graphql(app.url, remove, { id }, article.author.token);
    expect(forbidden.errors?.[0]?.extensions.code).to.equal('COMMENT_FORBIDDEN');
    expect((await graphql(app.url, remove, { id }, token)).data).to.deep.equal({ deleteComment: { id } });
    expect((await graphql(app.url, remove, { id }, token)).errors?.[0]?.extensions.code).to.equal('COMMENT_NOT_FOUND');
  });
});
