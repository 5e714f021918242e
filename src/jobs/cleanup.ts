/**
 * Jobs that delete what is no longer needed: unconfirmed accounts, old notifications, old removals in the feed of changes, expired idempotency keys, challenges and share links, hashes of readers,
 * images that no article references, files without a row, and what is left of articles and members that ended.
 */
import { enqueueImageRemoval } from '../commands/image.js';
import {
  ENDED_ROWS,
  FINISH_ENDED_ARTICLES,
  FINISH_NOTIFIED_ARTICLES,
  NEXT_ENDED_ARTICLES,
  NEXT_NOTIFIED_ARTICLES,
  REMOVE_ENDED_NOTIFICATIONS,
} from '../models/article/ended.js';
import { ARTICLES_WITH_OLD_REVISIONS, THIN_REVISIONS, THINNING_BATCH } from '../models/article/revision.js';
import { DELETE_OLD_REMOVALS } from '../models/change.js';
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
import type { Transaction } from '../platform/database/pool.js';
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

/** Deletes the removals in the feed of changes that are older than `changesRetentionMs`. */
export const deleteOldRemovals = (_payload: unknown, { database, config }: Services) =>
  inBatches(() => database.query(DELETE_OLD_REMOVALS, [config.changesRetentionMs, BATCH]));

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
    isLeft = await database.transaction(async (db) => (await deleteEndedRows(db)) || deleteRowsOfWithdrawn(db));
  }
}

/** @returns whether there was an article */
async function deleteEndedRows(db: Transaction): Promise<boolean> {
  const idsOf = (rows: { articleId: number }[]) => rows.map(({ articleId }) => articleId);
  const notified = idsOf(await db.query(NEXT_NOTIFIED_ARTICLES, []));
  if (notified.length > 0) {
    const [found] = await db.query(REMOVE_ENDED_NOTIFICATIONS, [notified, BATCH]);
    if (found?.removed !== BATCH) await db.query(FINISH_NOTIFIED_ARTICLES, [notified]);
    return true;
  }
  const ended = idsOf(await db.query(NEXT_ENDED_ARTICLES, []));
  if (ended.length === 0) return false;
  for (const rows of ENDED_ROWS) {
    const [found] = await db.query(rows, [ended, BATCH]);
    if (found?.removed) return true;
  }
  await db.query(FINISH_ENDED_ARTICLES, [ended]);
  return true;
}

/** @returns whether there was a member */
async function deleteRowsOfWithdrawn(db: Transaction): Promise<boolean> {
  const ids = (await db.query(NEXT_WITHDRAWN, [])).map(({ id }) => id);
  if (ids.length === 0) return false;
  for (const rows of ROWS_OF_WITHDRAWN) {
    const [found] = await db.query(rows, [ids, BATCH]);
    if (found?.changed) return true;
  }
  const images = await db.query(REMOVE_IMAGES_OF_WITHDRAWN, [ids, BATCH]);
  const keys = images.map(({ key }) => key);
  await enqueueImageRemoval(db, keys, 'cleanup');
  if (keys.length === 0) await db.query(FINISH_WITHDRAWN, [ids]);
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
    removed = await database.transaction(async (db) => {
      const images = await db.query(DELETE_UNREFERENCED_IMAGES, [UNREFERENCED_MS, BATCH]);
      const keys = images.map(({ key }) => key);
      await enqueueImageRemoval(db, keys, 'cleanup');
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

/** Articles of one statement, which sorts all of their revisions. */
const ARTICLES = 100;

/**
 * Deletes revisions of articles beyond those that are kept: those that are too old, and all beyond a smaller `REVISIONS_KEPT`. Each batch is a
 * transaction of its own, and locks only what it deletes. Aborted, the job continues in the next run.
 */
export async function thinRevisions(
  _payload: unknown,
  { database, config: { revisionsKept } }: Services,
  { signal }: JobRun,
): Promise<void> {
  for (let next: number | null = 0; next !== null; ) {
    const [found]: { last: number | null; ids: number[] }[] = await database.query(ARTICLES_WITH_OLD_REVISIONS, [
      next,
      revisionsKept,
    ]);
    const ids = found?.ids ?? [];
    for (let start = 0; start < ids.length; start += ARTICLES) {
      for (let deleted = THINNING_BATCH; deleted === THINNING_BATCH; ) {
        signal.throwIfAborted();
        const batch = ids.slice(start, start + ARTICLES);
        const [thinned] = await database.query(THIN_REVISIONS, [batch, revisionsKept, THINNING_BATCH]);
        deleted = thinned?.deleted ?? 0;
      }
    }
    next = found?.last ?? null;
  }
}
