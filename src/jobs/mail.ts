/** Job that sends an e-mail. It may be sent twice, with the same Message-ID, if the process ends between the reply of the server and its record. */
import { tokenOf } from '../auth/one-time-token.js';
import { secretsOf } from '../auth/session.js';
import { countNotice } from '../limits/mails.js';
import { linkTo, type TokenReference } from '../mail/link.js';
import { renderMail } from '../mail/render.js';
import { type MailTemplate, TEMPLATES } from '../mail/templates.js';
import { MailFailure, type OutgoingMail } from '../mail/transport.js';
import { LANGUAGES, type Language } from '../messages/message.js';
import { DELETE_MAIL, type MailRow, WAITING_MAIL } from '../models/mail.js';
import type { Services } from '../services.js';
import type { JobRun } from './job.js';
import { mailOutcomes } from './metrics.js';

type LastOutcome = 'sent' | 'rejected' | 'expired' | 'limited';

export async function sendMail({ messageId }: { messageId: string }, services: Services, run: JobRun): Promise<void> {
  const { database, log } = services;
  const [mail] = await database.query(WAITING_MAIL, [messageId]);
  // Sent already, or the member has withdrawn.
  if (!mail) return;
  const { template } = mail;
  const outcome = await attempt({ messageId, ...mail }, services, run).catch((error) => {
    if (!run.signal.aborted) mailOutcomes.inc({ template, outcome: 'retried' });
    throw error;
  });
  await database.query(DELETE_MAIL, [messageId]);
  mailOutcomes.inc({ template, outcome });
  if (outcome !== 'sent') log.warn({ messageId, template, attempt: run.attempt, outcome }, 'e-mail not sent');
}

/** @throws MailFailure if a retry may succeed; the reason of the signal */
async function attempt(mail: MailRow & { messageId: string }, services: Services, run: JobRun): Promise<LastOutcome> {
  const { mailer, log } = services;
  const { messageId, template, memberId, isExpired } = mail;
  if (isExpired) return 'expired';
  if (mailer === null) throw new MailFailure({ code: 'SMTP_URL is not set' });
  const outgoing = outgoingFrom(mail, services);
  if (outgoing === null) return 'expired';
  const isLimited = TEMPLATES[template as MailTemplate].isNotice && run.attempt === 1;
  if (isLimited && !(await countNotice(services, memberId, template))) return 'limited';
  try {
    await mailer.send(outgoing, run.signal);
    return 'sent';
  } catch (error) {
    if (!(error instanceof MailFailure && error.isPermanent)) throw error;
    log.warn({ messageId, template, reason: error.message }, 'e-mail rejected by the server');
    return 'rejected';
  }
}

/** Null if a link cannot be made any more, since JWT_SECRET has been changed without JWT_SECRET_PREVIOUS. */
function outgoingFrom(mail: MailRow & { messageId: string }, services: Services): OutgoingMail | null {
  const { config } = services;
  const { link, unsubscribe } = mail.parameters as { link?: TokenReference; unsubscribe?: TokenReference };
  const url = urlOf(link, services);
  const unsubscribeUrl = urlOf(unsubscribe, services);
  if (url === null || unsubscribeUrl === null) return null;
  const content = TEMPLATES[mail.template as MailTemplate].content(mail.parameters as never, url);
  const language = LANGUAGES.find((one) => one === mail.language) ?? ('en' satisfies Language);
  return {
    messageId: mail.messageId,
    to: mail.address,
    unsubscribeUrl: unsubscribeUrl || null,
    ...renderMail(config, content, language, unsubscribeUrl || null),
  };
}

/** Empty without a reference. */
function urlOf(reference: TokenReference | undefined, services: Services): string | null {
  if (!reference) return '';
  const token = tokenOf(secretsOf(services), reference);
  return token && linkTo(services.config, reference.purpose, token);
}
