/** Comments on an article that has become private: who reads and changes them, over which path. */
import { expect } from 'chai';
import type { Scope } from '../../../src/models/session/api-token.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import {
  type BuiltArticle,
  type BuiltComment,
  type BuiltMember,
  buildArticle,
  buildComment,
  buildMember,
} from '../../support/build.js';
import { call, expectStatus, graphql, type RestResponse } from '../../support/client.js';
import { interleave } from '../../support/interleave.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();

let article: BuiltArticle;
/** A comment by one member, with a reply by another one. */
let comment: BuiltComment;
let reply: BuiltComment;

beforeEach(async () => {
  article = await buildArticle(app.url);
  comment = await buildComment(app.url, article.id);
  reply = await buildComment(app.url, article.id, { parentCommentId: comment.id });
  await setPrivate(app.url, article);
});

type Reader = Partial<Pick<BuiltMember, 'token'>>;

const send = (target: string, { token }: Reader = {}, json?: unknown) =>
  call(app.url, target, { ...(token !== undefined && { token }), ...(json !== undefined && { json }) });
const tokenOf = (member: BuiltMember, ...scopes: Scope[]) => buildApiToken(app.url, member, scopes);

const UNKNOWN = 999_999_999;

type Target = [target: (ids: { article: number; comment: number }) => string, json?: unknown];

const READS: Target[] = [
  [({ article }) => `GET /api/articles/${article}/comments`],
  [({ comment }) => `GET /api/comments/${comment}`],
  [({ comment }) => `GET /api/comments/${comment}?size=3`],
  [({ comment }) => `GET /api/comments/${comment}/replies`],
];

const CHANGES: Target[] = [
  [({ article }) => `POST /api/articles/${article}/comments`, { content: 'Is anybody there?' }],
  [({ comment }) => `PATCH /api/comments/${comment}`, { content: 'Edited.' }],
  [({ comment }) => `PUT /api/comments/${comment}/hidden`, { hidden: true }],
  [({ article }) => `GET /api/articles/${article}/comments/hidden`],
];

const IDS = { article: '$a: ID!', comment: '$c: ID!', all: '$a: ID!, $c: ID!' };
const QUERIES = [
  `query (${IDS.article}) { comments(articleId: $a) { contents { id } } }`,
  `query (${IDS.article}) { commentConnection(articleId: $a) { totalCount } }`,
  `query (${IDS.comment}) { comment(id: $c) { id } }`,
  `query (${IDS.comment}) { replies(commentId: $c) { contents { id } } }`,
  `query (${IDS.comment}) { replyConnection(commentId: $c) { totalCount } }`,
];
const MUTATIONS = [
  `mutation (${IDS.article}) { createComment(input: { articleId: $a, content: "Hello?" }) { id } }`,
  `mutation (${IDS.all}) { createComment(input: { articleId: $a, parentId: $c, content: "Hello?" }) { id } }`,
  `mutation (${IDS.comment}) { updateComment(id: $c, content: "Edited.") { id } }`,
  `mutation (${IDS.comment}) { setCommentHidden(id: $c, hidden: true) { id } }`,
  `query (${IDS.article}) { hiddenComments(articleId: $a) { contents { id } } }`,
];

const contentOf = ({ status, body }: RestResponse) => ({ status, body });

/** Members other than the author get exactly the response for an unknown id. */
async function expectUnknown(
  reader: Reader,
  targets: readonly Target[],
  queries: readonly string[],
  ids = [comment.id],
) {
  for (const id of ids) {
    for (const [target, json] of targets) {
      const found = await send(target({ article: article.id, comment: id }), reader, json);
      expect(found.status, target({ article: article.id, comment: id })).to.equal(404);
      const unknown = await send(target({ article: UNKNOWN, comment: UNKNOWN }), reader, json);
      expect(contentOf(found)).to.deep.equal(contentOf(unknown));
    }
    for (const query of queries) {
      const { data, errors } = await graphql(app.url, query, { a: article.id, c: id }, reader.token);
      const unknown = await graphql(app.url, query, { a: UNKNOWN, c: UNKNOWN }, reader.token);
      expect(errors?.[0]?.extensions.code, query).to.match(/_NOT_FOUND$/);
      expect({ data, errors }).to.deep.equal({ data: unknown.data, errors: unknown.errors });
    }
  }
}

describe('Comments on a private article', () => {
  it('exist for its author only: not for anonymous readers, their authors, and tokens without a scope for articles', async () => {
    await expectUnknown({}, READS, QUERIES, [comment.id, reply.id]);
    for (const member of [await buildMember(app.url), comment.author, reply.author])
      await expectUnknown(member, [...READS, ...CHANGES], [...QUERIES, ...MUTATIONS]);
    for (const scopes of [['comments'], ['images']] as Scope[][])
      await expectUnknown(await tokenOf(article.author, ...scopes), READS, QUERIES);
    await expectUnknown(await tokenOf(article.author, 'comments'), CHANGES, MUTATIONS);
  });

  it('are read and changed by its author, also with a token', async () => {
    const { author } = article;
    for (const reader of [author, await tokenOf(author, 'read'), await tokenOf(author, 'articles')]) {
      const page = await send(`GET /api/articles/${article.id}/comments`, reader);
      expect(page.body?.data.contents[0]).to.deep.include({ id: comment.id, content: comment.content });
      expect(page.body?.data.contents[0].replies[0]).to.deep.include({ id: reply.id, content: reply.content });
      const replies = await send(`GET /api/comments/${comment.id}/replies`, reader);
      expect(replies.body?.data.contents[0].id).to.equal(reply.id);
      expect((await send(`GET /api/comments/${reply.id}`, reader)).body?.data.page).to.equal(1);
    }
    const all = `query (${IDS.all}) {
      commentConnection(articleId: $a) { totalCount edges { node { replies { id } } } }
      replyConnection(commentId: $c) { edges { node { parent { id } article { id } page } } }
    }`;
    const { data } = await graphql(app.url, all, { a: article.id, c: comment.id }, author.token);
    expect(data.commentConnection).to.deep.equal({
      totalCount: 1,
      edges: [{ node: { replies: [{ id: String(reply.id) }] } }],
    });
    const node = { parent: { id: String(comment.id) }, article: { id: String(article.id) }, page: 1 };
    expect(data.replyConnection.edges).to.deep.equal([{ node }]);
    const own = await buildComment(app.url, article.id, { parentCommentId: comment.id }, author);
    await expectStatus(send(`PATCH /api/comments/${own.id}`, author, { content: 'Edited.' }), 200, '1');
    await expectStatus(send(`PUT /api/comments/${comment.id}/hidden`, author, { hidden: true }), 200, '1');
    const hidden = await send(`GET /api/articles/${article.id}/comments/hidden`, author);
    expect(hidden.body?.data.contents.map(({ id }: { id: number }) => id)).to.deep.equal([comment.id]);
    await expectStatus(send(`DELETE /api/comments/${own.id}`, author), 200, '1');
    await expectStatus(send(`PATCH /api/comments/${comment.id}`, author, { content: 'x' }), 403, 'COMMENT_FORBIDDEN');
  });

  it('stay in the lists of their authors, with the id of the article and without anything else of it', async () => {
    const { body } = await send('GET /api/comments/me', comment.author);
    expect(body?.data.pagination.totalElements).to.equal(1);
    expect(body?.data.contents[0]).to.deep.include({ id: comment.id, articleId: article.id, content: comment.content });
    const fields = 'id articleId content article { id } parent { id } replies { id } page(size: 1)';
    const query = `{ myComments { contents { ${fields} } } myCommentConnection { totalCount edges { node { ${fields} } } } }`;
    for (let count = 0; count < 3; count++) await buildComment(app.url, article.id, {}, article.author);
    for (const own of [comment, reply]) {
      const { data, errors } = await graphql(app.url, query, {}, own.author.token);
      expect(errors).to.equal(undefined);
      const ids = { id: String(own.id), articleId: String(article.id) };
      const expected = { ...ids, content: own.content, article: null, parent: null, replies: [], page: 1 };
      expect(data.myComments.contents).to.deep.equal([expected]);
      expect(data.myCommentConnection).to.deep.equal({ totalCount: 1, edges: [{ node: expected }] });
    }
  });

  it('are unknown to their authors before the revision of If-Match is compared', async () => {
    const headers = { 'If-Match': 'W/"9"' };
    const options = { token: comment.author.token, json: { content: 'Edited.' }, headers };
    await expectStatus(call(app.url, `PATCH /api/comments/${comment.id}`, options), 404, 'COMMENT_NOT_FOUND');
  });

  it('can be deleted by their authors, and by no other member who does not see the article', async () => {
    const other = await buildMember(app.url);
    await expectStatus(send(`DELETE /api/comments/${comment.id}`, other), 404, 'COMMENT_NOT_FOUND');
    await expectStatus(send(`DELETE /api/comments/${comment.id}`, reply.author), 404, 'COMMENT_NOT_FOUND');
    await expectStatus(send(`DELETE /api/comments/${comment.id}`, article.author), 403, 'COMMENT_FORBIDDEN');
    await expectStatus(send(`DELETE /api/comments/${comment.id}`, comment.author), 200, '1');
    const remove = `mutation (${IDS.comment}) { deleteComment(id: $c) { id article { id } replies { id } } }`;
    const { data } = await graphql(app.url, remove, { c: reply.id }, reply.author.token);
    expect(data.deleteComment).to.deep.equal({ id: String(reply.id), article: null, replies: [] });
    for (const { id, author } of [comment, reply]) {
      await expectStatus(send(`DELETE /api/comments/${id}`, author), 404, 'COMMENT_NOT_FOUND');
      expect((await send('GET /api/comments/me', author)).body?.data.pagination.totalElements).to.equal(0);
    }
    const left = await send(`GET /api/articles/${article.id}/comments`, article.author);
    expect(left.body?.data.contents).to.deep.equal([]);
  });

  it('are received by the author of the article, except with tokens that do not see it', async () => {
    const shown = await buildComment(app.url, (await buildArticle(app.url, {}, article.author)).id);
    const received = async (reader: Reader) => {
      const { body } = await send('GET /api/comments/me/received', reader);
      const query = '{ receivedCommentConnection { totalCount edges { node { id } } } }';
      const { data } = await graphql(app.url, query, {}, reader.token);
      const ids = body?.data.contents.map(({ id }: { id: number }) => id);
      const { totalCount, edges } = data.receivedCommentConnection;
      expect(edges.map(({ node }: { node: { id: string } }) => Number(node.id))).to.deep.equal(ids);
      expect(totalCount).to.equal(body?.data.pagination.totalElements);
      return [totalCount, ids];
    };
    const all = [3, [shown.id, reply.id, comment.id]];
    expect(await received(article.author)).to.deep.equal(all);
    expect(await received(await tokenOf(article.author, 'read'))).to.deep.equal(all);
    expect(await received(await tokenOf(article.author, 'comments'))).to.deep.equal([1, [shown.id]]);
    await setPrivate(app.url, article, false);
    expect(await received(await tokenOf(article.author, 'comments'))).to.deep.equal(all);
  });

  it('return with the article', async () => {
    await setPrivate(app.url, article, false);
    const { body } = await send(`GET /api/articles/${article.id}/comments`);
    expect(body?.data.contents[0]).to.deep.include({ id: comment.id, content: comment.content });
  });

  it('cannot be changed by a request that waits for the lock of the comment while the article becomes private', async () => {
    await setPrivate(app.url, article, false);
    const response = await interleave(app, {
      lock: `select from comments where id = ${comment.id} for update`,
      request: () => send(`PATCH /api/comments/${comment.id}`, comment.author, { content: 'Late.' }),
      change: `update all_articles set is_private = true where id = ${article.id}`,
    });
    expect([response.status, response.body?.code]).to.deep.equal([404, 'COMMENT_NOT_FOUND']);
  });
});
