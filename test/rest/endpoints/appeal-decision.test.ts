/** Decisions of moderators on appeals, over both APIs. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { buildDecision, decisionOf } from '../../support/decisions.js';
import { rowsOf } from '../../support/imported.js';
import { interleave } from '../../support/interleave.js';
import { decide, queueOf, REASONS } from '../../support/moderation.js';
import { notificationsOf } from '../../support/notifications.js';
import { buildWithRole, setRole, suspend, unsuspend } from '../../support/roles.js';

const app = useApp();

let article: BuiltArticle;
let member: BuiltMember;
let moderator: BuiltMember;
let other: BuiltMember;
beforeEach(async () => {
  await app.database.sequelize.query(`update members set role = 'MEMBER'`);
  await app.database.sequelize.query('delete from decisions');
  article = await buildArticle(app.url);
  member = article.author;
  moderator = await buildWithRole(app, 'MODERATOR');
  other = await buildWithRole(app, 'MODERATOR');
});

/** @returns the id of the decision, which is that of the appeal */
async function suspendAndAppeal(by = moderator): Promise<number> {
  const { body } = await expectStatus(
    decide(app.url, by, { memberId: member.id, action: 'SUSPEND', ...REASONS }),
    201,
    '1',
  );
  return appeal(body?.data.id);
}
async function appeal(id: number, { token } = member): Promise<number> {
  const json = { text: 'These are my own articles.' };
  await expectStatus(call(app.url, `POST /api/decisions/${id}/appeal`, { token, json }), 201, '1');
  return id;
}
const answer = (appealId: number | string, action: string, by = other, fields: object = {}) =>
  decide(app.url, by, { appealId, action, ...fields });
const isSuspended = async () =>
  (await call(app.url, 'GET /api/members/me', { token: member.token })).body?.data.suspension !== null;
const removed = (commentId: number | null = null) =>
  buildDecision(app, {
    memberId: member.id,
    action: 'REMOVE',
    articleId: commentId === null ? article.id : null,
    commentId,
  });
const removedAt = async (table: 'all_articles' | 'comments', id: number) =>
  (await rowsOf<{ at: Date | null }>(app.database, `select removed_at as at from ${table} where id = ${id}`))[0]?.at;

describe('The decision on an appeal', () => {
  it('is UPHOLD over REST: the suspension stays, and the member is notified', async () => {
    const id = await suspendAndAppeal();
    const [entry] = await queueOf(app.url, other);
    expect(entry).to.deep.include({ kind: 'APPEAL', excerpt: 'These are my own articles.', memberId: member.id });
    expect(entry?.target).to.deep.include({ appealId: id });
    const { body } = await expectStatus(answer(id, 'UPHOLD', other, { statement: 'The rule applies.' }), 201, '1');
    const { id: answerId, ...decision } = body?.data ?? {};
    expect(decision).to.deep.include({ action: 'UPHOLD', appealOf: id, memberId: member.id, moderatorId: other.id });
    expect(await isSuspended()).to.equal(true);
    expect(await queueOf(app.url, other)).to.deep.equal([]);
    expect((await decisionOf(app, member, id)).answerId).to.equal(answerId);
    expect(await decisionOf(app, member, answerId)).to.deep.include({
      appealOf: id,
      statement: 'The rule applies.',
      appealableUntil: null,
    });
    const [told] = await notificationsOf(app.url, member);
    expect(told).to.deep.include({
      decisionId: answerId,
      message: 'Your appeal was rejected: the decision stays as it is.',
    });
    const json = { text: 'Again.' };
    const again = call(app.url, `POST /api/decisions/${answerId}/appeal`, { token: member.token, json });
    await expectStatus(again, 409, 'ALREADY_DECIDED');
  });

  it('is UNSUSPEND over GraphQL: the suspension ends, and both are in the audit trail', async () => {
    const id = await suspendAndAppeal();
    const mutation = 'mutation ($input: DecideInput!) { decide(input: $input) { action appealOf } }';
    const { data } = await graphql(app.url, mutation, { input: { appealId: id, action: 'UNSUSPEND' } }, other.token);
    expect(data.decide).to.deep.equal({ action: 'UNSUSPEND', appealOf: String(id) });
    expect(await isSuspended()).to.equal(false);
    const eventsOf = async ({ token }: BuiltMember) =>
      (await call(app.url, 'GET /api/members/me/security-events', { token })).body?.data.contents[0];
    expect(await eventsOf(member)).to.deep.include({ kind: 'MEMBER_UNSUSPENDED', address: '', device: '' });
    expect((await eventsOf(other)).kind).to.equal('DECISION_MADE');
  });

  it('is RESTORE: the article and the comment are shown again', async () => {
    const { id: commentId } = await buildComment(app.url, article.id, {}, member);
    await app.database.sequelize.query(`update comments set removed_at = now() where id = ${commentId}`);
    await expectStatus(answer(await appeal(await removed(commentId)), 'RESTORE'), 201, '1');
    expect(await removedAt('comments', commentId)).to.equal(null);
    await app.database.sequelize.query(
      `update all_articles set removed_at = now(), restores_public = true, is_private = true where id = ${article.id}`,
    );
    const id = await appeal(await removed());
    await expectStatus(call(app.url, `GET /api/articles/${article.id}`), 404, 'ARTICLE_NOT_FOUND');
    await expectStatus(answer(id, 'RESTORE'), 201, '1');
    await expectStatus(call(app.url, `GET /api/articles/${article.id}`), 200, '1');
  });

  it('is possible after the content was deleted or restored', async () => {
    const restored = await appeal(await removed());
    await expectStatus(answer(restored, 'RESTORE'), 201, '1');
    const deleted = await appeal(await removed());
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: member.token });
    await expectStatus(answer(deleted, 'RESTORE'), 201, '1');
    const [told] = await notificationsOf(app.url, member);
    expect(told?.message).to.equal('The removal of your content was reversed.');
  });

  it('is possible after restored content became private', async () => {
    const id = await appeal(await removed());
    await app.database.sequelize.query(`update all_articles set is_private = true where id = ${article.id}`);
    await expectStatus(answer(id, 'UPHOLD'), 201, '1');
  });

  it('does not end a later suspension', async () => {
    const id = await suspendAndAppeal();
    await decide(app.url, other, { memberId: member.id, action: 'UNSUSPEND' });
    await suspendAndAppeal(other);
    await expectStatus(answer(id, 'UNSUSPEND'), 201, '1');
    expect(await isSuspended()).to.equal(true);
  });

  it('does not undo a later removal of the same content, and is in the audit trail if it restores it', async () => {
    const { id: commentId } = await buildComment(app.url, article.id, {}, member);
    const removals = { article: { articleId: article.id }, comment: { commentId } };
    for (const target of Object.values(removals)) {
      const remove = async () =>
        (await expectStatus(decide(app.url, moderator, { ...target, action: 'REMOVE', ...REASONS }), 201, '1')).body
          ?.data.id;
      const isRemoved = async () =>
        (await ('articleId' in target ? removedAt('all_articles', article.id) : removedAt('comments', commentId))) !==
        null;
      const first = await appeal(await remove());
      await expectStatus(decide(app.url, other, { ...target, action: 'RESTORE' }), 201, '1');
      const second = await remove();
      await expectStatus(answer(first, 'RESTORE'), 201, '1');
      expect(await isRemoved()).to.equal(true);
      await expectStatus(answer(await appeal(second), 'RESTORE'), 201, '1');
      expect(await isRemoved()).to.equal(false);
      const events = await call(app.url, 'GET /api/members/me/security-events', { token: member.token });
      expect(events.body?.data.contents[0]).to.deep.include({ kind: 'CONTENT_RESTORED', address: '', device: '' });
      expect(events.body?.data.contents[1].kind).to.equal('DECISION_APPEALED');
    }
  });

  it('is made by another moderator, if there is one who could', async () => {
    const id = await suspendAndAppeal();
    const refused = await expectStatus(answer(id, 'UPHOLD', moderator), 403, 'ROLE_MISSING');
    expect(refused.body?.message).to.equal('Another moderator decides on appeals against your decisions.');
    const lock = (time: string) =>
      app.database.sequelize.query(`update members set locked_at = ${time} where id = ${other.id}`);
    for (const change of [() => lock('now()'), () => lock('null').then(() => suspend(app, other.id))]) {
      await change();
      await expectStatus(answer(id, 'UPHOLD', moderator), 201, '1', String(change));
      await app.database.sequelize.query(`update appeals set answer_id = null where decision_id = ${id}`);
      await app.database.sequelize.query(`delete from decisions where appeal_of = ${id}`);
    }
    await unsuspend(app, other.id);
    await expectStatus(answer(id, 'UPHOLD', moderator), 403, 'ROLE_MISSING');
    await setRole(app, other.id, 'MEMBER');
    await expectStatus(answer(id, 'UPHOLD', moderator), 201, '1');
  });

  it('is made by another admin where a moderator is concerned', async () => {
    const admin = await buildWithRole(app, 'ADMIN');
    await setRole(app, member.id, 'MODERATOR');
    const id = await suspendAndAppeal(admin);
    await expectStatus(answer(id, 'UPHOLD', other), 403, 'ROLE_MISSING');
    // No moderator could decide.
    await expectStatus(answer(id, 'UPHOLD', admin), 201, '1');
  });

  it('is made by the admin who decided, and not by the only other admin, whom the decision concerns', async () => {
    const admin = await buildWithRole(app, 'ADMIN');
    await setRole(app, member.id, 'ADMIN');
    const remove = decide(app.url, admin, { articleId: article.id, action: 'REMOVE', ...REASONS });
    const id = await appeal((await expectStatus(remove, 201, '1')).body?.data.id);
    const queues = [await queueOf(app.url, admin), await queueOf(app.url, member)];
    expect(queues.map((entries) => entries.map(({ kind }) => kind))).to.deep.equal([['APPEAL'], []]);
    const refused = await expectStatus(answer(id, 'RESTORE', member), 403, 'ROLE_MISSING');
    expect(refused.body?.message).to.equal('Members cannot do this to their own account.');
    const { body } = await expectStatus(answer(id, 'UPHOLD', admin), 201, '1');
    const [told] = await notificationsOf(app.url, member);
    expect(told?.decisionId).to.equal(body?.data.id);
    expect(await notificationsOf(app.url, admin)).to.deep.equal([]);
  });

  it('is made once: of parallel ones, one is 201 and the others are 409', async () => {
    const id = await suspendAndAppeal();
    const third = await buildWithRole(app, 'ADMIN');
    const responses = await Promise.all([
      answer(id, 'UPHOLD'),
      answer(id, 'UNSUSPEND', third),
      answer(id, 'UPHOLD', third),
      answer(id, 'UNSUSPEND'),
    ]);
    const codes = responses.map(({ status, body }) => `${status} ${body?.code}`).sort();
    expect(codes).to.deep.equal(['201 1', ...Array(3).fill('409 ALREADY_DECIDED')]);
    await expectStatus(answer(id, 'UPHOLD'), 409, 'ALREADY_DECIDED');
    expect(await rowsOf(app.database, `select from decisions where appeal_of = ${id}`)).to.have.lengthOf(1);
  });

  it('is not made by a moderator whose role is removed while it waits', async () => {
    const id = await suspendAndAppeal();
    const response = await interleave(app, {
      lock: `select from members where id = ${other.id} for update`,
      request: () => answer(id, 'UPHOLD'),
      change: `update members set role = 'MEMBER' where id = ${other.id}`,
    });
    expect([response.status, response.body?.code]).to.deep.equal([403, 'ROLE_MISSING']);
  });

  it('is rejected without an appeal, without a role, on oneself, and for another action or a second target', async () => {
    const id = await suspendAndAppeal();
    const withoutAppeal = await removed();
    for (const unknown of [withoutAppeal, 999_999])
      await expectStatus(answer(unknown, 'UPHOLD'), 404, 'DECISION_NOT_FOUND');
    await expectStatus(answer(id, 'UPHOLD', await buildMember(app.url)), 403, 'ROLE_MISSING');
    expectFieldErrors(await answer(id, 'RESTORE'), 'action: must be UPHOLD or UNSUSPEND for this target, got RESTORE');
    const both = await answer(id, 'UPHOLD', other, { memberId: member.id });
    const violation = 'is one of articleId, commentId, memberId, appealId, of which exactly one must be given';
    expectFieldErrors(both, `memberId: ${violation}`, `appealId: ${violation}`);
    await unsuspend(app, member.id);
    await setRole(app, member.id, 'ADMIN');
    await expectStatus(answer(id, 'UPHOLD', member), 403, 'ROLE_MISSING');
  });
});
