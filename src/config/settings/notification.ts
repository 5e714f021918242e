/** Settings of notifications. */
import { duration } from '../values.js';
import { group } from './group.js';

export const notificationSettings = group('Notifications', {
  NOTIFICATION_RETENTION: duration({
    default: '180d',
    desc: 'a duration such as 180d',
    about: 'How long a notification is kept, read or not.',
  }),
});
