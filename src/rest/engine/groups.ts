/** The OpenAPI tags of endpoints, in the order of the API reference. */

export const GROUPS = {
  Auth: 'Registration, login and sessions.',
  Member: 'Profile and account of the authenticated member.',
  Article: 'Articles and their summaries.',
  Category: 'Categories for articles; each member has their own.',
  Comment: 'Comments on articles, and replies to comments.',
  Style: 'Rewriting a text in a built-in or custom style.',
  Notification: 'Notifications of the authenticated member, as pages and as a live stream.',
  NotificationSetting: 'Notification settings of the authenticated member.',
  External: 'Direct requests to the AI provider, to test it.',
};

export type Group = keyof typeof GROUPS;
