/** Slices of a member's list of notifications, and what follows an id, for streams. */
import type { RowSlice } from '../../platform/database/columns.js';
import { Bindings, keysetIds, type Order, type Slice } from '../../platform/database/keyset.js';
import type { Database } from '../../platform/database/pool.js';
import { composedStatement, statement } from '../../platform/database/statement.js';
import { isOfDeleted } from '../article/ended.js';
import type { Reader } from '../reader.js';
import { countEnded, NOTIFICATION, type NotificationRow, notificationSource } from './notification.js';

/** Ids are assigned in the order in which notifications are created, and are indexed. */
const BY_ID_DESC: Order = { key: 'n.id', type: 'bigint', isDescending: true };

/** `total`: size of the whole list. */
export type FoundNotifications = RowSlice<NotificationRow> & { total: number };

/** A notification `n` about a private article, which is the member's own. */
const IS_PRIVATE = 'exists (select from all_articles p where p.id = n.article_id and p.is_private)';

/** Newest first: those about articles and drafts that the reader sees. @returns null if the member no longer exists */
export async function findNotifications(
  database: Database,
  { memberId, reader, unreadOnly }: { memberId: number; reader: Reader; unreadOnly: boolean },
  slice: Slice,
): Promise<FoundNotifications | null> {
  const bindings = new Bindings();
  const member = bindings.add(memberId, 'bigint');
  const source = notificationSource(bindings.add(reader, 'reader'));
  const unread = unreadOnly ? ['n.read_at is null'] : [];
  const owned = [`n.member_id = ${member}`, ...unread];
  const counted = unreadOnly ? 'c.unread' : 'c.total';
  const [seesPrivate, seesDrafts] = [reader.articleReaderId === memberId, reader.draftReaderId === memberId];
  const conditions = [
    ...unread,
    `n.id <> all(array(select e.id from ended_notifications(${member}) e where e.type in ('ARTICLE', 'FOLLOW')))`,
    `not ${isOfDeleted('coalesce(n.article_id, 0)')}`,
    ...(seesPrivate ? [] : [`not ${IS_PRIVATE}`]),
    ...(seesDrafts ? [] : ['n.draft_id is null']),
  ];
  const total = [
    counted,
    countEnded(member, unreadOnly),
    ...(seesPrivate ? [] : [countPrivate(owned)]),
    ...(seesDrafts ? [] : [countOfDrafts(owned)]),
  ].join(' - ');
  const part = { column: 'n.member_id', value: member };
  const listQuery = { source: 'notifications n', id: 'n.id', part, conditions, order: BY_ID_DESC, total: `(${total})` };
  const ids = keysetIds(listQuery, slice, bindings);
  const contents = NOTIFICATION.packedRows({ from: source, order: BY_ID_DESC, ids });
  const text = `select (${total}) as total, (${contents})::text as contents
    from notification_counts c where c.member_id = ${member}`;
  const [found] = await database.query(
    ...composedStatement<{ total: number; contents: string | null }>(text, bindings),
  );
  return found ? { total: found.total, ...NOTIFICATION.unpackRows(found.contents) } : null;
}

/** Those about the private articles of the member of `notification_counts c`, of which there are fewer than notifications. */
function countPrivate(conditions: readonly string[]): string {
  return `(select count(*) from all_articles p join notifications n on n.article_id = p.id
    where p.member_id = c.member_id and p.is_private and ${conditions.join(' and ')})`;
}

/** Those about the member's drafts. */
function countOfDrafts(conditions: readonly string[]): string {
  return `(select count(*) from drafts d join notifications n on n.draft_id = d.id
    where d.member_id = c.member_id and ${conditions.join(' and ')})`;
}

const UNREAD = ['n.member_id = c.member_id', 'n.read_at is null'];

/** As UNREAD_BY_MEMBER, without those that the reader, such as an API token, does not see. */
export const UNREAD_BY_READER = statement<
  [memberIds: readonly number[], reader: Reader],
  { id: number; unread: number }
>(
  'unread_by_reader',
  `select c.member_id as id, c.unread
     - ${countEnded('c.member_id', true)}
     - case when ($2::reader).article_reader_id = c.member_id then 0 else ${countPrivate(UNREAD)} end
     - case when ($2::reader).draft_reader_id = c.member_id then 0 else ${countOfDrafts(UNREAD)} end as unread
   from notification_counts c where c.member_id = any($1::bigint[])`,
);

/** The id of a member's newest notification; 0 if there is none. */
export const NEWEST_NOTIFICATION = statement<[memberId: number], { newest: number }>(
  'newest_notification',
  'select coalesce(max(id), 0) as newest from notifications where member_id = $1',
);

export interface StreamedNotification extends NotificationRow {
  /** The number of its stream in the parameters, from 1. */
  key: number;
}

/**
 * Notifications after the last known id of each of several streams, oldest first. Ids of one member become visible in ascending order,
 * so that no notification is skipped.
 */
export const NOTIFICATIONS_AFTER = statement<
  [memberIds: number[], afterIds: number[], readers: Reader[], limitPerStream: number],
  StreamedNotification
>(
  'notifications_after',
  `select w.key, r.*
   from (select k.key, k.member_id, k.after_id, row(k.viewer_id, k.article_reader_id, k.draft_reader_id, k.moderator_id)::reader as reader
       from unnest($1::bigint[], $2::bigint[], $3::reader[]) with ordinality
         as k(member_id, after_id, viewer_id, article_reader_id, draft_reader_id, moderator_id, key)) w
     cross join lateral (
       select ${NOTIFICATION.select} from ${notificationSource('w.reader')}
       where n.member_id = w.member_id and n.id > w.after_id order by n.id limit $4
     ) r
   order by w.key, r.id`,
);
