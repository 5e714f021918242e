/** Texts of notifications and messages about notification streams, in English. */

export const notifications = {
  commented: (actor: string, title: string) => `${actor} commented on your article “${title}”.`,
  replied: (actor: string, title: string) => `${actor} replied to your comment on “${title}”.`,
  summaryReady: (title: string) => `The summary of your article “${title}” is ready.`,
  summaryFailed: (title: string) => `The summary of your article “${title}” could not be generated.`,

  tooManyStreams: (open: number, most: number) =>
    `You have ${open} open streams, and at most ${most} are allowed: close one that you no longer need.`,
  serverStopping: 'The server is shutting down: connect again.',
};
