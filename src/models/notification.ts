/** The notifications table. */
import type { InferAttributes, InferCreationAttributes, Transaction } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { WITHDRAWN } from './comment.js';
import { lockForUpdate } from './lock-for-update.js';

/** Types of notifications, with their meanings. */
export const NOTIFICATION_KINDS = {
  COMMENT: 'Another member commented on your article.',
  REPLY: 'Another member replied to your comment.',
  SUMMARY: 'The summary of your article was completed or failed.',
} as const;

export type NotificationKind = keyof typeof NOTIFICATION_KINDS;

/** Results of generating a summary, with their meanings. */
export const SUMMARY_OUTCOMES = {
  COMPLETED: 'The summary is available.',
  FAILED: 'The summary could not be generated.',
} as const;

export type SummaryOutcome = keyof typeof SUMMARY_OUTCOMES;

/** Rows are inserted by the SQL statements in commands/notify.ts, since a database trigger assigns the ids. */
@Table({ tableName: 'notifications', timestamps: false })
export class Notification extends Model<InferAttributes<Notification>, InferCreationAttributes<Notification>> {
  @Column({ type: DataType.BIGINT, primaryKey: true })
  declare id: number;

  @Column(DataType.BIGINT)
  declare memberId: number;

  @Column(DataType.DATE)
  declare readAt: Date | null;
}

/** A notification with the data for its text. */
export interface NotificationRow {
  id: number;
  type: NotificationKind;
  articleId: number;
  articleTitle: string;
  /** Null if there is no comment, or it no longer exists. */
  commentId: number | null;
  /** Null if no member caused the notification, or that member withdrew. */
  actorId: number | null;
  /** Null if no member caused the notification. */
  actorName: string | null;
  /** Result of a summary; null for other types. */
  outcome: SummaryOutcome | null;
  read: boolean;
  createdAt: Date | string;
}

/** The columns of a `NotificationRow`, and the tables of its FROM clause. */
export const NOTIFICATION_COLUMNS = `n.id, n.type, n.article_id as "articleId", a.title as "articleTitle",
  n.comment_id as "commentId", n.actor_id as "actorId",
  case when n.type <> 'SUMMARY' then coalesce(m.nickname, '${WITHDRAWN}') end as "actorName",
  n.outcome, n.read_at is not null as read, n.created_at as "createdAt"`;
export const NOTIFICATION_SOURCE = `notifications n
  join articles a on a.id = n.article_id left join members m on m.id = n.actor_id`;

/** Notifications by id, in no order. Values: an array of ids. */
export const NOTIFICATIONS_BY_ID = statement<NotificationRow>(
  'notifications_by_id',
  `select ${NOTIFICATION_COLUMNS} from ${NOTIFICATION_SOURCE} where n.id = any($1::bigint[])`,
);

/** Numbers of unread notifications by member, in no order. Values: an array of member ids. */
export const UNREAD_BY_MEMBER = statement<{ id: number; unread: number }>(
  'unread_by_member',
  'select member_id as id, unread from notification_counts where member_id = any($1::bigint[])',
);

interface Marked {
  marked: number;
  oldest: number | null;
}

/** Maximum number of rows that one transaction marks: unread notifications are unbounded, since every comment can add one. */
const MARKED_AT_ONCE = 10_000;

/** Marks the newest unread ones. Values: member id, upper bound of the ids (exclusive) or null, limit. */
const MARK_READ = statement<Marked>(
  'mark_notifications_read',
  `with marked as (
     update notifications set read_at = now() where id in (
       select id from notifications where member_id = $1 and read_at is null and ($2::bigint is null or id < $2::bigint)
       order by id desc limit $3::integer for no key update
     ) returning id
   )
   select count(*) as marked, min(id) as oldest from marked`,
);

/** Marks all unread notifications as read, in batches, newest first; those that arrive meanwhile stay unread. */
export async function markAllRead(database: Database, memberId: number): Promise<void> {
  let before: number | null = null;
  do {
    const values: unknown[] = [memberId, before, MARKED_AT_ONCE];
    const [found]: Marked[] = await database.inTransaction((transaction) =>
      database.query(MARK_READ, values, transaction),
    );
    before = found?.marked === MARKED_AT_ONCE ? found.oldest : null;
  } while (before !== null);
}

/**
 * Marks one as read, if it is unread.
 * @param check throws if this notification may not be marked
 * @throws AppError NOTIFICATION_NOT_FOUND
 */
export async function markRead(
  id: number,
  transaction: Transaction,
  check: (notification: Notification) => void,
): Promise<void> {
  const notification = await lockForUpdate(Notification, id, 'NOTIFICATION_NOT_FOUND', transaction, check);
  if (notification.readAt === null) await notification.update({ readAt: new Date() }, { transaction });
}
