/** Flat lists of comments, and edits of a comment. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import {
  type BuiltArticle,
  type BuiltMember,
  buildArticle,
  buildComment,
  buildMember,
  useMember,
} from '../../support/build.js';
import { call, expectStatus, fieldErrors, graphql, type RestResponse } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

function get(path: string, token?: string): Promise<RestResponse> {
  return call(app.url, `GET ${path}`, token === undefined ? {} : { token });
}

function idsOf({ body }: RestResponse): number[] {
  return body?.data.contents.map(({ id }: { id: number }) => id);
}

describe('GET /api/comments/{commentId}/replies', () => {
  let parentId: number;
  const replies: number[] = [];
  before(async () => {
    const { id, author } = await buildArticle(app.url);
    parentId = (await buildComment(app.url, id, {}, author)).id;
    for (let number = 0; number < 3; number++) {
      replies.push((await buildComment(app.url, id, { parentCommentId: parentId }, author)).id);
    }
  });

  it('returns 200 with pages of replies, oldest first, in one statement', async () => {
    const path = `/api/comments/${parentId}/replies`;
    expect(idsOf(await get(path))).to.deep.equal(replies);
    const second = await get(`${path}?size=2&page=2`);
    expect(idsOf(second)).to.deep.equal(replies.slice(2));
    expect(second.body?.data.pagination).to.include({ totalElements: 3, totalPages: 2, last: true });
    const fields = ['id', 'content', 'author', 'memberId', 'createdAt', 'updatedAt'];
    expect(Object.keys(second.body?.data.contents[0])).to.deep.equal(fields);
    expect(await statementsDuring(() => get(path))).to.have.length(1);
  });

  it('returns 200 with an empty list for a reply', async () => {
    expect(idsOf(await get(`/api/comments/${replies[0]}/replies`))).to.deep.equal([]);
  });

  it('returns 400 and 404', async () => {
    for (const bad of BAD_IDS) expect((await get(`/api/comments/${bad}/replies`)).status, bad).to.equal(400);
    for (const huge of HUGE_IDS) {
      expect((await get(`/api/comments/${huge}/replies`)).body?.code, huge).to.equal('COMMENT_NOT_FOUND');
    }
    expect(fieldErrors(await get(`/api/comments/${parentId}/replies?size=0&page=x`))).to.have.length(2);
  });
});

describe('GET /api/comments/me and /api/comments/me/received', () => {
  let host: BuiltMember;
  let guest: BuiltMember;
  let article: BuiltArticle;
  const written = ({ token }: BuiltMember, query = '') => get(`/api/comments/me${query}`, token);
  const received = ({ token }: BuiltMember, query = '') => get(`/api/comments/me/received${query}`, token);
  beforeEach(async () => {
    [host, guest] = [await buildMember(app.url), await buildMember(app.url)];
    article = await buildArticle(app.url, {}, host);
  });

  it('returns 200 with comments by the member or on their articles by others, newest first', async () => {
    const own = await buildComment(app.url, article.id, {}, host);
    const first = await buildComment(app.url, article.id, {}, guest);
    const reply = await buildComment(app.url, article.id, { parentCommentId: own.id }, guest);
    expect(idsOf(await written(host))).to.deep.equal([own.id]);
    expect(idsOf(await received(host))).to.deep.equal([reply.id, first.id]);
    expect(idsOf(await written(guest))).to.deep.equal([reply.id, first.id]);
    expect(idsOf(await received(guest))).to.deep.equal([]);
    const [newest] = (await received(host)).body?.data.contents ?? [];
    expect(newest).to.deep.include({ articleId: article.id, parentId: own.id, author: guest.nickname });
    const { pagination } = (await received(host, '?size=1&page=2')).body?.data ?? {};
    expect(pagination).to.include({ totalElements: 2, totalPages: 2, last: true });
  });

  it('returns 200 without deleted comments and placeholders, with exact totals', async () => {
    const placeholder = await buildComment(app.url, article.id, {}, guest);
    await buildComment(app.url, article.id, { parentCommentId: placeholder.id }, host);
    const deleted = await buildComment(app.url, article.id, {}, guest);
    for (const { id } of [placeholder, deleted])
      await call(app.url, `DELETE /api/comments/${id}`, { token: guest.token });
    for (const response of [await written(guest), await received(host)]) {
      expect(response.body?.data).to.deep.include({ contents: [] });
      expect(response.body?.data.pagination.totalElements).to.equal(0);
    }
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: host.token });
    expect((await written(host)).body?.data.pagination.totalElements).to.equal(0);
  });

  it('returns exact totals after parallel comments and deletions', async () => {
    const other = await buildArticle(app.url, {}, guest);
    const articleIds = [article.id, other.id];
    const writers = [host, guest];
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, n) => buildComment(app.url, articleIds[n % 2] ?? 0, {}, writers[(n >> 1) % 2])),
    );
    const removed = made.slice(0, 8);
    await Promise.all(
      removed.map(({ id, author }) => call(app.url, `DELETE /api/comments/${id}`, { token: author.token })),
    );
    for (const member of writers) {
      expect((await written(member, '?size=100')).body?.data.pagination.totalElements).to.equal(8);
      expect(idsOf(await written(member))).to.have.length(8);
      expect((await received(member)).body?.data.pagination.totalElements).to.equal(4);
      expect(idsOf(await received(member))).to.have.length(4);
    }
  });

  it('takes one statement besides the one for the token', async () => {
    await buildComment(app.url, article.id, {}, guest);
    expect(await statementsDuring(() => written(guest))).to.have.length(2);
    expect(await statementsDuring(() => received(host))).to.have.length(2);
  });

  it('returns 400 and 401', async () => {
    expect(fieldErrors(await written(host, '?page=0&size=101'))).to.have.length(2);
    expect(fieldErrors(await received(host, '?page=0&size=101'))).to.have.length(2);
    for (const path of ['/api/comments/me', '/api/comments/me/received'])
      expect((await get(path)).status).to.equal(401);
  });
});

describe('PATCH /api/comments/{commentId}', () => {
  let article: BuiltArticle;
  const member = useMember(app, beforeEach);
  let id: number;
  const change = (json: unknown, target: number | string = id, token = member.token) =>
    call(app.url, `PATCH /api/comments/${target}`, { token, json });
  beforeEach(async () => {
    article = await buildArticle(app.url);
    id = (await buildComment(app.url, article.id, {}, member)).id;
  });

  it('returns 200 with the updated comment', async () => {
    const { status, body } = await change({ content: 'other words' });
    expect([status, body?.message]).to.deep.equal([200, 'Comment changed.']);
    expect(body?.data).to.include({ id, content: 'other words', author: member.nickname, memberId: member.id });
    const listed = await get(`/api/articles/${article.id}/comments`);
    expect(listed.body?.data.contents[0].content).to.equal('other words');
  });

  it('returns 400 for invalid content, unknown fields and invalid ids', async () => {
    for (const json of [{}, { content: '' }, { content: ' ' }, { content: 'x'.repeat(1001) }, { content: 'a\0' }]) {
      expect(fieldErrors(await change(json))[0]).to.match(/^content: /);
    }
    expect(fieldErrors(await change({ content: 'x', parentCommentId: 1 }))).to.deep.equal([
      'parentCommentId: is not a known field; expected content',
    ]);
    for (const bad of BAD_IDS) expect((await change({ content: 'x' }, bad)).status, bad).to.equal(400);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, `PATCH /api/comments/${id}`, { json: {} })).status).to.equal(401);
  });

  it('returns 403 for another member, including the author of the article', async () => {
    await expectStatus(change({ content: 'x' }, id, article.author.token), 403, 'COMMENT_FORBIDDEN');
  });

  it('returns 404 for an unknown comment and for the placeholder of a deleted one', async () => {
    for (const huge of HUGE_IDS)
      expect((await change({ content: 'x' }, huge)).body?.code).to.equal('COMMENT_NOT_FOUND');
    await buildComment(app.url, article.id, { parentCommentId: id });
    await call(app.url, `DELETE /api/comments/${id}`, { token: member.token });
    expect((await change({ content: 'x' })).body?.code).to.equal('COMMENT_NOT_FOUND');
  });
});

describe('GraphQL comment lists', () => {
  it('return the same comments as REST, and edits follow the same rules', async () => {
    const article = await buildArticle(app.url);
    const { id, author } = await buildComment(app.url, article.id);
    const query = `query ($id: ID!) {
      replies(commentId: $id) { pagination { totalElements } }
      myComments { contents { id article { title } } }
      receivedComments { contents { id } }
    }`;
    const { data } = await graphql(app.url, query, { id }, author.token);
    expect(data.myComments.contents[0].id).to.equal(String(id));
    expect([data.replies.pagination.totalElements, data.receivedComments.contents]).to.deep.equal([0, []]);
    const change = 'mutation ($id: ID!) { updateComment(id: $id, content: "new") { content } }';
    expect((await graphql(app.url, change, { id }, author.token)).data.updateComment.content).to.equal('new');
    const rejected = await graphql(app.url, change, { id }, article.author.token);
    expect(rejected.errors?.[0]?.extensions.code).to.equal('COMMENT_FORBIDDEN');
  });
});
