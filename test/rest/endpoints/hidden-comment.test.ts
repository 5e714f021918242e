/** Comments that the author of the article has hidden: who sees their content, over which path. */
import { expect } from 'chai';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
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
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { socketOf } from '../../support/live.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';

const app = useApp();
const HIDDEN = '(hidden)';

let article: BuiltArticle;
/** A comment by one member, with a reply by another one. Both are hidden. */
let comment: BuiltComment;
let reply: BuiltComment;
let reader: BuiltMember;

const hide = (id: number | string, hidden: unknown, { token }: BuiltMember = article.author) =>
  call(app.url, `PUT /api/comments/${id}/hidden`, { token, json: { hidden } });
const SET =
  'mutation ($id: ID!, $hidden: Boolean!) { setCommentHidden(id: $id, hidden: $hidden) { id hidden content } }';
const setHidden = (id: number, hidden: boolean, { token }: BuiltMember) => graphql(app.url, SET, { id, hidden }, token);

beforeEach(async () => {
  article = await buildArticle(app.url);
  comment = await buildComment(app.url, article.id, { content: 'A rude comment' });
  reply = await buildComment(app.url, article.id, { content: 'A rude reply', parentCommentId: comment.id });
  reader = await buildMember(app.url);
  for (const { id } of [comment, reply]) await expectStatus(hide(id, true), 200, '1');
});

/** Contents of the comment and of the reply, as each member and everyone sees them. */
function expected(): [string, string | undefined, string, string][] {
  return [
    ['everyone', undefined, HIDDEN, HIDDEN],
    ['another member', reader.token, HIDDEN, HIDDEN],
    ['the author of the comment', comment.author.token, comment.content, HIDDEN],
    ['the author of the reply', reply.author.token, HIDDEN, reply.content],
    ['the author of the article', article.author.token, comment.content, reply.content],
  ];
}

describe('PUT /api/comments/{commentId}/hidden', () => {
  it('returns the new state, as setCommentHidden does', async () => {
    const { body } = await hide(comment.id, false);
    expect(body?.data).to.deep.equal({ commentId: comment.id, hidden: false });
    const { data } = await setHidden(comment.id, true, article.author);
    expect(data.setCommentHidden).to.deep.equal({ id: String(comment.id), hidden: true, content: comment.content });
  });

  it('returns 403 to everyone but the author of the article, 401 without a token, 404 for an unknown comment', async () => {
    for (const member of [reader, comment.author, reply.author]) {
      const { body } = await expectStatus(hide(comment.id, false, member), 403, 'COMMENT_FORBIDDEN');
      expect(body?.message).to.equal('Only the author of the article can hide its comments.');
      expect((await setHidden(comment.id, false, member)).errors?.[0]?.extensions.code).to.equal('COMMENT_FORBIDDEN');
    }
    const anonymous = call(app.url, `PUT /api/comments/${comment.id}/hidden`, { json: { hidden: false } });
    await expectStatus(anonymous, 401, 'UNAUTHENTICATED');
    for (const id of HUGE_IDS) await expectStatus(hide(id, true), 404, 'COMMENT_NOT_FOUND', id);
    for (const id of BAD_IDS) expect((await hide(id, true)).status, id).to.equal(400);
    expectFieldErrors(await hide(comment.id, 'yes'), 'hidden: must be true or false, got "yes"');
    expectFieldErrors(await hide(comment.id, null), 'hidden: is required');
  });

  it('records a security event of the author of the article for each change, and none without a change', async () => {
    const { token } = article.author;
    const kinds = async () => {
      const { body } = await call(app.url, 'GET /api/members/me/security-events', { token });
      return body?.data.contents.map(({ kind }: { kind: string }) => kind);
    };
    await hide(comment.id, true);
    expect(await kinds()).to.deep.equal(['COMMENT_HIDDEN', 'COMMENT_HIDDEN', 'LOGIN']);
    await hide(comment.id, false);
    await hide(comment.id, false);
    expect(await kinds()).to.deep.equal(['COMMENT_SHOWN', 'COMMENT_HIDDEN', 'COMMENT_HIDDEN', 'LOGIN']);
  });

  it('applies to comments of the author of the article as well', async () => {
    const own = await buildComment(app.url, article.id, { content: 'My own' }, article.author);
    await expectStatus(hide(own.id, true), 200, '1');
    const [first] = (await call(app.url, `GET /api/articles/${article.id}/comments`)).body?.data.contents ?? [];
    expect(first.content).to.equal(HIDDEN);
  });

  it('changes the tag of the discussion at once, and only if it changes the comment', async () => {
    const page = `GET /api/articles/${article.id}/comments`;
    const tag = async () => (await call(app.url, page)).headers.get('ETag') ?? '';
    const first = await tag();
    await hide(comment.id, true);
    expect(await tag()).to.equal(first);
    await hide(comment.id, false);
    const response = await call(app.url, page, { headers: { 'If-None-Match': first } });
    expect(response.body?.data.contents[0].content).to.equal(comment.content);
    const replies = await call(app.url, `GET /api/comments/${comment.id}/replies`);
    expect(replies.body?.data.contents[0].content).to.equal(HIDDEN);
    await hide(reply.id, false);
    const again = await call(app.url, `GET /api/comments/${comment.id}/replies`);
    expect(again.body?.data.contents[0].content).to.equal(reply.content);
  });
});

describe('A hidden comment', () => {
  it('keeps its author, its times and its replies', async () => {
    const other = await buildComment(app.url, article.id);
    await hide(reply.id, false);
    const contents = (await call(app.url, `GET /api/articles/${article.id}/comments`)).body?.data.contents;
    const [plain, masked] = contents;
    expect(plain.content).to.equal(other.content);
    const { id, nickname: author } = comment.author;
    expect(masked).to.include({ id: comment.id, content: HIDDEN, author, memberId: id });
    expect(masked.updatedAt).to.equal(masked.createdAt);
    expect(masked.replies.map(({ content }: { content: string }) => content)).to.deep.equal([reply.content]);
  });

  it('stays hidden after an edit, and is shown with the new content', async () => {
    const { token } = comment.author;
    const edited = await call(app.url, `PATCH /api/comments/${comment.id}`, { token, json: { content: 'Sorry' } });
    expect(edited.body?.data.content).to.equal('Sorry');
    const read = async () => (await call(app.url, `GET /api/articles/${article.id}/comments`)).body?.data.contents[0];
    expect((await read()).content).to.equal(HIDDEN);
    await hide(comment.id, false);
    expect((await read()).content).to.equal('Sorry');
  });

  it('is shown as deleted to everyone after its deletion, and is not hidden any more', async () => {
    await call(app.url, `DELETE /api/comments/${comment.id}`, { token: comment.author.token });
    const query = `query ($id: ID!) { comments(articleId: $id) { contents { content hidden } } }`;
    for (const [who, token] of expected()) {
      const { data } = await graphql(app.url, query, { id: article.id }, token);
      expect(data.comments.contents, who).to.deep.equal([{ content: '(deleted)', hidden: false }]);
    }
    await expectStatus(hide(comment.id, false), 404, 'COMMENT_NOT_FOUND');
  });

  it('stays hidden when its author withdraws', async () => {
    const { token, password } = comment.author;
    await call(app.url, 'DELETE /api/members/me', { token, json: { password } });
    for (const [token, content] of [
      [undefined, HIDDEN],
      [article.author.token, comment.content],
    ] as const) {
      const options = token === undefined ? {} : { token };
      const { body } = await call(app.url, `GET /api/articles/${article.id}/comments`, options);
      expect(body?.data.contents[0]).to.include({ content, author: '(withdrawn)', memberId: 0 });
    }
  });
});

describe('The content of a hidden comment', () => {
  it('is visible to its author and the author of the article only, in pages of REST', async () => {
    for (const [who, token, content, replyContent] of expected()) {
      const options = token === undefined ? {} : { token };
      const page = await call(app.url, `GET /api/articles/${article.id}/comments`, options);
      const [shown] = page.body?.data.contents ?? [];
      expect([shown.content, shown.replies[0].content], who).to.deep.equal([content, replyContent]);
      const replies = await call(app.url, `GET /api/comments/${comment.id}/replies`, options);
      expect(replies.body?.data.contents[0].content, who).to.equal(replyContent);
    }
    const received = await call(app.url, 'GET /api/comments/me/received', { token: article.author.token });
    const own = await call(app.url, 'GET /api/comments/me', { token: reply.author.token });
    const contentsOf = ({ body }: typeof own) => body?.data.contents.map((one: { content: string }) => one.content);
    expect(contentsOf(received)).to.deep.equal([reply.content, comment.content]);
    expect(contentsOf(own)).to.deep.equal([reply.content]);
  });

  it('is visible to its author and the author of the article only, over every path of GraphQL', async () => {
    const query = `query ($article: ID!, $comment: ID!) {
      comments(articleId: $article, size: 2) { contents { content hidden replies { content hidden parent { content hidden replies { content hidden } } } } }
      commentConnection(articleId: $article, first: 2) { edges { node { content hidden replies { content hidden } } } }
      replies(commentId: $comment, size: 2) { contents { content hidden parent { content } } }
      replyConnection(commentId: $comment, first: 2) { edges { node { content hidden parent { content } } } }
      article(id: $article) { comments(first: 2) { edges { node { content hidden replies { content hidden } } } } }
    }`;
    for (const [who, token, content, replyContent] of expected()) {
      const { data, errors } = await graphql(app.url, query, { article: article.id, comment: comment.id }, token);
      expect(errors, who).to.equal(undefined);
      const replies = [{ content: replyContent, hidden: true }];
      const top = { content, hidden: true, replies };
      const inReply = { content: replyContent, hidden: true, parent: { content } };
      const parent = { content, hidden: true, replies };
      expect(data, who).to.deep.equal({
        comments: { contents: [{ ...top, replies: [{ content: replyContent, hidden: true, parent }] }] },
        commentConnection: { edges: [{ node: top }] },
        replies: { contents: [inReply] },
        replyConnection: { edges: [{ node: inReply }] },
        article: { comments: { edges: [{ node: top }] } },
      });
    }
  });

  it('is visible to an API token with the scope `comments` only; other tokens read as without a token', async () => {
    const query = `query ($article: ID!, $comment: ID!) {
      comments(articleId: $article, size: 2) { contents { content replies { content parent { content } } } }
      commentConnection(articleId: $article, first: 2) { edges { node { content replies { content } } } }
      replies(commentId: $comment, size: 2) { contents { content parent { content } } }
      replyConnection(commentId: $comment, first: 2) { edges { node { content parent { content } } } }
      article(id: $article) { comments(first: 2) { edges { node { content replies { content } } } } }
    }`;
    const shownIn = (value: unknown) =>
      [comment.content, reply.content].filter((text) => JSON.stringify(value).includes(text));
    const paths = [`/api/articles/${article.id}/comments`, `/api/comments/${comment.id}/replies`];
    const cases: [Scope[], string[]][] = [
      [['read', 'articles', 'images', 'notifications', 'ai'], []],
      [['comments'], [comment.content, reply.content]],
    ];
    for (const [scopes, expectedTexts] of cases) {
      const { token } = await buildApiToken(app.url, article.author, scopes);
      const { data, errors } = await graphql(app.url, query, { article: article.id, comment: comment.id }, token);
      expect(errors).to.equal(undefined);
      expect(shownIn(data), scopes.join()).to.deep.equal(expectedTexts);
      const pages = [];
      for (const path of [...paths, '/api/comments/me/received'])
        pages.push((await call(app.url, `GET ${path}`, { token })).body);
      expect(shownIn(pages), scopes.join()).to.deep.equal(expectedTexts);
      const lists =
        '{ receivedComments { contents { content } } receivedCommentConnection(first: 2) { edges { node { content parent { content } } } } }';
      const received = await graphql(app.url, lists, {}, token);
      expect(received.errors).to.equal(undefined);
      expect(shownIn(received.data), scopes.join()).to.deep.equal(expectedTexts);
    }
    const { token } = await buildApiToken(app.url, article.author, ['notifications']);
    const notified =
      '{ notifications { contents { comment { content parent { content } replies { content } article { comments { edges { node { content } } } } } } } }';
    const { data, errors } = await graphql(app.url, notified, {}, token);
    expect(errors).to.equal(undefined);
    expect(shownIn(data)).to.deep.equal([]);
    const document =
      'subscription ($after: ID) { notificationReceived(after: $after) { comment { content parent { content } replies { content } } } }';
    const tokens = [token, article.author.token];
    const streams = await Promise.all(tokens.map((one) => subscribe(app.url, one, document, { after: '0' })));
    const [forToken, forSession] = await Promise.all(streams.map(({ take }) => take(2)));
    for (const { close } of streams) close();
    expect(shownIn(forToken)).to.deep.equal([]);
    expect(shownIn(forSession)).to.deep.equal([comment.content, reply.content]);
  });

  it('never comes from a response to a member, or from an earlier request, also while many are sent', async () => {
    const page = async (token?: string) => {
      const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
      const response = await fetch(`${app.url}/api/articles/${article.id}/comments?size=7`, { headers });
      return (await response.json()) as { data: { contents: { content: string }[] } };
    };
    const rounds = Array.from({ length: 8 }, () => expected()).flat();
    const shown = await Promise.all(rounds.map(([, token]) => page(token)));
    expect(shown.map(({ data }) => data.contents[0]?.content)).to.deep.equal(rounds.map(([, , content]) => content));
  });

  it('depends on the recipient in notifications', async () => {
    const query = '{ notifications { contents { type comment { content parent { content } } } } }';
    const of = async ({ token }: BuiltMember) => (await graphql(app.url, query, {}, token)).data.notifications.contents;
    expect(await of(comment.author)).to.deep.equal([
      { type: 'REPLY', comment: { content: HIDDEN, parent: { content: comment.content } } },
    ]);
    expect(await of(article.author)).to.deep.equal([
      { type: 'COMMENT', comment: { content: reply.content, parent: { content: comment.content } } },
      { type: 'COMMENT', comment: { content: comment.content, parent: null } },
    ]);
  });

  it('needs as many statements as the content of other comments', async () => {
    const page = () => call(app.url, `GET /api/articles/${article.id}/comments`, { token: reader.token });
    // The session, and the page.
    expect(await statementsDuring(page)).to.have.lengthOf(2);
    const query = '{ notifications { contents { comment { content parent { content } replies { content } } } } }';
    const read = () => graphql(app.url, query, {}, article.author.token);
    // The session, the notifications, their comments (which include the parent), and the replies, in a transaction.
    expect(await statementsDuring(read)).to.have.lengthOf(6);
  });
});

describe('GET /api/articles/{articleId}/comments/hidden', () => {
  const list = (id: number | string, token?: string, query = '') =>
    call(app.url, `GET /api/articles/${id}/comments/hidden${query}`, token === undefined ? {} : { token });
  const LIST = `query ($id: ID!, $page: Int, $size: Int) {
    hiddenComments(articleId: $id, page: $page, size: $size) { contents { id content hidden } pagination { totalElements } } }`;

  it('lists hidden comments and replies to the author of the article, newest first, as hiddenComments does', async () => {
    const { token } = article.author;
    const other = await buildComment(app.url, article.id);
    const { body } = await expectStatus(list(article.id, token), 200, '1');
    const [first, second] = body?.data.contents ?? [];
    const { createdAt, updatedAt, ...shown } = first;
    expect(createdAt).to.equal(updatedAt);
    const { id, content, author } = reply;
    const place = { articleId: article.id, parentId: comment.id };
    expect(shown).to.deep.equal({ id, content, author: author.nickname, memberId: author.id, ...place });
    expect(second).to.include({ id: comment.id, content: comment.content, parentId: null });
    expect(body?.data.pagination.totalElements).to.equal(2);
    await hide(comment.id, false);
    await hide(other.id, true);
    const { data } = await graphql(app.url, LIST, { id: article.id, page: 2, size: 1 }, token);
    const contents = [{ id: String(reply.id), content: reply.content, hidden: true }];
    expect(data.hiddenComments).to.deep.equal({ contents, pagination: { totalElements: 2 } });
    expect((await list(article.id, token, '?page=9')).body?.data.contents).to.deep.equal([]);
  });

  it('does not list deleted comments, whose content is gone', async () => {
    await call(app.url, `DELETE /api/comments/${comment.id}`, { token: comment.author.token });
    const { body } = await list(article.id, article.author.token);
    expect(body?.data.contents.map(({ id }: { id: number }) => id)).to.deep.equal([reply.id]);
  });

  it('is 403 for other members, 401 without a token, 404 for an unknown article, 400 for bad input', async () => {
    for (const { token } of [reader, comment.author]) {
      await expectStatus(list(article.id, token), 403, 'ARTICLE_FORBIDDEN');
      const { data, errors } = await graphql(app.url, LIST, { id: article.id }, token);
      expect([data.hiddenComments, errors?.[0]?.extensions.code]).to.deep.equal([null, 'ARTICLE_FORBIDDEN']);
    }
    const { token } = article.author;
    await expectStatus(list(article.id), 401, 'UNAUTHENTICATED');
    for (const id of HUGE_IDS) await expectStatus(list(id, token), 404, 'ARTICLE_NOT_FOUND', id);
    for (const id of BAD_IDS) expect((await list(id, token)).status, id).to.equal(400);
    expectFieldErrors(
      await list(article.id, token, '?size=101'),
      'size: must be a whole number from 1 to 100, got 101',
    );
  });

  it('needs the session, the article and the list, however long it is', async () => {
    expect(await statementsDuring(() => list(article.id, article.author.token))).to.have.lengthOf(3);
  });
});

describe('The lists of own and received comments', () => {
  it('tell whether each comment is hidden', async () => {
    const hiddenIn = async (path: string, { token }: BuiltMember) => {
      const { body } = await call(app.url, `GET ${path}`, { token });
      return body?.data.contents.map(({ hidden }: { hidden: boolean }) => hidden);
    };
    await hide(comment.id, false);
    expect(await hiddenIn('/api/comments/me', reply.author)).to.deep.equal([true]);
    expect(await hiddenIn('/api/comments/me', comment.author)).to.deep.equal([false]);
    expect(await hiddenIn('/api/comments/me/received', article.author)).to.deep.equal([true, false]);
    const { body } = await call(app.url, `GET /api/articles/${article.id}/comments`);
    expect(Object.keys(body?.data.contents[0].replies[0])).not.to.include('hidden');
  });
});

describe('A hidden comment in a live stream', () => {
  it('depends on the recipient, also where one read serves the streams of several members', async () => {
    const document = `subscription ($after: ID) { notificationReceived(after: $after) {
      type comment { content parent { content } replies { content } article { comments { edges { node { content } } } } } } }`;
    const recipients = [article.author, comment.author];
    const streams = await Promise.all(
      recipients.map(({ token }) => subscribe(app.url, token, document, { after: '0' })),
    );
    const [forArticle, forComment] = await Promise.all([streams[0]?.take(2), streams[1]?.take(1)]);
    for (const { close } of streams) close();
    const edges = [{ node: { content: comment.content } }];
    const place = { article: { comments: { edges } } };
    expect(forArticle?.map(({ notificationReceived }) => notificationReceived.comment)).to.deep.equal([
      { content: comment.content, parent: null, replies: [{ content: reply.content }], ...place },
      { content: reply.content, parent: { content: comment.content }, replies: [], ...place },
    ]);
    expect(forComment?.map(({ notificationReceived }) => notificationReceived)).to.deep.equal([
      { type: 'REPLY', comment: { content: HIDDEN, parent: { content: comment.content }, replies: [], ...place } },
    ]);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the test compares the results.
type Result = any;

/** A subscription with the client of the protocol. `take` resolves with the first results. */
async function subscribe(url: string, token: string, query: string, variables: Record<string, unknown>) {
  const client = createClient({
    url: socketOf(url),
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${token}` },
  });
  const results: Result[] = [];
  client.subscribe<Result>(
    { query, variables },
    { next: ({ data }) => void results.push(data), error: () => {}, complete: () => {} },
  );
  const take = async (count: number): Promise<Result[]> => {
    await until(() => results.length >= count);
    return results.slice(0, count);
  };
  return { take, close: () => void client.dispose() };
}
