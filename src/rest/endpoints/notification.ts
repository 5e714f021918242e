/** Notifications, their settings and their stream (Server-Sent Events), over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape, shape } from '../engine/shape.js';
import { bodyAbsence, header } from '../engine/source.js';
import { PAGINATION } from './shapes.js';

const NOTIFICATION = shape({
  fragment: `fragment Notification on Notification {
    id type message articleId commentId draftId decisionId actor: actorName read createdAt
  }`,
  description: 'A notification of the authenticated member. Times are in UTC.',
  example: {
    id: 3,
    type: 'COMMENT',
    message: 'jun commented on your article “A morning at the lighthouse”.',
    articleId: 1,
    commentId: 3,
    draftId: null,
    decisionId: null,
    actor: 'jun',
    read: false,
    createdAt: '2026-11-20T10:30:00',
  },
});

const NOTIFICATION_SETTING = plainShape(
  'NotificationSetting',
  'Whether one notification type is enabled, and sent by email.',
  { type: 'REPLY', enabled: false, email: 'OFF' },
);

const listNotifications: Endpoint = {
  method: 'GET',
  path: '/notifications',
  summary: 'List your notifications, newest first',
  description:
    'Authentication required. Comments and replies by others on your articles and comments, mentions of you, articles of members whom you follow, ' +
    'summaries that have completed or failed, drafts that were published at their time or could not be, new followers, likes of your articles, and decisions of moderators. The messages are in the language that the request accepts.',
  example: { unreadOnly: true },
  operation: `query ($page: Int, $size: Int, $unreadOnly: Boolean) {
    notifications(page: $page, size: $size, unreadOnly: $unreadOnly) {
      contents { ...Notification } pagination { ...Pagination }
    }
  } ${NOTIFICATION} ${PAGINATION}`,
};

const markRead: Endpoint = {
  method: 'PUT',
  path: '/notifications/{id}',
  summary: 'Mark one of your notifications as read',
  description: 'Recipient only. Idempotent.',
  message: 'notificationRead',
  operation: 'markNotificationRead',
  errors: ['NOTIFICATION_FORBIDDEN', 'NOTIFICATION_NOT_FOUND'],
};

const markAllRead: Endpoint = {
  method: 'PUT',
  path: '/notifications/read',
  summary: 'Mark all of your notifications as read',
  description: 'Authentication required. Notifications that arrive during the request stay unread.',
  message: 'notificationsRead',
  operation: 'markAllNotificationsRead',
};

const listSettings: Endpoint = {
  method: 'GET',
  path: '/members/me/notification-settings',
  group: 'NotificationSetting',
  summary: 'List your notification settings',
  description:
    'Authentication required. One setting per notification type except MODERATION. By default all except LIKE are enabled, without emails.',
  operation: ['notificationSettings', NOTIFICATION_SETTING],
};

const setNotification: Endpoint = {
  method: 'PUT',
  path: '/members/me/notification-settings/{type}',
  group: 'NotificationSetting',
  summary: 'Set a notification type and its emails; without a body, toggle the type',
  description:
    'Authentication required. While a type is disabled, its notifications are not stored: enabling it again does not ' +
    'restore them. A field that is absent stays unchanged. Emails require an account with a confirmed email address, and a ' +
    'service that sends email; they contain only notifications that are unread when they are sent.',
  example: { type: 'REPLY', enabled: false, email: 'OFF' },
  message: 'settingChanged',
  operation: ['setNotification', NOTIFICATION_SETTING],
  variables: { toggle: bodyAbsence() },
  errors: ['MAIL_NOT_CONFIGURED'],
};

const streamNotifications: Endpoint = {
  method: 'GET',
  path: '/notifications/stream',
  summary: 'Stream your notifications in real time',
  description:
    'Authentication required. Server-Sent Events: `EventSource` clients that can send `Authorization` reconnect ' +
    'automatically and, with `Last-Event-ID`, receive what they missed. The stream ends when the session ends.',
  example: { 'Last-Event-ID': 1 },
  message: 'streamOpened',
  operation: ['notificationReceived', NOTIFICATION],
  variables: { after: header('Last-Event-ID') },
  event: 'notification',
};

export const notificationEndpoints = [
  listNotifications,
  markRead,
  markAllRead,
  listSettings,
  setNotification,
  streamNotifications,
];
