/** Writes notifications, in the transaction of the change that they report. */
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import type { SummaryOutcome } from '../models/notification/notification.js';

/** Inserts for members that still exist, locked (FOR KEY SHARE) until the commit, in the order in which the counters are locked. */
const ADD_NOTIFICATIONS = `present as (
    select w.* from recipients w join members m on m.id = w.member_id order by m.id for key share of m
  )
  insert into notifications (member_id, type, article_id, comment_id, actor_id, outcome)
  select member_id, type, article_id, comment_id, actor_id, outcome from present order by member_id`;

const IS_ON = `not exists (
    select from notification_settings s where s.member_id = r.member_id and s.type = r.type and not s.enabled
  )`;

/**
 * Each member gets at most one notification per comment; REPLY takes precedence over COMMENT. With REPLY disabled, the
 * author of the article still gets COMMENT.
 */
const NOTIFY_OF_COMMENT = statement<[commentId: number]>(
  'notify_of_comment',
  `with recipients as (
    select distinct on (r.member_id) r.member_id, r.type, c.article_id, c.id as comment_id, c.member_id as actor_id,
           null as outcome
    from comments c join articles a on a.id = c.article_id left join comments p on p.id = c.parent_id
      cross join lateral (values (p.member_id, 'REPLY', 1), (a.member_id, 'COMMENT', 2)) r (member_id, type, rank)
    where c.id = $1 and r.member_id <> c.member_id and ${IS_ON}
    order by r.member_id, r.rank
  ), ${ADD_NOTIFICATIONS}`,
);

const NOTIFY_OF_SUMMARY = statement<[articleId: number, outcome: SummaryOutcome]>(
  'notify_of_summary',
  `with recipients as (
    select r.*, id as article_id, null::bigint as comment_id, null::bigint as actor_id, $2 as outcome
    from articles a cross join lateral (values (a.member_id, 'SUMMARY')) r (member_id, type)
    where a.id = $1 and ${IS_ON}
  ), ${ADD_NOTIFICATIONS}`,
);

/** Notifies the author of the article and, for a reply, the author of the parent comment. */
export async function notifyComment(database: Database, commentId: number, transaction: Transaction): Promise<void> {
  await database.query(NOTIFY_OF_COMMENT, [commentId], transaction);
}

/** Notifies the author of an article of the result of its summary. */
export async function notifySummary(
  database: Database,
  { articleId, outcome }: { articleId: number; outcome: SummaryOutcome },
  transaction: Transaction,
): Promise<void> {
  await database.query(NOTIFY_OF_SUMMARY, [articleId, outcome], transaction);
}
