/** Notifications that are older than members are likely to ask for. */
import { statement } from '../database/statement.js';
import type { Services } from '../services.js';

/** Few enough that the members concerned are not kept waiting for their counters. */
const BATCH = 1_000;

/** Numbers follow the time, so that the oldest are found without an index on it. Values: milliseconds. */
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

/** Removes what is older than the configuration says, a batch at a time. */
export async function forgetOldNotifications(_payload: unknown, { database, config }: Services): Promise<void> {
  for (let forgotten = BATCH; forgotten === BATCH; ) {
    const [found] = await database.query(FORGET_OLDEST, [config.notificationRetention]);
    forgotten = found?.forgotten ?? 0;
  }
}
