/** Texts of notifications and messages about notification streams, in English. */

/** What moderators decide on; null for a member, and for what has been deleted. */
export type DecidedContent = 'ARTICLE' | 'COMMENT';

function content(target: DecidedContent | null, title: string): string {
  if (target === null) return 'content';
  const isArticle = target === 'ARTICLE';
  if (title === '') return isArticle ? 'article' : 'comment';
  return isArticle ? `article “${title}”` : `comment on “${title}”`;
}

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
  contentRemoved: (target: DecidedContent | null, title: string) => `Your ${content(target, title)} was removed.`,
  contentRestored: (target: DecidedContent | null, title: string) =>
    target === null ? 'The removal of your content was reversed.' : `Your ${content(target, title)} was restored.`,
  suspended: 'Your account was suspended: you can read, but not write.',
  unsuspended: 'The suspension of your account was ended.',
  decisionUpheld: 'Your appeal was rejected: the decision stays as it is.',
  reportedRemoved: (target: DecidedContent | null, title: string) =>
    `The ${content(target, title)} that you reported was removed.`,
  reportActedOn: 'The moderators reviewed a report of yours, and took action.',
  reportDismissed: (target: DecidedContent | null, title: string) =>
    target === null
      ? 'The moderators reviewed a report of yours, and took no action.'
      : `The moderators reviewed your report of the ${content(target, title)}, and took no action.`,
  approvalRule: 'Comments are shown after approval.',
  notApproved: 'A moderator has read the comment, and has not approved it.',

  notSettable: 'must be another type: decisions of moderators are always notified',
  emailsNeedAddress: 'requires a confirmed email address, and this account has none',
  unsubscribeTitle: 'Notification emails',
  unsubscribeQuestion:
    'Turn off all notification emails of your account? You still see notifications after a login, and still receive emails about the security of your account.',
  unsubscribeButton: 'Turn off notification emails',
  unsubscribed:
    'Notification emails are turned off. You can turn them on again in the notification settings of your account.',
  unsubscribeLinkInvalid:
    'This link is not valid: open the link of a newer email, or turn off notification emails in the settings of your account.',

  tooManyStreams: (open: number, max: number) =>
    `You have ${open} open streams, and at most ${max} are allowed: close one that you no longer need.`,
  serverStopping: 'The server is shutting down: connect again.',
};
