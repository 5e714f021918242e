/** Comments that wait for approval: which ones, who sees them over which path, and what follows from the decision. */
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
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { buildHeldComment, edit, MANY_LINKS, makeModerator, setApproval } from '../../support/held.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { notificationsOf, unreadOf } from '../../support/notifications.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();
const firstApp = useApp({ COMMENT_APPROVAL: 'first', COMMENT_MAX_LINKS: '1000' });
const allApp = useApp({ COMMENT_APPROVAL: 'all' });

let article: BuiltArticle;
let reader: BuiltMember;
beforeEach(async () => {
  article = await buildArticle(app.url);
  reader = await buildMember(app.url);
});

const write = async (url: string, { token }: BuiltMember, content = 'Hello', articleId = article.id) => {
  const { body } = await call(url, `POST /api/articles/${articleId}/comments`, { token, json: { content } });
  return body?.data;
};
const read = async (target: string, member?: BuiltMember) => {
  const { status, body } = await call(app.url, target, member ? { token: member.token } : {});
  expect(status, target).to.equal(200);
  return body?.data;
};
const idsOf = ({ contents }: { contents: { id: number }[] }) => contents.map(({ id }) => id);
const pageOf = (member?: BuiltMember) => read(`GET /api/articles/${article.id}/comments`, member);

describe('A new comment', () => {
  const isHeld = async (url: string, member: BuiltMember, content?: string) => (await write(url, member, content)).held;

  it('with more links than COMMENT_MAX_LINKS is held, however they are written', async () => {
    const obfuscated = 'a.com, ｂ．ｃｏｍ/x, c(dot)net d\u200b.\u200bkr/page';
    const joined = 'http://a.test/1http://a.test/2 http://a.test/3 [x](//www.a.test)';
    const withAt = 'https://a.test/@b https://b@c.test https://d.test?e@f.test https://g:h@i.test';
    for (const content of [MANY_LINKS, obfuscated, joined, withAt])
      expect(await isHeld(app.url, reader, content), content).to.equal(true);
    const fine = [
      'http://a.test http://b.test www.c.test',
      'e.g. Node.js, 3.14, a.b@c.com <d@e.org>, mail:f@g.net (h@i.io), etc.',
    ];
    for (const content of fine) expect(await isHeld(app.url, reader, content), content).to.equal(false);
    expect(await isHeld(app.url, article.author, MANY_LINKS)).to.equal(false);
  });

  it('of a member without an approved comment is held with `first`, but not that of the author of the article', async () => {
    expect(await isHeld(firstApp.url, reader)).to.equal(true);
    const own = await buildArticle(app.url, {}, reader);
    expect((await write(firstApp.url, reader, 'Mine', own.id)).held).to.equal(false);
    const { id } = await write(firstApp.url, reader);
    expect((await setApproval(app.url, id, true, article.author)).body?.data.held).to.equal(false);
    expect(await isHeld(firstApp.url, reader)).to.equal(false);
    expect(await isHeld(firstApp.url, article.author)).to.equal(false);
  });

  it('is not held with `first` if its member commented before the setting, unless that was hidden', async () => {
    const { id } = await buildComment(app.url, article.id, {}, reader);
    expect(await isHeld(firstApp.url, reader)).to.equal(false);
    const { token } = article.author;
    for (const row of idsOf(await pageOf()))
      await call(app.url, `PUT /api/comments/${row}/hidden`, { token, json: { hidden: true } });
    expect(idsOf(await pageOf())).to.include(id);
    expect(await isHeld(firstApp.url, reader)).to.equal(true);
  });

  it('is held with `all`, except those of moderators', async () => {
    await buildComment(app.url, article.id, {}, reader);
    expect(await isHeld(allApp.url, reader)).to.equal(true);
    await makeModerator(app, reader);
    expect(await isHeld(allApp.url, reader)).to.equal(false);
    await makeModerator(app, reader, 'MEMBER');
    expect(await isHeld(allApp.url, reader)).to.equal(true);
  });

  it('has `held` in the response of both APIs', async () => {
    const query =
      'mutation ($id: ID!, $content: String!) { createComment(input: { articleId: $id, content: $content }) { id held } }';
    for (const content of ['Hello', MANY_LINKS]) {
      const { data } = await graphql(app.url, query, { id: article.id, content }, reader.token);
      expect(data.createComment.held).to.equal(content === MANY_LINKS);
    }
  });

  it('that nothing can hold has no statement that asks whether it is held', async () => {
    const count = async (content: string) => {
      const statements = await statementsDuring(() => write(app.url, reader, content));
      return statements.filter((text) => text.includes('"isHeld"')).length;
    };
    expect([await count('Hello'), await count(MANY_LINKS)]).to.deep.equal([0, 1]);
  });
});

describe('A held comment', () => {
  let shown: BuiltComment;
  let held: BuiltComment;
  let reply: BuiltComment;
  beforeEach(async () => {
    shown = await buildComment(app.url, article.id);
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  const hold = async () => {
    held = await buildHeldComment(app.url, article.id);
    reply = await buildHeldComment(app.url, article.id, { parentCommentId: shown.id });
  };

  it('changes no response to others, and no validator', async () => {
    const targets = [
      `GET /api/articles/${article.id}/comments`,
      `GET /api/articles/${article.id}/comments?sort=createdAt,asc&page=2&size=1`,
      `GET /api/comments/${shown.id}?size=1`,
      `GET /api/comments/${shown.id}/replies`,
      `GET /api/articles/${article.id}`,
      'GET /api/articles',
    ];
    const readAll = async () => {
      const found = [];
      for (const target of targets) {
        const anonymous = await call(app.url, target);
        const { body } = await call(app.url, target, { token: reader.token });
        found.push([target, anonymous.headers.get('ETag'), anonymous.body, body]);
      }
      const query = `query ($id: ID!) {
        commentConnection(articleId: $id, first: 5) { totalCount edges { node { id replies { id } } } }
        article(id: $id) { commentCount comments(first: 5) { totalCount edges { node { id } } } }
      }`;
      return [...found, (await graphql(app.url, query, { id: article.id })).data];
    };
    const before = await readAll();
    await hold();
    expect(await readAll()).to.deep.equal(before);
    expect(await unreadOf(app.url, article.author)).to.equal(1);
    expect(await notificationsOf(app.url, shown.author)).to.deep.equal([]);
    expect((await read('GET /api/comments/me/received', article.author)).pagination.totalElements).to.equal(1);
  });

  it('does not exist for others, also not for replies', async () => {
    await hold();
    const [{ token }, reading] = [reader, 'query ($id: ID!) { comment(id: $id) { id } }'];
    for (const id of [held.id, reply.id]) {
      for (const [target, json] of [
        [`GET /api/comments/${id}`],
        [`GET /api/comments/${id}/replies`],
        [`PATCH /api/comments/${id}`, { content: 'Edited' }],
        [`DELETE /api/comments/${id}`],
        [`PUT /api/comments/${id}/hidden`, { hidden: true }],
        [`PUT /api/comments/${id}/approval`, { approved: true }],
        [`POST /api/articles/${article.id}/comments`, { content: 'A reply', parentCommentId: id }],
      ] as const)
        await expectStatus(call(app.url, target, { token, ...(json && { json }) }), 404, 'COMMENT_NOT_FOUND', target);
      const { errors } = await graphql(app.url, reading, { id }, token);
      expect(errors?.[0]?.extensions.code).to.equal('COMMENT_NOT_FOUND');
      expect((await call(app.url, `GET /api/comments/${id}`)).status).to.equal(404);
    }
    for (const { author } of [held, article]) {
      const json = { content: 'A reply', parentCommentId: held.id };
      const replying = call(app.url, `POST /api/articles/${article.id}/comments`, { token: author.token, json });
      await expectStatus(replying, 404, 'COMMENT_NOT_FOUND');
    }
    const hiding = call(app.url, `PUT /api/comments/${held.id}/hidden`, {
      token: article.author.token,
      json: { hidden: true },
    });
    await expectStatus(hiding, 404, 'COMMENT_NOT_FOUND');
  });

  it('is read by its author, the author of the article and moderators', async () => {
    await hold();
    await makeModerator(app, reader);
    for (const member of [held.author, article.author, reader]) {
      expect((await read(`GET /api/comments/${held.id}`, member)).content).to.equal(MANY_LINKS);
      const query = 'query ($id: ID!) { comment(id: $id) { content held parent { id } } }';
      const { data } = await graphql(app.url, query, { id: held.id }, member.token);
      expect(data.comment).to.deep.equal({ content: MANY_LINKS, held: true, parent: null });
    }
    const { token } = await buildApiToken(app.url, reader, ['comments']);
    expect((await call(app.url, `GET /api/comments/${held.id}`, { token })).status).to.equal(404);
    await expectStatus(setApproval(app.url, held.id, true, { token }), 404, 'COMMENT_NOT_FOUND');
    const { data } = await graphql(
      app.url,
      'query ($id: ID!) { comment(id: $id) { held parent { id } } }',
      { id: reply.id },
      reply.author.token,
    );
    expect(data.comment).to.deep.equal({ held: true, parent: { id: String(shown.id) } });
  });

  it("is in its author's list among the others, in pages and connections", async () => {
    const { author } = shown;
    const ids = [shown.id];
    for (const number of [1, 2, 3]) {
      const content = number % 2 === 0 ? 'Plain' : MANY_LINKS;
      ids.unshift((await write(app.url, author, content)).id);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const list = await read('GET /api/comments/me', author);
    expect(list.contents.map(({ id, held }: { id: number; held: boolean }) => [id, held])).to.deep.equal(
      ids.map((id, index) => [id, index % 2 === 0 && index < 3]),
    );
    const query = `query ($after: String) { myCommentConnection(first: 1, after: $after) {
      totalCount pageInfo { hasNextPage endCursor } edges { node { id held article { id } } } } }`;
    const found: number[] = [];
    for (let after = null, isMore = true; isMore; ) {
      const { data } = await graphql(app.url, query, { after }, author.token);
      const { totalCount, pageInfo, edges } = data.myCommentConnection;
      expect(totalCount).to.equal(4);
      found.push(Number(edges[0].node.id));
      [after, isMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(found).to.deep.equal(ids);
    for (const page of [1, 2, 3, 4, 5])
      expect(idsOf(await read(`GET /api/comments/me?size=1&page=${page}`, author))).to.deep.equal(
        ids.slice(page - 1, page),
      );
  });

  it("is once in its author's list where it keeps its place, after an edit of a comment with replies", async () => {
    const author = await buildMember(app.url);
    const { id } = await write(app.url, author);
    const reply = { content: 'A reply', parentCommentId: id };
    await call(app.url, `POST /api/articles/${article.id}/comments`, { token: article.author.token, json: reply });
    await call(app.url, `PATCH /api/comments/${id}`, { token: author.token, json: { content: MANY_LINKS } });
    const list = await read('GET /api/comments/me', author);
    expect(list.contents.map(({ held, content }: Record<string, unknown>) => [held, content])).to.deep.equal([
      [true, MANY_LINKS],
    ]);
  });

  it('is in the list of received comments that are held, and in no other', async () => {
    await hold();
    const own = await buildArticle(app.url, {}, article.author);
    const elsewhere = await buildHeldComment(app.url, own.id);
    await buildHeldComment(app.url, (await buildArticle(app.url)).id);
    const { contents, pagination } = await read('GET /api/comments/me/received?held=true', article.author);
    expect(idsOf({ contents })).to.deep.equal([elsewhere.id, reply.id, held.id]);
    expect(contents[1]).to.include({ held: true, hidden: false, parentId: shown.id, articleId: article.id });
    expect(pagination.totalElements).to.equal(3);
    expect(idsOf(await read('GET /api/comments/me/received?held=true&size=1&page=3', article.author))).to.deep.equal([
      held.id,
    ]);
    expect(idsOf(await read('GET /api/comments/me/received', article.author))).to.deep.equal([shown.id]);
    const query = `{ receivedComments(held: true) { pagination { totalElements } contents { id } }
      receivedCommentConnection(held: true, first: 2) { totalCount edges { node { id held } } } }`;
    const { data } = await graphql(app.url, query, {}, article.author.token);
    expect(data.receivedComments.pagination.totalElements).to.equal(3);
    expect(data.receivedCommentConnection.totalCount).to.equal(3);
    expect(data.receivedCommentConnection.edges[1].node).to.deep.equal({ id: String(reply.id), held: true });
    expectFieldErrors(
      await call(app.url, 'GET /api/comments/me/received?held=yes', { token: reader.token }),
      'held: must be true or false, got "yes"',
    );
  });

  it('is visible to API tokens with the scope `comments` only', async () => {
    await hold();
    for (const [scopes, total] of [
      [['read'], 0],
      [['comments'], 1],
    ] as const) {
      const { token } = await buildApiToken(app.url, held.author, scopes);
      expect((await call(app.url, 'GET /api/comments/me', { token })).body?.data.pagination.totalElements).to.equal(
        total,
      );
      expect((await call(app.url, `GET /api/comments/${held.id}`, { token })).status).to.equal(total === 1 ? 200 : 404);
      const ofAuthor = await buildApiToken(app.url, article.author, scopes);
      const received = await call(app.url, 'GET /api/comments/me/received?held=true', { token: ofAuthor.token });
      expect(received.body?.data.pagination.totalElements).to.equal(2 * total);
    }
  });

  it('on a private article is in the list of its author, except with API tokens that do not see the article', async () => {
    await hold();
    await setPrivate(app.url, article);
    for (const [scopes, ids] of [
      [['comments'], []],
      [
        ['comments', 'read'],
        [reply.id, held.id],
      ],
    ] as const) {
      const { token } = await buildApiToken(app.url, article.author, scopes);
      const { body } = await call(app.url, 'GET /api/comments/me/received?held=true', { token });
      expect([idsOf(body?.data), body?.data.pagination.totalElements]).to.deep.equal([ids, ids.length]);
    }
  });

  it('is deleted by its author and with its article, its author or the comment that it replies to', async () => {
    await hold();
    const rest = async () =>
      (await read('GET /api/comments/me/received?held=true', article.author)).pagination.totalElements;
    await expectStatus(
      call(app.url, `DELETE /api/comments/${held.id}`, { token: article.author.token }),
      403,
      'COMMENT_FORBIDDEN',
    );
    await expectStatus(call(app.url, `DELETE /api/comments/${held.id}`, { token: held.author.token }), 200, '1');
    await expectStatus(
      call(app.url, `DELETE /api/comments/${held.id}`, { token: held.author.token }),
      404,
      'COMMENT_NOT_FOUND',
    );
    expect(await rest()).to.equal(1);
    await call(app.url, `DELETE /api/comments/${shown.id}`, { token: shown.author.token });
    expect(await rest()).to.equal(0);
    const { author } = await buildHeldComment(app.url, article.id);
    await call(app.url, 'DELETE /api/members/me', { token: author.token, json: { password: author.password } });
    expect(await rest()).to.equal(0);
    const last = await buildHeldComment(app.url, article.id);
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: article.author.token });
    expect((await read('GET /api/comments/me', last.author)).contents).to.deep.equal([]);
  });

  it('can be edited, which shows it if nothing holds the new content', async () => {
    await hold();
    const { body } = await edit(app.url, held, `${MANY_LINKS} e.org`);
    expect(body?.data).to.include({ id: held.id, held: true, content: `${MANY_LINKS} e.org` });
    const headers = { 'If-Match': '"1"' };
    const json = { content: 'Plain' };
    const stale = call(app.url, `PATCH /api/comments/${held.id}`, { token: held.author.token, json, headers });
    await expectStatus(stale, 412, 'PRECONDITION_FAILED');
    await expectStatus(
      call(app.url, `PATCH /api/comments/${held.id}`, { token: article.author.token, json }),
      403,
      'COMMENT_FORBIDDEN',
    );
    expect((await edit(app.url, held, 'Plain')).body?.data).to.include({ held: false, content: 'Plain' });
    expect(idsOf(await pageOf())).to.deep.equal([held.id, shown.id]);
    expect(await unreadOf(app.url, article.author)).to.equal(2);
  });
});

describe('PUT /api/comments/{commentId}/approval', () => {
  it('shows the comment with its counters and notifications, once', async () => {
    const parent = await buildComment(app.url, article.id);
    const held = await buildHeldComment(app.url, article.id, { parentCommentId: parent.id });
    const { createdAt } = await read(`GET /api/comments/${held.id}`, held.author);
    const first = await call(app.url, `GET /api/articles/${article.id}/comments`);
    const { body } = await setApproval(app.url, held.id, true, article.author);
    expect(body?.data).to.include({ id: held.id, held: false, createdAt, parentId: parent.id });
    await expectStatus(setApproval(app.url, held.id, true, article.author), 200, '1');
    const page = await call(app.url, `GET /api/articles/${article.id}/comments`, {
      headers: { 'If-None-Match': first.headers.get('ETag') ?? '' },
    });
    expect(page.body?.data.contents[0].replies.map(({ id }: { id: number }) => id)).to.deep.equal([held.id]);
    expect((await read(`GET /api/articles/${article.id}`)).commentCount).to.equal(2);
    expect((await read(`GET /api/comments/${parent.id}/replies`)).pagination.totalElements).to.equal(1);
    const about = async (member: BuiltMember) =>
      (await notificationsOf(app.url, member)).filter(({ commentId }) => commentId === held.id).map(({ type }) => type);
    expect(await about(article.author)).to.deep.equal(['COMMENT']);
    expect(await about(parent.author)).to.deep.equal(['REPLY']);
    expect((await read('GET /api/comments/me/received?held=true', article.author)).contents).to.deep.equal([]);
    const { pagination } = await read('GET /api/comments/me', held.author);
    expect(pagination.totalElements).to.equal(1);
  });

  it('deletes the comment if it is not approved, and no comment that is not held', async () => {
    const held = await buildHeldComment(app.url, article.id);
    const { body } = await setApproval(app.url, held.id, false, article.author);
    expect(body?.data).to.include({ id: held.id, content: '(deleted)', author: '(deleted)', memberId: 0, held: false });
    await expectStatus(setApproval(app.url, held.id, false, article.author), 404, 'COMMENT_NOT_FOUND');
    await expectStatus(setApproval(app.url, held.id, true, article.author), 404, 'COMMENT_NOT_FOUND');
    const shown = await buildComment(app.url, article.id);
    await expectStatus(setApproval(app.url, shown.id, false, article.author), 409, 'ALREADY_DECIDED');
    expect(idsOf(await pageOf())).to.deep.equal([shown.id]);
  });

  it('does the same over GraphQL', async () => {
    const query =
      'mutation ($id: ID!, $approved: Boolean!) { setCommentApproval(id: $id, approved: $approved) { id content held } }';
    const [one, other] = [await buildHeldComment(app.url, article.id), await buildHeldComment(app.url, article.id)];
    const set = (id: number, approved: boolean, { token } = article.author) =>
      graphql(app.url, query, { id, approved }, token);
    expect((await set(one.id, true, reader)).errors?.[0]?.extensions.code).to.equal('COMMENT_NOT_FOUND');
    expect((await set(one.id, true, one.author)).errors?.[0]?.extensions.code).to.equal('COMMENT_FORBIDDEN');
    expect((await set(one.id, true)).data.setCommentApproval).to.deep.equal({
      id: String(one.id),
      content: MANY_LINKS,
      held: false,
    });
    expect((await set(other.id, false)).data.setCommentApproval).to.deep.equal({
      id: String(other.id),
      content: '(deleted)',
      held: false,
    });
    expect((await set(one.id, false)).errors?.[0]?.extensions.code).to.equal('ALREADY_DECIDED');
  });

  it('does not show what its author has written after it was read, with If-Match', async () => {
    const held = await buildHeldComment(app.url, article.id);
    const { token } = article.author;
    const query = '{ receivedComments(held: true) { contents { id revision } } }';
    const { data } = await graphql(app.url, query, {}, token);
    const [{ revision }] = data.receivedComments.contents;
    await edit(app.url, held, `${MANY_LINKS} e.org`);
    const headers = { 'If-Match': `"${revision}"` };
    for (const approved of [true, false]) {
      const decided = call(app.url, `PUT /api/comments/${held.id}/approval`, { token, json: { approved }, headers });
      await expectStatus(decided, 412, 'PRECONDITION_FAILED');
      const stranger = { token: reader.token, json: { approved }, headers };
      await expectStatus(call(app.url, `PUT /api/comments/${held.id}/approval`, stranger), 404, 'COMMENT_NOT_FOUND');
    }
    const json = { approved: true };
    const current = { token, json, headers: { 'If-Match': `"${revision + 1}"` } };
    await expectStatus(call(app.url, `PUT /api/comments/${held.id}/approval`, current), 200, '1');
  });

  it('is for the author of the article and moderators, not for the author of the comment', async () => {
    const held = await buildHeldComment(app.url, article.id);
    const { body } = await expectStatus(setApproval(app.url, held.id, true, held.author), 403, 'COMMENT_FORBIDDEN');
    expect(body?.message).to.equal('Only the author of the article or a moderator can approve its comments.');
    await makeModerator(app, held.author);
    await expectStatus(setApproval(app.url, held.id, true, held.author), 403, 'COMMENT_FORBIDDEN');
    await expectStatus(setApproval(app.url, held.id, true, reader), 404, 'COMMENT_NOT_FOUND');
    await makeModerator(app, reader);
    // Only an admin decides on a moderator.
    await expectStatus(setApproval(app.url, held.id, true, reader), 403, 'COMMENT_FORBIDDEN');
    await makeModerator(app, held.author, 'MEMBER');
    await expectStatus(setApproval(app.url, held.id, true, reader), 200, '1');
    const anonymous = call(app.url, `PUT /api/comments/${held.id}/approval`, { json: { approved: true } });
    await expectStatus(anonymous, 401, 'UNAUTHENTICATED');
    await makeModerator(app, reader, 'MEMBER');
    await expectStatus(setApproval(app.url, held.id, true, reader), 403, 'COMMENT_FORBIDDEN');
    for (const id of HUGE_IDS) await expectStatus(setApproval(app.url, id, true, reader), 404, 'COMMENT_NOT_FOUND', id);
    for (const id of BAD_IDS) expect((await setApproval(app.url, id, true, reader)).status, id).to.equal(400);
    expectFieldErrors(await setApproval(app.url, held.id, 'yes', reader), 'approved: must be true or false, got "yes"');
  });

  it('is in the audit trail of the author of the article, without the device of a moderator', async () => {
    const trail = async () => {
      const { contents } = await read('GET /api/members/me/security-events', article.author);
      return contents.slice(0, 2).map(({ kind, address }: { kind: string; address: string }) => [kind, address !== '']);
    };
    const ids = [(await buildHeldComment(app.url, article.id)).id, (await buildHeldComment(app.url, article.id)).id];
    await setApproval(app.url, ids[0] ?? 0, true, article.author);
    await makeModerator(app, reader);
    await setApproval(app.url, ids[1] ?? 0, false, reader);
    expect(await trail()).to.deep.equal([
      ['COMMENT_REJECTED', false],
      ['COMMENT_APPROVED', true],
    ]);
  });

  it('of a comment on an article that became private notifies no member', async () => {
    const parent = await buildComment(app.url, article.id);
    const held = await buildHeldComment(app.url, article.id, { parentCommentId: parent.id });
    await setPrivate(app.url, article);
    await expectStatus(setApproval(app.url, held.id, true, parent.author), 404, 'COMMENT_NOT_FOUND');
    expect((await read('GET /api/comments/me/received?held=true', article.author)).pagination.totalElements).to.equal(
      1,
    );
    expect((await read('GET /api/comments/me', held.author)).pagination.totalElements).to.equal(1);
    await expectStatus(
      call(app.url, `GET /api/comments/${held.id}`, { token: held.author.token }),
      404,
      'COMMENT_NOT_FOUND',
    );
    await expectStatus(setApproval(app.url, held.id, true, article.author), 200, '1');
    expect(await notificationsOf(app.url, parent.author)).to.deep.equal([]);
    expect((await read(`GET /api/articles/${article.id}`, article.author)).commentCount).to.equal(2);
  });
});
