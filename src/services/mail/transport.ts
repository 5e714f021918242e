/** Sends emails by SMTP. */
import ms from 'ms';
import { withTimeout } from '../../platform/concurrency/timeout.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { MailSettings } from '../../platform/config/settings/mail.js';
import { awaitNameServer } from '../../platform/name-lookup.js';
import type { RenderedMail } from './render.js';

export interface OutgoingMail extends RenderedMail {
  /** Without angle brackets. */
  messageId: string;
  to: string;
  /** Null for emails that cannot be disabled. */
  unsubscribeUrl: string | null;
}

export interface Mailer {
  /** @throws MailFailure; the signal's reason */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  /** Connects, starts TLS and logs in. @throws MailFailure with the error of the library as its cause, unless it took too long */
  verify(): Promise<void>;
}

/** The message contains neither the address nor the text of the server, which can contain the address: jobs store it. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';
  /** Whether the server rejected this email for good. Otherwise a retry can succeed. */
  readonly isPermanent: boolean;
  /** A code of nodemailer, such as `ETIMEDOUT`, `EAUTH` or `ETLS`. */
  readonly code: string;

  constructor({ code = 'unknown', command, responseCode }: SmtpError, options?: ErrorOptions) {
    const reply = responseCode === undefined ? [] : [`reply ${responseCode}`];
    const phase = command === undefined ? [] : [`to ${command}`];
    super(['SMTP:', code, ...reply, ...phase].join(' '), options);
    this.code = code;
    this.isPermanent = isRejection({ code, responseCode });
  }
}

interface SmtpError {
  code?: string;
  command?: string;
  responseCode?: number | undefined;
}

/** `open` includes DNS, connection, and STARTTLS; `idle` is the time without a byte in either direction. */
interface MailTimeouts {
  openMs: number;
  idleMs: number;
  totalMs: number;
}

const LIMIT = { area: 'Queues', unit: 'ms', error: null } as const;

const TIMEOUTS: MailTimeouts = {
  openMs: fixedLimit({ ...LIMIT, value: 10_000, about: 'Time to connect to the SMTP server, and to its greeting.' }),
  idleMs: fixedLimit({ ...LIMIT, value: 15_000, about: 'Time in which the SMTP server sends and reads nothing.' }),
  totalMs: fixedLimit({
    ...LIMIT,
    value: ms('1m'),
    about: 'Time to send one email. It is sent again later, for at most 24 hours.',
  }),
};

/** Loads the client library, which takes time at the start of a process. @param timeouts a test shortens them */
export async function openMailer(
  { smtp, from }: MailSettings,
  { openMs, idleMs, totalMs } = TIMEOUTS,
): Promise<Mailer> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls === 'implicit',
    requireTLS: smtp.tls === 'required',
    ignoreTLS: smtp.tls === 'off',
    ...(smtp.login && { auth: { user: smtp.login.user, pass: smtp.login.password } }),
    connectionTimeout: openMs,
    greetingTimeout: openMs,
    dnsTimeout: openMs,
    socketTimeout: idleMs,
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ to, messageId, unsubscribeUrl, ...rendered }, signal) => {
      signal.throwIfAborted();
      const timeout = AbortSignal.timeout(totalMs);
      const end = AbortSignal.any([signal, timeout]);
      try {
        await awaitNameServer(smtp.host, end);
        await transport.sendMail({
          ...rendered,
          from,
          // An object is one address, whatever it contains; a text would be parsed as a list.
          to: { name: '', address: to },
          messageId: `<${messageId}>`,
          headers: { 'Auto-Submitted': 'auto-generated', ...(unsubscribeUrl && unsubscribeHeaders(unsubscribeUrl)) },
          xMailer: false,
          signal: end,
        });
      } catch (error) {
        signal.throwIfAborted();
        throw new MailFailure(timeout.aborted ? { code: 'ETIMEDOUT' } : (error as SmtpError));
      }
    },
    verify: async () => {
      const opened = awaitNameServer(smtp.host).then(() => transport.verify());
      const verified = opened.catch((error: SmtpError) => {
        throw new MailFailure(error, { cause: error });
      });
      if (!(await withTimeout(verified, totalMs))) throw new MailFailure({ code: 'ETIMEDOUT' });
    },
  };
}

/** RFC 8058 one-click. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** A wrong login or a missing TLS is corrected by the operator, so that a retry can succeed; so is 530, which requires them. */
function isRejection({ code, responseCode }: SmtpError): boolean {
  if (code === 'EENVELOPE') return responseCode === undefined || (responseCode >= 500 && responseCode !== 530);
  return code === 'EMESSAGE' && responseCode !== undefined && responseCode >= 500;
}
