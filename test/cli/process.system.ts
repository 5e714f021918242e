/** Commands as processes: their exit codes, standard streams and certificates. Their other tests run them in the process of the tests. */
import { join } from 'node:path';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { ROOT, startDaybook, withoutProgress } from '../support/cli.js';
import { type BuiltJournal, buildJournal, recordsOf, unzip } from '../support/exported.js';
import { makeFolder } from '../support/folder.js';
import { CERTIFICATE_FILE, startSmtp } from '../support/smtp.js';

const MAIN = join(ROOT, 'dist/src/cli/main.js');

describe('A process of daybook', function () {
  this.timeout(120_000);

  const app = useApp();
  let journal: BuiltJournal;
  before(async () => {
    journal = await buildJournal(app);
  });

  const environment = () => ({ DATABASE_URL: app.database.url, DATA_DIR: app.dataDir });
  /** @param script of a shell, with the command as `"$0" "$@"` */
  const inShell = (script: string, ...args: string[]) =>
    startDaybook([MAIN, ...args], environment(), { program: ['/bin/sh', '-c', script, process.execPath] }).result;

  it('runs a command for operators', async () => {
    const { email } = journal.mina;
    const commands = [['invite'], ['member', 'show', email], ['article', 'delete', '9'], ['comment', 'hide', '9']];
    const own = { ...environment(), REGISTRATION: 'invite' };
    const results = await Promise.all(commands.map((args) => startDaybook(args, own).result));
    expect(results.map(({ code, stderr }) => [code, stderr])).to.deep.equal([
      [0, ''],
      [0, ''],
      [1, 'No article has the ID 9.\n'],
      [1, 'No comment has the ID 9.\n'],
    ]);
    expect(results.map(({ stdout }) => stdout.split('\n').length > 1)).to.deep.equal([true, true, false, false]);
  });

  it('writes the archive of a member to standard output when that is redirected to a file', async () => {
    const path = join(await makeFolder(), 'piped.zip');
    const { stderr } = await inShell(`"$0" "$@" > ${path}`, 'export', '--member', String(journal.theo.id));
    expect(withoutProgress(stderr)).to.equal('');
    expect((await unzip(path)).get('comments.json')?.toString()).to.contain('It blinks.');
  });

  it('exits with 0 and no message when the reader of an export closes the pipe', async () => {
    const reading = (reader: string, ...args: string[]) =>
      inShell(`{ "$0" "$@"; echo "code $?" >&2; } | ${reader}`, 'export', ...args);
    const ofMember = await reading('head -c 1', '--member', String(journal.theo.id));
    expect([ofMember.stdout, ofMember.stderr]).to.deep.equal(['P', 'code 0\n']);
    const { stdout, stderr } = await reading('head -n 1');
    expect(recordsOf(stdout)).to.have.length(1);
    expect(stderr).to.equal('code 0\n');
  });

  it('exits with 2 for invalid arguments', async () => {
    expect(await startDaybook(['imprt']).result).to.include({ code: 2, stdout: '' });
  });

  it('confirms STARTTLS and the login of an SMTP server, with a certificate of NODE_EXTRA_CA_CERTS', async () => {
    const smtp = await startSmtp({ withTls: true });
    const mail = { SMTP_URL: smtp.urlWithLogin, MAIL_FROM: 'no-reply@daybook.example', PORT: '0' };
    const own = { DATA_DIR: await makeFolder(), ...mail, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE };
    const { stdout } = await startDaybook(['doctor'], own).result;
    expect(stdout).to.include(`127.0.0.1:${smtp.port} responds, with TLS and with a login.`);
    await smtp.close();
  });
});
