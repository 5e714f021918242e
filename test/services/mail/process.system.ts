/** Emails of the service as a separate process: STARTTLS, and the end of the process while the SMTP server hangs. */
import { expect } from 'chai';
import { JWT_SECRET } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { freshDatabase } from '../../support/database.js';
import { makeFolder } from '../../support/folder.js';
import { startProcess } from '../../support/process.js';
import { CERTIFICATE_FILE, startSmtp } from '../../support/smtp.js';
import { until } from '../../support/until.js';

describe('The service with an SMTP server', function () {
  this.timeout(120_000);

  it('sends by STARTTLS, ends while the server hangs, and sends the same email after its next start', async () => {
    const smtp = await startSmtp({ withTls: true });
    const environment = {
      ...{
        HOST: '127.0.0.1',
        DATABASE_URL: await freshDatabase('daybook_mail'),
        DATA_DIR: await makeFolder(),
        JWT_SECRET,
      },
      ...{ ...smtp.environment, SMTP_URL: smtp.urlWithLogin, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE },
    };
    const start = async () => {
      const service = await startProcess(environment);
      await service.waitForOutput('Daybook is ready.');
      return service;
    };
    const first = await start();
    const { token, password } = await buildMember(first.url);
    const change = async (from: string, to: string) => {
      const json = { currentPassword: from, password: to };
      expect((await call(first.url, 'PATCH /api/members/me', { token, json })).status).to.equal(204);
    };
    await change(password, 'a second long password');
    await until(() => smtp.messages.length === 1);
    expect(smtp.messages[0]?.isEncrypted).to.equal(true);

    smtp.setBehaviors({ at: 'recipient', reply: 'hang' });
    await change('a second long password', 'a third long password');
    await until(() => smtp.connections() === 1);
    first.child.kill('SIGTERM');
    expect(await first.ended).to.equal(0);
    expect(first.output.stdout + first.output.stderr).not.to.include('not stopped cleanly');

    smtp.setBehaviors('accept');
    const second = await start();
    await until(() => smtp.messages.length === 1);
    second.child.kill('SIGTERM');
    expect(await second.ended).to.equal(0);
    await smtp.close();
  });
});
