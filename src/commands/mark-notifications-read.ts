/** Marks one notification, or all notifications of a member, as read. */
import {
  MARK_READ,
  type Marked,
  NOTIFICATIONS,
  NOTIFICATIONS_BY_ID,
  type Notification,
  type NotificationRow,
} from '../models/notification/notification.js';
import type { Reader } from '../models/reader.js';
import type { Guard } from '../models/table.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';

/** Maximum number of rows that one transaction marks, so that its locks are short: unread notifications are unbounded, since every comment can add one. */
const MAX_MARKED = 1_000;

/**
 * Marks one as read, if it is unread.
 * @throws AppError NOTIFICATION_NOT_FOUND
 */
export function markNotificationRead(
  database: Database,
  id: number,
  reader: Reader,
  { credentialId, check }: Guard<Notification>,
): Promise<NotificationRow> {
  return database.transaction(async (db) => {
    const find = async () => {
      const [found] = await db.query(NOTIFICATIONS_BY_ID, [[id], reader]);
      if (!found) throw new AppError('NOTIFICATION_NOT_FOUND');
      return found;
    };
    const notification = await NOTIFICATIONS.lock(db, id, () => {}, credentialId);
    try {
      check(notification);
    } catch (error) {
      // One about a private article or a draft does not exist for other members.
      await find();
      throw error;
    }
    const readAt = notification.readAt ?? new Date(database.now());
    await NOTIFICATIONS.update(db, notification, { readAt });
    return find();
  });
}

/** Marks all unread notifications as read, in batches, newest first; those that arrive meanwhile stay unread. */
export async function markAllNotificationsRead(database: Database, memberId: number): Promise<void> {
  let before: number | null = null;
  do {
    const last: number | null = before;
    const [found]: Marked[] = await database.transaction((db) => db.query(MARK_READ, [memberId, last, MAX_MARKED]));
    before = found?.marked === MAX_MARKED ? found.oldest : null;
  } while (before !== null);
}
