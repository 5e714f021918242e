/** Slices of a member's list of notifications, and what follows an id, for streams. */
import type { RowSlice } from '../../platform/database/columns.js';
import { Bindings, keysetIds, type Order, type Slice } from '../../platform/database/keyset.js';
import type { Database } from '../../platform/database/pool.js';
import { composedStatement, statement } from '../../platform/database/statement.js';
import { NOTIFICATION, NOTIFICATION_SOURCE, type NotificationRow } from './notification.js';

/** Ids are assigned in the order in which notifications are created, and are indexed. */
const BY_ID_DESC: Order = { key: 'n.id', type: 'bigint', isDescending: true };

/** `total`: size of the whole list. */
export type FoundNotifications = RowSlice<NotificationRow> & { total: number };

/** Newest first. Null if the member no longer exists. */
export async function findNotifications(
  database: Database,
  memberId: number,
  unreadOnly: boolean,
  slice: Slice,
): Promise<FoundNotifications | null> {
  const bindings = new Bindings();
  const member = bindings.add(memberId, 'bigint');
  const conditions = [`n.member_id = ${member}`, ...(unreadOnly ? ['n.read_at is null'] : [])];
  const total = unreadOnly ? 'c.unread' : 'c.total';
  const listQuery = { source: 'notifications n', id: 'n.id', conditions, order: BY_ID_DESC, total };
  const ids = keysetIds(listQuery, slice, bindings);
  const contents = NOTIFICATION.packedRows({ from: NOTIFICATION_SOURCE, order: BY_ID_DESC, ids });
  const text = `select ${total} as total, (${contents})::text as contents
    from notification_counts c where c.member_id = ${member}`;
  const [found] = await database.query(
    ...composedStatement<{ total: number; contents: string | null }>(text, bindings),
  );
  return found ? { total: found.total, ...NOTIFICATION.unpackRows(found.contents) } : null;
}

/** The id of a member's newest notification; 0 if there is none. */
export const NEWEST_NOTIFICATION = statement<[memberId: number], { newest: number }>(
  'newest_notification',
  'select coalesce(max(id), 0) as newest from notifications where member_id = $1',
);

export interface StreamedNotification extends NotificationRow {
  memberId: number;
  /** The last known id from the query's values that this row follows. */
  afterId: number;
}

/**
 * Notifications after the last known id of each of several streams, oldest first. Ids of one member become visible in ascending order,
 * so that no notification is skipped.
 */
export const NOTIFICATIONS_AFTER = statement<
  [memberIds: number[], afterIds: number[], limitPerStream: number],
  StreamedNotification
>(
  'notifications_after',
  `select w.member_id as "memberId", w.after_id as "afterId", ${NOTIFICATION.select}
   from unnest($1::bigint[], $2::bigint[]) as w(member_id, after_id)
     cross join lateral (
       select id from notifications where member_id = w.member_id and id > w.after_id order by id limit $3
     ) next
     join (${NOTIFICATION_SOURCE}) on n.id = next.id
   order by w.member_id, w.after_id, n.id`,
);
