/** Check of `daybook doctor` for the SMTP server: connection, encryption and login. Sends no email. */
import type { Config } from '../../platform/config/index.js';
import { oneLine } from '../../platform/errors.js';
import { MailFailure, openMailer } from '../../services/mail/transport.js';
import { type Finding, failure, note, ok } from './finding.js';

const ABOUT = 'Email';

const TIMEOUTS = { openMs: 5_000, idleMs: 5_000, totalMs: 15_000 };

/** By error code of nodemailer. */
const ADVICE: Readonly<Record<string, string>> = {
  EAUTH: 'Check the user and the password in SMTP_URL; special characters must be percent-encoded.',
  ENOAUTH: 'Add the user and the password to SMTP_URL.',
  ETLS: 'Check that the server offers STARTTLS (or use smtps:), and that its certificate is valid for the host in SMTP_URL; NODE_EXTRA_CA_CERTS names further certification authorities.',
  EDNS: 'Check the host in SMTP_URL.',
};

const UNREACHABLE = 'Check the host and the port in SMTP_URL, and that this machine can reach them.';

export async function checkMail({ mail }: Config): Promise<Finding> {
  if (mail === null) return note(ABOUT, 'Not configured (SMTP_URL): no email is sent.');
  const { host, port, tls, login } = mail.smtp;
  const server = `${host}:${port}`;
  try {
    await (await openMailer(mail, TIMEOUTS)).verify();
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    const reason = oneLine(error.cause ?? error);
    const isCertificate = /certificate|altnames/i.test(reason);
    const advice = ADVICE[isCertificate ? 'ETLS' : error.code] ?? UNREACHABLE;
    return failure(ABOUT, `The check of ${server} failed: ${reason} (${error.code}).`, advice);
  }
  const how = tls === 'off' ? 'without encryption' : 'with TLS';
  return ok(ABOUT, `${server} responds, ${how} and ${login ? 'with a login' : 'without a login'}.`);
}
