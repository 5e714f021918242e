/** Marks one notification, or all notifications of a member, as read. */
import type { Database } from '../database/pool.js';
import { AppError } from '../errors.js';
import { lockForUpdate } from '../models/lock-for-update.js';
import {
  MARK_READ,
  type Marked,
  NOTIFICATIONS_BY_ID,
  Notification,
  type NotificationRow,
} from '../models/notification/notification.js';

/** Maximum number of rows that one transaction marks: unread notifications are unbounded, since every comment can add one. */
const MAX_MARKED = 10_000;

/**
 * Marks one as read, if it is unread.
 * @param check throws if this notification may not be marked
 * @throws AppError NOTIFICATION_NOT_FOUND
 */
export function markNotificationRead(
  database: Database,
  id: number,
  check: (notification: Notification) => void,
): Promise<NotificationRow> {
  return database.inTransaction(async (transaction) => {
    const notification = await lockForUpdate(Notification, id, 'NOTIFICATION_NOT_FOUND', transaction, check);
    if (notification.readAt === null) await notification.update({ readAt: new Date() }, { transaction });
    const [found] = await database.query(NOTIFICATIONS_BY_ID, [[id]], transaction);
    if (!found) throw new AppError('NOTIFICATION_NOT_FOUND');
    return found;
  });
}

/** Marks all unread notifications as read, in batches, newest first; those that arrive meanwhile stay unread. */
export async function markAllNotificationsRead(database: Database, memberId: number): Promise<void> {
  let before: number | null = null;
  do {
    const last: number | null = before;
    const [found]: Marked[] = await database.inTransaction((transaction) =>
      database.query(MARK_READ, [memberId, last, MAX_MARKED], transaction),
    );
    before = found?.marked === MAX_MARKED ? found.oldest : null;
  } while (before !== null);
}
