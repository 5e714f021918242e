/** Statements of notification streams: the member's newest notification id, and the notifications after an id. */

import { statement } from '../../database/statement.js';
import { NOTIFICATION_COLUMNS, NOTIFICATION_SOURCE, type NotificationRow } from './notification.js';

/** The id of a member's newest notification; 0 if there is none. Values: member id. */
export const NEWEST_NOTIFICATION = statement<{ newest: number }>(
  'newest_notification',
  'select coalesce(max(id), 0) as newest from notifications where member_id = $1',
);

export interface FedNotification extends NotificationRow {
  memberId: number;
  /** The last known id from the query's values that this row follows. */
  known: number;
}

/**
 * Notifications after the last known id of each of several streams, oldest first. Ids of one member become visible in ascending order,
 * so that no notification is skipped. Values: member ids, the last known id of each (0: none), limit per stream.
 */
export const NOTIFICATIONS_AFTER = statement<FedNotification>(
  'notifications_after',
  `select w.member_id as "memberId", w.known, ${NOTIFICATION_COLUMNS}
   from unnest($1::bigint[], $2::bigint[]) as w(member_id, known)
     cross join lateral (
       select id from notifications where member_id = w.member_id and id > w.known order by id limit $3
     ) next
     join (${NOTIFICATION_SOURCE}) on n.id = next.id
   order by w.member_id, w.known, n.id`,
);
