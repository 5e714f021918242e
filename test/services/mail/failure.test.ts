/** Emails that the SMTP server rejects, delays or does not accept, through the job runner. */
import { createServer } from 'node:net';
import { expect } from 'chai';
import { startJobs } from '../../../src/jobs/supervisor.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { openMailer } from '../../../src/services/mail/transport.js';
import { type TestApp, useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle } from '../../support/build.js';
import { waitingJobs } from '../../support/jobs.js';
import { readableLog } from '../../support/log.js';
import { addMail, buildRecipient, sendMails, waitingMails } from '../../support/mails.js';
import { scrapeGrowth } from '../../support/metrics.js';
import { listen } from '../../support/server.js';
import { type Behavior, LOGIN, startSmtp } from '../../support/smtp.js';
import { summaryOf } from '../../support/summaries.js';
import { until } from '../../support/until.js';

const smtp = await startSmtp();
const { mail: settings } = loadConfig(smtp.environment);
if (!settings) throw new Error('no SMTP server');
/** In milliseconds; the default ones are 10 to 60 seconds. */
const mailer = await openMailer(settings, { openMs: 300, idleMs: 300, totalMs: 2_000 });
after(() => smtp.close());

const NOTICE = { at: '2026-11-22T06:30:00.000Z', device: 'Browser', address: '192.0.2.7' };

function addNotice(app: TestApp, { id }: BuiltMember): Promise<void> {
  return addMail(app, { template: 'passwordChanged', memberId: id, values: NOTICE });
}

const lastErrors = async (app: TestApp) =>
  (await waitingJobs(app)).filter(({ task }) => task === 'send-mail').map(({ lastError }) => lastError);

describe('An email that could not be sent', () => {
  const { log, lines } = readableLog('warn');
  const app = useApp(smtp.environment, { log, mailer });
  let member: BuiltMember;
  beforeEach(async () => {
    smtp.setBehaviors('accept');
    member = await buildRecipient(app);
    await addNotice(app, member);
    lines.length = 0;
  });
  afterEach(async () => {
    expect(lines.join('')).not.to.include(member.email);
    await app.database.sequelize.query('delete from graphile_worker._private_jobs; delete from mails');
  });

  const TEMPORARY: [behavior: Behavior, error: RegExp][] = [
    [{ at: 'greeting', reply: 421 }, /^SMTP: \w+ reply 421/],
    [{ at: 'greeting', reply: 554 }, /^SMTP: \w+ reply 554/],
    [{ at: 'sender', reply: 451 }, /^SMTP: EENVELOPE reply 451 to MAIL FROM$/],
    [{ at: 'sender', reply: 530 }, /^SMTP: EENVELOPE reply 530 to MAIL FROM$/],
    [{ at: 'recipient', reply: 450 }, /^SMTP: EENVELOPE reply 450 to RCPT TO$/],
    [{ at: 'message', reply: 452 }, /^SMTP: EMESSAGE reply 452 to DATA$/],
    [{ at: 'greeting', reply: 'hang' }, /^SMTP: ETIMEDOUT/],
    [{ at: 'recipient', reply: 'hang' }, /^SMTP: ETIMEDOUT/],
    [{ at: 'message', reply: 'hang' }, /^SMTP: ETIMEDOUT/],
    [{ at: 'greeting', reply: 'disconnect' }, /^SMTP: E(?:CONNECTION|SOCKET)/],
    [{ at: 'message', reply: 'disconnect' }, /^SMTP: E(?:CONNECTION|SOCKET)/],
  ];
  for (const [behavior, error] of TEMPORARY) {
    it(`is retried and sent once after ${JSON.stringify(behavior)}`, async () => {
      smtp.setBehaviors(behavior, 'accept');
      const growth = await scrapeGrowth(app.url, async () => {
        await sendMails(app);
        expect((await lastErrors(app))[0]).to.match(error);
        expect(smtp.messages).to.deep.equal([]);
        await sendMails(app);
      });
      expect(smtp.messages.map(({ to }) => to)).to.deep.equal([[member.email]]);
      expect(await waitingMails(app)).to.deep.equal([]);
      const count = (outcome: string) => growth('daybook_mails_total', { template: 'passwordChanged', outcome });
      expect([count('retried'), count('sent'), count('rejected')]).to.deep.equal([1, 1, 0]);
    });
  }

  it('is retried after the time for one email if the reply of the server never ends', async () => {
    const server = createServer((socket) => {
      const drip = () => socket.write('250-wait\r\n');
      socket.write('220 ready\r\n');
      socket.once('data', () => setInterval(drip, 50).unref());
      socket.on('error', () => {});
    });
    const smtpSettings = { ...settings.smtp, port: await listen(server) };
    const timeouts = { openMs: 300, idleMs: 300, totalMs: 600 };
    const slow = await openMailer({ ...settings, smtp: smtpSettings }, timeouts);
    const mail = {
      messageId: 'x@example.org',
      to: member.email,
      unsubscribeUrl: null,
      subject: '',
      text: '',
      html: '',
    };
    const error = await slow.send(mail, new AbortController().signal).catch((caught) => caught);
    server.close();
    expect(error).to.deep.include({ message: 'SMTP: ETIMEDOUT', isPermanent: false });
  });

  it('has the same Message-ID in every attempt', async () => {
    const [waiting] = await waitingMails(app);
    smtp.setBehaviors({ at: 'message', reply: 451 }, { at: 'message', reply: 451 }, 'accept');
    for (let attempt = 1; attempt <= 3; attempt++) await sendMails(app);
    expect(smtp.messageIds).to.deep.equal(Array(3).fill(`<${waiting?.messageId}>`));
    expect(smtp.messages).to.have.length(1);
  });

  it('is retried with increasing delays', async () => {
    smtp.setBehaviors({ at: 'recipient', reply: 450 });
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt++) {
      await sendMails(app);
      const jobs = await waitingJobs(app);
      delays.push(jobs.find(({ task }) => task === 'send-mail')?.seconds ?? 0);
    }
    expect(delays).to.deep.equal([...delays].sort((a, b) => a - b));
    expect(delays[0]).to.be.above(0);
  });

  for (const at of ['sender', 'recipient', 'message'] as const) {
    it(`is not retried after 550 to the ${at}, and is logged without the address`, async () => {
      smtp.setBehaviors({ at, reply: 550 });
      await sendMails(app);
      await sendMails(app);
      expect([smtp.connections(), await waitingMails(app), await lastErrors(app)]).to.deep.equal([1, [], []]);
      expect(lines.join('')).to.match(/"reason":"SMTP: \w+ reply 550 to [^"]+","msg":"email rejected by the server"/);
    });
  }

  it('is given up after 24 hours, and logged', async () => {
    smtp.setBehaviors({ at: 'recipient', reply: 450 });
    await sendMails(app);
    const [rows] = await app.database.sequelize.query(
      `with given as (select message_id, expires_at - created_at as lifetime from mails)
       update mails set expires_at = now() - interval '1 second' from given where given.message_id = mails.message_id
       returning extract(epoch from lifetime)::integer as seconds`,
    );
    expect(rows).to.deep.equal([{ seconds: 86_400 }]);
    await sendMails(app);
    expect([smtp.connections(), await waitingMails(app), await lastErrors(app)]).to.deep.equal([1, [], []]);
    expect(lines.join('')).to.include('"outcome":"expired","msg":"email not sent"');
  });

  it('is deleted with its member', async () => {
    await app.database.sequelize.query(`delete from members where id = ${member.id}`);
    await sendMails(app);
    expect([smtp.connections(), await lastErrors(app)]).to.deep.equal([0, []]);
  });
});

describe('A login or encryption that fails', () => {
  let reason: string | null | undefined;
  async function failWith(app: TestApp): Promise<void> {
    await addNotice(app, await buildRecipient(app));
    await sendMails(app);
    [reason] = await lastErrors(app);
    expect(smtp.messages).to.deep.equal([]);
    expect(await waitingMails(app)).to.have.length(1);
  }
  beforeEach(() => smtp.setBehaviors('accept'));

  describe('with a wrong password', () => {
    const url = `smtp://${encodeURIComponent(LOGIN.user)}:wrong@127.0.0.1:${smtp.port}`;
    const app = useApp({ ...smtp.environment, SMTP_URL: url });
    it('is retried, since the operator can correct it', async () => {
      await failWith(app);
      expect(reason).to.equal('SMTP: EAUTH reply 535 to AUTH PLAIN');
    });
  });

  describe('with a server that does not offer STARTTLS', () => {
    const app = useApp({ ...smtp.environment, SMTP_URL: `${smtp.environment.SMTP_URL}?tls=required` });
    it('sends nothing without encryption', async () => {
      await failWith(app);
      expect(reason).to.match(/^SMTP: ETLS/);
    });
  });

  describe('with a certificate that is not trusted', async () => {
    let close: () => Promise<void>;
    const environment = { ...smtp.environment };
    before(async () => {
      const other = await startSmtp({ withTls: true });
      environment.SMTP_URL = other.urlWithLogin;
      close = other.close;
    });
    after(() => close());
    const app = useApp(environment);
    it('sends nothing', async () => {
      await failWith(app);
      expect(reason).to.match(/^SMTP: E(?:TLS|SOCKET)/);
    });
  });
});

describe('A hanging SMTP server', () => {
  const app = useApp(smtp.environment);

  it('does not delay other jobs, and does not prevent the end of the process', async () => {
    smtp.setBehaviors({ at: 'greeting', reply: 'hang' });
    const member = await buildRecipient(app);
    for (let mail = 0; mail < 10; mail++) await addNotice(app, mail % 2 ? member : await buildRecipient(app));
    const jobs = await startJobs(app.services);
    try {
      await until(() => smtp.connections() === 2);
      const content = 'The owl lives in the attic. It sleeps during the day.';
      const { id } = await buildArticle(app.url, { content }, member);
      await until(async () => (await summaryOf(app.url, id)).status === 'COMPLETED');
      expect([smtp.connections(), (await waitingMails(app)).length]).to.deep.equal([2, 10]);
    } finally {
      await jobs.stop();
    }
    smtp.setBehaviors('accept');
    await sendMails(app);
    await until(async () => (await waitingMails(app)).length === 0);
    expect(new Set(smtp.messageIds).size).to.equal(10);
  });
});
