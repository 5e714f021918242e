/** How many comments of one member can wait for approval at the same time. */
import { expect } from 'chai';
import { MAX_HELD, MAX_HELD_FOR_AUTHOR } from '../../../src/models/comment/held.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { buildHeldComment, edit, holdMany, MANY_LINKS, setApproval } from '../../support/held.js';
import { rowsOf } from '../../support/imported.js';
import { DIFFERENCES } from '../../support/reactions.js';

const app = useApp();

describe('Comments of a member that wait for approval', () => {
  let article: BuiltArticle;
  let member: BuiltMember;
  beforeEach(async () => {
    article = await buildArticle(app.url);
    member = await buildMember(app.url);
  });

  const write = (content = MANY_LINKS, of: { id: number } = article) =>
    call(app.url, `POST /api/articles/${of.id}/comments`, { token: member.token, json: { content } });
  const codesOf = async (requests: ReturnType<typeof write>[]) =>
    (await Promise.all(requests)).map(({ status, body }) => `${status} ${body?.code}`).sort();
  const held = async () =>
    (await rowsOf(app.database, `select from held_comments where member_id = ${member.id}`)).length;

  it(`are at most ${MAX_HELD_FOR_AUTHOR} for one author, exactly, also of parallel requests`, async () => {
    const another = await buildArticle(app.url, {}, article.author);
    await holdMany(app, article.id, member.id, MAX_HELD_FOR_AUTHOR - 2);
    const codes = await codesOf([write(), write(MANY_LINKS, another), write(), write(MANY_LINKS, another), write()]);
    expect(codes).to.deep.equal(['201 1', '201 1', ...Array(3).fill('400 HELD_LIMIT_REACHED')]);
    expect(await held()).to.equal(MAX_HELD_FOR_AUTHOR);
    const query = 'mutation ($input: CreateCommentInput!) { createComment(input: $input) { held } }';
    const input = { articleId: article.id, content: MANY_LINKS };
    const { errors } = await graphql(app.url, query, { input }, member.token);
    expect(errors?.[0]?.extensions.code).to.equal('HELD_LIMIT_REACHED');
    expect((await write('Without links')).body?.data.held).to.equal(false);
    await buildHeldComment(app.url, article.id);
    await buildHeldComment(app.url, (await buildArticle(app.url)).id, {}, member);
  });

  it(`are at most ${MAX_HELD} for all authors, exactly, also of parallel requests`, async () => {
    for (let author = 0; author < MAX_HELD / MAX_HELD_FOR_AUTHOR; author++)
      await holdMany(app, (await buildArticle(app.url)).id, member.id, MAX_HELD_FOR_AUTHOR - (author === 0 ? 1 : 0));
    const others = [await buildArticle(app.url), await buildArticle(app.url), await buildArticle(app.url)];
    const codes = await codesOf(others.map((other) => write(MANY_LINKS, other)));
    expect(codes).to.deep.equal(['201 1', ...Array(2).fill('400 HELD_LIMIT_REACHED')]);
    expect(await held()).to.equal(MAX_HELD);
  });

  it('are further ones after a decision or a deletion', async () => {
    const [first, second] = [
      await buildHeldComment(app.url, article.id, {}, member),
      await buildHeldComment(app.url, article.id, {}, member),
    ];
    await holdMany(app, article.id, member.id, MAX_HELD_FOR_AUTHOR - 2);
    await expectStatus(write(), 400, 'HELD_LIMIT_REACHED');
    await expectStatus(setApproval(app.url, first.id, true, article.author), 200, '1');
    await expectStatus(write(), 201, '1');
    await expectStatus(call(app.url, `DELETE /api/comments/${second.id}`, { token: member.token }), 200, '1');
    await expectStatus(write(), 201, '1');
    await expectStatus(write(), 400, 'HELD_LIMIT_REACHED');
  });

  it('count edits that have to wait, and not those of what waits already', async () => {
    const shown = await buildComment(app.url, article.id, {}, member);
    const another = await buildComment(app.url, article.id, {}, member);
    await holdMany(app, article.id, member.id, MAX_HELD_FOR_AUTHOR - 1);
    expect(await codesOf([edit(app.url, shown, MANY_LINKS), edit(app.url, another, MANY_LINKS)])).to.deep.equal([
      '200 1',
      '400 HELD_LIMIT_REACHED',
    ]);
    const [waiting] = await rowsOf<{ id: number }>(
      app.database,
      `select id from held_comments where member_id = ${member.id} and id in (${shown.id}, ${another.id})`,
    );
    const again = { ...shown, id: Number(waiting?.id) };
    await expectStatus(edit(app.url, again, `${MANY_LINKS} https://e.test`), 200, '1');
    const { body } = await call(app.url, `GET /api/articles/${article.id}/comments`);
    expect(body?.data.contents.map(({ content }: { content: string }) => content)).to.deep.equal([
      again.id === shown.id ? another.content : shown.content,
    ]);
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
  });

  it('are counted only where the comment would be accepted', async () => {
    await holdMany(app, article.id, member.id, MAX_HELD_FOR_AUTHOR);
    await expectStatus(write(MANY_LINKS, { id: 999_999 }), 404, 'ARTICLE_NOT_FOUND');
    await call(app.url, `PUT /api/members/${member.id}/block`, { token: article.author.token });
    await expectStatus(write(), 403, 'BLOCKED');
  });
});
