/**
 * Jobs that delete what is no longer needed: unconfirmed accounts, old notifications, expired idempotency keys and challenges, images that no article
 * references, and files without a row.
 */
import { enqueueImageRemoval } from '../commands/image.js';
import { statement } from '../database/statement.js';
import { KEY_LIFETIME_MS } from '../idempotency/execution.js';
import { DELETE_EXPIRED_KEYS } from '../models/idempotency-key.js';
import { UNREFERENCED_MS } from '../models/image.js';
import { UNCONFIRMED_MS } from '../models/member/one-time-token.js';
import { DELETE_EXPIRED_CHALLENGES } from '../models/member/passkey.js';
import type { Services } from '../services.js';

/** Small, so that row locks on the counters of the members concerned are short. */
const BATCH = 1_000;

/** Ids ascend with the creation time, so that the oldest rows are found without an index on `created_at`. */
const DELETE_OLDEST = statement<[olderThanMs: number], { deleted: number }>(
  'delete_oldest_notifications',
  `with oldest as (
     select id, created_at from notifications order by id limit ${BATCH}
   ), deleted as (
     delete from notifications
     where id in (select id from oldest where created_at < now() - $1 * interval '1 millisecond') returning id
   )
   select count(*) as deleted from deleted`,
);

/** Deletes in batches the notifications that are older than `notificationRetentionMs`. */
export async function deleteOldNotifications(_payload: unknown, { database, config }: Services): Promise<void> {
  for (let deleted = BATCH; deleted === BATCH; ) {
    const [found] = await database.query(DELETE_OLDEST, [config.notificationRetentionMs]);
    deleted = found?.deleted ?? 0;
  }
}

/** Deletes in batches the responses that are too old to be sent to a retry. */
export async function deleteExpiredIdempotencyKeys(_payload: unknown, { database }: Services): Promise<void> {
  for (let deleted = BATCH; deleted === BATCH; ) {
    const [found] = await database.query(DELETE_EXPIRED_KEYS, [KEY_LIFETIME_MS, BATCH]);
    deleted = found?.deleted ?? 0;
  }
}

/** Deletes in batches the used challenges of passkeys that have expired. */
export async function deleteExpiredChallenges(_payload: unknown, { database }: Services): Promise<void> {
  for (let deleted = BATCH; deleted === BATCH; ) {
    const [found] = await database.query(DELETE_EXPIRED_CHALLENGES, [BATCH]);
    deleted = found?.deleted ?? 0;
  }
}

/** Returns no row if nothing references the image. */
const USE_OF_IMAGE = statement<[key: string], { used: true }>(
  'use_of_image',
  `select true as used where exists (select from members where profile_image = $1)
                          or exists (select from articles where image = $1)
                          or exists (select from images where key = $1)`,
);

/** The image was replaced or removed, or saved for a row that was never written. No effect if it is in use or already removed. */
export async function removeUnusedImage({ key }: { key: string }, { database, images }: Services): Promise<void> {
  const [use] = await database.query(USE_OF_IMAGE, [key]);
  if (!use) await images.remove(key);
}

/**
 * Evaluates the conditions again after locking a row: an image that an article has begun to reference meanwhile stays. Rows that
 * other transactions have locked are skipped.
 */
const DELETE_UNREFERENCED = statement<[olderThanMs: number], { key: string }>(
  'delete_unreferenced_images',
  `delete from images where id in (
     select id from images where unreferenced_at < now() - $1 * interval '1 millisecond'
     order by unreferenced_at limit ${BATCH} for update skip locked
   ) returning key`,
);

/** Deletes in batches, each with the jobs that remove its files. */
export async function removeUnreferencedImages(_payload: unknown, { database }: Services): Promise<void> {
  for (let removed = BATCH; removed === BATCH; ) {
    removed = await database.inTransaction(async (transaction) => {
      const images = await database.query(DELETE_UNREFERENCED, [UNREFERENCED_MS], transaction);
      const keys = images.map(({ key }) => key);
      await enqueueImageRemoval(database, keys, transaction);
      return keys.length;
    });
  }
}

/** A login sets `pending_since` to null. An operator may have transferred content to the account. */
const DELETE_UNCONFIRMED = statement<[olderThanMs: number], { id: number }>(
  'delete_unconfirmed_accounts',
  `delete from members where id in (
     select id from members m
     where pending_since < now() - $1 * interval '1 millisecond' and email_verified_at is null
       and not exists (select from articles where member_id = m.id)
       and not exists (select from comments where member_id = m.id)
     order by pending_since limit ${BATCH} for update skip locked
   ) returning id`,
);

/** Deletes in batches. */
export async function removeUnconfirmedAccounts(_payload: unknown, { database }: Services): Promise<void> {
  for (let removed = BATCH; removed === BATCH; ) {
    removed = (await database.query(DELETE_UNCONFIRMED, [UNCONFIRMED_MS])).length;
  }
}
