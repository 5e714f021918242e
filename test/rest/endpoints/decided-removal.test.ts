/** Decisions of moderators to remove and restore articles and comments, over both APIs. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { rowsOf } from '../../support/imported.js';
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

describe('The states of an article', () => {
  type State = 'public' | 'private' | 'removed' | 'removed while private';
  const change = (fields: object) =>
    call(app.url, `PUT /api/articles/${article.id}`, {
      token: article.author.token,
      json: { title: 'Edited', content: 'Edited', ...fields },
    });
  let removal: number;
  const EVENTS = {
    edit: () => change({}),
    hide: () => change({ visibility: 'PRIVATE' }),
    publish: () => change({ visibility: 'PUBLIC' }),
    remove: () => remove({ articleId: article.id }),
    restore: () => restore({ articleId: article.id }),
    appeal: () =>
      call(app.url, `POST /api/decisions/${removal}/appeal`, { token: article.author.token, json: { text: 'No' } }),
  };

  async function reach(state: State, isReported: boolean): Promise<void> {
    if (state === 'private' || state === 'removed while private') {
      await buildReport(app.url, await buildMember(app.url), { articleId: article.id });
      await expectStatus(EVENTS.hide(), 200, '1');
      if (!isReported)
        await expectStatus(decide(app.url, moderator, { articleId: article.id, action: 'DISMISS' }), 201, '1');
    }
    if (state.startsWith('removed')) removal = (await expectStatus(EVENTS.remove(), 201, '1')).body?.data.id;
  }

  async function current(): Promise<State> {
    const { body } = await expectStatus(
      call(app.url, `GET /api/articles/${article.id}`, { token: article.author.token }),
      200,
      '1',
    );
    if (body?.data.removedAt === null) return body.data.visibility === 'PUBLIC' ? 'public' : 'private';
    const [row] = await rowsOf<{ is: boolean }>(
      app.database,
      `select restores_public as is from all_articles where id = ${article.id}`,
    );
    return row?.is ? 'removed' : 'removed while private';
  }

  /** Without an open report where the state has `, decided`. */
  const TRANSITIONS: readonly [
    from: `${State}${'' | ', decided'}`,
    event: keyof typeof EVENTS,
    status: number,
    to: State,
  ][] = [
    ['public', 'edit', 200, 'public'],
    ['public', 'hide', 200, 'private'],
    ['public', 'remove', 201, 'removed'],
    ['public', 'restore', 409, 'public'],
    ['private', 'edit', 200, 'private'],
    ['private', 'publish', 200, 'public'],
    ['private', 'remove', 201, 'removed while private'],
    ['private', 'restore', 409, 'private'],
    ['private, decided', 'remove', 404, 'private'],
    ['private, decided', 'restore', 404, 'private'],
    ['removed', 'edit', 403, 'removed'],
    ['removed', 'hide', 403, 'removed'],
    ['removed', 'publish', 403, 'removed'],
    ['removed', 'remove', 409, 'removed'],
    ['removed', 'restore', 201, 'public'],
    ['removed', 'appeal', 201, 'removed'],
    ['removed while private', 'edit', 403, 'removed while private'],
    ['removed while private', 'publish', 403, 'removed while private'],
    ['removed while private', 'remove', 409, 'removed while private'],
    ['removed while private', 'restore', 201, 'private'],
    ['removed while private', 'appeal', 201, 'removed while private'],
  ];

  for (const [from, event, status, to] of TRANSITIONS)
    it(`${from}, ${event}: ${status}, ${to}`, async () => {
      const [state, isDecided] = from.split(', ');
      await reach(state as State, isDecided === undefined);
      expect((await EVENTS[event]()).status).to.equal(status);
      expect(await current()).to.equal(to);
      expect(await statusOf(`/api/articles/${article.id}`)).to.equal(to === 'public' ? 200 : 404);
      expect(await statusOf(`/api/articles/${article.id}`, moderator)).to.equal(to === 'private' ? 404 : 200);
    });
});
