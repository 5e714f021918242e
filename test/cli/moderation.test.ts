/** `daybook moderation`: the queue and decisions of the operator. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';
import { runDaybook } from '../support/cli.js';
import { call, expectStatus } from '../support/client.js';
import { makeFolder } from '../support/folder.js';
import { buildHeldComment, MANY_LINKS } from '../support/held.js';
import { rowsOf } from '../support/imported.js';
import { runJobs } from '../support/jobs.js';
import { buildReport, notifiedOf } from '../support/moderation.js';
import { setRole } from '../support/roles.js';

describe('daybook moderation', function () {
  this.timeout(60_000);
  const app = useApp();
  let dataDir: string;
  before(async () => {
    dataDir = await makeFolder();
  });

  async function run(...args: string[]): Promise<[code: number | string, text: string]> {
    const env = { DATABASE_URL: app.database.url, DATA_DIR: dataDir };
    const { code, stdout, stderr } = await runDaybook(['moderation', ...args], env);
    expect(stdout === '' || stderr === '', args.join(' ')).to.equal(true);
    return [code, stdout || stderr];
  }

  it('lists the queue, and decides on members with any role, without a member as moderator', async () => {
    const article = await buildArticle(app.url);
    const reporter = await buildMember(app.url);
    const comment = await buildComment(app.url, article.id, { content: 'Buy this' });
    await setRole(app, comment.author.id, 'ADMIN');
    await buildReport(app.url, reporter, { commentId: comment.id });
    const held = await buildHeldComment(app.url, article.id);
    const [, listed] = await run('list');
    const [first = '', second = ''] = listed.split('\n');
    expect(first).to.match(/^\S+Z {2}REPORT {2}comment 1 {2}/);
    expect(first).to.include(`${comment.author.nickname}  1 report  "Buy this"`);
    expect(second).to.include(`HELD  comment ${held.id}  ${held.author.nickname}  "https://a.test`);
    const [, json] = await run('list', '--json', '--limit', '1');
    expect(JSON.parse(json)).to.deep.include({ kind: 'REPORT', reportCount: 1, memberId: comment.author.id });
    const target = ['--comment', String(comment.id)];
    expect(await run('decide', 'DISMISS', ...target)).to.deep.equal([1, 'Decide DISMISS: confirm it with --yes.\n']);
    expect(await run('decide', 'DISMISS', ...target, '--note', 'Fine', '-y')).to.deep.equal([
      0,
      'Decided DISMISS (decision 1).\n',
    ]);
    expect(await notifiedOf(app, 1)).to.deep.equal([reporter.id]);
    const [decision] = await rowsOf(app.database, 'select moderator_id, note from decisions where id = 1');
    expect(decision).to.deep.equal({ moderator_id: null, note: 'Fine' });
    expect(await run('decide', 'DISMISS', ...target, '-y')).to.deep.equal([1, 'It does not wait for a decision.\n']);
    const reasons = ['--rule', 'No links', '--statement', 'Four of them.'];
    const [code] = await run('decide', 'REMOVE', '--comment', String(held.id), ...reasons, '-y');
    expect(code).to.equal(0);
    await expectStatus(
      call(app.url, `GET /api/comments/${held.id}`, { token: held.author.token }),
      404,
      'COMMENT_NOT_FOUND',
    );
    expect(
      await rowsOf(app.database, 'select content, is_spam, decided_by from spam_labels order by id'),
    ).to.deep.equal([
      { content: 'Buy this', is_spam: false, decided_by: null },
      { content: held.content, is_spam: true, decided_by: null },
    ]);
    await runJobs(app);
    expect(await rowsOf(app.database, 'select spam, other from spam_model')).to.deep.equal([{ spam: 1, other: 1 }]);
    expect(await rowsOf(app.database, 'select from spam_labels')).to.deep.equal([]);
    expect(await run('list')).to.deep.equal([0, 'Nothing waits for a decision.\n']);
  });

  it('escapes what would control the terminal', async () => {
    const article = await buildArticle(app.url);
    const { id } = await buildHeldComment(app.url, article.id, { content: `${MANY_LINKS} \u009b2J\u202e\u001b[2J` });
    const [, json] = await run('list', '--json');
    expect(json).to.not.match(/(?!\n)[\p{Cc}\u202e]/u);
    expect(JSON.parse(json).excerpt).to.equal(`${MANY_LINKS} \u009b2J\u202e\u001b[2J`);
    expect((await run('list'))[1]).to.include('\\u009b2J\\u202e\\u001b');
    const reasons = ['--rule', 'No links', '--statement', 'Four of them.'];
    expect((await run('decide', 'REMOVE', '--comment', String(id), ...reasons, '-y'))[0]).to.equal(0);
  });

  it('rejects what is not possible, with one line', async () => {
    const wrong: [number, string[], string][] = [
      [1, ['DISMISS'], 'Give one of --article, --comment, --member and --appeal.'],
      [1, ['DISMISS', '--member', '1', '--comment', '1'], 'Give one of --article, --comment, --member and --appeal.'],
      [1, ['SUSPEND', '--comment', '1'], 'For this target, the action can be DISMISS, APPROVE, REMOVE, RESTORE.'],
      [1, ['SUSPEND', '--member', '1', '--rule', 'x'], 'SUSPEND needs --rule and --statement.'],
      [1, ['UNSUSPEND', '--member', '1', '--until', '2099-01-01'], '--until is for SUSPEND only.'],
      [1, ['DISMISS', '--member', '999999', '-y'], 'The member does not exist.'],
      [2, ['BAN', '--member', '1'], "Command-argument value 'BAN' is invalid"],
      [2, ['DISMISS', '--member', 'mina'], "Option '--member <id>' argument 'mina' is invalid"],
    ];
    for (const [code, args, message] of wrong) {
      const [got, text] = await run('decide', ...args);
      expect([got, text.split('\n')[0]?.slice(0, message.length)], args.join(' ')).to.deep.equal([code, message]);
    }
  });

  it('decides on appeals, and reports an action that does not answer one', async () => {
    const { id: memberId, token } = await buildMember(app.url);
    const suspended = await run(
      'decide',
      'SUSPEND',
      '--member',
      String(memberId),
      '--rule',
      'x',
      '--statement',
      'y',
      '--yes',
    );
    const [, id = ''] = /decision (\d+)/.exec(suspended[1]) ?? [];
    const appeal = { token, json: { text: 'These are my own links.' } };
    await expectStatus(call(app.url, `POST /api/decisions/${id}/appeal`, appeal), 201, '1');
    const wrong = await run('decide', 'RESTORE', '--appeal', id, '--yes');
    expect(wrong).to.deep.equal([1, 'action must be UPHOLD or UNSUSPEND for this target, got RESTORE.\n']);
    const both = await run('decide', 'UPHOLD', '--appeal', id, '--member', String(memberId), '--yes');
    expect(both).to.deep.equal([1, 'Give one of --article, --comment, --member and --appeal.\n']);
    expect((await run('decide', 'UNSUSPEND', '--appeal', id, '--yes'))[1]).to.match(/^Decided UNSUSPEND/);
    expect((await run('decide', 'UPHOLD', '--appeal', id, '--yes'))[0]).to.equal(1);
    expect((await call(app.url, 'GET /api/members/me', { token })).body?.data.suspension).to.equal(null);
  });
});
