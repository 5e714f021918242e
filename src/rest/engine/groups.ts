/** The OpenAPI tags of endpoints, in the order of the API reference. */

export const GROUPS = {
  Auth: 'Accounts and the sessions that they are used with.',
  Member: 'Your own side of being a member.',
  Article: 'What members write, with its summaries.',
  Category: "The shelves of a member's articles, each member's own.",
  Comment: 'What is said about articles, and the replies.',
  Style: 'Texts in another style, built in or described by a member.',
  Notification: 'What members are told, in lists and as it happens.',
  NotificationSetting: 'What members want to be told.',
  External: 'The AI provider itself, to see whether it answers.',
};

export type Group = keyof typeof GROUPS;
