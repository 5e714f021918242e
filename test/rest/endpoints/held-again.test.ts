/** Comments that an edit holds again, with their replies; and two clients that change a held comment at once. */
import { expect } from 'chai';
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
import { buildHeldComment, edit, MANY_LINKS, makeModerator, setApproval } from '../../support/held.js';
import { rowsOf } from '../../support/imported.js';
import { untilWaiting } from '../../support/interleave.js';
import { notificationsOf, unreadOf } from '../../support/notifications.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();
const allApp = useApp({ COMMENT_APPROVAL: 'all' });

let article: BuiltArticle;
let comment: BuiltComment;
beforeEach(async () => {
  article = await buildArticle(app.url);
  comment = await buildComment(app.url, article.id);
});

const replyTo = ({ id }: BuiltComment) => buildComment(app.url, article.id, { parentCommentId: id });
const approve = (id: number, approved = true, member = article.author) => setApproval(app.url, id, approved, member);
const remove = ({ id, author }: BuiltComment) => call(app.url, `DELETE /api/comments/${id}`, { token: author.token });

interface Shown {
  id: number;
  content: string;
  author: string;
  memberId: number;
  replies: { id: number; content: string }[];
}

/** What everyone sees, after a check of all counters. */
async function page(): Promise<[id: number, content: string, replies: [id: number, content: string][]][]> {
  const counted = await rowsOf<{ isExact: boolean }>(
    app.database,
    `select a.comment_count = (select count(*) from comments where article_id = a.id and deleted_at is null)
       and a.top_level_count = (select count(*) from comments where article_id = a.id and parent_id is null)
       and (select bool_and(reply_count = (select count(*) from comments r where r.parent_id = c.id)) from comments c) is not false
       and (select bool_and(m.comments = (select count(*) from comments where member_id = m.member_id)
         and m.received = (select count(*) from comments where received_by = m.member_id)) from member_counts m) as "isExact"
     from all_articles a where id = ${article.id}`,
  );
  expect(counted).to.deep.equal([{ isExact: true }]);
  const { body } = await call(app.url, `GET /api/articles/${article.id}/comments`);
  return body?.data.contents.map(({ id, content, replies }: Shown) => [
    id,
    content,
    replies.map((r) => [r.id, r.content]),
  ]);
}

describe('An edit that holds a comment again', () => {
  it('removes it from the page, with its unread notifications, until it is approved with the new content', async () => {
    const { body } = await edit(app.url, comment, MANY_LINKS);
    expect(body?.data).to.include({ id: comment.id, content: MANY_LINKS, held: true });
    expect(await page()).to.deep.equal([]);
    expect(await unreadOf(app.url, article.author)).to.equal(0);
    const headers = { 'If-Match': '"1"' };
    const stale = call(app.url, `DELETE /api/comments/${comment.id}`, { token: comment.author.token, headers });
    await expectStatus(stale, 412, 'PRECONDITION_FAILED');
    await approve(comment.id);
    expect(await page()).to.deep.equal([[comment.id, MANY_LINKS, []]]);
    expect((await notificationsOf(app.url, article.author)).map(({ commentId }) => commentId)).to.deep.equal([
      comment.id,
    ]);
  });

  it('does so over GraphQL, and with `all` for every change of the content', async () => {
    const query =
      'mutation ($id: ID!, $content: String!) { updateComment(id: $id, content: $content) { held content revision } }';
    const update = (content: string) => graphql(allApp.url, query, { id: comment.id, content }, comment.author.token);
    expect((await update(comment.content)).data.updateComment).to.include({ held: false, revision: 2 });
    expect((await update('A typo less')).data.updateComment).to.deep.equal({
      held: true,
      content: 'A typo less',
      revision: 3,
    });
    expect(await page()).to.deep.equal([]);
  });

  it('keeps the place of one with replies, as (held), and the replies', async () => {
    const reply = await replyTo(comment);
    await edit(app.url, comment, MANY_LINKS);
    const place = [[comment.id, '(held)', [[reply.id, reply.content]]]];
    expect(await page()).to.deep.equal(place);
    const query = 'query ($id: ID!) { comment(id: $id) { content authorName memberId held author { id } } }';
    const { data } = await graphql(app.url, query, { id: comment.id });
    expect(data.comment).to.deep.equal({
      content: '(held)',
      authorName: '(held)',
      memberId: '0',
      held: true,
      author: null,
    });
    const own = await graphql(app.url, query, { id: comment.id }, comment.author.token);
    expect(own.data.comment.content).to.equal(MANY_LINKS);
    const json = { content: 'More', parentCommentId: comment.id };
    const replying = call(app.url, `POST /api/articles/${article.id}/comments`, { token: reply.author.token, json });
    await expectStatus(replying, 404, 'COMMENT_NOT_FOUND');
    await approve(comment.id);
    expect(await page()).to.deep.equal([[comment.id, MANY_LINKS, [[reply.id, reply.content]]]]);
    const { body } = await call(app.url, `GET /api/articles/${article.id}/comments`);
    expect(body?.data.contents[0]).to.include({ author: comment.author.nickname, memberId: comment.author.id });
  });

  it('is returned with its content when its author deletes it', async () => {
    await replyTo(comment);
    await edit(app.url, comment, MANY_LINKS);
    const query = 'mutation ($id: ID!) { deleteComment(id: $id) { id content held } }';
    const { data } = await graphql(app.url, query, { id: comment.id }, comment.author.token);
    expect(data.deleteComment).to.deep.equal({ id: String(comment.id), content: MANY_LINKS, held: true });
  });

  it('shows the place as deleted if the comment is not approved, or its author deletes it or withdraws', async () => {
    const ends = [
      () => approve(comment.id, false),
      () => remove(comment),
      () => {
        const { token, password } = comment.author;
        return call(app.url, 'DELETE /api/members/me', { token, json: { password } });
      },
    ];
    for (const end of ends) {
      const reply = await replyTo(comment);
      await edit(app.url, comment, MANY_LINKS);
      const { headers } = await call(app.url, `GET /api/articles/${article.id}/comments`);
      await expectStatus(end(), 200, '1');
      const again = { headers: { 'If-None-Match': headers.get('ETag') ?? '' } };
      expect((await call(app.url, `GET /api/articles/${article.id}/comments`, again)).status).to.equal(200);
      expect((await page())[0]).to.deep.equal([comment.id, '(deleted)', [[reply.id, reply.content]]]);
      await remove(reply);
      expect(await page()).to.deep.equal([]);
      comment = await buildComment(app.url, article.id);
    }
  });

  it('loses its place with its last reply, and is approved nevertheless', async () => {
    const reply = await replyTo(comment);
    await edit(app.url, comment, MANY_LINKS);
    await remove(reply);
    expect(await page()).to.deep.equal([]);
    await approve(comment.id);
    expect(await page()).to.deep.equal([[comment.id, MANY_LINKS, []]]);
  });

  it('keeps the place of a reply whose comment is deleted or held, since no other can be added to it', async () => {
    const replies = [await replyTo(comment), await replyTo(comment)] as const;
    for (const end of [() => edit(app.url, comment, MANY_LINKS), () => remove(comment)]) {
      await end();
      for (const reply of replies) await edit(app.url, reply, MANY_LINKS);
      const places = (await page())[0]?.[2].map(([, content]) => content);
      expect(places).to.deep.equal(['(held)', '(held)']);
      for (const reply of replies) await expectStatus(approve(reply.id), 200, '1');
      expect((await page())[0]?.[2].map(([, content]) => content)).to.deep.equal([MANY_LINKS, MANY_LINKS]);
      for (const reply of replies) await edit(app.url, reply, 'Plain');
    }
    for (const reply of replies) await edit(app.url, reply, MANY_LINKS);
    for (const reply of replies) await expectStatus(approve(reply.id, false), 200, '1');
    expect(await page()).to.deep.equal([]);
  });

  it('keeps held replies, which are approved after it', async () => {
    const held = await buildHeldComment(app.url, article.id, { parentCommentId: comment.id });
    await edit(app.url, comment, MANY_LINKS);
    await expectStatus(approve(held.id), 404, 'COMMENT_NOT_FOUND');
    await approve(comment.id);
    await expectStatus(approve(held.id), 200, '1');
    expect(await page()).to.deep.equal([[comment.id, MANY_LINKS, [[held.id, MANY_LINKS]]]]);
    const other = await buildHeldComment(app.url, article.id, { parentCommentId: comment.id });
    await edit(app.url, comment, `${MANY_LINKS} e.org`);
    await approve(comment.id, false);
    await expectStatus(approve(other.id), 404, 'COMMENT_NOT_FOUND');
    expect((await page())[0]).to.deep.equal([comment.id, '(deleted)', [[held.id, MANY_LINKS]]]);
  });

  it('keeps that the author of the article hid it', async () => {
    const { token } = article.author;
    await call(app.url, `PUT /api/comments/${comment.id}/hidden`, { token, json: { hidden: true } });
    await edit(app.url, comment, MANY_LINKS);
    await approve(comment.id);
    expect(await page()).to.deep.equal([[comment.id, '(hidden)', []]]);
  });
});

describe('At the same time', () => {
  /** The requests wait for the row, and then go on together. */
  async function together<Response>(
    id: number,
    requests: (() => Promise<Response>)[],
    table = 'held_comments',
  ): Promise<Response[]> {
    const responses: Promise<Response>[] = [];
    await app.database.sequelize.transaction(async (transaction) => {
      await app.database.sequelize.query(`select from ${table} where id = ${id} for update`, { transaction });
      for (const [index, request] of requests.entries()) {
        responses.push(request());
        await untilWaiting(app.database, index + 1);
      }
    });
    return Promise.all(responses);
  }
  const statuses = (responses: { status: number }[]) => responses.map(({ status }) => status);

  let held: BuiltComment;
  /** The changes of one member wait for each other in a process. */
  let moderator: BuiltMember;
  before(async () => {
    moderator = await buildMember(app.url);
    await makeModerator(app, moderator);
  });
  beforeEach(async () => {
    await remove(comment);
    held = await buildHeldComment(app.url, article.id);
  });

  it('two approvals show and notify once', async () => {
    expect(
      statuses(await together(held.id, [() => approve(held.id), () => approve(held.id, true, moderator)])),
    ).to.deep.equal([200, 200]);
    expect(await page()).to.deep.equal([[held.id, MANY_LINKS, []]]);
    expect(await notificationsOf(app.url, article.author)).to.have.lengthOf(1);
  });

  it('an approval and its opposite leave what the first decided', async () => {
    const first = await together(held.id, [() => approve(held.id), () => approve(held.id, false, moderator)]);
    expect(statuses(first)).to.deep.equal([200, 409]);
    const other = await buildHeldComment(app.url, article.id);
    const second = await together(other.id, [() => approve(other.id, false), () => approve(other.id, true, moderator)]);
    expect(statuses(second)).to.deep.equal([200, 404]);
    expect(await page()).to.deep.equal([[held.id, MANY_LINKS, []]]);
  });

  it('an edit after an approval is checked like every edit, and an approval after an edit shows the new content', async () => {
    const content = `${MANY_LINKS} again`;
    const first = await together(held.id, [() => approve(held.id), () => edit(app.url, held, content)]);
    expect(statuses(first)).to.deep.equal([200, 200]);
    expect([first[1]?.body?.data.held, await page()]).to.deep.equal([true, []]);
    const second = await together(held.id, [() => edit(app.url, held, MANY_LINKS), () => approve(held.id)]);
    expect(statuses(second)).to.deep.equal([200, 200]);
    expect(await page()).to.deep.equal([[held.id, MANY_LINKS, []]]);
  });

  it('a deletion and an approval leave no comment', async () => {
    expect(statuses(await together(held.id, [() => remove(held), () => approve(held.id)]))).to.deep.equal([200, 404]);
    const other = await buildHeldComment(app.url, article.id);
    expect(statuses(await together(other.id, [() => approve(other.id), () => remove(other)]))).to.deep.equal([
      200, 200,
    ]);
    expect(await page()).to.deep.equal([]);
    expect(await unreadOf(app.url, article.author)).to.equal(0);
  });

  it('the article becomes private: an approval of a moderator has no effect, and that of its author notifies no other member', async () => {
    const parent = await buildComment(app.url, article.id);
    const reply = await buildHeldComment(app.url, article.id, { parentCommentId: parent.id });
    const change = () => setPrivate(app.url, article).then(() => ({ status: 200 }));
    const requests = [change, () => approve(reply.id, true, moderator)];
    expect(statuses(await together<{ status: number }>(article.id, requests, 'all_articles'))).to.deep.equal([
      200, 404,
    ]);
    await expectStatus(approve(reply.id), 200, '1');
    expect(await notificationsOf(app.url, parent.author)).to.deep.equal([]);
  });

  it('the comment is deleted and a reply to it is held: the reply is not left behind', async () => {
    for (const isDeletedFirst of [true, false]) {
      const parent = await buildComment(app.url, article.id);
      const json = { content: MANY_LINKS, parentCommentId: parent.id };
      const { token } = held.author;
      const requests = [
        () => remove(parent),
        () => call(app.url, `POST /api/articles/${article.id}/comments`, { token, json }),
      ];
      const inOrder = isDeletedFirst ? requests : requests.toReversed();
      const found = statuses(await together<{ status: number }>(parent.id, inOrder, 'comments'));
      expect(found).to.deep.equal(isDeletedFirst ? [200, 404] : [201, 200]);
      const left = await rowsOf(app.database, `select id from held_comments where parent_id = ${parent.id}`);
      expect(left).to.deep.equal([]);
    }
  });
});
