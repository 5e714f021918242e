/** Texts of notifications and messages about notification streams, in English. */

export const notifications = {
  commented: (actor: string, title: string) => `${actor} commented on your article “${title}”.`,
  replied: (actor: string, title: string) => `${actor} replied to your comment on “${title}”.`,
  summaryReady: (title: string) => `The summary of your article “${title}” is ready.`,
  summaryFailed: (title: string) => `The summary of your article “${title}” could not be made.`,

  tooManyStreams: (open: number, most: number) =>
    `You have ${open} streams open, and ${most} is the most: close one that you no longer need.`,
  streamStopping: 'This process stops: connect again.',
};
