/** Deletes notifications that are older than the retention period. */
import { statement } from '../database/statement.js';
import type { Services } from '../services.js';

/** Small, so that row locks on the counters of the members concerned are short. */
const BATCH = 1_000;

/** Ids ascend with the creation time, so that the oldest rows are found without an index on `created_at`. Values: milliseconds. */
const FORGET_OLDEST = statement<{ forgotten: number }>(
  'forget_oldest_notifications',
  `with oldest as (
     select id, created_at from notifications order by id limit ${BATCH}
   ), forgotten as (
     delete from notifications
     where id in (select id from oldest where created_at < now() - $1 * interval '1 millisecond') returning id
   )
   select count(*) as forgotten from forgotten`,
);

/** Deletes in batches what is older than `notificationRetentionMs`. */
export async function forgetOldNotifications(_payload: unknown, { database, config }: Services): Promise<void> {
  for (let forgotten = BATCH; forgotten === BATCH; ) {
    const [found] = await database.query(FORGET_OLDEST, [config.notificationRetentionMs]);
    forgotten = found?.forgotten ?? 0;
  }
}
