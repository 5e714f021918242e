/** `daybook member role`, `suspend` and `unsuspend`. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { type CliResult, runDaybook } from '../../support/cli.js';
import { call } from '../../support/client.js';
import { makeFolder } from '../../support/folder.js';

describe('The commands for roles and suspensions', function () {
  this.timeout(60_000);

  const app = useApp();
  let mina: BuiltMember;
  let dataDir: string;
  before(async () => {
    dataDir = await makeFolder();
    mina = await buildMember(app.url, { nickname: 'mina' });
  });

  const run = (...args: string[]): Promise<CliResult> =>
    runDaybook(['member', ...args], { DATABASE_URL: app.database.url, DATA_DIR: dataDir });

  async function succeed(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stderr], args.join(' ')).to.deep.equal([0, '']);
    return stdout;
  }

  /** @returns the first line of the message */
  async function fail(code: number, ...args: string[]): Promise<string> {
    const result = await run(...args);
    expect([result.code, result.stdout], args.join(' ')).to.deep.equal([code, '']);
    return result.stderr.split('\n')[0] ?? '';
  }

  const account = async () => (await call(app.url, 'GET /api/members/me', { token: mina.token })).body?.data;

  it('make the first admin, who keeps the role', async () => {
    expect(await fail(1, 'role', mina.email, 'ADMIN')).to.equal(
      `Change the role of mina (member ${mina.id}) from MEMBER to ADMIN: confirm it with --yes.`,
    );
    expect(await succeed('role', mina.email, 'ADMIN', '--yes')).to.equal(
      `mina (member ${mina.id}) now has the role ADMIN.\n`,
    );
    expect((await account()).role).to.equal('ADMIN');
    expect(await fail(1, 'role', String(mina.id), 'ADMIN', '-y')).to.include('already has the role ADMIN.');
    expect(await fail(1, 'role', mina.email, 'MEMBER', '-y')).to.equal(
      'The last admin keeps the role: make another member an admin first.',
    );
    expect(await fail(2, 'role', mina.email, 'OWNER')).to.include('Allowed choices are MEMBER, MODERATOR, ADMIN.');
    expect(await fail(1, 'role', 'nobody@example.org', 'ADMIN')).to.equal(
      'No member has the email "nobody@example.org".',
    );
  });

  const reason = ['--rule', 'No advertising', '--statement', 'Twenty links.'];

  it('suspend a member until a time, or without end, and end a suspension', async () => {
    const until = ['--until', '2099-01-31'];
    expect(await succeed('suspend', mina.email, ...until, ...reason, '--yes')).to.equal(
      `Suspended mina (member ${mina.id}) until 2099-01-31T00:00:00.000Z.\n`,
    );
    expect((await account()).suspension).to.deep.include({
      until: '2099-01-31T00:00:00',
      rule: 'No advertising',
      statement: 'Twenty links.',
    });
    const shown = await succeed('show', mina.email);
    expect(shown).to.match(
      /Role +ADMIN\n.*\nSuspended +since .* until 2099-01-31T00:00:00.000Z\nRule +No advertising\n/,
    );
    expect(shown).to.match(/MEMBER_SUSPENDED +npx daybook member suspend\n/);
    expect(await succeed('list')).to.match(/ {2}admin {2}suspended\n/);
    await succeed('suspend', mina.email, ...reason, '--yes');
    expect((await account()).suspension.until).to.equal(null);
    expect(await succeed('unsuspend', mina.email, '--yes')).to.equal(
      `Ended the suspension of mina (member ${mina.id}).\n`,
    );
    expect((await account()).suspension).to.equal(null);
    expect(await fail(1, 'unsuspend', mina.email, '--yes')).to.equal(`mina (member ${mina.id}) is not suspended.`);
  });

  it('reject other times and texts', async () => {
    for (const until of ['2020-01-01', 'tomorrow', '2099-02-30']) {
      expect(await fail(1, 'suspend', mina.email, '--until', until, ...reason, '-y')).to.include('future time');
    }
    expect(await fail(2, 'suspend', mina.email, '--rule', 'A rule', '-y')).to.include('--statement');
    expect(await fail(2, 'suspend', mina.email, '--rule', ' ', '--statement', 'x', '-y')).to.include('1 to 200');
    expect(await fail(2, 'suspend', mina.email, '--rule', 'x', '--statement', 'x'.repeat(1_001))).to.include(
      '1 to 1000',
    );
    expect((await account()).suspension).to.equal(null);
  });
});
