/** The email about a decision of a moderator: to the member concerned only, whatever the settings of notifications. */
import { expect } from 'chai';
import { CATALOGS } from '../../../src/platform/messages/message.js';
import { createUnsubscribeToken } from '../../../src/services/auth/unsubscribe-token.js';
import { JWT_SECRET, useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildComment } from '../../support/build.js';
import { runDaybook } from '../../support/cli.js';
import { buildDecision, buildReport, NOTE } from '../../support/decisions.js';
import { buildHeldComment, edit, MANY_LINKS } from '../../support/held.js';
import { addJobs } from '../../support/jobs.js';
import { buildRecipient, sendMails, waitingMails } from '../../support/mails.js';
import { decide } from '../../support/moderation.js';
import { buildWithRole, RULE, STATEMENT } from '../../support/roles.js';
import { startSmtp } from '../../support/smtp.js';

const smtp = await startSmtp();
after(() => smtp.close());

describe('The email about a decision', () => {
  const app = useApp({ ...smtp.environment, SITE_URL: 'https://journal.example.org' });
  let member: BuiltMember;
  let reporter: BuiltMember;
  beforeEach(async () => {
    member = await buildRecipient(app);
    reporter = await buildRecipient(app);
    smtp.setBehaviors('accept');
  });

  const received = async () => {
    await sendMails(app);
    expect(await waitingMails(app)).to.deep.equal([]);
    return smtp.messages;
  };

  it('notifies only the member concerned of what was decided, why, by whom, and how to appeal', async () => {
    const { id: articleId } = await buildArticle(app.url, { title: 'Owls' });
    const { id: commentId } = await buildComment(app.url, articleId, {}, member);
    const moderator = await buildWithRole(app, 'MODERATOR');
    await sendMails(app);
    smtp.setBehaviors('accept');
    const reports = await buildReport(app, { commentId }, reporter.id);
    const about = { action: 'REMOVE', commentId, moderatorId: moderator.id, reports } as const;
    const id = await buildDecision(app, { memberId: member.id, ...about });
    const [mail, ...others] = await received();
    expect(others).to.deep.equal([]);
    expect(mail?.to).to.deep.equal([member.email]);
    expect(mail?.headers.get('subject')).to.equal('Your comment on “Owls” was removed.');
    for (const part of [
      `Rule: ${RULE}\nReason: ${STATEMENT}`,
      'A person made this decision, and not a program.',
      /You can appeal once, until \d{4}-\d\d-\d\d \d\d:\d\d \(UTC\): log in, and open decision (\d+)\./,
      'You can also go to court',
      'Open the website:\nhttps://journal.example.org\n',
    ])
      expect(mail?.text).to.match(typeof part === 'string' ? new RegExp(part.replaceAll('.', '\\.')) : part);
    expect(mail?.text).to.include(`open decision ${id}.`);
    const whole = `${mail?.raw} ${mail?.text} ${mail?.html}`;
    for (const secret of [NOTE, moderator.nickname, reporter.nickname, 'Look at this'])
      expect(whole).to.not.include(secret);
  });

  it('has the title of the article of a held comment that is deleted, in both languages', async () => {
    const { id: articleId } = await buildArticle(app.url, { title: 'Owls' });
    const moderator = await buildWithRole(app, 'MODERATOR');
    const [first, second] = [await buildHeldComment(app.url, articleId, {}, member), await buildRecipient(app)];
    // One with a reply, which keeps its place.
    const again = await buildComment(app.url, articleId, {}, second);
    await buildComment(app.url, articleId, { parentCommentId: again.id });
    expect((await edit(app.url, again, MANY_LINKS)).body?.data.held).to.equal(true);
    await app.database.sequelize.query(`update members set language = 'ko' where id = ${second.id}`);
    await sendMails(app);
    smtp.setBehaviors('accept');
    for (const { id } of [first, again]) {
      const removal = { commentId: id, action: 'REMOVE', rule: RULE, statement: STATEMENT };
      expect((await decide(app.url, moderator, removal)).status).to.equal(201);
    }
    const mails = await received();
    expect(mails.map(({ to, headers }) => [to[0], headers.get('subject')])).to.have.deep.members([
      [member.email, CATALOGS.en.contentRemoved('COMMENT', 'Owls')],
      [second.email, CATALOGS.ko.contentRemoved('COMMENT', 'Owls')],
    ]);
  });

  it('has the end of a suspension, and no appeal where none is possible', async () => {
    await buildDecision(app, { memberId: member.id, until: '2099-12-31T06:30:00Z' });
    await buildDecision(app, { memberId: member.id });
    await buildDecision(app, { memberId: member.id, action: 'UNSUSPEND', rule: '', statement: '' });
    const texts = (await received()).map(({ text }) => text);
    expect(texts[0]).to.include('Until: 2099-12-31 06:30 (UTC)\nRule:').and.include('You can appeal');
    expect(texts[1]).to.include('Until: without end\nRule:').and.include('You can appeal');
    expect(texts[2]).to.match(/^The suspension of your account was ended\.\n\nA person made this decision/);
    expect(texts[2]).to.not.include('appeal').and.not.include('Rule:');
  });

  it('is sent whatever was switched off, at once and not in a digest, without a way to unsubscribe', async () => {
    const url = `${app.url}/account/unsubscribe?token=${createUnsubscribeToken(JWT_SECRET, member.id)}`;
    expect((await fetch(url, { method: 'POST' })).status).to.equal(200);
    await app.database.sequelize.query(`insert into notification_settings (member_id, type, enabled, email)
      select ${member.id}, type, false, 'OFF' from unnest(array['COMMENT', 'REPLY', 'LIKE', 'FOLLOW', 'MENTION', 'SUMMARY']) type`);
    await buildDecision(app, { memberId: member.id });
    const [mail, ...others] = await received();
    expect(others).to.deep.equal([]);
    expect(mail?.headers.has('list-unsubscribe')).to.equal(false);
    expect(mail?.text).to.not.include('unsubscribe').and.not.include('Unsubscribe');
    await addJobs(app.database, 'mail-digests', [{}]);
    expect(await received()).to.have.lengthOf(1);
  });

  it('is sent for the decision of an operator, too', async () => {
    const reasons = ['--rule', RULE, '--statement', STATEMENT, '--yes'];
    const env = { ...smtp.environment, DATABASE_URL: app.database.url, DATA_DIR: app.dataDir };
    const { code } = await runDaybook(['member', 'suspend', String(member.id), ...reasons], env);
    expect(code).to.equal(0);
    const [mail] = await received();
    expect(mail?.headers.get('subject')).to.equal(CATALOGS.en.suspended);
  });

  it('is not sent for decisions that the member concerned is not told of, or without an address', async () => {
    await buildDecision(app, { memberId: member.id, action: 'DISMISS' });
    await buildDecision(app, { memberId: null, action: 'REMOVE' });
    await app.database.sequelize.query(
      `update members set email = null, password_hash = null, email_verified_at = null where id = ${member.id}`,
    );
    await buildDecision(app, { memberId: member.id });
    expect(await received()).to.deep.equal([]);
  });

  it('has the statement as a whole in one paragraph, in the language of the member', async () => {
    await app.database.sequelize.query(`update members set language = 'ko' where id = ${member.id}`);
    await buildDecision(app, { memberId: member.id, statement: `${'부엉이'.repeat(330)}\n<b>`, rule: 'x'.repeat(200) });
    const [mail] = await received();
    expect(mail?.headers.get('subject')).to.equal(CATALOGS.ko.suspended);
    expect(mail?.text)
      .to.include(`${'부엉이'.repeat(330)} <b>`)
      .and.include('x'.repeat(200));
    expect(mail?.html).to.include('&lt;b&gt;').and.not.include('<b>');
  });
});
