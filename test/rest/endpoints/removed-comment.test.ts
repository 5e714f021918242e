/** Comments that a moderator has removed: who sees their content, over which path. */
import { expect } from 'chai';
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
import { call, expectStatus, graphql } from '../../support/client.js';
import { remove, restore } from '../../support/removal.js';
import { buildWithRole, setRole } from '../../support/roles.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();
const approving = useApp({ COMMENT_APPROVAL: 'first' });
const REMOVED = '(removed)';

let article: BuiltArticle;
/** A comment by one member, with a reply by another one. Both are removed. */
let comment: BuiltComment;
let reply: BuiltComment;
let reader: BuiltMember;
let moderator: BuiltMember;

beforeEach(async () => {
  article = await buildArticle(app.url);
  comment = await buildComment(app.url, article.id, { content: 'A threat' });
  reply = await buildComment(app.url, article.id, { content: 'A worse threat', parentCommentId: comment.id });
  reader = await buildMember(app.url);
  moderator = await buildWithRole(app, 'MODERATOR');
  for (const { id } of [comment, reply]) expect(await remove(app, 'comment', id)).to.equal(true);
});

/** Contents of the comment and of the reply, as each member and everyone sees them. */
async function expected(): Promise<[string, string | undefined, string, string][]> {
  const ofModerator = await buildApiToken(app.url, moderator, ['read', 'comments']);
  const withoutScope = await buildApiToken(app.url, comment.author, ['read']);
  return [
    ['everyone', undefined, REMOVED, REMOVED],
    ['another member', reader.token, REMOVED, REMOVED],
    ['the author of the article', article.author.token, REMOVED, REMOVED],
    ['the author of the comment', comment.author.token, comment.content, REMOVED],
    ['the author of the reply', reply.author.token, REMOVED, reply.content],
    ['a moderator', moderator.token, comment.content, reply.content],
    ['an API token of a moderator', ofModerator.token, REMOVED, REMOVED],
    ['an API token without the scope comments', withoutScope.token, REMOVED, REMOVED],
  ];
}

const readPage = async (token?: string) => {
  const { body } = await call(
    app.url,
    `GET /api/articles/${article.id}/comments`,
    token === undefined ? {} : { token },
  );
  return body?.data.contents[0];
};

describe('The content of a removed comment', () => {
  it('is visible to its author and moderators only, over REST', async () => {
    for (const [who, token, content, replyContent] of await expected()) {
      const options = token === undefined ? {} : { token };
      const shown = await readPage(token);
      expect([shown.content, shown.replies[0].content], who).to.deep.equal([content, replyContent]);
      const replies = await call(app.url, `GET /api/comments/${comment.id}/replies`, options);
      expect(replies.body?.data.contents[0].content, who).to.equal(replyContent);
      const one = await call(app.url, `GET /api/comments/${comment.id}`, options);
      expect(one.body?.data, who).to.include({ content, page: 1 });
    }
    const received = await call(app.url, 'GET /api/comments/me/received', { token: article.author.token });
    const own = await call(app.url, 'GET /api/comments/me', { token: reply.author.token });
    const shownIn = ({ body }: typeof own) =>
      body?.data.contents.map((one: { content: string; removed: boolean }) => [one.content, one.removed]);
    expect(shownIn(received)).to.deep.equal([
      [REMOVED, true],
      [REMOVED, true],
    ]);
    expect(shownIn(own)).to.deep.equal([[reply.content, true]]);
  });

  it('is visible to its author and moderators only, over every path of GraphQL', async () => {
    const query = `query ($article: ID!, $comment: ID!) {
      comments(articleId: $article, size: 2) { contents { content removed replies { content removed parent { content removed replies { content removed } } } } }
      commentConnection(articleId: $article, first: 2) { edges { node { content removed replies { content removed } } } }
      replies(commentId: $comment, size: 2) { contents { content removed parent { content } } }
      replyConnection(commentId: $comment, first: 2) { edges { node { content removed parent { content } } } }
      article(id: $article) { comments(first: 2) { edges { node { content removed replies { content removed } } } } }
      comment(id: $comment) { content removed }
    }`;
    for (const [who, token, content, replyContent] of await expected()) {
      const { data, errors } = await graphql(app.url, query, { article: article.id, comment: comment.id }, token);
      expect(errors, who).to.equal(undefined);
      const replies = [{ content: replyContent, removed: true }];
      const top = { content, removed: true, replies };
      const inReply = { content: replyContent, removed: true, parent: { content } };
      const parent = { content, removed: true, replies };
      expect(data, who).to.deep.equal({
        comments: { contents: [{ ...top, replies: [{ content: replyContent, removed: true, parent }] }] },
        commentConnection: { edges: [{ node: top }] },
        replies: { contents: [inReply] },
        replyConnection: { edges: [{ node: inReply }] },
        article: { comments: { edges: [{ node: top }] } },
        comment: { content, removed: true },
      });
    }
  });

  it('is not visible to recipients of notifications about it', async () => {
    const query = '{ notifications { contents { type comment { content } } } }';
    const { data } = await graphql(app.url, query, {}, article.author.token);
    const shown = data.notifications.contents.map((one: { comment: { content: string } }) => one.comment);
    expect(shown).to.deep.equal([{ content: REMOVED }, { content: REMOVED }]);
  });

  it('is not visible any more to a moderator whose role was removed', async () => {
    await setRole(app, moderator.id, 'MEMBER');
    expect((await readPage(moderator.token)).content).to.equal(REMOVED);
  });

  it('is read with as many statements as that of others', async () => {
    const statements = await statementsDuring(() => readPage());
    expect(statements).to.have.lengthOf(1);
  });

  it('is in the stored response to a retry no more', async () => {
    const other = await buildComment(app.url, article.id, { content: 'Shown at first' });
    const query = `mutation ($input: CreateCommentInput!) { createComment(input: $input) { parent { content } } }`;
    const variables = { input: { articleId: String(article.id), content: 'Really?', parentId: String(other.id) } };
    const retry = async () => {
      const headers = { 'Idempotency-Key': '"removed-comment"' };
      const { body } = await call(app.url, 'POST /graphql', {
        token: reader.token,
        json: { query, variables },
        headers,
      });
      return JSON.stringify(body);
    };
    expect(await retry()).to.include('Shown at first');
    await remove(app, 'comment', other.id);
    expect(await retry()).to.not.include('Shown at first');
  });

  it('is in the stored response to a retry of a moderator while the role lasts, except with an API token', async () => {
    const query = `mutation ($input: CreateCommentInput!) {
      createComment(input: $input) { article { comments(first: 9) { edges { node { content } } } } }
    }`;
    const variables = { input: { articleId: String(article.id), content: 'Mind your words' } };
    const retry = async (token: string) => {
      const headers = { 'Idempotency-Key': '"comment-of-a-moderator"' };
      const { body } = await call(app.url, 'POST /graphql', { token, json: { query, variables }, headers });
      return JSON.stringify(body);
    };
    const { token } = await buildApiToken(app.url, moderator, ['comments']);
    for (const time of ['first', 'second']) expect(await retry(moderator.token), time).to.include(comment.content);
    expect(await retry(token)).to.include('RESPONSE_REMOVED');
    await setRole(app, moderator.id, 'MEMBER');
    expect(await retry(moderator.token)).to.include('RESPONSE_REMOVED');
  });
});

describe('A removed comment', () => {
  it('keeps its author, its times and its replies, and is in no placeholder after its restoration', async () => {
    const { id, nickname: author } = comment.author;
    const shown = await readPage();
    expect(shown).to.include({ id: comment.id, content: REMOVED, author, memberId: id });
    expect(shown.updatedAt).to.equal(shown.createdAt);
    expect(await restore(app, 'comment', comment.id)).to.equal(true);
    expect((await readPage()).content).to.equal(comment.content);
    expect((await readPage()).replies[0].content).to.equal(REMOVED);
  });

  it('is removed once, and restored once', async () => {
    expect(await remove(app, 'comment', comment.id)).to.equal(false);
    expect(await restore(app, 'comment', comment.id)).to.equal(true);
    expect(await restore(app, 'comment', comment.id)).to.equal(false);
  });

  it('changes the tag of the discussion at once', async () => {
    const page = `GET /api/articles/${article.id}/comments`;
    const first = (await call(app.url, page)).headers.get('ETag') ?? '';
    await restore(app, 'comment', comment.id);
    const response = await call(app.url, page, { headers: { 'If-None-Match': first } });
    expect(response.body?.data.contents[0].content).to.equal(comment.content);
  });

  it('cannot be edited, or replied to, and can be deleted by its author', async () => {
    const { token } = comment.author;
    const json = { content: 'Sorry' };
    const { body } = await expectStatus(
      call(app.url, `PATCH /api/comments/${comment.id}`, { token, json }),
      403,
      'COMMENT_FORBIDDEN',
    );
    expect(body?.message).to.include('A moderator has removed it');
    const edit = 'mutation ($id: ID!) { updateComment(id: $id, content: "Sorry") { content } }';
    const { errors } = await graphql(app.url, edit, { id: comment.id }, token);
    expect(errors?.[0]?.extensions.code).to.equal('COMMENT_FORBIDDEN');
    const answer = { token: reader.token, json: { content: 'Hear, hear', parentCommentId: comment.id } };
    const path = `POST /api/articles/${article.id}/comments`;
    await expectStatus(call(app.url, path, answer), 404, 'COMMENT_NOT_FOUND');
    await expectStatus(call(app.url, `DELETE /api/comments/${comment.id}`, { token }), 200, '1');
    for (const [who, token] of await expected()) expect((await readPage(token)).content, who).to.equal('(deleted)');
    expect(await restore(app, 'comment', comment.id)).to.equal(false);
  });

  it('stays removed when its author withdraws', async () => {
    const { token, password } = comment.author;
    await call(app.url, 'DELETE /api/members/me', { token, json: { password } });
    expect(await readPage()).to.include({ content: REMOVED, author: '(withdrawn)', memberId: 0 });
    expect((await readPage(moderator.token)).content).to.equal(comment.content);
  });

  it('does not count as an approved one', async () => {
    const write = async (member: BuiltMember) => {
      const json = { content: 'A polite comment' };
      const { body } = await call(approving.url, `POST /api/articles/${article.id}/comments`, {
        token: member.token,
        json,
      });
      return body?.data.held;
    };
    const polite = await buildComment(app.url, article.id);
    expect([await write(comment.author), await write(polite.author)]).to.deep.equal([true, false]);
  });
});
