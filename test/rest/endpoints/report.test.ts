/** Reports by members, over both APIs. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectStatus, graphql } from '../../support/client.js';
import { buildHeldComment } from '../../support/held.js';
import { rowsOf } from '../../support/imported.js';
import { buildReport, decide, queueOf, report, type Target } from '../../support/moderation.js';
import { buildWithRole, suspend } from '../../support/roles.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();

const REPORT = `mutation ($input: ReportContentInput!) {
  reportContent(input: $input) { id articleId commentId memberId reason text createdAt }
}`;

describe('POST /api/reports', () => {
  let article: BuiltArticle;
  let reporter: BuiltMember;
  let moderator: BuiltMember;
  before(async () => {
    [article, reporter, moderator] = [
      await buildArticle(app.url),
      await buildMember(app.url),
      await buildWithRole(app, 'MODERATOR'),
    ];
  });
  beforeEach(async () => {
    await app.database.sequelize.query('truncate moderation_cases, held_comments cascade');
    reporter = await buildMember(app.url);
  });

  it('reports an article, a comment or a member, over both APIs', async () => {
    const comment = await buildComment(app.url, article.id);
    const targets: Target[] = [{ articleId: article.id }, { commentId: comment.id }, { memberId: article.author.id }];
    const none = { articleId: null, commentId: null, memberId: null };
    for (const target of targets) {
      const { status, body } = await report(app.url, reporter, target, { text: 'Look' });
      expect([status, body?.message]).to.deep.equal([201, 'Reported to the moderators.']);
      expect(body?.data).to.deep.include({ ...none, ...target, reason: 'SPAM', text: 'Look' });
      expect(body?.data.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
      const other = await buildMember(app.url);
      const { data } = await graphql(app.url, REPORT, { input: { ...target, reason: 'ILLEGAL' } }, other.token);
      expect(data.reportContent).to.deep.include({ reason: 'ILLEGAL', text: '' });
    }
    expect((await queueOf(app.url, moderator)).map(({ reportCount }) => reportCount)).to.deep.equal([2, 2, 2]);
  });

  it('requires exactly one target, a reason, and at most 1,000 characters', async () => {
    const both = { articleId: article.id, memberId: article.author.id };
    const bodies: [object, string[]][] = [
      [{ reason: 'SPAM' }, ['articleId', 'commentId', 'memberId']],
      [{ ...both, reason: 'SPAM' }, ['articleId', 'memberId']],
      [{ articleId: 0, reason: 'SPAM' }, ['articleId']],
      [{ articleId: article.id }, ['reason']],
      [{ articleId: article.id, reason: 'DULL' }, ['reason']],
      [{ articleId: article.id, reason: 'SPAM', text: 'x'.repeat(1_001) }, ['text']],
      [{ articleId: article.id, reason: 'SPAM', note: '' }, ['note']],
    ];
    for (const [json, fields] of bodies) {
      const { status, body } = await call(app.url, 'POST /api/reports', { token: reporter.token, json });
      const invalid = body?.data.errors?.map(({ field }: { field: string }) => field);
      expect([status, invalid], JSON.stringify(json)).to.deep.equal([400, fields]);
    }
    const { errors } = await graphql(app.url, REPORT, { input: { ...both, reason: 'SPAM' } }, reporter.token);
    expect(errors?.[0]?.extensions.code).to.equal('VALIDATION_FAILED');
    expect(await queueOf(app.url, moderator)).to.deep.equal([]);
  });

  it('is 400 for oneself and for own content', async () => {
    const own = await buildArticle(app.url, {}, reporter);
    const comment = await buildComment(app.url, article.id, {}, reporter);
    for (const target of [{ memberId: reporter.id }, { articleId: own.id }, { commentId: comment.id }]) {
      await expectStatus(report(app.url, reporter, target), 400, 'VALIDATION_FAILED');
    }
    expect(await queueOf(app.url, moderator)).to.deep.equal([]);
  });

  it('is 404 for what the reporter does not see: unknown, private, deleted and held', async () => {
    const hidden = await buildArticle(app.url);
    const onHidden = await buildComment(app.url, hidden.id);
    await setPrivate(app.url, hidden, true);
    const deleted = await buildComment(app.url, article.id);
    await buildComment(app.url, article.id, { parentCommentId: deleted.id });
    await expectStatus(call(app.url, `DELETE /api/comments/${deleted.id}`, { token: deleted.author.token }), 200, '1');
    const held = await buildHeldComment(app.url, article.id);
    const unseen: [Target, string][] = [
      [{ articleId: 999_999 }, 'ARTICLE_NOT_FOUND'],
      [{ articleId: 2 ** 60 }, 'ARTICLE_NOT_FOUND'],
      [{ articleId: hidden.id }, 'ARTICLE_NOT_FOUND'],
      [{ commentId: 999_999 }, 'COMMENT_NOT_FOUND'],
      [{ commentId: onHidden.id }, 'COMMENT_NOT_FOUND'],
      [{ commentId: deleted.id }, 'COMMENT_NOT_FOUND'],
      [{ commentId: held.id }, 'COMMENT_NOT_FOUND'],
      [{ memberId: 999_999 }, 'MEMBER_NOT_FOUND'],
    ];
    for (const [target, key] of unseen) await expectStatus(report(app.url, reporter, target), 404, key);
    await expectStatus(report(app.url, hidden.author, { commentId: onHidden.id }), 201, '1');
  });

  it('is 409 for the same target, also at the same time, and after the decision until it changes', async () => {
    const comment = await buildComment(app.url, article.id);
    const target = { commentId: comment.id };
    const both = await Promise.all([report(app.url, reporter, target), report(app.url, reporter, target)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    await expectStatus(report(app.url, reporter, target, { reason: 'ABUSE' }), 409, 'ALREADY_REPORTED');
    await expectStatus(decide(app.url, moderator, { ...target, action: 'DISMISS' }), 201, '1');
    await expectStatus(report(app.url, reporter, target), 409, 'ALREADY_REPORTED');
    expect(await queueOf(app.url, moderator)).to.deep.equal([]);
    const json = { content: 'Buy this now' };
    await expectStatus(
      call(app.url, `PATCH /api/comments/${comment.id}`, { token: comment.author.token, json }),
      200,
      '1',
    );
    await expectStatus(report(app.url, reporter, target, { reason: 'ABUSE' }), 201, '1');
    await expectStatus(report(app.url, reporter, target), 409, 'ALREADY_REPORTED');
    await expectStatus(decide(app.url, moderator, { ...target, action: 'DISMISS' }), 201, '1');
    await app.database.sequelize.query(`update reports set created_at = now() - interval '31 days'`);
    await expectStatus(report(app.url, reporter, target), 201, '1');
    expect((await rowsOf(app.database, 'select from reports')).length).to.equal(1);
  });

  it('counts 20 reports a day, and no request that reports nothing', async () => {
    const members = await Promise.all(Array.from({ length: 21 }, () => buildMember(app.url)));
    await expectStatus(report(app.url, reporter, { articleId: 999_999 }), 404, 'ARTICLE_NOT_FOUND');
    for (const { id } of members.slice(0, 20)) await buildReport(app.url, reporter, { memberId: id });
    const { id } = members[20] as BuiltMember;
    const { status, body, headers } = await report(app.url, reporter, { memberId: id });
    expect([status, body?.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect(Number(headers.get('Retry-After'))).to.be.above(3_600);
    const input = { memberId: id, reason: 'SPAM' };
    const { errors } = await graphql(app.url, REPORT, { input }, reporter.token);
    expect(errors?.[0]?.extensions.code).to.equal('RATE_LIMITED');
  }).timeout(30_000);

  it('is 403 for suspended members', async () => {
    await suspend(app, reporter.id);
    await expectStatus(report(app.url, reporter, { articleId: article.id }), 403, 'MEMBER_SUSPENDED');
  });

  it('changes nothing of what was reported, however many members report it, and is one entry of the queue', async () => {
    const comment = await buildComment(app.url, article.id);
    const before = await call(app.url, `GET /api/articles/${article.id}/comments`);
    await app.database.sequelize.query(`insert into members (email, member_name, nickname)
      select 'false' || n || '@example.org', 'False', 'false reporter ' || n from generate_series(1, 100) n`);
    await buildReport(app.url, reporter, { commentId: comment.id }, { text: 'The first' });
    await app.database.sequelize.query(`insert into reports (case_id, reporter_id, reason, text)
      select (select max(id) from moderation_cases), id, 'ABUSE', nickname from members where nickname like 'false reporter %' order by id`);
    const after = await call(app.url, `GET /api/articles/${article.id}/comments`);
    expect([after.headers.get('ETag'), after.body]).to.deep.equal([before.headers.get('ETag'), before.body]);
    const [entry, ...others] = await queueOf(app.url, moderator);
    expect([entry?.reportCount, others]).to.deep.equal([101, []]);
    const shown = entry?.reports as { text: string }[];
    expect([shown.length, shown[0]?.text]).to.deep.equal([20, 'false reporter 100']);
    const { body } = await decide(app.url, moderator, { commentId: comment.id, action: 'DISMISS' });
    const notified = `select from notifications where decision_id = ${body?.data.id}`;
    expect(await rowsOf(app.database, notified)).to.have.length(101);
  });
});
