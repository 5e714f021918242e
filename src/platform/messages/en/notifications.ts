/** Texts of notifications and messages about notification streams, in English. */

export const notifications = {
  commented: (actor: string, title: string) => `${actor} commented on your article “${title}”.`,
  replied: (actor: string, title: string) => `${actor} replied to your comment on “${title}”.`,
  liked: (members: number, title: string) =>
    members === 1 ? `One member likes your article “${title}”.` : `${members} members like your article “${title}”.`,
  mentioned: (actor: string, title: string) => `${actor} mentioned you in “${title}”.`,
  mentionedInComment: (actor: string, title: string) => `${actor} mentioned you in a comment on “${title}”.`,
  followed: (actor: string) => `${actor} follows you.`,
  articlePublished: (actor: string, title: string) => `${actor} published “${title}”.`,
  summaryReady: (title: string) => `The summary of your article “${title}” is ready.`,
  summaryFailed: (title: string) => `The summary of your article “${title}” could not be generated.`,
  published: (title: string) => `“${title}” was published as scheduled.`,
  notPublished: (title: string) => `Your draft “${title}” could not be published as scheduled.`,
  untitledNotPublished: 'Your draft without a title could not be published as scheduled.',

  emailsNeedAddress: 'requires a confirmed email address, and this account has none',
  unsubscribeTitle: 'Notification emails',
  unsubscribeQuestion:
    'Turn off all notification emails of your account? You still see notifications after a login, and still receive emails about the security of your account.',
  unsubscribeButton: 'Turn off notification emails',
  unsubscribed:
    'Notification emails are turned off. You can turn them on again in the notification settings of your account.',
  unsubscribeLinkInvalid:
    'This link is not valid: open the link of a newer email, or turn off notification emails in the settings of your account.',

  tooManyStreams: (open: number, most: number) =>
    `You have ${open} open streams, and at most ${most} are allowed: close one that you no longer need.`,
  serverStopping: 'The server is shutting down: connect again.',
};
