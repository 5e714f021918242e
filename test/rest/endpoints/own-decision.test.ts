/** Decisions of moderators: what the members concerned, reporters and moderators read, over both APIs, live and by email. */
import { expect } from 'chai';
import { SCOPE_NAMES } from '../../../src/models/session/api-token.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus, graphql } from '../../support/client.js';
import { buildDecision, buildReport, decisionOf, NOTE } from '../../support/decisions.js';
import { runExport, unzip } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { rowsOf } from '../../support/imported.js';
import { closeLiveClients, FOLLOWERS } from '../../support/live.js';
import { notificationsOf, unreadOf } from '../../support/notifications.js';
import { buildWithRole, suspend } from '../../support/roles.js';
import { planOf, statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();

let article: BuiltArticle;
/** The author of a comment on the article. */
let member: BuiltMember;
let commentId: number;
let moderator: BuiltMember;
beforeEach(async () => {
  article = await buildArticle(app.url, { title: 'Owls' });
  member = await buildMember(app.url);
  ({ id: commentId } = await buildComment(app.url, article.id, {}, member));
  moderator = await buildWithRole(app, 'MODERATOR');
});
afterEach(closeLiveClients);

const remove = (given: Partial<Parameters<typeof buildDecision>[1]> = {}) =>
  buildDecision(app, { memberId: member.id, commentId, moderatorId: moderator.id, action: 'REMOVE', ...given });
const read = (path: string, { token }: { token: string }) => call(app.url, `GET /api${path}`, { token });
const query = (document: string, { token }: BuiltMember) => graphql(app.url, `{ ${document} }`, {}, token);

describe('The notification MODERATION', () => {
  it('tells the member concerned what was decided, in the language of the request', async () => {
    const messages: Record<string, [string, string]> = {
      REMOVE: ['Your comment on “Owls” was removed.', '회원님의 “Owls”의 댓글 게시가 중단되었습니다.'],
      RESTORE: ['Your comment on “Owls” was restored.', '회원님의 “Owls”의 댓글 게시가 재개되었습니다.'],
      SUSPEND: [
        'Your account was suspended: you can read, but not write.',
        '회원님의 계정이 정지되었습니다. 읽기는 가능하지만 쓰기는 할 수 없습니다.',
      ],
      UNSUSPEND: ['The suspension of your account was ended.', '회원님 계정의 정지가 해제되었습니다.'],
      UPHOLD: [
        'Your appeal was rejected: the decision stays as it is.',
        '회원님의 이의 신청이 기각되어 결정이 그대로 유지됩니다.',
      ],
    };
    for (const [action, [english, korean]] of Object.entries(messages)) {
      const decisionId = await remove({ action: action as 'REMOVE' });
      const [notification] = await notificationsOf(app.url, member);
      expect(notification).to.deep.include({
        type: 'MODERATION',
        message: english,
        ...{ decisionId, articleId: null, commentId: null, draftId: null, actor: null, read: false },
      });
      const headers = { 'Accept-Language': 'ko' };
      const { body } = await call(app.url, 'GET /api/notifications?size=1', { token: member.token, headers });
      expect(body?.data.contents[0].message).to.equal(korean);
    }
    expect(await unreadOf(app.url, member)).to.equal(5);
    const { data } = await query(
      'notifications(size: 1) { contents { type message decisionId actorName actor { id } article { id } } }',
      member,
    );
    const [last] = data.notifications.contents;
    expect(last).to.deep.include({ type: 'MODERATION', actorName: null, actor: null, article: null });
    expect(Number(last.decisionId)).to.be.above(0);
  });

  it('names the kind of content, and the title only to those who see the article', async () => {
    const own = { memberId: article.author.id, commentId: null, articleId: article.id };
    const reporter = await buildMember(app.url);
    await remove({ ...own, reports: await buildReport(app, { articleId: article.id }, reporter.id) });
    const messageOf = async (who: BuiltMember) => (await notificationsOf(app.url, who))[0]?.message;
    expect(await messageOf(article.author)).to.equal('Your article “Owls” was removed.');
    expect(await messageOf(reporter)).to.equal('The article “Owls” that you reported was removed.');
    await setPrivate(app.url, article);
    expect(await messageOf(article.author)).to.equal('Your article “Owls” was removed.');
    expect(await messageOf(reporter)).to.equal('The article that you reported was removed.');
    const { token } = await buildApiToken(app.url, article.author, ['notifications']);
    expect(await messageOf({ ...article.author, token })).to.equal('Your article was removed.');
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: article.author.token });
    expect(await messageOf(article.author)).to.equal('Your content was removed.');
    expect(await messageOf(reporter)).to.equal('The content that you reported was removed.');
  });

  it('tells reporters the outcome, and nothing that is for the member concerned', async () => {
    const outcomes = {
      DISMISS: 'The moderators reviewed your report of the comment on “Owls”, and took no action.',
      REMOVE: 'The comment on “Owls” that you reported was removed.',
      SUSPEND: 'The moderators reviewed a report of yours, and took action.',
    } as const;
    for (const [action, message] of Object.entries(outcomes)) {
      const reporter = await buildMember(app.url);
      const reports = await buildReport(app, { commentId }, reporter.id);
      const id = await remove({ action: action as 'REMOVE', reports });
      const [notification, ...others] = await notificationsOf(app.url, reporter);
      expect(others).to.deep.equal([]);
      expect(notification).to.deep.include({ type: 'MODERATION', message, decisionId: null, actor: null });
      await expectStatus(read(`/decisions/${id}`, reporter), 404, 'DECISION_NOT_FOUND');
      const { body } = await read('/members/me/decisions', reporter);
      expect(body?.data.contents).to.deep.equal([]);
      const { data } = await query('notifications { contents { message decisionId } }', reporter);
      expect(data.notifications.contents).to.deep.equal([{ message, decisionId: null }]);
      await app.database.sequelize.query('delete from moderation_cases');
    }
    const told = await notificationsOf(app.url, member);
    expect(told.map(({ message }) => message)).to.deep.equal([
      'Your account was suspended: you can read, but not write.',
      'Your comment on “Owls” was removed.',
    ]);
  });

  for (const [name, follow] of Object.entries(FOLLOWERS)) {
    it(`arrives live over ${name}`, async () => {
      const client = await follow(app.url, member.token);
      await remove();
      const [received] = await client.count(1);
      expect(received).to.deep.include({ type: 'MODERATION', message: 'Your comment on “Owls” was removed.' });
    });
  }

  it('has no setting, over both APIs, and cannot be switched off with one', async () => {
    const { body } = await read('/members/me/notification-settings', member);
    expect(body?.data.contents.map(({ type }: { type: string }) => type)).to.not.include('MODERATION');
    const target = 'PUT /api/members/me/notification-settings/MODERATION';
    const violation = 'type: must be another type: decisions of moderators are always notified';
    for (const json of [{ enabled: false }, { email: 'OFF' }, {}, undefined])
      expectFieldErrors(await call(app.url, target, { token: member.token, ...(json && { json }) }), violation);
    const mutation = 'mutation { setNotification(type: MODERATION, enabled: false) { enabled } }';
    const { errors } = await graphql(app.url, mutation, {}, member.token);
    expect(errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
    const rows = await rowsOf(app.database, `select from notification_settings where type = 'MODERATION'`);
    expect(rows).to.have.lengthOf(0);
    await remove();
    expect((await notificationsOf(app.url, member))[0]?.type).to.equal('MODERATION');
  });

  it('is deleted with the account of the member concerned, also for reporters', async () => {
    const reporter = await buildMember(app.url);
    await remove({ reports: await buildReport(app, { commentId }, reporter.id) });
    const json = { password: member.password };
    await expectStatus(call(app.url, 'DELETE /api/members/me', { token: member.token, json }), 200, '1');
    expect(await notificationsOf(app.url, reporter)).to.deep.equal([]);
    expect(await unreadOf(app.url, reporter)).to.equal(0);
    expect(await rowsOf(app.database, `select from decisions where moderator_id = ${moderator.id}`)).to.have.lengthOf(
      0,
    );
  });
});

const OWN = [
  ...['id', 'action', 'articleId', 'commentId', 'until', 'rule', 'statement', 'appealableUntil', 'appealText'],
  ...['appealedAt', 'answerId', 'appealOf', 'createdAt'],
];

describe('The decisions that concern a member', () => {
  it('are read by this member over both APIs, newest first, without the note and the moderator', async () => {
    const suspension = await buildDecision(app, { memberId: member.id, until: '2099-12-31T00:00:00Z' });
    const removal = await remove();
    await remove({ action: 'DISMISS' });
    await remove({ memberId: article.author.id });
    const { body } = await read('/members/me/decisions', member);
    const { contents, pagination } = body?.data ?? {};
    expect(contents.map(({ id }: { id: number }) => id)).to.deep.equal([removal, suspension]);
    expect(pagination.totalElements).to.equal(2);
    expect(contents[0]).to.have.all.keys(OWN);
    expect(contents[0]).to.deep.include({
      action: 'REMOVE',
      ...{
        commentId,
        articleId: null,
        until: null,
        rule: 'No advertising',
        statement: 'The same link in 20 comments.',
      },
      ...{ appealText: null, appealedAt: null, answerId: null, appealOf: null },
    });
    expect(contents[1]).to.deep.include({ action: 'SUSPEND', until: '2099-12-31T00:00:00', commentId: null });
    expect(await decisionOf(app, member, removal)).to.deep.equal(contents[0]);
    const second = (await read('/members/me/decisions?page=2&size=1', member)).body?.data;
    expect(second.contents).to.deep.equal([contents[1]]);
    const fields = OWN.join(' ');
    const { data } = await query(
      `myDecisions { contents { ${fields} } pagination { totalElements } } decision(id: ${removal}) { ${fields} }`,
      member,
    );
    expect(data.myDecisions.pagination.totalElements).to.equal(2);
    expect(data.myDecisions.contents[0]).to.deep.equal(data.decision);
    expect(data.decision).to.deep.include({ id: String(removal), action: 'REMOVE', commentId: String(commentId) });
    expect(data.decision.createdAt).to.equal(`${contents[0].createdAt}Z`);
    const responses = JSON.stringify([body, data]);
    expect(responses).to.not.include(NOTE).and.not.include(moderator.nickname);
    for (const field of ['note', 'moderatorId', 'memberId']) {
      const { errors } = await query(`decision(id: ${removal}) { ${field} }`, member);
      expect(errors?.[0]?.extensions.code, field).to.equal('BAD_REQUEST');
    }
  });

  it('do not exist for others, moderators included, nor do dismissed reports for the member concerned', async () => {
    const id = await remove();
    const dismissed = await remove({ action: 'DISMISS' });
    for (const [who, which] of [
      [article.author, id],
      [moderator, id],
      [member, dismissed],
      ...HUGE_IDS.map((huge) => [member, huge] as const),
    ] as const) {
      await expectStatus(read(`/decisions/${which}`, who), 404, 'DECISION_NOT_FOUND');
      const { errors } = await query(`decision(id: "${which}") { id }`, who);
      expect(errors?.[0]?.extensions.code).to.equal('DECISION_NOT_FOUND');
    }
    for (const bad of BAD_IDS) expect((await read(`/decisions/${bad}`, member)).status, bad).to.equal(400);
  });

  it('are read by suspended members, and with no API token', async () => {
    const id = await remove();
    const { token } = await buildApiToken(app.url, member, SCOPE_NAMES, { name: 'All' });
    const paths = ['/members/me/decisions', `/decisions/${id}`, '/moderation/decisions'];
    for (const path of paths) {
      await expectStatus(read(path, { token }), 403, 'SCOPE_MISSING', path);
      await expectStatus(call(app.url, `GET /api${path}`), 401, 'UNAUTHENTICATED', path);
    }
    await suspend(app, member.id);
    for (const path of paths.slice(0, 2)) await expectStatus(read(path, member), 200, '1', path);
  });

  it('are in the archive of the member, without the note and the moderator', async () => {
    const id = await remove();
    const path = `${await makeFolder()}/archive.zip`;
    await runExport(app, '--member', String(member.id), '--output', path);
    const files = await unzip(path);
    const [decision, ...others] = JSON.parse(files.get('decisions.json')?.toString() ?? '');
    expect(others).to.deep.equal([]);
    expect(decision).to.deep.include({ id, action: 'REMOVE', rule: 'No advertising', appeal: null });
    const [notification] = JSON.parse(files.get('notifications.json')?.toString() ?? '');
    expect(notification).to.deep.include({ type: 'MODERATION', decisionId: id });
    expect([...files.values()].join('\n'))
      .to.not.include(NOTE)
      .and.not.include(moderator.nickname);
  });

  it('take one statement besides the check of the token, whatever their number', async () => {
    for (let count = 0; count < 3; count++) await remove();
    expect(await statementsDuring(() => read('/members/me/decisions', member))).to.have.lengthOf(2);
    expect(await statementsDuring(() => read('/moderation/decisions', moderator))).to.have.lengthOf(2);
  });
});

describe('The decisions of all moderators', () => {
  it('are read by moderators only, with the note, without those that concern themselves', async () => {
    const id = await remove();
    const onModerator = await remove({ memberId: moderator.id, commentId: null, action: 'SUSPEND' });
    const dismissed = await remove({ action: 'DISMISS' });
    const { body } = await read('/moderation/decisions', moderator);
    const { contents, pagination } = body?.data ?? {};
    const ids: number[] = contents.map((one: { id: number }) => one.id);
    expect(ids.slice(0, 2)).to.deep.equal([dismissed, id]);
    expect(ids).to.not.include(onModerator);
    const [counted] = await rowsOf<{ total: number }>(
      app.database,
      `select count(*)::integer as total from decisions where member_id is distinct from ${moderator.id}`,
    );
    expect(pagination.totalElements).to.equal(counted?.total);
    expect(contents[1]).to.have.all.keys(...OWN, 'memberId', 'moderatorId', 'note');
    expect(contents[1]).to.deep.include({ memberId: member.id, moderatorId: moderator.id, note: NOTE });
    const { data } = await query(
      'moderationDecisions(size: 2) { contents { id note memberId moderatorId } }',
      moderator,
    );
    expect(data.moderationDecisions.contents[1]).to.deep.equal({
      ...{ id: String(id), note: NOTE, memberId: String(member.id), moderatorId: String(moderator.id) },
    });
    const other = await buildWithRole(app, 'ADMIN');
    expect((await read('/moderation/decisions?size=2', other)).body?.data.contents[1].id).to.equal(onModerator);
    await expectStatus(read('/moderation/decisions', member), 403, 'ROLE_MISSING');
    const { errors } = await query('moderationDecisions { contents { id } }', member);
    expect(errors?.[0]?.extensions.code).to.equal('ROLE_MISSING');
  });

  it('are read from an index, and no further than the newest 10,000', async () => {
    await app.database.sequelize.query(`insert into decisions (member_id, action, rule, statement, note)
      select ${article.author.id}, 'REMOVE', '', '', '' from generate_series(1, 10100)`);
    await app.database.sequelize.query('analyze decisions');
    const path = '/moderation/decisions?page=101&size=100';
    const [, text = ''] = await statementsDuring(async () => {
      const { body } = await read(path, moderator);
      expect(body?.data.contents).to.deep.equal([]);
      expect(body?.data.pagination.totalElements).to.equal(10_000);
    });
    const plan = await planOf(app.database, text, [moderator.id, 100, 0]);
    expect(plan)
      .to.include('decisions_newest')
      .and.not.match(/Seq Scan on decisions/);
    const [, own = ''] = await statementsDuring(() => read('/members/me/decisions', member));
    expect(await planOf(app.database, own, [member.id, 10, 0])).to.include('decisions_member');
    await app.database.sequelize.query(`delete from decisions where statement = ''`);
  });
});
