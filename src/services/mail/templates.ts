/** The emails of the service: the values of each template, and its content. */
import ms from 'ms';
import {
  decisionMessage,
  type NotificationData,
  type NotifiedDecision,
  notificationMessage,
} from '../../models/notification/kinds.js';
import type { NotificationRange } from '../../models/notification/mail.js';
import type { DisabledReason } from '../../models/webhook/webhook.js';
import { TURNS } from '../../platform/database/queue.js';
import { createMessage, type Message } from '../../platform/messages/message.js';
import { truncate } from '../../platform/text.js';
import type { TokenReference } from './link.js';

/** Where and when an account was changed. `at` is a time in ISO 8601. */
export interface SecurityNotice {
  at: string;
  device: string;
  address: string;
}

/** The statement of reasons for the member whom a decision of a moderator concerns. Times are in ISO 8601. */
interface StatedDecision extends NotifiedDecision {
  readonly id: number;
  /** Of the article concerned; empty if there is none. */
  readonly title: string;
  /** The rule and the statement may be empty. */
  readonly rule: string;
  readonly statement: string;
  /** The end of a suspension; null if it has none. */
  readonly until: string | null;
  /** Null for a decision that cannot be appealed. */
  readonly appealableUntil: string | null;
}

/** A notification as in the lists, with the URL that it leads to. */
export type LinkedNotification = NotificationData & { url: string };

/** The values of each template, which are stored as JSON until the email is sent. */
export interface MailValues {
  passwordReset: { link: TokenReference };
  /** `nickname`: of the account whose address changes to this one, which its reader has to recognize; absent for a registration. */
  addressConfirmation: { link: TokenReference; nickname?: string };
  /** To the old address, with the link that undoes the change. */
  addressChanged: { link: TokenReference };
  registrationAttempted: object;
  passwordChanged: SecurityNotice;
  newDevice: SecurityNotice;
  passkeyAdded: SecurityNotice & { name: string };
  passkeyRemoved: SecurityNotice & { name: string };
  apiTokenCreated: SecurityNotice & { name: string };
  socialConnected: SecurityNotice & { provider: string };
  socialDisconnected: SecurityNotice & { provider: string };
  decision: StatedDecision;
  webhookDisabled: { id: number; host: string; reason: DisabledReason };
  notification: NotificationRange;
  notificationDigest: NotificationRange;
}

export type MailTemplate = keyof MailValues;

/** The notices about the security of an account that have the values of an event of the audit trail. */
export type EventNotice = Exclude<
  { [Name in MailTemplate]: MailValues[Name] extends SecurityNotice ? Name : never }[MailTemplate],
  'newDevice'
>;

/** The notifications of a range that are unread when the email is sent; `total` counts all, of which `notifications` can be the first. */
export interface UnreadNotifications {
  notifications: LinkedNotification[];
  total: number;
}

/** What the content is made from: the stored values, except that of notifications only the range is stored. */
type ContentValues = {
  [Name in MailTemplate]: MailValues[Name] extends NotificationRange ? UnreadNotifications : MailValues[Name];
};

export interface MailContent {
  subject: Message;
  paragraphs: readonly Paragraph[];
  button?: { label: Message; url: string };
}

/** Lines of text; with a URL, a link. */
export interface Paragraph {
  lines: readonly Message[];
  url?: string;
}

interface Template<Values> {
  /** Emails about notifications have limits of their own, can be disabled, and are not sent if all of their notifications have been read. */
  isNotification: boolean;
  /** Time after which an unsent email is given up: at most 24 hours, or the lifetime of its link. */
  lifetimeMs: number;
  /** Of the job: lower values are sent first. */
  priority: number;
  /** @param link the URL of `values.link`; that of the website if there is none */
  content(values: Values, link: string): MailContent;
}

const ABOUT_ACCOUNT = { isNotification: false, lifetimeMs: ms('1d'), priority: 0 };
const NOTIFICATION = { ...ABOUT_ACCOUNT, isNotification: true, priority: TURNS };

const WEBHOOK_REASONS = {
  failed: 'mailWebhookFailed',
  gone: 'mailWebhookGone',
  secret: 'mailWebhookSecret',
  expired: 'mailWebhookExpired',
} as const;

export const TEMPLATES: { readonly [Name in MailTemplate]: Template<ContentValues[Name]> } = {
  passwordReset: {
    ...ABOUT_ACCOUNT,
    lifetimeMs: ms('1h'),
    content: (_values, url) => ({
      subject: createMessage('mailPasswordResetSubject'),
      paragraphs: [
        paragraph(createMessage('mailPasswordReset')),
        paragraph(createMessage('mailPasswordResetValidity')),
      ],
      button: { label: createMessage('mailPasswordResetButton'), url },
    }),
  },
  addressConfirmation: {
    ...ABOUT_ACCOUNT,
    content: ({ nickname }, url) => ({
      subject: createMessage('mailConfirmSubject'),
      paragraphs: [
        paragraph(
          nickname === undefined
            ? createMessage('mailConfirm')
            : createMessage('mailConfirmChange', inserted(nickname)),
        ),
        paragraph(createMessage('mailConfirmValidity')),
      ],
      button: { label: createMessage('mailConfirmButton'), url },
    }),
  },
  addressChanged: {
    ...ABOUT_ACCOUNT,
    content: (_values, url) => ({
      subject: createMessage('mailAddressChangedSubject'),
      paragraphs: [paragraph(createMessage('mailAddressChanged')), paragraph(createMessage('mailAddressChangedUndo'))],
      button: { label: createMessage('mailAddressChangedButton'), url },
    }),
  },
  registrationAttempted: {
    ...ABOUT_ACCOUNT,
    content: () => ({
      subject: createMessage('mailRegistrationSubject'),
      paragraphs: [paragraph(createMessage('mailRegistration')), paragraph(createMessage('mailRegistrationAdvice'))],
    }),
  },
  passwordChanged: {
    ...ABOUT_ACCOUNT,
    content: (values) =>
      notice(createMessage('mailPasswordChangedSubject'), createMessage('mailPasswordChanged'), values),
  },
  newDevice: {
    ...ABOUT_ACCOUNT,
    content: (values) => notice(createMessage('mailNewDeviceSubject'), createMessage('mailNewDevice'), values),
  },
  passkeyAdded: {
    ...ABOUT_ACCOUNT,
    content: ({ name, ...values }) =>
      notice(createMessage('mailPasskeyAddedSubject'), createMessage('mailPasskeyAdded', inserted(name)), values),
  },
  passkeyRemoved: {
    ...ABOUT_ACCOUNT,
    content: ({ name, ...values }) =>
      notice(createMessage('mailPasskeyRemovedSubject'), createMessage('mailPasskeyRemoved', inserted(name)), values),
  },
  apiTokenCreated: {
    ...ABOUT_ACCOUNT,
    content: ({ name, ...values }) =>
      notice(createMessage('mailApiTokenSubject'), createMessage('mailApiToken', inserted(name)), values),
  },
  socialConnected: {
    ...ABOUT_ACCOUNT,
    content: ({ provider, ...values }) =>
      notice(createMessage('mailSocialLinkedSubject'), createMessage('mailSocialLinked', provider), values),
  },
  socialDisconnected: {
    ...ABOUT_ACCOUNT,
    content: ({ provider, ...values }) =>
      notice(createMessage('mailSocialUnlinkedSubject'), createMessage('mailSocialUnlinked', provider), values),
  },
  decision: {
    ...ABOUT_ACCOUNT,
    content: (values, url) => {
      const { id, action, rule, statement, until, appealableUntil } = values;
      const sentence = decisionMessage(values, inserted(values.title));
      const end =
        until === null ? createMessage('mailDecisionWithoutEnd') : createMessage('mailDecisionUntil', minuteOf(until));
      const reasons = [
        ...(action === 'SUSPEND' ? [end] : []),
        ...(rule ? [createMessage('mailDecisionRule', inserted(rule, MAX_REASON))] : []),
        ...(statement ? [createMessage('mailDecisionReason', inserted(statement, MAX_REASON))] : []),
      ];
      const remedies = appealableUntil && [
        createMessage('mailDecisionAppeal', String(id), minuteOf(appealableUntil)),
        createMessage('mailDecisionRemedies'),
      ];
      return {
        subject: sentence,
        paragraphs: [
          paragraph(sentence),
          ...(reasons.length > 0 ? [paragraph(...reasons)] : []),
          paragraph(createMessage('mailDecisionByPerson')),
          ...(remedies ? [paragraph(...remedies)] : []),
        ],
        button: { label: createMessage('mailDecisionButton'), url },
      };
    },
  },
  webhookDisabled: {
    ...ABOUT_ACCOUNT,
    content: ({ id, host, reason }) => ({
      subject: createMessage('mailWebhookSubject'),
      paragraphs: [
        paragraph(createMessage('mailWebhook', String(id), inserted(host))),
        paragraph(createMessage(WEBHOOK_REASONS[reason])),
        paragraph(createMessage('mailWebhookAdvice')),
      ],
    }),
  },
  notification: {
    ...NOTIFICATION,
    content: ({ notifications, total }) => {
      const [notification] = notifications;
      if (!notification || total > 1) return digest({ notifications, total });
      return {
        subject: notificationMessage(notification, inserted),
        paragraphs: [paragraph(notificationMessage(notification, inserted))],
        button: { label: createMessage('mailNotificationButton'), url: notification.url },
      };
    },
  },
  notificationDigest: { ...NOTIFICATION, content: digest },
};

function digest({ notifications, total }: UnreadNotifications): MailContent {
  const more = total - notifications.length;
  return {
    subject: createMessage('mailDigestSubject', total),
    paragraphs: [
      paragraph(createMessage('mailDigest')),
      ...notifications.map((one) => ({ lines: [notificationMessage(one, inserted)], url: one.url })),
      ...(more > 0 ? [paragraph(createMessage('mailDigestMore', more))] : []),
    ],
  };
}

function paragraph(...lines: Message[]): Paragraph {
  return { lines };
}

function notice(subject: Message, sentence: Message, { at, device, address }: SecurityNotice): MailContent {
  const details = [
    createMessage('mailNoticeTime', minuteOf(at)),
    createMessage('mailNoticeAddress', inserted(address)),
  ];
  const used = device ? [createMessage('mailNoticeDevice', inserted(device))] : [];
  return {
    subject,
    paragraphs: [paragraph(sentence), paragraph(...details, ...used), paragraph(createMessage('mailNoticeAdvice'))],
  };
}

/** @param time in ISO 8601 */
function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

/** Code points of a text from a member or a client, beyond which it is cut off. */
const MAX_INSERTED = 120;

/** The same of a statement of reasons, which is shown as a whole. */
const MAX_REASON = 1_000;

/** Explicit directional formatting characters (UAX 9), which would reorder the text around a name. */
const DIRECTIONAL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A text from a member or a client, in one line, of bounded length, and isolated from the direction of the text around it. */
function inserted(text: string, max = MAX_INSERTED): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(DIRECTIONAL, '');
  const short = truncate(line.toWellFormed(), max + 1);
  return RIGHT_TO_LEFT.test(short) ? `\u2068${short}\u2069` : short;
}
