/** The notification stream (Server-Sent Events), over REST. */
import { ReceivedArgs } from '../../schema/notification-received.js';
import { type Endpoint, eventStream } from '../engine/endpoint.js';
import { header } from '../engine/source.js';
import { NOTIFICATION } from './shapes.js';

const streamNotifications: Endpoint = {
  method: 'GET',
  path: '/notifications/stream',
  group: 'Notification',
  summary: 'Stream your notifications in real time',
  description:
    'Authentication required. Server-Sent Events for `EventSource` clients, which reconnect automatically; with ' +
    '`Last-Event-ID`, they receive the notifications that were created in between. The stream ends when the session ends.',
  example: { 'Last-Event-ID': 1 },
  auth: 'bearer',
  status: 200,
  message: 'streamOpened',
  body: 'none',
  operation: `subscription ($after: ID) { notificationReceived(after: $after) { ...Notification } } ${NOTIFICATION}`,
  variables: { after: header('Last-Event-ID') },
  args: ReceivedArgs,
  result: eventStream('notificationReceived', 'notification'),
  errors: [],
};

export const notificationStreamEndpoints = [streamNotifications];
