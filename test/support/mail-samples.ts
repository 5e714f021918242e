/** Values for every template of emails. */
import type { TokenReference } from '../../src/services/mail/link.js';
import type {
  LinkedNotification,
  MailTemplate,
  MailValues,
  UnreadNotifications,
} from '../../src/services/mail/templates.js';

const NOTICE = {
  at: '2026-11-22T06:30:00.000Z',
  device: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  address: '192.0.2.7',
};
const URL = 'https://journal.example.org/articles/7';

const COMMENT: LinkedNotification = {
  type: 'COMMENT',
  actorName: 'Ada <b>',
  title: 'Owls & mice',
  commentId: null,
  draftId: null,
  outcome: null,
  likes: null,
  decision: null,
  url: URL,
};
const SUMMARY: LinkedNotification = {
  type: 'SUMMARY',
  actorName: null,
  title: 'Summer',
  commentId: null,
  draftId: null,
  outcome: 'COMPLETED',
  likes: null,
  decision: null,
  url: URL,
};

/** The stored values. @param reference creates the reference of a token */
export function mailSamples(reference: (purpose: TokenReference['purpose']) => TokenReference): MailValues {
  return {
    passwordReset: { link: reference('reset') },
    addressConfirmation: { link: reference('confirm'), nickname: 'Ada <b>' },
    addressChanged: { link: reference('undo') },
    registrationAttempted: {},
    passwordChanged: NOTICE,
    newDevice: NOTICE,
    passkeyAdded: { ...NOTICE, name: 'Phone <b>' },
    passkeyRemoved: { ...NOTICE, name: 'Phone <b>' },
    apiTokenCreated: { ...NOTICE, name: 'Backup <b>' },
    socialConnected: { ...NOTICE, provider: 'KAKAO' },
    socialDisconnected: { ...NOTICE, provider: 'KAKAO' },
    decision: {
      ...{ id: 7, action: 'SUSPEND', target: null, title: 'Owls <b>', rule: 'No <b>', statement: 'Twenty links <b>' },
      ...{ until: '2026-12-22T06:30:00.000Z', appealableUntil: '2027-05-22T06:30:00.000Z' },
    },
    webhookDisabled: { id: 1, host: 'hooks.example.org', reason: 'failed' },
    notification: { email: 'AT_ONCE', after: 0, upTo: 1_000_000 },
    notificationDigest: { email: 'DAILY', after: 0, upTo: 1_000_000 },
  };
}

/** The values from which the content of emails about notifications is made. */
export const UNREAD: { readonly [Name in 'notification' | 'notificationDigest']: UnreadNotifications } = {
  notification: { notifications: [COMMENT], total: 1 },
  notificationDigest: { notifications: [COMMENT, SUMMARY], total: 5 },
};

export const MAIL_TEMPLATES = Object.keys(mailSamples((purpose) => ({ purpose, id: '', hash: '' }))) as MailTemplate[];
