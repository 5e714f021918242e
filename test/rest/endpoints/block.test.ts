/** Blocks between members: what they prevent, and what they hide, over both APIs. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createComment } from '../../../src/commands/create-comment.js';
import { BLOCK_MEMBER, MAX_BLOCKS } from '../../../src/models/block.js';
import { FOLLOW_MEMBER } from '../../../src/models/follow.js';
import { ADD_REACTION } from '../../../src/models/reaction.js';
import { ANONYMOUS, Reader } from '../../../src/models/reader.js';
import { statements } from '../../../src/platform/database/observed-client.js';
import type { Database } from '../../../src/platform/database/pool.js';
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
import { buildHeldComment } from '../../support/held.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { rowsOf } from '../../support/imported.js';
import { countDeadlocksOf, untilWaiting } from '../../support/interleave.js';
import { closeLiveClients, followEvents } from '../../support/live.js';
import { notificationsOf, setNotificationType, unreadOf } from '../../support/notifications.js';
import { planOf, statementsDuring } from '../../support/statements.js';

const app = useApp();
const BLOCKED = '(blocked)';

/** The author of the article blocks the other member. */
let article: BuiltArticle;
let author: BuiltMember;
let other: BuiltMember;
beforeEach(async () => {
  article = await buildArticle(app.url);
  author = article.author;
  other = await buildMember(app.url);
});
afterEach(closeLiveClients);

const send = (target: string, { token }: BuiltMember, json?: object) =>
  call(app.url, target, { token, ...(json && { json }) });
const block = (member = other, by = author, method = 'PUT') => send(`${method} /api/members/${member.id}/block`, by);
const like = (by = other, method = 'PUT') => send(`${method} /api/articles/${article.id}/like`, by);
const follow = (member = author, by = other, method = 'PUT') => send(`${method} /api/members/${member.id}/follow`, by);
const comment = (by = other, json: object = {}) =>
  send(`POST /api/articles/${article.id}/comments`, by, { content: 'Words', ...json });
const codes = async (...responses: ReturnType<typeof send>[]) =>
  (await Promise.all(responses)).map(({ status, body }) => `${status} ${body?.code}`);
const mutate = async (document: string, by: BuiltMember) => {
  const { data, errors } = await graphql(app.url, `mutation { ${document} }`, {}, by.token);
  return errors?.[0]?.extensions.code ?? Object.values(data)[0];
};
const profileOf = async ({ id }: BuiltMember) => (await call(app.url, `GET /api/members/${id}`)).body?.data;

describe('Blocks', () => {
  it('are not shown to API tokens by what the viewer has done with a member', async () => {
    await block();
    const profile = `GET /api/members/${other.id}?include=viewer`;
    const query = `{ member(id: ${other.id}) { viewer { blocks } } }`;
    const { token } = await buildApiToken(app.url, author, ['read', 'comments', 'reactions']);
    for (const [credential, blocks] of [
      [author.token, true],
      [token, false],
    ] as const) {
      const { body } = await call(app.url, profile, { token: credential });
      expect(body?.data.viewer).to.deep.equal({ follows: false, blocks });
      const { data } = await graphql(app.url, query, {}, credential);
      expect(data.member.viewer).to.deep.equal({ blocks });
    }
  });

  it('are added and removed over both APIs, any number of times, and listed for the blocker, the last one first', async () => {
    const third = await buildMember(app.url);
    for (const _ of [1, 2]) {
      const { body } = await expectStatus(block(), 200, '1');
      expect(body?.data).to.deep.equal({ memberId: other.id, blocked: true });
    }
    const blocked = await mutate(`blockMember(memberId: ${third.id}) { memberId blocked }`, author);
    expect(blocked).to.deep.equal({ memberId: String(third.id), blocked: true });
    const list = async (by = author, query = '') => (await send(`GET /api/members/me/blocks${query}`, by)).body?.data;
    const page = await list();
    expect(page.contents).to.deep.equal([await profileOf(third), await profileOf(other)]);
    expect((await list(author, '?page=2&size=1')).contents).to.deep.equal([await profileOf(other)]);
    expect(page.pagination.totalElements).to.equal(2);
    const { data } = await graphql(
      app.url,
      '{ blocks(size: 1) { contents { id } pagination { totalElements } } }',
      {},
      author.token,
    );
    expect(data.blocks).to.deep.equal({ contents: [{ id: String(third.id) }], pagination: { totalElements: 2 } });
    expect((await list(other)).contents).to.deep.equal([]);
    expect(await statementsDuring(() => list())).to.have.lengthOf(2);
    for (const _ of [1, 2]) {
      const { body } = await expectStatus(block(other, author, 'DELETE'), 200, '1');
      expect(body?.data).to.deep.equal({ memberId: other.id, blocked: false });
    }
    const unblocked = await mutate(`unblockMember(memberId: ${third.id}) { blocked }`, author);
    expect(unblocked).to.deep.equal({ blocked: false });
    expect((await list()).contents).to.deep.equal([]);
  });

  it('of oneself are 400, of unknown members 404, without a token 401, and with an API token 403', async () => {
    expectFieldErrors(await block(author), 'memberId: must be another member, not yourself');
    const paths = (id: number | string) => [`PUT /api/members/${id}/block`, `DELETE /api/members/${id}/block`];
    for (const id of HUGE_IDS)
      for (const path of paths(id)) await expectStatus(send(path, author), 404, 'MEMBER_NOT_FOUND', path);
    for (const id of BAD_IDS)
      for (const path of paths(id)) expect((await send(path, author)).status, path).to.equal(400);
    const { token } = await buildApiToken(app.url, author, ['read', 'articles', 'comments', 'reactions']);
    for (const path of [...paths(other.id), 'GET /api/members/me/blocks']) {
      await expectStatus(call(app.url, path), 401, 'UNAUTHENTICATED', path);
      await expectStatus(call(app.url, path, { token }), 403, 'SCOPE_MISSING', path);
    }
  });

  it('are limited, exactly, also by parallel requests; those that exist can be repeated', async () => {
    await app.database.sequelize.query(`
      with blocked as (
        insert into members (member_name, nickname) select 'n', 'limit ' || n from generate_series(1, ${MAX_BLOCKS - 2}) n returning id
      ) insert into blocks (member_id, blocked_id) select ${author.id}, id from blocked`);
    const members = [other];
    for (let count = 0; count < 4; count++) members.push(await buildMember(app.url));
    const found = await codes(...members.map((member) => block(member)));
    expect(found.sort()).to.deep.equal(['200 1', '200 1', ...Array(3).fill('400 BLOCK_LIMIT_REACHED')]);
    const rows = await rowsOf<{ id: number }>(
      app.database,
      `select blocked_id as id from blocks where member_id = ${author.id}`,
    );
    expect(rows).to.have.lengthOf(MAX_BLOCKS);
    const existing = members.filter(({ id }) => rows.some((row) => Number(row.id) === id));
    expect(await codes(...existing.map((member) => block(member)))).to.deep.equal(['200 1', '200 1']);
  });

  it('end with each of the two accounts', async () => {
    const third = await buildMember(app.url);
    await block();
    await block(third);
    await block(author, third);
    for (const member of [other, author])
      await expectStatus(send('DELETE /api/members/me', member, { password: member.password }), 200, '1');
    const ids = [author, other, third].map(({ id }) => id);
    const left = `select member_id from blocks where member_id in (${ids}) or blocked_id in (${ids})`;
    expect(await rowsOf(app.database, left)).to.deep.equal([]);
    expect((await send('GET /api/members/me/blocks', third)).body?.data.contents).to.deep.equal([]);
  });
});

describe('A blocked member', () => {
  it('cannot comment on articles of the blocker, reply to the blocker, like or follow: 403 over both APIs', async () => {
    const elsewhere = await buildArticle(app.url);
    const theirs = await buildComment(app.url, elsewhere.id, {}, author);
    const own = await buildComment(app.url, article.id, {}, other);
    const reply = await buildComment(app.url, elsewhere.id, { parentCommentId: theirs.id }, other);
    await block();
    const rejected = await codes(
      ...[comment(), comment(other, { parentCommentId: own.id }), like(), follow()],
      send(`POST /api/articles/${elsewhere.id}/comments`, other, { content: 'Words', parentCommentId: theirs.id }),
      ...[own, reply].map(({ id }) => send(`PATCH /api/comments/${id}`, other, { content: 'Other words' })),
    );
    expect(new Set(rejected)).to.deep.equal(new Set(['403 BLOCKED']));
    for (const document of [
      `createComment(input: { articleId: ${article.id}, content: "Words" }) { id }`,
      `createComment(input: { articleId: ${elsewhere.id}, content: "Words", parentId: ${theirs.id} }) { id }`,
      `updateComment(id: ${own.id}, content: "Other words") { id }`,
      `likeArticle(articleId: ${article.id}) { liked }`,
      `followMember(memberId: ${author.id}) { following }`,
    ])
      expect(await mutate(document, other), document).to.equal('BLOCKED');
    const { body } = await send(`GET /api/articles/${article.id}`, other);
    expect(body?.data).to.include({ likeCount: 0, commentCount: 1 });
    expect(body?.data.title).to.be.a('string');
  });

  it('can take back what was done before, and write elsewhere', async () => {
    const own = await buildComment(app.url, article.id, {}, other);
    const elsewhere = await buildArticle(app.url);
    const theirs = await buildComment(app.url, elsewhere.id, {}, author);
    await like();
    await block();
    const allowed = await codes(
      ...[like(other, 'DELETE'), follow(author, other, 'DELETE'), send(`DELETE /api/comments/${own.id}`, other)],
      send(`PUT /api/articles/${article.id}/bookmark`, other),
      send(`PUT /api/articles/${elsewhere.id}/like`, other),
    );
    expect(new Set(allowed)).to.deep.equal(new Set(['200 1']));
    // Beside a comment of the blocker, and below one of a third member.
    const third = await buildComment(app.url, elsewhere.id);
    for (const input of [{}, { parentCommentId: third.id }]) await buildComment(app.url, elsewhere.id, input, other);
    expect(theirs.id).to.be.a('number');
  });

  it('can do all of it again after the end of the block', async () => {
    await block();
    await block(other, author, 'DELETE');
    const allowed = await codes(comment(), like(), follow());
    expect(allowed).to.deep.equal(['201 1', '200 1', '200 1']);
  });

  it('does not follow the blocker any more, nor the reverse, and the numbers are exact', async () => {
    await follow();
    await follow(other, author);
    const third = await buildMember(app.url);
    await follow(author, third);
    expect((await notificationsOf(app.url, other)).map(({ type }) => type)).to.deep.equal(['FOLLOW']);
    await block();
    expect([(await profileOf(author)).followerCount, (await profileOf(other)).followerCount]).to.deep.equal([1, 0]);
    for (const member of [author, other]) {
      const { body } = await send('GET /api/members/me/following', member);
      expect(body?.data.pagination.totalElements).to.equal(0);
    }
    expect([await notificationsOf(app.url, other), await unreadOf(app.url, other)]).to.deep.equal([[], 0]);
    expect(await codes(follow(), follow(other, author))).to.deep.equal(['403 BLOCKED', '403 BLOCKED']);
  });
});

describe('Members with a block between them', () => {
  it('cause no notifications, emails or events for each other', async () => {
    const theirs = await buildArticle(app.url, {}, other);
    const own = await buildComment(app.url, theirs.id, {}, other);
    for (const member of [author, other]) await setNotificationType(app.url, member, 'LIKE', true);
    await block();
    const clients = [await followEvents(app.url, other.token), await followEvents(app.url, author.token)];
    // The blocker may write; the other one is not notified of what they would see as `(blocked)`.
    await buildComment(app.url, theirs.id, {}, author);
    await buildComment(app.url, theirs.id, { parentCommentId: own.id }, author);
    await expectStatus(send(`PUT /api/articles/${theirs.id}/like`, author), 200, '1');
    await codes(comment(), like(), follow());
    // What comes next shows that nothing came before it.
    const third = await buildMember(app.url);
    await follow(other, third);
    await follow(author, third);
    for (const client of clients) {
      const received = await client.count(1);
      expect(received.map(({ type, actor }) => [type, actor])).to.deep.equal([['FOLLOW', third.nickname]]);
    }
    for (const member of [author, other]) expect(await notificationsOf(app.url, member)).to.have.lengthOf(1);
  });

  it('do not prevent notifications of others', async () => {
    await block();
    const third = await buildMember(app.url);
    const top = await buildComment(app.url, article.id, {}, third);
    const elsewhere = await buildArticle(app.url, {}, third);
    await buildComment(app.url, elsewhere.id, {}, other);
    await buildComment(app.url, article.id, { parentCommentId: top.id }, author);
    const types = async (member: BuiltMember) => (await notificationsOf(app.url, member)).map(({ type }) => type);
    expect([await types(third), await types(author)]).to.deep.equal([['REPLY', 'COMMENT'], ['COMMENT']]);
  });
});

describe('The content of comments of a member with a block', () => {
  let top: BuiltComment;
  let reply: BuiltComment;
  let reader: BuiltMember;
  beforeEach(async () => {
    top = await buildComment(app.url, article.id, { content: 'Words of the other' }, other);
    reply = await buildComment(
      app.url,
      article.id,
      { content: 'Words of the author', parentCommentId: top.id },
      author,
    );
    reader = await buildMember(app.url);
    await block();
  });
  afterEach(() => app.database.sequelize.query('delete from blocks'));

  /** What each reader sees of the comment and of the reply. */
  const expected = (): [string, string | undefined, string, string][] => [
    ['everyone', undefined, top.content, reply.content],
    ['another member', reader.token, top.content, reply.content],
    ['the blocker', author.token, BLOCKED, reply.content],
    ['the blocked member', other.token, top.content, BLOCKED],
  ];

  it('is hidden from each of the two, in pages, replies, single comments and lists of REST', async () => {
    const paths = [`/api/articles/${article.id}/comments`, `/api/articles/${article.id}/comments?sort=createdAt,asc`];
    for (const [who, token, content, replyContent] of expected()) {
      const options = token === undefined ? {} : { token };
      for (const path of paths) {
        const [shown] = (await call(app.url, `GET ${path}`, options)).body?.data.contents ?? [];
        expect([shown.content, shown.replies[0].content], `${who} ${path}`).to.deep.equal([content, replyContent]);
        expect([shown.author, shown.memberId], who).to.deep.equal([other.nickname, other.id]);
        expect(shown.replies[0].memberId, who).to.equal(author.id);
      }
      const replies = await call(app.url, `GET /api/comments/${top.id}/replies`, options);
      expect(replies.body?.data.contents[0].content, who).to.equal(replyContent);
      const single = await call(app.url, `GET /api/comments/${top.id}`, options);
      expect(single.body?.data.content, who).to.equal(content);
    }
    const received = await send('GET /api/comments/me/received', author);
    expect(received.body?.data.contents.map(({ content }: BuiltComment) => content)).to.deep.equal([BLOCKED]);
    expect(received.body?.data.pagination.totalElements).to.equal(1);
    const own = await send('GET /api/comments/me', other);
    expect(own.body?.data.contents.map(({ content }: BuiltComment) => content)).to.deep.equal([top.content]);
  });

  it('is hidden over every path of GraphQL, and in notifications from before', async () => {
    const query = `query ($article: ID!, $comment: ID!) {
      comments(articleId: $article, size: 2) { contents { content replies { content parent { content replies { content } } } } }
      commentConnection(articleId: $article, first: 2) { edges { node { content replies { content } } } }
      replies(commentId: $comment, size: 2) { contents { content parent { content } } }
      replyConnection(commentId: $comment, first: 2) { edges { node { content parent { content } } } }
      comment(id: $comment) { content replies { content } }
      article(id: $article) { comments(first: 2) { edges { node { content replies { content } } } } }
    }`;
    for (const [who, token, content, replyContent] of expected()) {
      const { data, errors } = await graphql(app.url, query, { article: article.id, comment: top.id }, token);
      expect(errors, who).to.equal(undefined);
      const plain = { content: replyContent };
      const node = { content, replies: [plain] };
      const inReply = { content: replyContent, parent: { content } };
      expect(data, who).to.deep.equal({
        comments: { contents: [{ content, replies: [{ content: replyContent, parent: node }] }] },
        commentConnection: { edges: [{ node }] },
        replies: { contents: [inReply] },
        replyConnection: { edges: [{ node: inReply }] },
        comment: node,
        article: { comments: { edges: [{ node }] } },
      });
    }
    const notified =
      '{ notifications { contents { type comment { content parent { content } replies { content } } } } }';
    for (const [member, hidden] of [
      [author, top.content],
      [other, reply.content],
    ] as const) {
      const { data } = await graphql(app.url, notified, {}, member.token);
      expect(data.notifications.contents).to.have.lengthOf(1);
      expect(JSON.stringify(data)).to.include(BLOCKED).and.not.include(hidden);
    }
  });

  it('is the same for both directions, also when each blocks the other, and shown again after the last block', async () => {
    const contentFor = async ({ token }: BuiltMember) =>
      (await call(app.url, `GET /api/comments/${top.id}`, { token })).body?.data.content;
    await block(author, other);
    await block(other, author, 'DELETE');
    expect([await contentFor(author), await contentFor(other)]).to.deep.equal([BLOCKED, top.content]);
    await block(author, other, 'DELETE');
    expect(await contentFor(author)).to.equal(top.content);
  });

  it('is hidden as deleted or hidden first, and shown after the withdrawal of its author', async () => {
    const page = async () =>
      (await send(`GET /api/articles/${article.id}/comments`, author)).body?.data.contents[0].content;
    await send(`DELETE /api/comments/${top.id}`, other);
    expect(await page()).to.equal('(deleted)');
    const second = await buildArticle(app.url);
    const { id } = await buildComment(app.url, second.id, { content: 'Words' }, other);
    await send(`PUT /api/comments/${id}/hidden`, second.author, { hidden: true });
    const read = async () => (await send(`GET /api/comments/${id}`, author)).body?.data;
    expect((await read()).content).to.equal('(hidden)');
    await send(`PUT /api/comments/${id}/hidden`, second.author, { hidden: false });
    expect((await read()).content).to.equal(BLOCKED);
    await send('DELETE /api/members/me', other, { password: other.password });
    expect(await read()).to.include({ content: 'Words', author: '(withdrawn)' });
  });

  it('is shown to moderators, in either direction of the block', async () => {
    const contents = async () => {
      const { body } = await send(`GET /api/articles/${article.id}/comments`, other);
      return body?.data.contents[0].replies[0].content;
    };
    await block(author, other);
    expect(await contents()).to.equal(BLOCKED);
    for (const [role, content] of [
      ['MODERATOR', reply.content],
      ['ADMIN', reply.content],
      ['MEMBER', BLOCKED],
    ]) {
      await app.database.sequelize.query(`update members set role = '${role}' where id = ${other.id}`);
      expect(await contents(), role).to.equal(content);
    }
  });

  it('is hidden from API tokens with the scope `comments`; others read as without a token', async () => {
    for (const [scopes, content] of [
      [['comments'], BLOCKED],
      [['read', 'articles', 'notifications'], top.content],
    ] as const) {
      const { token } = await buildApiToken(app.url, author, scopes);
      for (const path of [`/api/articles/${article.id}/comments`, '/api/comments/me/received']) {
        const { body } = await call(app.url, `GET ${path}`, { token });
        expect(body?.data.contents[0].content, `${scopes} ${path}`).to.equal(content);
      }
    }
  });

  it('never comes from a response to another reader, also while many are sent', async () => {
    const page = async (token?: string) => {
      const { body } = await call(app.url, `GET /api/articles/${article.id}/comments?size=7`, token ? { token } : {});
      return body?.data.contents[0].content;
    };
    const rounds = Array.from({ length: 8 }, expected).flat();
    const shown = await Promise.all(rounds.map(([, token]) => page(token)));
    expect(shown).to.deep.equal(rounds.map(([, , content]) => content));
  });

  it('is not in a stored response any more after a block', async () => {
    await block(other, author, 'DELETE');
    const query = `mutation { createComment(input: { articleId: ${article.id}, parentId: ${top.id}, content: "x" }) { parent { content } } }`;
    const headers = { 'Idempotency-Key': `"${randomUUID()}"` };
    const repeat = () => call(app.url, 'POST /graphql', { token: author.token, json: { query }, headers });
    for (const _ of [1, 2]) expect(JSON.stringify((await repeat()).body)).to.include(top.content);
    await block();
    const { body } = await repeat();
    expect(JSON.stringify(body)).to.include('RESPONSE_REMOVED').and.not.include(top.content);
  });

  it('costs no statement, and for readers without a token no lookup', async () => {
    const path = `GET /api/articles/${article.id}/comments?size=9`;
    const plans: string[] = [];
    for (const token of [author.token, undefined]) {
      const sent: { text: string; values: unknown[] }[] = [];
      const listen = (message: unknown) => void sent.push(message as (typeof sent)[number]);
      statements.subscribe(listen);
      await call(app.url, path, token ? { token } : {}).finally(() => statements.unsubscribe(listen));
      const pages = sent.filter(({ text }) => text.includes('top_level_count'));
      expect(pages).to.have.lengthOf(1);
      const [{ text = '' } = {}] = pages;
      const reader = token ? new Reader(author.id, author.id, author.id, 0) : ANONYMOUS;
      const values = [article.id, 9, 0, reader];
      plans.push(await planOf(app.database, text, values, '(analyze, timing off)'));
    }
    const lookups = (plan = '') => plan.split('\n').filter((line) => line.includes('on blocks b'));
    expect(lookups(plans[0]).length).to.be.at.least(2);
    for (const line of lookups(plans[0])) expect(line).to.include('blocks_pair').and.not.include('never executed');
    for (const line of lookups(plans[1])) expect(line).to.include('never executed');
  });
});

describe('A block and a change that it prevents, at the same time', () => {
  const deadlocks = () => countDeadlocksOf('block');

  const counts = async () => {
    const [row] = await rowsOf<object>(
      app.database,
      `select (select count(*)::integer from reactions where member_id = ${other.id}) as likes,
         (select count(*)::integer from follows where follower_id = ${other.id}) as follows,
         (select count(*)::integer from comments where member_id = ${other.id}) as comments`,
    );
    return row;
  };

  /** Each change, and the request for it. */
  const changes = () => {
    const reader = new Reader(other.id, other.id, other.id, 0);
    const words = { articleId: article.id, parentId: null, memberId: other.id, content: 'Words', reader };
    return {
      likes: [(db: Database) => db.query(ADD_REACTION.LIKE, [article.id, other.id, reader]), () => like()],
      follows: [(db: Database) => db.query(FOLLOW_MEMBER, [author.id, other.id]), () => follow()],
      comments: [(db: Database) => createComment(db, words), () => comment()],
    } as const;
  };

  for (const kind of ['likes', 'follows', 'comments'] as const) {
    it(`wait for each other: ${kind}`, async () => {
      const [change, request] = changes()[kind];
      let blocked: ReturnType<typeof block> | undefined;
      let isDone = false;
      await app.database.transaction(async (db) => {
        await change(db);
        blocked = block().finally(() => {
          isDone = true;
        });
        await untilWaiting(app.database, 1);
        expect(isDone).to.equal(false);
      });
      expect((await blocked)?.status).to.equal(200);
      expect(await counts()).to.include({ [kind]: kind === 'follows' ? 0 : 1 });
      await app.database.sequelize.query('delete from reactions; delete from comments; delete from blocks');

      let rejected: ReturnType<typeof send> | undefined;
      await app.database.transaction(async (db) => {
        await db.query(BLOCK_MEMBER, [other.id, author.id]);
        rejected = request();
        await untilWaiting(app.database, 1);
      });
      expect(await codes(rejected as ReturnType<typeof send>)).to.deep.equal(['403 BLOCKED']);
      expect(await counts()).to.deep.equal({ likes: 0, follows: 0, comments: 0 });
    });
  }

  it('leave no follow, however many are sent, and neither deadlocks nor wrong numbers', async () => {
    const members = [author, other, await buildMember(app.url)];
    const logged = await deadlocks();
    const requests = Array.from({ length: 60 }, (_, index) => {
      const [by, member] = [members[index % 3], members[(index + 1 + (index % 2)) % 3]] as [BuiltMember, BuiltMember];
      if (index % 4 === 0) return block(member, by);
      if (index % 12 === 1) return block(member, by, 'DELETE');
      return follow(member, by);
    });
    const found = await codes(...requests);
    expect(new Set(found)).to.satisfy((all: Set<string>) =>
      [...all].every((code) => ['200 1', '403 BLOCKED'].includes(code)),
    );
    const across = `select f.follower_id from follows f join blocks b
      on (b.member_id, b.blocked_id) in ((f.follower_id, f.member_id), (f.member_id, f.follower_id))`;
    expect(await rowsOf(app.database, across)).to.deep.equal([]);
    const wrong = `select c.member_id from member_counts c
      where c.followers <> (select count(*) from follows where member_id = c.member_id)`;
    expect(await rowsOf(app.database, wrong)).to.deep.equal([]);
    expect(await deadlocks()).to.equal(logged);
  });

  it('leave exact numbers and no deadlock among mentions in articles, comments, approvals and likes', async () => {
    const members = [author, other, await buildMember(app.url)];
    const articles = [article, await buildArticle(app.url, {}, other), await buildArticle(app.url, {}, members[2])];
    const comments: BuiltComment[] = [];
    for (const [index, { id }] of articles.entries())
      for (const member of members.filter((_, one) => one !== index))
        comments.push(await buildHeldComment(app.url, id, {}, member));
    const logged = await deadlocks();
    const requests = Array.from({ length: 72 }, (_, index) => {
      const of = <One>(list: readonly One[], step = 0) => list[(index + step) % list.length] as One;
      const [by, text, held] = [of(members), `@[${of(members, 1 + (index % 2)).nickname}] ${index}`, of(comments)];
      const { id, author: writer } = of(articles, Math.floor(index / 3));
      const changes = [
        () => block(of(members, 1), by),
        () => send(`PUT /api/articles/${id}`, writer, { title: 'Owls', content: text }),
        () => send(`POST /api/articles/${id}/comments`, by, { content: text }),
        () => send(`PATCH /api/comments/${held.id}`, held.author, { content: text }),
        () => send(`PUT /api/comments/${held.id}/approval`, writer, { approved: index % 5 > 0 }),
        () => send(`PUT /api/articles/${id}/like`, by),
        () => block(of(members, 1), by, 'DELETE'),
      ];
      return of(changes)();
    });
    const found = await codes(...requests);
    expect(found.filter((code) => /^5/.test(code))).to.deep.equal([]);
    expect(await deadlocks()).to.equal(logged);
    const wrong = `select a.id from all_articles a left join article_counts r on r.article_id = a.id
      where (a.comment_count, coalesce(r.likes, 0)) <> (
        (select count(*) from comments where article_id = a.id and deleted_at is null), (select count(*) from reactions where article_id = a.id))`;
    expect(await rowsOf(app.database, wrong)).to.deep.equal([]);
  });
});
