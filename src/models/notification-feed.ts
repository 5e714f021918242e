/** What streams read of the notifications table: where its member's newest one is, and what came after a place. */

import { statement } from '../database/statement.js';
import { NOTIFICATION_COLUMNS, NOTIFICATION_SOURCE, type NotificationRow } from './notification.js';

/** The id of a member's newest notification; 0 where there is none. Values: member id. */
export const NEWEST_NOTIFICATION = statement<{ newest: number }>(
  'newest_notification',
  'select coalesce(max(id), 0) as newest from notifications where member_id = $1',
);

export interface FedNotification extends NotificationRow {
  memberId: number;
  /** The place that it comes after. */
  known: number;
}

/**
 * What came after the last one that each of some streams knows, oldest first. Ids of one member become visible in
 * ascending order, so that nothing is ever missed. Values: member ids, the last known id of each (0: none), how many of each.
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
