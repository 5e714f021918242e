/** The notifications table: what a member has been told. */
import type { InferAttributes, InferCreationAttributes, Transaction } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { WITHDRAWN } from './comment.js';
import { hold } from './hold.js';

/** What members are told of. */
export const NOTIFICATION_KINDS = {
  COMMENT: 'Somebody commented on your article.',
  REPLY: 'Somebody replied to your comment.',
  SUMMARY: 'The summary of your article was finished, or failed.',
} as const;

export type NotificationKind = keyof typeof NOTIFICATION_KINDS;

/** How the making of a summary ended. */
export const SUMMARY_OUTCOMES = {
  COMPLETED: 'The summary is there.',
  FAILED: 'The summary could not be made.',
} as const;

export type SummaryOutcome = keyof typeof SUMMARY_OUTCOMES;

/** Rows are written by the statements of notification-write.ts, since the database gives the numbers. */
@Table({ tableName: 'notifications', timestamps: false })
export class Notification extends Model<InferAttributes<Notification>, InferCreationAttributes<Notification>> {
  @Column({ type: DataType.BIGINT, primaryKey: true })
  declare id: number;

  @Column(DataType.BIGINT)
  declare memberId: number;

  @Column(DataType.DATE)
  declare readAt: Date | null;
}

/** A notification with what its sentence is made of. */
export interface NotificationRow {
  id: number;
  type: NotificationKind;
  articleId: number;
  articleTitle: string;
  /** Null where there is no comment, or none any more. */
  commentId: number | null;
  /** Null where nobody acted, or the member withdrew. */
  actorId: number | null;
  /** Null where nobody acted. */
  actorName: string | null;
  /** Of a summary; null otherwise. */
  outcome: SummaryOutcome | null;
  read: boolean;
  createdAt: Date | string;
}

/** The columns of a `NotificationRow`, and where they come from. */
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

/** What some members have not read yet, in no order. Values: an array of member ids. */
export const UNREAD_BY_MEMBER = statement<{ id: number; unread: number }>(
  'unread_by_member',
  'select member_id as id, unread from notification_counts where member_id = any($1::bigint[])',
);

interface Marked {
  marked: number;
  oldest: number | null;
}

/** Rows that one transaction marks: anyone who comments adds to them. */
const MARKED_AT_ONCE = 10_000;

/** The newest ones. Values: member id, the id that they come before or null, how many. */
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

/** Marks what the member has not read by now; what comes meanwhile stays unread. */
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
 * Marks one as read, if it is not yet.
 * @param check throws where this notification may not be marked
 * @throws AppError NOTIFICATION_NOT_FOUND
 */
export async function markRead(
  id: number,
  transaction: Transaction,
  check: (notification: Notification) => void,
): Promise<void> {
  const notification = await hold(Notification, id, 'NOTIFICATION_NOT_FOUND', transaction, check);
  if (notification.readAt === null) await notification.update({ readAt: new Date() }, { transaction });
}
