/** Writes notifications, in the transaction of the change that they report. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import type { SummaryOutcome } from '../models/notification/notification.js';

/** Locks recipients that still exist (FOR KEY SHARE) until the commit, in the order in which the counters are locked. */
const PRESENT = `present as (
    select w.* from recipients w join members m on m.id = w.member_id order by m.id for key share of m
  )`;

const INSERT = `insert into notifications (member_id, type, article_id, comment_id, actor_id, outcome)
  select member_id, type, article_id, comment_id, actor_id, outcome from present order by member_id`;

const IS_ON = `not exists (
    select from notification_settings s where s.member_id = r.member_id and s.type = r.type and not s.enabled
  )`;

/**
 * Common table expressions that notify the author of the article (`place.article_author_id`) and, for a reply, the author of the parent
 * (`place.parent_author_id`) of the comment `created`. Each member gets at most one notification per comment; REPLY takes precedence over
 * COMMENT. With REPLY disabled, the author of the article still gets COMMENT.
 */
export const NOTIFY_OF_CREATED = `recipients as (
    select distinct on (r.member_id) r.member_id, r.type, c.article_id, c.id as comment_id, c.member_id as actor_id,
           null as outcome
    from created c cross join place cross join lateral (
      values (place.parent_author_id, 'REPLY', 1), (place.article_author_id, 'COMMENT', 2)
    ) r (member_id, type, rank)
    where r.member_id <> c.member_id and ${IS_ON}
    order by r.member_id, r.rank
  ), ${PRESENT}, notified as (${INSERT})`;

const NOTIFY_OF_SUMMARY = statement<[articleId: number, outcome: SummaryOutcome]>(
  'notify_of_summary',
  `with recipients as (
    select r.*, id as article_id, null::bigint as comment_id, null::bigint as actor_id, $2 as outcome
    from articles a cross join lateral (values (a.member_id, 'SUMMARY')) r (member_id, type)
    where a.id = $1 and ${IS_ON}
  ), ${PRESENT} ${INSERT}`,
);

/** Notifies the author of an article of the result of its summary. */
export async function notifySummary(
  database: Database,
  { articleId, outcome }: { articleId: number; outcome: SummaryOutcome },
  transaction: Transaction,
): Promise<void> {
  await database.query(NOTIFY_OF_SUMMARY, [articleId, outcome], transaction);
}
