/** Texts of emails, in English. */

export const mails = {
  mailPasswordResetSubject: 'Reset your password',
  mailPasswordReset: 'A new password was requested for your account with this email address.',
  mailPasswordResetValidity:
    'The link is valid for 1 hour and works once. If you did not request it, ignore this email: your password stays the same.',
  mailPasswordResetButton: 'Choose a new password',

  mailConfirmSubject: 'Confirm your email address',
  mailConfirm: 'Confirm that this email address belongs to your account.',
  mailConfirmChange: (nickname: string) =>
    `Confirm that this email address replaces that of the account “${nickname}”. If this is not your account, do not confirm it.`,
  mailConfirmValidity:
    'The link is valid for 3 days and works once. If you did not request it, ignore this email: nothing will change.',
  mailConfirmButton: 'Confirm the address',

  mailAddressChangedSubject: 'The email address of your account is being changed',
  mailAddressChanged: 'Another email address was entered for your account. It replaces this one when it is confirmed.',
  mailAddressChangedUndo:
    'If you did not do this, undo the change within 1 week: the account keeps or regains this address, and all devices are logged out.',
  mailAddressChangedButton: 'Undo the change',

  mailRegistrationSubject: 'You already have an account',
  mailRegistration: 'Someone, perhaps you, tried to create an account with this email address, which already has one.',
  mailRegistrationAdvice:
    'Log in with your existing account, or reset its password if you have forgotten it. If it was not you, ignore this email: nothing has changed.',

  mailPasswordChangedSubject: 'Your password was changed',
  mailPasswordChanged: 'The password of your account was changed, and all other devices were logged out.',
  mailNewDeviceSubject: 'Login on a new device',
  mailNewDevice: 'Your account was used to log in on a device that it was not used on before.',
  mailPasskeyAddedSubject: 'A passkey was added',
  mailPasskeyAdded: (name: string) => `The passkey “${name}” was added to your account. It permits a login.`,
  mailPasskeyRemovedSubject: 'A passkey was removed',
  mailPasskeyRemoved: (name: string) => `The passkey “${name}” was removed from your account.`,
  mailApiTokenSubject: 'An API token was created',
  mailApiToken: (name: string) => `The API token “${name}” was created for your account.`,
  mailSocialLinkedSubject: 'A social account was linked',
  mailSocialLinked: (provider: string) => `A ${provider} account was linked to your account. It permits a login.`,
  mailSocialUnlinkedSubject: 'A social account was unlinked',
  mailSocialUnlinked: (provider: string) => `The ${provider} account was unlinked from your account.`,
  mailNoticeTime: (time: string) => `Time: ${time} (UTC)`,
  mailNoticeDevice: (device: string) => `Device: ${device}`,
  mailNoticeAddress: (address: string) => `Network address: ${address}`,
  mailNoticeAdvice:
    'If you did not do this, reset your password, and check the devices and login methods of your account.',

  mailDecisionUntil: (time: string) => `Until: ${time} (UTC)`,
  mailDecisionWithoutEnd: 'Until: without end',
  mailDecisionRule: (rule: string) => `Rule: ${rule}`,
  mailDecisionReason: (statement: string) => `Reason: ${statement}`,
  mailDecisionByPerson: 'A person made this decision, and not a program.',
  mailDecisionAppeal: (id: string, time: string) =>
    `You can appeal once, until ${time} (UTC): log in, and open decision ${id}. Another moderator decides on the appeal, where there is one.`,
  mailDecisionRemedies: 'You can also go to court, or to a certified body for out-of-court disputes.',
  mailDecisionButton: 'Open the website',

  mailWebhookSubject: 'A webhook was disabled',
  mailWebhook: (id: string, host: string) =>
    `The webhook ${id}, which sends changes of the journal to ${host}, was disabled.`,
  mailWebhookFailed: 'Ten attempts in a row failed, over about three days.',
  mailWebhookGone: 'The receiver responded with 410 (Gone).',
  mailWebhookSecret:
    'Its secret cannot be decrypted: JWT_SECRET was changed without JWT_SECRET_PREVIOUS. Replace the secret.',
  mailWebhookExpired: 'The changes after its position are not complete any more: resume it with “latest”.',
  mailWebhookAdvice: 'Nothing is sent until an admin resumes it. Changes until then are kept for it.',

  mailNotificationButton: 'Read the article',
  mailDigestSubject: (count: number) => (count === 1 ? '1 new notification' : `${count} new notifications`),
  mailDigest: 'These notifications have arrived since the last email:',
  mailDigestMore: (count: number) => (count === 1 ? '1 more notification' : `${count} more notifications`),

  mailLinkFallback: 'If the button does not work, open this address:',
  mailFooter: (site: string) => `You receive this email because you have an account at ${site}.`,
  mailUnsubscribe: 'Unsubscribe from notification emails',
};
