/**
 * Jobs that delete what is no longer needed: unconfirmed accounts, old notifications, expired idempotency keys, challenges and share links, hashes of readers,
 * images that no article references, files without a row, and what is left of articles and members that ended.
 */
import type { Transaction } from 'sequelize';
import { enqueueImageRemoval } from '../commands/image.js';
import {
  ENDED_ROWS,
  FINISH_ENDED_ARTICLES,
  FINISH_NOTIFIED_ARTICLES,
  NEXT_ENDED_ARTICLES,
  NEXT_NOTIFIED_ARTICLES,
  REMOVE_ENDED_NOTIFICATIONS,
} from '../models/article/ended.js';
import { DELETE_EXPIRED_KEYS } from '../models/idempotency-key.js';
import { DELETE_UNREFERENCED_IMAGES, UNREFERENCED_MS, USE_OF_IMAGE } from '../models/image.js';
import { DELETE_UNCONFIRMED } from '../models/member/account.js';
import { UNCONFIRMED_MS } from '../models/member/one-time-token.js';
import { DELETE_EXPIRED_CHALLENGES } from '../models/member/passkey.js';
import {
  FINISH_WITHDRAWN,
  NEXT_WITHDRAWN,
  REMOVE_IMAGES_OF_WITHDRAWN,
  ROWS_OF_WITHDRAWN,
} from '../models/member/removal.js';
import { DELETE_OLDEST_NOTIFICATIONS } from '../models/notification/notification.js';
import { DELETE_EXPIRED_SHARES } from '../models/share-link.js';
import { DELETE_PAST_READERS, DELETE_PAST_SALTS } from '../models/view.js';
import type { Database } from '../platform/database/pool.js';
import { KEY_LIFETIME_MS } from '../services/idempotency/execution.js';
import type { Services } from '../services/index.js';
import type { JobRun } from './job.js';

/** Small, so that row locks on the counters of the members concerned are short. */
const BATCH = 1_000;

/** Deletes the notifications that are older than `notificationRetentionMs`. */
export const deleteOldNotifications = (_payload: unknown, { database, config }: Services) =>
  inBatches(() => database.query(DELETE_OLDEST_NOTIFICATIONS, [config.notificationRetentionMs, BATCH]));

/** Deletes the responses that are too old to be sent to a retry. */
export const deleteExpiredIdempotencyKeys = (_payload: unknown, { database }: Services) =>
  inBatches(() => database.query(DELETE_EXPIRED_KEYS, [KEY_LIFETIME_MS, BATCH]));

/** Deletes the used challenges of passkeys that have expired. */
export const deleteExpiredChallenges = (_payload: unknown, { database }: Services) =>
  inBatches(() => database.query(DELETE_EXPIRED_CHALLENGES, [BATCH]));

export const deleteExpiredShares = (_payload: unknown, { database }: Services) =>
  inBatches(() => database.query(DELETE_EXPIRED_SHARES, [BATCH]));

/** Deletes the salts of past days, then the hashes. */
export const deleteReaders = async (_payload: unknown, { database }: Services) => {
  await database.query(DELETE_PAST_SALTS, []);
  await inBatches(() => database.query(DELETE_PAST_READERS, [BATCH]));
};

/** Repeats a statement that deletes at most `BATCH` rows until it deletes fewer. */
async function inBatches(deleteBatch: () => Promise<readonly { deleted: number }[]>): Promise<void> {
  while ((await deleteBatch())[0]?.deleted === BATCH);
}

/** Deletes in batches, each of which is a transaction that locks the counters of as many members. Aborted, another run continues. */
export async function deleteRowsOfReaders(
  _payload: unknown,
  { database }: Services,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  for (let isLeft = true; isLeft; ) {
    signal.throwIfAborted();
    isLeft = await database.inTransaction(
      async (transaction) =>
        (await deleteEndedRows(database, transaction)) || deleteRowsOfWithdrawn(database, transaction),
    );
  }
}

/** @returns whether there was an article */
async function deleteEndedRows(database: Database, transaction: Transaction): Promise<boolean> {
  const idsOf = (rows: { articleId: number }[]) => rows.map(({ articleId }) => articleId);
  const notified = idsOf(await database.query(NEXT_NOTIFIED_ARTICLES, [], transaction));
  if (notified.length > 0) {
    const [found] = await database.query(REMOVE_ENDED_NOTIFICATIONS, [notified, BATCH], transaction);
    if (found?.removed !== BATCH) await database.query(FINISH_NOTIFIED_ARTICLES, [notified], transaction);
    return true;
  }
  const ended = idsOf(await database.query(NEXT_ENDED_ARTICLES, [], transaction));
  if (ended.length === 0) return false;
  for (const rows of ENDED_ROWS) {
    const [found] = await database.query(rows, [ended, BATCH], transaction);
    if (found?.removed) return true;
  }
  await database.query(FINISH_ENDED_ARTICLES, [ended], transaction);
  return true;
}

/** @returns whether there was a member */
async function deleteRowsOfWithdrawn(database: Database, transaction: Transaction): Promise<boolean> {
  const ids = (await database.query(NEXT_WITHDRAWN, [], transaction)).map(({ id }) => id);
  if (ids.length === 0) return false;
  for (const rows of ROWS_OF_WITHDRAWN) {
    const [found] = await database.query(rows, [ids, BATCH], transaction);
    if (found?.changed) return true;
  }
  const images = await database.query(REMOVE_IMAGES_OF_WITHDRAWN, [ids, BATCH], transaction);
  const keys = images.map(({ key }) => key);
  await enqueueImageRemoval(database, keys, 'cleanup', transaction);
  if (keys.length === 0) await database.query(FINISH_WITHDRAWN, [ids], transaction);
  return true;
}

/** The image was replaced or removed, or saved for a row that was never written. No effect if it is in use or already removed. */
export async function removeUnusedImage({ key }: { key: string }, { database, images }: Services): Promise<void> {
  const [use] = await database.query(USE_OF_IMAGE, [key]);
  if (!use) await images.remove(key);
}

/** Deletes in batches, each with the jobs that remove its files. */
export async function removeUnreferencedImages(_payload: unknown, { database }: Services): Promise<void> {
  for (let removed = BATCH; removed === BATCH; ) {
    removed = await database.inTransaction(async (transaction) => {
      const images = await database.query(DELETE_UNREFERENCED_IMAGES, [UNREFERENCED_MS, BATCH], transaction);
      const keys = images.map(({ key }) => key);
      await enqueueImageRemoval(database, keys, 'cleanup', transaction);
      return keys.length;
    });
  }
}

/** Deletes in batches. */
export async function removeUnconfirmedAccounts(_payload: unknown, { database }: Services): Promise<void> {
  for (let removed = BATCH; removed === BATCH; ) {
    removed = (await database.query(DELETE_UNCONFIRMED, [UNCONFIRMED_MS, BATCH])).length;
  }
}
