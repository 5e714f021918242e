/** Decisions of moderators to remove and restore articles and comments, over both APIs. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { buildReport, decide, notifiedOf, queueOf, REASONS, type Target } from '../../support/moderation.js';
import { buildWithRole } from '../../support/roles.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();

let article: BuiltArticle;
let moderator: BuiltMember;
beforeEach(async () => {
  article = await buildArticle(app.url);
  moderator = await buildWithRole(app, 'MODERATOR');
});

const remove = (target: Target, by = moderator) => decide(app.url, by, { ...target, action: 'REMOVE', ...REASONS });
const restore = (target: Target, by = moderator) => decide(app.url, by, { ...target, action: 'RESTORE' });
const statusOf = async (path: string, member?: BuiltMember) =>
  (await call(app.url, `GET ${path}`, member ? { token: member.token } : {})).status;

describe('The decision REMOVE, and then RESTORE', () => {
  it('changes what everyone sees of a comment, once each', async () => {
    const { id: commentId, content, author } = await buildComment(app.url, article.id);
    await buildReport(app.url, article.author, { commentId });
    const shown = async () => (await call(app.url, `GET /api/comments/${commentId}`)).body?.data.content;
    const { body } = await expectStatus(remove({ commentId }), 201, '1');
    expect(body?.data).to.include({ action: 'REMOVE', commentId, memberId: author.id });
    expect(await notifiedOf(app, body?.data.id)).to.deep.equal([article.author.id, author.id].sort((a, b) => a - b));
    expect(await shown()).to.equal('(removed)');
    const targets = (await queueOf(app.url, moderator)).map(
      ({ target }) => (target as { commentId: number }).commentId,
    );
    expect(targets).to.not.include(commentId);
    await expectStatus(remove({ commentId }), 409, 'ALREADY_DECIDED');
    await expectStatus(restore({ commentId }), 201, '1');
    expect(await shown()).to.equal(content);
    await expectStatus(restore({ commentId }), 409, 'ALREADY_DECIDED');
  });

  it('changes who can read an article, over GraphQL', async () => {
    const mutation = 'mutation ($input: DecideInput!) { decide(input: $input) { action articleId } }';
    const send = (input: object) =>
      graphql(app.url, mutation, { input: { articleId: String(article.id), ...input } }, moderator.token);
    const path = `/api/articles/${article.id}`;
    const removed = await send({ action: 'REMOVE', ...REASONS });
    expect(removed.data?.decide).to.deep.equal({ action: 'REMOVE', articleId: String(article.id) });
    expect([await statusOf(path), await statusOf(path, article.author), await statusOf(path, moderator)]).to.deep.equal(
      [404, 200, 200],
    );
    expect((await send({ action: 'REMOVE', ...REASONS })).errors?.[0]?.extensions.code).to.equal('ALREADY_DECIDED');
    expect((await send({ action: 'RESTORE' })).data?.decide.action).to.equal('RESTORE');
    expect(await statusOf(path)).to.equal(200);
    expect((await send({ action: 'RESTORE' })).errors?.[0]?.extensions.code).to.equal('ALREADY_DECIDED');
  });

  it('applies to a private article only if it was reported while it was public', async () => {
    const [articleId, path] = [article.id, `/api/articles/${article.id}`];
    const { id: commentId } = await buildComment(app.url, articleId);
    const reporter = await buildMember(app.url);
    const hidden = await buildArticle(app.url, { visibility: 'PRIVATE' });
    await buildReport(app.url, reporter, { articleId });
    await setPrivate(app.url, article);
    await expectStatus(remove({ articleId: hidden.id }), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(remove({ commentId }), 404, 'COMMENT_NOT_FOUND');
    expect(await statusOf(path, moderator)).to.equal(404);
    await expectStatus(remove({ articleId }), 201, '1');
    expect(await statusOf(path, moderator)).to.equal(200);
    await expectStatus(restore({ articleId }), 201, '1');
    expect([await statusOf(path), await statusOf(path, moderator)]).to.deep.equal([404, 404]);
    expect(await statusOf(path, article.author)).to.equal(200);
  });

  it('does not apply to a private article whose reports were decided on', async () => {
    const [articleId, path] = [article.id, `/api/articles/${article.id}`];
    await buildReport(app.url, await buildMember(app.url), { articleId });
    await setPrivate(app.url, article);
    await expectStatus(decide(app.url, moderator, { articleId, action: 'DISMISS' }), 201, '1');
    await expectStatus(remove({ articleId }), 404, 'ARTICLE_NOT_FOUND');
    expect([await statusOf(path, article.author), await statusOf(path, moderator)]).to.deep.equal([200, 404]);
  });

  it('is made once by two moderators at the same time', async () => {
    const { id: commentId } = await buildComment(app.url, article.id);
    const other = await buildWithRole(app, 'MODERATOR');
    for (const act of [remove, restore])
      for (const target of [{ commentId }, { articleId: article.id }]) {
        const responses = await Promise.all([moderator, other].map((by) => act(target, by)));
        expect(responses.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
      }
  });

  it('is not undone by a change of the author at the same time', async () => {
    const { id: commentId, author } = await buildComment(app.url, article.id);
    const [edited, decided] = await Promise.all([
      call(app.url, `PATCH /api/comments/${commentId}`, { token: author.token, json: { content: 'Edited' } }),
      remove({ commentId }),
    ]);
    expect([200, 403]).to.include(edited.status);
    expect(decided.status).to.equal(201);
    expect((await call(app.url, `GET /api/comments/${commentId}`)).body?.data.content).to.equal('(removed)');
    const json = { visibility: 'PUBLIC' };
    const path = `PUT /api/articles/${article.id}/visibility`;
    await Promise.all([
      call(app.url, path, { token: article.author.token, json }),
      remove({ articleId: article.id }),
      call(app.url, path, { token: article.author.token, json }),
    ]);
    expect(await statusOf(`/api/articles/${article.id}`)).to.equal(404);
  });
});
