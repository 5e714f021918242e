/** Sending of emails by the job, over a real SMTP connection: replies, timeouts, retries and languages. */
import { expect } from 'chai';
import { AppError } from '../../../src/platform/errors.js';
import { requireMail } from '../../../src/services/mail/enqueue.js';
import { useApp } from '../../support/app.js';
import { call } from '../../support/client.js';
import { waitingJobs } from '../../support/jobs.js';
import { buildRecipient, sendMails, waitingMails } from '../../support/mails.js';
import { startSmtp } from '../../support/smtp.js';
import { statementsDuring } from '../../support/statements.js';

const smtp = await startSmtp();
after(() => smtp.close());

describe('The email of a changed password', () => {
  const app = useApp(smtp.environment);
  beforeEach(() => smtp.setBehaviors('accept'));

  it('is sent to the member as text and HTML, after the change', async () => {
    const { email, password, token } = await buildRecipient(app);
    const headers = { 'user-agent': 'Browser <b>7</b>' };
    const json = { currentPassword: password, password: 'another long password' };
    expect((await call(app.url, 'PATCH /api/members/me', { token, json, headers })).status).to.equal(204);
    expect(smtp.messages).to.deep.equal([]);
    await sendMails(app);
    expect(await waitingJobs(app)).to.deep.equal([]);
    expect(await waitingMails(app)).to.deep.equal([]);
    const [mail] = smtp.messages;
    expect(mail).to.deep.include({ from: 'no-reply@daybook.example', to: [email] });
    expect(Object.fromEntries(mail?.headers ?? [])).to.include({
      from: 'Daybook <no-reply@daybook.example>',
      to: email,
      subject: 'Your password was changed',
      'auto-submitted': 'auto-generated',
    });
    expect(mail?.headers.get('message-id')).to.match(/^<[\da-f-]{36}@daybook\.example>$/);
    expect(mail?.text).to.include('The password of your account was changed').and.include('Device: Browser <b>7</b>');
    expect(mail?.html).to.include('Device: Browser &lt;b&gt;7&lt;/b&gt;').and.not.include('<b>');
  });
});

describe('The service without an SMTP server', () => {
  const app = useApp();

  it('enqueues no email, and reports MAIL_NOT_CONFIGURED where one is needed', async () => {
    const { password, token } = await buildRecipient(app);
    const json = { currentPassword: password, password: 'another long password' };
    const statements = await statementsDuring(() => call(app.url, 'PATCH /api/members/me', { token, json }));
    expect(statements).not.to.be.empty;
    expect(statements.join()).not.to.match(/into mails|add_job/);
    expect([await waitingMails(app), await waitingJobs(app)]).to.deep.equal([[], []]);
    expect(() => requireMail(app.services.config))
      .to.throw(AppError)
      .that.includes({ key: 'MAIL_NOT_CONFIGURED', status: 503 });
  });
});
