/** Jobs that notify the followers of an author, and that add emails about notifications: at once, at most a few in an hour, and as daily digests. */
import {
  ANNOUNCE_ARTICLE,
  END_ANNOUNCEMENT,
  FOLLOWERS_AT_ONCE,
  LOCK_ANNOUNCEMENT,
  MAIL_FOLLOWERS,
  MOVE_ANNOUNCEMENT,
  NEXT_FOLLOWERS,
  NOTIFY_FOLLOWERS,
} from '../models/notification/announcement.js';
import { MAIL_NOTIFICATIONS } from '../models/notification/create.js';
import { TAKE_DIGESTS, TAKE_UNMAILED } from '../models/notification/mail.js';
import type { Transaction } from '../platform/database/pool.js';
import { addJobs, memberTurn } from '../platform/database/queue.js';
import type { Services } from '../services/index.js';
import { enqueueMail } from '../services/mail/enqueue.js';
import type { JobRun } from './job.js';

/** Added with each notification of a type with emails at once. Over the limit it waits, and then combines all notifications in one email. */
export async function mailNotifications(
  { memberId, client }: { memberId: number; client?: string },
  services: Services,
): Promise<void> {
  const { config, database, limits } = services;
  if (config.mail === null) return;
  const waitMs = await limits.notificationMails.count(database, String(memberId));
  if (waitMs > 0) {
    return addJobs(database, MAIL_NOTIFICATIONS, [{ memberId }], {
      delaySeconds: Math.ceil(waitMs / 1000),
      keyOf: () => String(memberId),
      queueNumberOf: () => memberId,
      client,
    });
  }
  const isAdded = await database.transaction(async (db) => {
    const [range] = await db.query(TAKE_UNMAILED, [memberId]);
    if (!range) return false;
    const { isFannedOut, ...ids } = range;
    const values = { email: 'AT_ONCE', ...ids } as const;
    await enqueueMail(db, services, { template: 'notification', memberId, values, isFannedOut, turn: client });
    return true;
  });
  if (!isAdded) await limits.notificationMails.refund(database, String(memberId));
}

/** Members per transaction: small, since it locks the counters of their notifications. */
const BATCH = 50;

/** Adds the digest of the day for each member who has unread notifications. A repeated run continues with the members without one. */
export async function mailDigests(_payload: unknown, services: Services, { signal }: JobRun): Promise<void> {
  const { config, database } = services;
  if (config.mail === null) return;
  for (let last: number | undefined = 0; last !== undefined; ) {
    signal.throwIfAborted();
    const after: number = last;
    last = await database.transaction(async (db) => {
      const members = await db.query(TAKE_DIGESTS, [after, BATCH]);
      for (const { memberId, after, upTo } of members) {
        if (after === null || upTo === null) continue;
        const values = { email: 'DAILY', after, upTo } as const;
        await enqueueMail(db, services, { template: 'notificationDigest', memberId, values, turn: 'digests' });
      }
      return members[BATCH - 1]?.memberId;
    });
  }
}

/**
 * Notifies one batch, and adds the job for the next one, behind the jobs of other articles. The batch, its position and the next job are one transaction,
 * so that a job that runs again repeats nothing.
 */
export async function announceArticle({ articleId }: { articleId: number }, { database }: Services): Promise<void> {
  await database.transaction(async (db) => {
    const [announcement] = await db.query(LOCK_ANNOUNCEMENT, [articleId]);
    const followers = announcement ? await notifyNext(db, articleId, announcement) : [];
    if (followers.length === FOLLOWERS_AT_ONCE) await addJobs(db, ANNOUNCE_ARTICLE, [{ articleId }]);
    else await db.query(END_ANNOUNCEMENT, [articleId]);
  });
}

/** @returns the followers of the batch */
async function notifyNext(
  db: Transaction,
  articleId: number,
  { authorId, lastFollowerId }: { authorId: number; lastFollowerId: number },
): Promise<readonly { id: number }[]> {
  const followers = await db.query(NEXT_FOLLOWERS, [authorId, lastFollowerId, FOLLOWERS_AT_ONCE]);
  const wanted = followers.filter(({ isNotified }) => isNotified).map(({ id }) => id);
  const notified = new Set((await db.query(NOTIFY_FOLLOWERS, [articleId, wanted])).map(({ id }) => id));
  const mailed = followers.filter(({ id, isMailed }) => isMailed && notified.has(id)).map(({ id }) => id);
  if (mailed.length > 0) await db.query(MAIL_FOLLOWERS, [mailed, memberTurn(authorId)]);
  const last = followers.at(-1);
  if (last) await db.query(MOVE_ANNOUNCEMENT, [articleId, last.id]);
  return followers;
}
