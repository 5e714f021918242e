/** `daybook doctor` and the SMTP server: connection, encryption and login. */
import { expect } from 'chai';
import type { Finding } from '../../../src/cli/doctor/finding.js';
import { runDaybook } from '../../support/cli.js';
import { makeFolder } from '../../support/folder.js';
import { freePort } from '../../support/server.js';
import { LOGIN, type SmtpServer, startSmtp } from '../../support/smtp.js';

describe('daybook doctor, for email', function () {
  this.timeout(120_000);

  let plain: SmtpServer;
  let encrypted: SmtpServer;
  let environment: Record<string, string>;
  before(async () => {
    [plain, encrypted] = await Promise.all([startSmtp(), startSmtp({ withTls: true })]);
    environment = { DATA_DIR: await makeFolder(), PORT: '0', MAIL_FROM: 'no-reply@daybook.example' };
  });
  after(() => Promise.all([plain.close(), encrypted.close()]));

  async function examine(SMTP_URL: string): Promise<Finding | undefined> {
    const { stdout } = await runDaybook(['doctor', '--json'], { ...environment, SMTP_URL });
    expect(stdout).not.to.include(LOGIN.password).and.not.include(encodeURIComponent(LOGIN.password));
    return (JSON.parse(stdout).findings as Finding[]).find(({ about }) => about === 'Email');
  }

  it('reports a server that is not configured as a note', async () => {
    expect(await examine('')).to.deep.include({ health: 'note' });
  });

  it('confirms a server without encryption on this machine', async () => {
    const url = `smtp://127.0.0.1:${plain.port}`;
    const message = `127.0.0.1:${plain.port} responds, without encryption and without a login.`;
    expect(await examine(url)).to.deep.equal({ about: 'Email', health: 'ok', message });
    expect(plain.messages).to.deep.equal([]);
  });

  const FAILURES: [name: string, url: () => string | Promise<string>, message: RegExp, advice: RegExp][] = [
    ['a closed port', async () => `smtp://127.0.0.1:${await freePort()}`, /ECONNREFUSED/, /host and the port/],
    ['a certificate that is not trusted', () => encrypted.urlWithLogin, /certificate/, /certificate is valid/],
    ['a missing STARTTLS', () => `smtp://127.0.0.1:${plain.port}?tls=required`, /ETLS/, /offers STARTTLS/],
    ['a wrong password', () => `smtp://user:wrong@127.0.0.1:${plain.port}`, /EAUTH/, /user and the password/],
  ];
  for (const [name, url, message, advice] of FAILURES) {
    it(`reports ${name}`, async () => {
      const finding = await examine(await url());
      expect(finding).to.include({ health: 'failure' });
      expect(finding?.message).to.match(message);
      expect(finding?.advice).to.match(advice);
    });
  }

  it('reports a server that does not respond, after a bounded time', async () => {
    plain.setBehaviors({ at: 'greeting', reply: 'hang' });
    expect((await examine(`smtp://127.0.0.1:${plain.port}`))?.message).to.match(/ETIMEDOUT/);
    plain.setBehaviors('accept');
  });
});
