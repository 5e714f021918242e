/** The notifications table. */
import type { InferAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { ColumnList, column, type Row, timestamp } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { WITHDRAWN } from '../member/member.js';
import type { Reader } from '../reader.js';
import { RowTable } from '../table.js';
import { kindsWith, type NotificationKind, type NotifiedDecision, type SummaryOutcome } from './kinds.js';

/** Rows are inserted by the statements in create.ts; a trigger assigns the ids. */
@Table({ tableName: 'notifications', timestamps: false })
export class Notification extends Model<InferAttributes<Notification>> {
  @Column({ type: DataType.BIGINT, primaryKey: true }) declare id: number;
  @Column(DataType.BIGINT) declare memberId: number;
  @Column(DataType.DATE) declare readAt: Date | null;
}

export const NOTIFICATIONS = new RowTable(Notification, 'NOTIFICATION_NOT_FOUND');

/** The readable columns of `notificationSource`: a notification with the data for its text. */
export const NOTIFICATION = new ColumnList({
  id: column<number>('n.id'),
  type: column<NotificationKind>('n.type'),
  /** Null if it is about a draft, a member or a decision. */
  articleId: column<number | null>('n.article_id'),
  /** A draft that was not published. */
  draftId: column<number | null>('n.draft_id'),
  /** Of the article or draft; that of a draft may be empty. Empty if it is about a member, or about a decision on what the reader does not see. */
  title: column<string>('s.title'),
  /** Null if there is no comment, or it no longer exists. */
  commentId: column<number | null>('n.comment_id'),
  /** Null if no member caused the notification, or that member withdrew. */
  actorId: column<number | null>('m.id'),
  /** Null if no member caused the notification. */
  actorName: column<string | null>(
    `case when n.type in (${kindsWith('hasActor')}) then coalesce(m.nickname, '${WITHDRAWN}') end`,
  ),
  /** Result of a summary; null for other types. */
  outcome: column<SummaryOutcome | null>('n.outcome'),
  /** Number of other members who like the article now; null for other types. */
  likes: column<number | null>(`case when n.type = 'LIKE' then (select l.number from other_likes(n) l) end`),
  decision: column<NotifiedDecision | null>('s.decision'),
  /** Null for other types, and for the member who reported what was decided on. */
  decisionId: column<number | null>("(s.decision->>'id')::bigint"),
  read: column<boolean>('n.read_at is not null'),
  createdAt: timestamp('n.created_at'),
});

/**
 * The number of notifications of a member that end (`ended_notifications`, migrations/0006-notifications.ts).
 * @param member an SQL expression
 */
export const countEnded = (member: string, unreadOnly: boolean): string =>
  `(select count(*) from ended_notifications(${member}) e${unreadOnly ? ' where e.is_unread' : ''})`;

export type NotificationRow = Row<typeof NOTIFICATION>;

/**
 * The notifications `n` that the reader sees, with what they are about.
 * @param reader an SQL expression
 */
export const notificationSource = (reader: string): string =>
  `notifications n cross join lateral notification_seen_by(n, ${reader}) s left join members m on m.id = s.actor_id`;

/** Notifications by id, in no order. */
export const NOTIFICATIONS_BY_ID = statement<[ids: readonly number[], reader: Reader], NotificationRow>(
  'notifications_by_id',
  `select ${NOTIFICATION.select} from ${notificationSource('$2::reader')} where n.id = any($1::bigint[])`,
);

/** Numbers of unread notifications by member, in no order. */
export const UNREAD_BY_MEMBER = statement<[memberIds: readonly number[]], { id: number; unread: number }>(
  'unread_by_member',
  `select c.member_id as id, c.unread - ${countEnded('c.member_id', true)} as unread
   from notification_counts c where c.member_id = any($1::bigint[])`,
);

export interface Marked {
  marked: number;
  oldest: number | null;
}

/** Marks the newest unread ones. */
export const MARK_READ = statement<[memberId: number, before: number | null, limit: number], Marked>(
  'mark_notifications_read',
  `with marked as (
     update notifications set read_at = now() where id in (
       select id from notifications where require_not_suspended($1) and member_id = $1 and read_at is null and ($2::bigint is null or id < $2::bigint)
       order by id desc limit $3::integer for no key update
     ) returning id
   )
   select count(*) as marked, min(id) as oldest from marked`,
);

/** When a member receives an email about notifications of a type, with their meanings. */
export const NOTIFICATION_EMAILS = {
  OFF: 'No emails.',
  AT_ONCE: 'An email for each notification; many within an hour are combined in one.',
  DAILY: 'One email a day that lists the unread notifications.',
} as const;

export type NotificationEmail = keyof typeof NOTIFICATION_EMAILS;

export interface NotificationSettingRow {
  type: NotificationKind;
  enabled: boolean;
  email: NotificationEmail;
}

/** Settings that a member has changed at least once. */
export const CHANGED_SETTINGS = statement<[memberId: number], NotificationSettingRow>(
  'changed_notification_settings',
  'select type, enabled, email from notification_settings where member_id = $1',
);

/**
 * Null keeps a value; `toggles` inverts `enabled` if it is null. The defaults are those of the type, and OFF. Emails begin with the next notification,
 * unless another type already has the same setting. No row if emails are switched on and the member has no confirmed address.
 */
export const SET_NOTIFICATION = statement<
  [
    memberId: number,
    type: NotificationKind,
    enabled: boolean | null,
    email: NotificationEmail | null,
    toggles: boolean,
  ],
  NotificationSettingRow
>(
  'set_notification',
  `with saved as (
     insert into notification_settings as s (member_id, type, enabled, email)
     select $1, $2::text, coalesce($3::boolean, ($2::text <> all (array[${kindsWith('isOffAtFirst')}])) <> $5::boolean), coalesce($4::text, 'OFF')
     where require_not_suspended($1)
       and (coalesce($4::text, 'OFF') = 'OFF' or exists (select from members where id = $1 and email_verified_at is not null))
     on conflict (member_id, type) do update
       set enabled = coalesce($3::boolean, s.enabled <> $5::boolean), email = coalesce($4::text, s.email)
     returning type, enabled, email
   ), newest as (
     select coalesce(max(id), 0) as id from notifications where member_id = $1
   ), started as (
     update notification_counts
     set at_once_mailed_id = case saved.email when 'AT_ONCE' then newest.id else at_once_mailed_id end,
         daily_mailed_id = case saved.email when 'DAILY' then newest.id else daily_mailed_id end
     from saved, newest
     where member_id = $1 and saved.email <> 'OFF'
       and not exists (select from notification_settings o where o.member_id = $1 and o.email = saved.email)
   )
   select type, enabled, email from saved`,
);

/** Switches off the emails of all types. */
export const UNSUBSCRIBE = statement<[memberId: number]>(
  'unsubscribe',
  `update notification_settings set email = 'OFF' where member_id = $1 and email <> 'OFF'`,
);

/** Ids ascend with the creation time, so that the oldest rows are found without an index on `created_at`. */
export const DELETE_OLDEST_NOTIFICATIONS = statement<[olderThanMs: number, limit: number], { deleted: number }>(
  'delete_oldest_notifications',
  `with oldest as (
     select id, created_at from notifications order by id limit $2
   ), deleted as (
     delete from notifications
     where id = any(array(select id from oldest where created_at < now() - $1 * interval '1 millisecond')) returning id
   )
   select count(*) as deleted from deleted`,
);
