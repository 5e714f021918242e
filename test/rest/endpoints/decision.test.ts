/** The queue of moderators and their decisions, over both APIs. */
import { expect } from 'chai';
import { CATALOGS } from '../../../src/platform/messages/message.js';
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
import { buildHeldComment, MANY_LINKS, setApproval } from '../../support/held.js';
import { rowsOf } from '../../support/imported.js';
import { interleave } from '../../support/interleave.js';
import { buildReport, decide, notifiedOf, queueOf, REASONS, report } from '../../support/moderation.js';
import { buildWithRole, setRole, suspend } from '../../support/roles.js';
import { statementsDuring } from '../../support/statements.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();
let article: BuiltArticle;
let moderator: BuiltMember;
let reporter: BuiltMember;
before(async () => {
  article = await buildArticle(app.url, { title: 'Owls', content: 'One is in the attic.' });
  moderator = await buildWithRole(app, 'MODERATOR');
});
beforeEach(async () => {
  await app.database.sequelize.query('truncate moderation_cases, held_comments, spam_labels cascade');
  reporter = await buildMember(app.url);
});

async function reportedComment(): Promise<BuiltComment> {
  const comment = await buildComment(app.url, article.id);
  await buildReport(app.url, reporter, { commentId: comment.id });
  return comment;
}

const removed404 = (target: object) => ('articleId' in target ? 'ARTICLE_NOT_FOUND' : 'COMMENT_NOT_FOUND');

async function eventsOf({ token }: BuiltMember): Promise<string[]> {
  const { body } = await call(app.url, 'GET /api/members/me/security-events', { token });
  const events: { kind: string; address: string }[] = body?.data.contents;
  return events
    .filter(({ kind }) => kind !== 'LOGIN')
    .map(({ kind, address }) => `${kind} ${address && 'with address'}`);
}

describe('GET /api/moderation/queue', () => {
  it('lists reports, held comments and appeals, oldest first, in two statements', async () => {
    const { id: memberId, nickname } = reporter;
    const comment = await reportedComment();
    const held = await buildHeldComment(app.url, article.id);
    await buildReport(app.url, reporter, { articleId: article.id }, { reason: 'ILLEGAL', text: 'Page 3' });
    await app.database.sequelize.query(`with d as (
        insert into decisions (member_id, action, rule, statement, note) values (${memberId}, 'SUSPEND', 'A', 'B', '') returning id
      ) insert into appeals (decision_id, text) select id, 'I did not' from d`);
    let entries: Record<string, unknown>[] = [];
    const statements = await statementsDuring(async () => {
      entries = await queueOf(app.url, moderator);
    });
    // With the check of the token.
    expect(statements).to.have.length(3);
    const target = { articleId: null, commentId: null, memberId: null, appealId: null };
    const [appeal] = await rowsOf<{ id: string }>(app.database, 'select max(decision_id) as id from appeals');
    expect(entries.map(({ createdAt, reports, revision, ...entry }) => entry)).to.deep.equal([
      {
        kind: 'REPORT',
        target: { ...target, commentId: comment.id },
        excerpt: comment.content,
        author: comment.author.nickname,
        memberId: comment.author.id,
        reportCount: 1,
        spamScore: null,
      },
      {
        kind: 'HELD',
        target: { ...target, commentId: held.id },
        excerpt: MANY_LINKS,
        author: held.author.nickname,
        memberId: held.author.id,
        reportCount: 0,
        spamScore: null,
      },
      {
        kind: 'REPORT',
        target: { ...target, articleId: article.id },
        excerpt: 'Owls\nOne is in the attic.',
        author: article.author.nickname,
        memberId: article.author.id,
        reportCount: 1,
        spamScore: null,
      },
      {
        kind: 'APPEAL',
        target: { ...target, appealId: Number(appeal?.id) },
        excerpt: 'I did not',
        author: nickname,
        memberId,
        reportCount: 0,
        spamScore: null,
      },
    ]);
    const [shown] = (entries[2]?.reports ?? []) as Record<string, unknown>[];
    expect(Object.keys(shown ?? {})).to.deep.equal(['reason', 'text', 'createdAt']);
    expect(shown).to.deep.include({ reason: 'ILLEGAL', text: 'Page 3' });
    const page = await call(app.url, 'GET /api/moderation/queue?page=2&size=3', { token: moderator.token });
    expect(page.body?.data.contents).to.deep.equal(entries.slice(3));
    expect(page.body?.data.pagination).to.deep.include({ totalElements: 4, totalPages: 2, last: true });
    const query =
      '{ moderationQueue(size: 3) { contents { kind target { commentId } reports { text } } pagination { totalElements } } }';
    const { data } = await graphql(app.url, query, {}, moderator.token);
    expect(data.moderationQueue.contents.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
      'REPORT',
      'HELD',
      'REPORT',
    ]);
    await app.database.sequelize.query('truncate appeals');
  });

  it('shows only the id and the reports of an article that has become private, and of comments on it', async () => {
    const other = await buildArticle(app.url);
    const comment = await buildComment(app.url, other.id);
    await buildReport(app.url, reporter, { articleId: other.id }, { text: 'It is about me' });
    await buildReport(app.url, reporter, { commentId: comment.id });
    await buildHeldComment(app.url, other.id);
    await setPrivate(app.url, other);
    const entries = await queueOf(app.url, moderator);
    expect(entries.map(({ kind, excerpt, author, memberId }) => [kind, excerpt, author, memberId])).to.deep.equal([
      ['REPORT', null, null, null],
      ['REPORT', null, null, null],
    ]);
    expect(entries[0]?.reports).to.have.length(1);
    expect(JSON.stringify(entries)).to.not.include(reporter.nickname);
    await expectStatus(decide(app.url, moderator, { articleId: other.id, action: 'DISMISS' }), 201, '1');
  });

  it('does not show moderators what was reported of them, and other entries that concern them', async () => {
    const [one, own] = [await buildWithRole(app, 'MODERATOR'), await buildMember(app.url)];
    const article = await buildArticle(app.url, {}, own);
    const comment = await buildComment(app.url, article.id, {}, own);
    await buildHeldComment(app.url, (await buildArticle(app.url)).id, {}, own);
    for (const target of [{ memberId: own.id }, { articleId: article.id }, { commentId: comment.id }])
      await buildReport(app.url, reporter, target, { reason: 'ABUSE', text: 'In the chat of yesterday' });
    await app.database.sequelize.query(`with d as (
        insert into decisions (member_id, action, rule, statement, note) values (${own.id}, 'SUSPEND', 'A', 'B', '') returning id
      ) insert into appeals (decision_id, text) select id, 'I did not' from d`);
    const others = await reportedComment();
    await setRole(app, own.id, 'MODERATOR');
    const totalOf = async ({ token }: BuiltMember) =>
      (await call(app.url, 'GET /api/moderation/queue', { token })).body?.data.pagination.totalElements;
    const entries = await queueOf(app.url, own);
    expect(entries.map(({ target }) => (target as { commentId: number }).commentId)).to.deep.equal([others.id]);
    expect(await totalOf(own)).to.equal(1);
    const kinds = (await queueOf(app.url, one)).map(({ kind }) => kind);
    expect(kinds).to.have.members(['HELD', 'REPORT', 'REPORT', 'REPORT', 'APPEAL', 'REPORT']);
    expect(await totalOf(one)).to.equal(6);
    await app.database.sequelize.query('truncate appeals');
  });

  it('is 403 for members without a role', async () => {
    await expectStatus(call(app.url, 'GET /api/moderation/queue', { token: reporter.token }), 403, 'ROLE_MISSING');
    await expectStatus(call(app.url, 'GET /api/moderation/queue'), 401, 'UNAUTHENTICATED');
    const { errors } = await graphql(app.url, '{ moderationQueue { pagination { last } } }', {}, reporter.token);
    expect(errors?.[0]?.extensions.code).to.equal('ROLE_MISSING');
  });

  it('contains a reported comment that is held again once for its reports, and no comment that was deleted', async () => {
    const [held, deleted, kept] = [await reportedComment(), await reportedComment(), await reportedComment()];
    await buildComment(app.url, article.id, { parentCommentId: kept.id });
    const edited = { token: held.author.token, json: { content: MANY_LINKS } };
    await expectStatus(call(app.url, `PATCH /api/comments/${held.id}`, edited), 200, '1');
    for (const { id, author } of [deleted, kept])
      await expectStatus(call(app.url, `DELETE /api/comments/${id}`, { token: author.token }), 200, '1');
    const entries = await queueOf(app.url, moderator);
    expect(entries.map(({ kind, excerpt }) => [kind, excerpt])).to.deep.equal([
      ['REPORT', MANY_LINKS],
      ['HELD', MANY_LINKS],
    ]);
    const { body } = await decide(app.url, moderator, { commentId: held.id, action: 'REMOVE', ...REASONS });
    expect(await queueOf(app.url, moderator)).to.deep.equal([]);
    expect(await notifiedOf(app, body?.data.id)).to.deep.equal([held.author.id, reporter.id].sort((a, b) => a - b));
    const rows = await rowsOf(app.database, `select comment_id from decisions where id = ${body?.data.id}`);
    expect(rows).to.deep.equal([{ comment_id: null }]);
  });
});

describe('POST /api/moderation/decisions', () => {
  it('closes reports, and notifies the reporters only', async () => {
    const comment = await reportedComment();
    const input = { commentId: comment.id, action: 'DISMISS', note: 'Harmless' };
    const { status, body } = await decide(app.url, moderator, input);
    expect([status, body?.message]).to.deep.equal([201, 'Decided.']);
    expect(body?.data).to.deep.include({
      ...{ action: 'DISMISS', memberId: comment.author.id, articleId: null, commentId: comment.id, appealOf: null },
      ...{ until: null, rule: '', statement: '', note: 'Harmless', moderatorId: moderator.id },
    });
    expect(await notifiedOf(app, body?.data.id)).to.deep.equal([reporter.id]);
    await expectStatus(decide(app.url, moderator, input), 409, 'ALREADY_DECIDED');
    expect((await call(app.url, `GET /api/comments/${comment.id}`)).body?.data.content).to.equal(comment.content);
    expect(await queueOf(app.url, moderator)).to.deep.equal([]);
    expect((await eventsOf(moderator)).at(0)).to.equal('DECISION_MADE with address');
  });

  it('notifies the reporters since the last decision, over GraphQL', async () => {
    const first = await reportedComment();
    const decided = await decide(app.url, moderator, { commentId: first.id, action: 'DISMISS' });
    const second = await buildMember(app.url);
    await buildReport(app.url, second, { commentId: first.id });
    const mutation = 'mutation ($input: DecideInput!) { decide(input: $input) { id action moderatorId } }';
    const input = { commentId: first.id, action: 'DISMISS' };
    const { data } = await graphql(app.url, mutation, { input }, moderator.token);
    expect(data.decide).to.deep.include({ action: 'DISMISS', moderatorId: String(moderator.id) });
    expect([await notifiedOf(app, decided.body?.data.id), await notifiedOf(app, Number(data.decide.id))]).to.deep.equal(
      [[reporter.id], [second.id]],
    );
  });

  it('shows or deletes a held comment, of which the spam score learns', async () => {
    const [shown, deleted] = [await buildHeldComment(app.url, article.id), await buildHeldComment(app.url, article.id)];
    const approved = await decide(app.url, moderator, { commentId: shown.id, action: 'APPROVE' });
    expect([approved.status, approved.body?.data.commentId]).to.deep.equal([201, shown.id]);
    expect((await call(app.url, `GET /api/comments/${shown.id}`)).status).to.equal(200);
    await expectStatus(decide(app.url, moderator, { commentId: shown.id, action: 'APPROVE' }), 409, 'ALREADY_DECIDED');
    const removed = await decide(app.url, moderator, { commentId: deleted.id, action: 'REMOVE', ...REASONS });
    expect([removed.status, removed.body?.data.statement]).to.deep.equal([201, REASONS.statement]);
    await expectStatus(
      decide(app.url, moderator, { commentId: deleted.id, action: 'REMOVE', ...REASONS }),
      404,
      'COMMENT_NOT_FOUND',
    );
    expect(await notifiedOf(app, approved.body?.data.id)).to.deep.equal([]);
    expect(await notifiedOf(app, removed.body?.data.id)).to.deep.equal([deleted.author.id]);
    const labels = await rowsOf(app.database, 'select is_spam, decided_by::integer from spam_labels order by id');
    expect(labels).to.deep.equal([false, true].map((is_spam) => ({ is_spam, decided_by: moderator.id })));
  });

  it('lets the spam score learn from comments that were reported as spam', async () => {
    const [spam, abuse] = [await reportedComment(), await buildComment(app.url, article.id)];
    await buildReport(app.url, reporter, { commentId: abuse.id }, { reason: 'ABUSE' });
    for (const { id } of [spam, abuse])
      await expectStatus(decide(app.url, moderator, { commentId: id, action: 'DISMISS' }), 201, '1');
    const labels = await rowsOf(app.database, 'select content, is_spam from spam_labels');
    expect(labels).to.deep.equal([{ content: spam.content, is_spam: false }]);
  });

  it('removes and restores articles and comments once, with the reasons', async () => {
    const other = await buildArticle(app.url);
    const comment = await reportedComment();
    await buildReport(app.url, reporter, { articleId: other.id });
    const targets = [
      { target: { articleId: other.id }, path: `/api/articles/${other.id}`, author: other.author },
      { target: { commentId: comment.id }, path: `/api/comments/${comment.id}`, author: comment.author },
    ];
    for (const { target, path, author } of targets) {
      const seen = async () => (await call(app.url, `GET ${path}`, { token: reporter.token })).body?.data.content;
      const before = await seen();
      const removal = { ...target, action: 'REMOVE', ...REASONS };
      const removed = await decide(app.url, moderator, removal);
      expect([removed.status, removed.body?.data.rule]).to.deep.equal([201, REASONS.rule]);
      expect(await seen()).to.equal('articleId' in target ? undefined : '(removed)');
      expect(await notifiedOf(app, removed.body?.data.id)).to.deep.equal(
        [author.id, reporter.id].sort((a, b) => a - b),
      );
      await expectStatus(decide(app.url, moderator, removal), 409, 'ALREADY_DECIDED');
      await expectStatus(report(app.url, await buildMember(app.url), target), 404, removed404(target));
      const restored = await decide(app.url, moderator, { ...target, action: 'RESTORE' });
      expect([restored.status, await notifiedOf(app, restored.body?.data.id)]).to.deep.equal([201, [author.id]]);
      expect(await seen()).to.equal(before);
      await expectStatus(decide(app.url, moderator, { ...target, action: 'RESTORE' }), 409, 'ALREADY_DECIDED');
      expect(await eventsOf(author)).to.deep.equal(['CONTENT_RESTORED ', 'CONTENT_REMOVED ']);
    }
    expect(await queueOf(app.url, moderator)).to.deep.equal([]);
    const labels = await rowsOf(app.database, 'select content, is_spam from spam_labels');
    expect(labels).to.deep.equal([{ content: comment.content, is_spam: true }]);
  });

  it('suspends a member with an end, closes the reports, and ends the suspension', async () => {
    const member = await buildMember(app.url);
    await buildReport(app.url, reporter, { memberId: member.id });
    const input = { memberId: member.id, action: 'SUSPEND', until: '2099-12-31T00:00:00', ...REASONS };
    const { status, body } = await decide(app.url, moderator, input);
    expect([status, body?.data.until]).to.deep.equal([201, '2099-12-31T00:00:00']);
    const me = await call(app.url, 'GET /api/members/me', { token: member.token });
    expect(me.body?.data.suspension).to.deep.include({ ...REASONS, until: '2099-12-31T00:00:00' });
    expect(await notifiedOf(app, body?.data.id)).to.deep.equal([member.id, reporter.id].sort((a, b) => a - b));
    await expectStatus(decide(app.url, moderator, input), 409, 'ALREADY_DECIDED');
    const ended = await decide(app.url, moderator, { memberId: member.id, action: 'UNSUSPEND' });
    expect([ended.status, await notifiedOf(app, ended.body?.data.id)]).to.deep.equal([201, [member.id]]);
    await expectStatus(
      decide(app.url, moderator, { memberId: member.id, action: 'UNSUSPEND' }),
      409,
      'ALREADY_DECIDED',
    );
    expect(await eventsOf(member)).to.deep.equal(['MEMBER_UNSUSPENDED ', 'MEMBER_SUSPENDED ']);
  });

  it('checks the action, its target, the end and the reasons', async () => {
    const [commentId, memberId] = [(await reportedComment()).id, reporter.id];
    const bodies: [object, string[]][] = [
      [{ action: 'DISMISS' }, ['articleId', 'commentId', 'memberId', 'appealId']],
      [{ commentId, memberId, action: 'DISMISS' }, ['commentId', 'memberId']],
      [{ commentId, action: 'SUSPEND', ...REASONS }, ['action']],
      [{ memberId, action: 'REMOVE', ...REASONS }, ['action']],
      [{ commentId, action: 'UPHOLD' }, ['action']],
      [{ memberId, action: 'APPROVE' }, ['action']],
      [{ memberId, action: 'BAN' }, ['action']],
      [{ memberId, action: 'SUSPEND' }, ['rule', 'statement']],
      [{ memberId, action: 'SUSPEND', ...REASONS, statement: ' ' }, ['statement']],
      [{ memberId, action: 'SUSPEND', ...REASONS, rule: 'x'.repeat(201) }, ['rule']],
      [{ memberId, action: 'SUSPEND', ...REASONS, statement: 'x'.repeat(1_001) }, ['statement']],
      [{ memberId, action: 'SUSPEND', ...REASONS, note: 'x'.repeat(1_001) }, ['note']],
      [{ memberId, action: 'SUSPEND', ...REASONS, until: '2020-01-01T00:00:00' }, ['until']],
      [{ memberId, action: 'UNSUSPEND', until: '2099-01-01T00:00:00' }, ['until']],
      [{ commentId, action: 'REMOVE' }, ['rule', 'statement']],
    ];
    for (const [json, fields] of bodies) {
      const { status, body } = await decide(app.url, moderator, json);
      const invalid = body?.data.errors?.map(({ field }: { field: string }) => field);
      expect([status, invalid], JSON.stringify(json)).to.deep.equal([400, fields]);
    }
    expect(await queueOf(app.url, moderator)).to.have.length(1);
  });

  it('is 404 for an unknown target, and 403 before it for members without a role', async () => {
    const unknown = [
      [{ articleId: 999_999, action: 'DISMISS' }, 'ARTICLE_NOT_FOUND'],
      [{ commentId: 999_999, action: 'DISMISS' }, 'COMMENT_NOT_FOUND'],
      [{ memberId: 999_999, action: 'UNSUSPEND' }, 'MEMBER_NOT_FOUND'],
    ] as const;
    for (const [json, key] of unknown) {
      await expectStatus(decide(app.url, moderator, json), 404, key);
      await expectStatus(decide(app.url, reporter, json), 403, 'ROLE_MISSING');
    }
    const other = await buildArticle(app.url);
    const held = await buildHeldComment(app.url, other.id);
    const shown = await buildComment(app.url, other.id);
    await setPrivate(app.url, other);
    for (const action of ['DISMISS', 'APPROVE', 'RESTORE'])
      for (const { id } of [held, shown])
        await expectStatus(decide(app.url, moderator, { commentId: id, action }), 404, 'COMMENT_NOT_FOUND', action);
    for (const action of ['DISMISS', 'RESTORE'])
      await expectStatus(decide(app.url, moderator, { articleId: other.id, action }), 404, 'ARTICLE_NOT_FOUND', action);
    // Also its author's role stays unknown.
    await setRole(app, other.author.id, 'ADMIN');
    const dismissal = { articleId: other.id, action: 'DISMISS' };
    await expectStatus(decide(app.url, moderator, dismissal), 404, 'ARTICLE_NOT_FOUND');
  });

  it('is made once by two moderators at the same time', async () => {
    const others = [moderator, await buildWithRole(app, 'MODERATOR')];
    const member = await buildMember(app.url);
    const [comment, held] = [await reportedComment(), await buildHeldComment(app.url, article.id)];
    const inputs = [
      { commentId: comment.id, action: 'DISMISS' },
      { commentId: comment.id, action: 'REMOVE', ...REASONS },
      { commentId: comment.id, action: 'RESTORE' },
      { commentId: held.id, action: 'APPROVE' },
      { memberId: member.id, action: 'SUSPEND', ...REASONS },
      { memberId: member.id, action: 'UNSUSPEND' },
    ];
    for (const input of inputs) {
      const responses = await Promise.all(others.map((one) => decide(app.url, one, input)));
      const codes = responses.map(({ body }) => body?.code).sort();
      expect(codes, input.action).to.deep.equal(['1', 'ALREADY_DECIDED']);
    }
  });

  it('has no effect if the role or the session ends, or the moderator is suspended, while it waits', async () => {
    const comment = await reportedComment();
    const changes: [string, string][] = [
      ["update members set role = 'MEMBER' where id = :id", 'ROLE_MISSING'],
      ['delete from sessions where member_id = :id', 'UNAUTHENTICATED'],
      [
        `update members set suspended_since = now(), suspended_until = 'infinity', suspension_rule = 'A', suspension_statement = 'B' where id = :id`,
        'MEMBER_SUSPENDED',
      ],
    ];
    for (const [change, key] of changes) {
      const one = await buildWithRole(app, 'MODERATOR');
      const { status, body } = await interleave(app, {
        lock: `select from members where id = ${one.id} for update`,
        request: () => decide(app.url, one, { commentId: comment.id, action: 'DISMISS' }),
        change: change.replace(':id', String(one.id)),
      });
      expect([status >= 400, body?.code], change).to.deep.equal([true, key]);
    }
    expect(await queueOf(app.url, moderator)).to.have.length(1);
  });

  it('reads the role of the member concerned again, and waits for a withdrawal', async () => {
    const [member, admin] = [await buildMember(app.url), await buildWithRole(app, 'ADMIN')];
    const input = { memberId: member.id, action: 'SUSPEND', ...REASONS };
    const lock = `select from members where id = ${member.id} for update`;
    const request = (by = moderator) => decide(app.url, by, input);
    const change = `update members set role = 'ADMIN' where id = ${member.id}`;
    expect((await interleave(app, { lock, request, change })).body?.code).to.equal('ROLE_MISSING');
    await setRole(app, member.id, 'MEMBER');
    const withdrawal = `delete from members where id = ${member.id}`;
    expect((await interleave(app, { lock, request: () => request(admin), change: withdrawal })).body?.code).to.equal(
      'MEMBER_NOT_FOUND',
    );
    const comment = await buildComment(app.url, article.id);
    await buildReport(app.url, reporter, { commentId: comment.id });
    const { author } = comment;
    const gone = await interleave(app, {
      lock: `select from members where id = ${author.id} for update`,
      request: () => decide(app.url, moderator, { commentId: comment.id, action: 'DISMISS' }),
      change: `delete from members where id = ${author.id}`,
    });
    expect([gone.status, gone.body?.data.memberId]).to.deep.equal([201, null]);
  });

  it('leaves nothing that a withdrawal of the moderator or the member concerned deletes wrongly', async () => {
    const one = await buildWithRole(app, 'MODERATOR');
    const member = await buildMember(app.url);
    const { body } = await decide(app.url, one, { memberId: member.id, action: 'SUSPEND', ...REASONS });
    await expectStatus(
      call(app.url, 'DELETE /api/members/me', { token: one.token, json: { password: one.password } }),
      200,
      '1',
    );
    const found = () => rowsOf(app.database, `select moderator_id from decisions where id = ${body?.data.id}`);
    expect(await found()).to.deep.equal([{ moderator_id: null }]);
    await expectStatus(
      call(app.url, 'DELETE /api/members/me', { token: member.token, json: { password: member.password } }),
      200,
      '1',
    );
    expect(await found()).to.deep.equal([]);
  });

  it('is stored for a retry with the same Idempotency-Key', async () => {
    const comment = await reportedComment();
    const json = { commentId: comment.id, action: 'DISMISS' };
    const options = { token: moderator.token, json, headers: { 'Idempotency-Key': 'decide-once' } };
    const [first, second] = [
      await call(app.url, 'POST /api/moderation/decisions', options),
      await call(app.url, 'POST /api/moderation/decisions', options),
    ];
    expect([second.status, second.body]).to.deep.equal([201, first.body]);
  });

  it('is refused to a suspended moderator', async () => {
    const one = await buildWithRole(app, 'MODERATOR');
    await suspend(app, one.id);
    const input = { memberId: reporter.id, action: 'SUSPEND', ...REASONS };
    await expectStatus(decide(app.url, one, input), 403, 'MEMBER_SUSPENDED');
    for (const list of ['queue', 'decisions'])
      await expectStatus(call(app.url, `GET /api/moderation/${list}`, { token: one.token }), 403, 'MEMBER_SUSPENDED');
    for (const field of ['moderationQueue', 'moderationDecisions']) {
      const { errors } = await graphql(app.url, `{ ${field} { pagination { last } } }`, {}, one.token);
      expect(errors?.[0]?.extensions.code).to.equal('MEMBER_SUSPENDED');
    }
  });
});

describe('PUT /api/comments/{commentId}/approval by a moderator', () => {
  const decisionsOf = async ({ token }: BuiltMember) =>
    (await call(app.url, 'GET /api/members/me/decisions', { token })).body?.data.contents;

  it('is a decision with reasons in the language of the member, who can appeal', async () => {
    const [inEnglish, inKorean] = [
      await buildHeldComment(app.url, article.id),
      await buildHeldComment(app.url, article.id),
    ];
    await app.database.sequelize.query(`update members set language = 'ko' where id = ${inKorean.author.id}`);
    await expectStatus(setApproval(app.url, inEnglish.id, false, moderator), 200, '1');
    const mutation = 'mutation ($id: ID!) { setCommentApproval(id: $id, approved: false) { content } }';
    const { data } = await graphql(app.url, mutation, { id: inKorean.id }, moderator.token);
    expect(data.setCommentApproval.content).to.equal('(deleted)');
    for (const [{ author }, { approvalRule: rule, notApproved: statement }] of [
      [inEnglish, CATALOGS.en],
      [inKorean, CATALOGS.ko],
    ] as const) {
      const [decision, ...others] = await decisionsOf(author);
      expect(others).to.deep.equal([]);
      expect(decision).to.deep.include({ action: 'REMOVE', rule, statement, commentId: null });
      expect(await notifiedOf(app, decision.id)).to.deep.equal([author.id]);
      const appeal = { token: author.token, json: { text: 'Four links are not many.' } };
      await expectStatus(call(app.url, `POST /api/decisions/${decision.id}/appeal`, appeal), 201, '1');
    }
    expect((await eventsOf(moderator)).slice(0, 2)).to.deep.equal(Array(2).fill('DECISION_MADE with address'));
    await app.database.sequelize.query('truncate appeals');
  });

  it('notifies the reporters, closes the reports, and does not tell the member of an approval', async () => {
    for (const approved of [false, true]) {
      const comment = await reportedComment();
      const json = { content: MANY_LINKS };
      await call(app.url, `PATCH /api/comments/${comment.id}`, { token: comment.author.token, json });
      await expectStatus(setApproval(app.url, comment.id, approved, moderator), 200, '1');
      const [decision] = await rowsOf<{ id: string; action: string }>(
        app.database,
        'select id, action from decisions order by id desc limit 1',
      );
      expect(decision?.action).to.equal(approved ? 'APPROVE' : 'REMOVE');
      const concerned = approved ? [] : [comment.author.id];
      const notified = [reporter.id, ...concerned].sort((a, b) => a - b);
      expect(await notifiedOf(app, Number(decision?.id))).to.deep.equal(notified);
      expect(await queueOf(app.url, moderator)).to.deep.equal([]);
    }
  });

  it('is no decision on the own article', async () => {
    const own = await buildArticle(app.url, {}, moderator);
    const ofAuthor = await buildHeldComment(app.url, article.id);
    const ofModerator = await buildHeldComment(app.url, own.id);
    await expectStatus(setApproval(app.url, ofAuthor.id, false, article.author), 200, '1');
    await expectStatus(setApproval(app.url, ofModerator.id, false, moderator), 200, '1');
    for (const { author } of [ofAuthor, ofModerator]) expect(await decisionsOf(author)).to.deep.equal([]);
  });

  it('is made once, also beside a decision and the author of the article', async () => {
    const other = await buildWithRole(app, 'MODERATOR');
    for (let times = 0; times < 3; times++) {
      const held = await buildHeldComment(app.url, article.id);
      const responses = await Promise.all([
        setApproval(app.url, held.id, false, moderator),
        setApproval(app.url, held.id, false, article.author),
        decide(app.url, other, { commentId: held.id, action: 'REMOVE', ...REASONS }),
      ]);
      const codes = responses.map(({ body }) => body?.code).sort();
      expect(codes).to.deep.equal(['1', 'COMMENT_NOT_FOUND', 'COMMENT_NOT_FOUND']);
      const byAuthor = responses[1]?.status === 200;
      expect(await decisionsOf(held.author)).to.have.lengthOf(byAuthor ? 0 : 1);
    }
  });

  it('has no effect if the role is removed while it waits', async () => {
    const held = await buildHeldComment(app.url, article.id);
    const one = await buildWithRole(app, 'MODERATOR');
    const { status, body } = await interleave(app, {
      lock: `select from members where id = ${one.id} for update`,
      request: () => setApproval(app.url, held.id, false, one),
      change: `update members set role = 'MEMBER' where id = ${one.id}`,
    });
    expect([status, body?.code]).to.deep.equal([404, 'COMMENT_NOT_FOUND']);
    expect((await call(app.url, `GET /api/comments/${held.id}`, { token: held.author.token })).status).to.equal(200);
  });
});
