/** Job that sends an email. It may be sent twice, with the same Message-ID, if the process ends between the reply of the server and its record. */
import { articleUrl } from '../feeds/feed.js';
import { DELETE_MAIL, type MailRow, WAITING_MAIL } from '../models/mail.js';
import { type NotificationRange, UNREAD_IN_RANGE } from '../models/notification/mail.js';
import type { NotificationRow } from '../models/notification/notification.js';
import type { Config } from '../platform/config/index.js';
import { LANGUAGES, type Language } from '../platform/messages/message.js';
import { tokenOf } from '../services/auth/one-time-token.js';
import { secretsOf } from '../services/auth/session.js';
import { createUnsubscribeToken } from '../services/auth/unsubscribe-token.js';
import type { Services } from '../services/index.js';
import { countNotice, MAX_LISTED_NOTIFICATIONS } from '../services/limits/mails.js';
import { linkTo, type TokenReference, unsubscribeLink } from '../services/mail/link.js';
import { renderMail } from '../services/mail/render.js';
import { type MailTemplate, TEMPLATES, type UnreadNotifications } from '../services/mail/templates.js';
import { MailFailure, type OutgoingMail } from '../services/mail/transport.js';
import type { JobRun } from './job.js';
import { mailOutcomes } from './metrics.js';

type LastOutcome = 'sent' | 'rejected' | 'expired' | 'limited' | 'obsolete';

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
  if (outcome !== 'sent' && outcome !== 'obsolete')
    log.warn({ messageId, template, attempt: run.attempt, outcome }, 'email not sent');
}

/** @throws MailFailure if a retry may succeed; the reason of the signal */
async function attempt(mail: MailRow & { messageId: string }, services: Services, run: JobRun): Promise<LastOutcome> {
  const { mailer, log } = services;
  const { messageId, template, memberId, isExpired } = mail;
  if (isExpired) return 'expired';
  if (mailer === null) throw new MailFailure({ code: 'SMTP_URL is not set' });
  const { isNotification } = TEMPLATES[template as MailTemplate];
  const unread = isNotification ? await unreadOf(mail, services) : null;
  if (unread?.total === 0) return 'obsolete';
  const outgoing = outgoingFrom(mail, unread, services);
  if (outgoing === null) return 'expired';
  const isCounted = !isNotification && run.attempt === 1;
  if (isCounted && !(await countNotice(services, memberId, template))) return 'limited';
  try {
    await mailer.send(outgoing, run.signal);
    return 'sent';
  } catch (error) {
    if (!(error instanceof MailFailure && error.isPermanent)) throw error;
    log.warn({ messageId, template, reason: error.message }, 'email rejected by the server');
    return 'rejected';
  }
}

/** Null if a link can no longer be made, since JWT_SECRET has been changed without JWT_SECRET_PREVIOUS. */
function outgoingFrom(
  mail: MailRow & { messageId: string },
  unread: UnreadNotifications | null,
  services: Services,
): OutgoingMail | null {
  const { config, jwtSecret } = services;
  const { link } = mail.parameters as { link?: TokenReference };
  const url = urlOf(link, services);
  if (url === null) return null;
  const unsubscribeUrl = unread && unsubscribeLink(config, createUnsubscribeToken(jwtSecret, mail.memberId));
  const content = TEMPLATES[mail.template as MailTemplate].content((unread ?? mail.parameters) as never, url);
  const language = LANGUAGES.find((one) => one === mail.language) ?? ('en' satisfies Language);
  return {
    messageId: mail.messageId,
    to: mail.address,
    unsubscribeUrl,
    ...renderMail(config, content, language, unsubscribeUrl),
  };
}

/** `total` is 0 if all have been read, the setting was changed, or the account is locked. */
async function unreadOf(mail: MailRow, { config, database }: Services): Promise<UnreadNotifications> {
  const { email, after, upTo } = mail.parameters as NotificationRange;
  const rows = await database.query(UNREAD_IN_RANGE, [mail.memberId, email, after, upTo, MAX_LISTED_NOTIFICATIONS]);
  const notifications = rows.map((row) => ({ ...row, url: urlOfSubject(config, row) }));
  return { notifications, total: rows[0]?.total ?? 0 };
}

/** Of the article; the website for a draft, which has no page for readers. */
function urlOfSubject(config: Config, { articleId: id, slug }: NotificationRow & { slug: string | null }): string {
  return id === null || slug === null ? config.site.url : articleUrl(config, { id, slug });
}

/** That of the website without a reference. */
function urlOf(reference: TokenReference | undefined, services: Services): string | null {
  if (!reference) return services.config.site.url;
  const token = tokenOf(secretsOf(services), reference);
  return token && linkTo(services.config, reference.purpose, token);
}
