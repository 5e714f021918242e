/** Statements of emails about notifications: which notifications belong to the next email, and those of them that are still unread. */
import { statement } from '../../platform/database/statement.js';
import { NOTIFICATION, type NotificationEmail, type NotificationRow, notificationSource } from './notification.js';

/** The notifications of an email: those of the types with this setting that are unread when it is sent. */
export interface NotificationRange {
  email: Exclude<NotificationEmail, 'OFF'>;
  /** Id of the last notification of the previous email. */
  after: number;
  /** Id of the last notification of this email. */
  upTo: number;
}

/**
 * The range of the next email with AT_ONCE, which a later call does not return again, and whether it has ARTICLE only. No row if nothing is unread. The row lock serializes
 * concurrent calls; a notification that is committed while this one waits has its own job.
 */
export const TAKE_UNMAILED = statement<
  [memberId: number],
  Pick<NotificationRange, 'after' | 'upTo'> & { isFannedOut: boolean }
>(
  'take_unmailed',
  `with due as (
     select at_once_mailed_id as after from notification_counts where member_id = $1 for no key update
   ), newest as (
     select max(n.id) as id, bool_and(n.type = 'ARTICLE') as is_fanned_out from notifications n, due
     where n.member_id = $1 and n.read_at is null and n.id > due.after
       and n.type in (select type from notification_settings where member_id = $1 and email = 'AT_ONCE')
   )
   update notification_counts set at_once_mailed_id = newest.id from due, newest
   where member_id = $1 and newest.id is not null
   returning due.after, newest.id as "upTo", newest.is_fanned_out as "isFannedOut"`,
);

/** `upTo` is null for a member without a digest now: nothing is unread, or the digest of this UTC day exists. */
export interface DueDigest {
  memberId: number;
  after: number | null;
  upTo: number | null;
}

/**
 * The ranges of the digests of the next members with DAILY, in the order of their ids, which a later call on the same UTC day does not
 * return again. The condition of the day is evaluated again after the lock, so that of concurrent calls only one returns a digest.
 */
export const TAKE_DIGESTS = statement<[afterMemberId: number, size: number], DueDigest>(
  'take_digests',
  `with candidates as (
     select distinct member_id from notification_settings where email = 'DAILY' and member_id > $1
     order by member_id limit $2
   ), due as (
     select member_id, daily_mailed_id as after from notification_counts
     where member_id in (select member_id from candidates)
       and digest_on is distinct from (now() at time zone 'UTC')::date
     order by member_id for no key update
   ), newest as (
     select d.member_id, max(n.id) as id from due d join notifications n on n.member_id = d.member_id
     where n.read_at is null and n.id > d.after
       and n.type in (select type from notification_settings s where s.member_id = d.member_id and s.email = 'DAILY')
     group by d.member_id
   ), taken as (
     update notification_counts c set daily_mailed_id = n.id, digest_on = (now() at time zone 'UTC')::date
     from due d join newest n using (member_id) where c.member_id = d.member_id
     returning c.member_id, d.after, n.id as up_to
   )
   select member_id as "memberId", after, up_to as "upTo" from candidates left join taken using (member_id) order by 1`,
);

/** Newest first. `total` counts all, also beyond the limit. No rows for a member who is locked, or has switched off the emails. */
export const UNREAD_IN_RANGE = statement<
  [memberId: number, email: NotificationRange['email'], after: number, upTo: number, limit: number],
  NotificationRow & { slug: string | null; total: number }
>(
  'unread_in_range',
  `select ${NOTIFICATION.select}, s.slug, count(*) over () as total from ${notificationSource('reader_of($1)')}
   where n.member_id = $1 and n.id > $3 and n.id <= $4 and n.read_at is null
     and n.type in (select type from notification_settings where member_id = $1 and email = $2)
     and exists (select from members where id = $1 and locked_at is null and email_verified_at is not null)
   order by n.id desc limit $5`,
);
