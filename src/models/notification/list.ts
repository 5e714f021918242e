/** Slices of a member's list of notifications, each read with one SQL statement. */

import { Bindings, keysetIds, type Order, type Position, type Slice } from '../../database/keyset.js';
import type { Database } from '../../database/pool.js';
import { composedStatement } from '../../database/statement.js';
import { NOTIFICATION_COLUMNS, NOTIFICATION_SOURCE, type NotificationRow } from './notification.js';

/** Ids are assigned in the order in which notifications are created, and are indexed. */
const NEWEST_FIRST: Order = { key: 'n.id', type: 'bigint', isDescending: true };

export interface FoundNotifications {
  /** Size of the whole list. */
  total: number;
  contents: NotificationRow[];
  /** Keyset position of each row. */
  positions: Position[];
}

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
  const walk = { source: 'notifications n', id: 'n.id', conditions, order: NEWEST_FIRST, total };
  const ids = keysetIds(walk, slice, bindings);
  const text = `select ${total} as total, (
      select json_agg(to_json(f) order by f.id desc) from (
        select ${NOTIFICATION_COLUMNS} from ${NOTIFICATION_SOURCE} where n.id = any(array(${ids}))
      ) f
    )::text as contents
    from notification_counts c where c.member_id = ${member}`;
  const [found] = await database.query(
    composedStatement<{ total: number; contents: string | null }>(text),
    bindings.values,
  );
  if (!found) return null;
  const contents = JSON.parse(found.contents ?? '[]') as NotificationRow[];
  return { total: found.total, contents, positions: contents.map(({ id }) => ({ key: String(id), id })) };
}
