/** Statements that notify the followers of an author of a new article: in batches, by a job for each (docs/decisions/notifications.md). */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { jobType, nextTurn, queueOf, queues, TURNS } from '../../platform/database/queue.js';
import { statement } from '../../platform/database/statement.js';
import { MAIL_NOTIFICATIONS } from './create.js';
import { settingOf } from './kinds.js';

export const MAX_ANNOUNCED = fixedLimit({
  area: 'Writing',
  about:
    'Articles of a member that followers are notified of in a day (UTC). Followers are not notified of further ones.',
  value: 5,
  error: null,
});

/** Followers of one batch: few, so that the locks of their counters are short. */
export const FOLLOWERS_AT_ONCE = 200;

export const ANNOUNCE_ARTICLE = jobType<{ articleId: number }>(
  'announce-article',
  queues(
    'announcements',
    1,
    'Batches of followers that are notified of an article at the same time. Further ones wait.',
  ),
);

/** A row if the article is public, or was. The slug of an article is reserved when it first becomes public, and until it is deleted. */
export const WAS_PUBLIC = statement<[articleId: number]>(
  'was_public',
  'select from article_slugs where article_id = $1 limit 1',
);

/**
 * Begins to notify the followers of the author of an article that has become public. No effect without followers, and for articles over the limit. The
 * transaction has changed the counters of the author, whose lock makes the limit exact; it may have begun on the previous day.
 */
export const ANNOUNCE = statement<[articleId: number]>(
  'announce_article',
  `with counted as (
     update member_counts c
     set announced_on = greatest(c.announced_on, d.today), announced = case when c.announced_on >= d.today then c.announced + 1 else 1 end
     from articles a cross join (select (now() at time zone 'UTC')::date as today) d
     where a.id = $1 and c.member_id = a.member_id and c.followers > 0
       and (c.announced_on is null or c.announced_on < d.today or c.announced < ${MAX_ANNOUNCED})
     returning a.id
   ), added as (
     insert into announcements (article_id) select id from counted returning article_id
   )
   select graphile_worker.add_job('${ANNOUNCE_ARTICLE.name}', json_build_object('articleId', article_id),
     queue_name => '${queueOf(ANNOUNCE_ARTICLE)}', job_key => '${ANNOUNCE_ARTICLE.name}:' || article_id)
   from added`,
);

/**
 * The author, and the follower who was notified last. No row if the article is not public any more. The lock of the article delays a change of its visibility until
 * the commit; it precedes those of the counters, as in all transactions.
 */
export const LOCK_ANNOUNCEMENT = statement<[articleId: number], { authorId: number; lastFollowerId: number }>(
  'lock_announcement',
  `with article as materialized (
     select a.id, a.member_id from articles a where a.id = $1 for share
   )
   select a.member_id as "authorId", n.follower_id as "lastFollowerId"
   from article a join announcements n on n.article_id = a.id for update of n`,
);

/** The next followers of a member, with what they want. */
export const NEXT_FOLLOWERS = statement<
  [memberId: number, lastFollowerId: number, limit: number],
  { id: number; isNotified: boolean; isMailed: boolean }
>(
  'next_followers',
  `select f.follower_id as id, ${settingOf('ARTICLE')} as "isNotified", coalesce(s.email = 'AT_ONCE', false) as "isMailed"
   from (
     select f.follower_id from follows f where f.member_id = $1 and f.follower_id > $2 order by f.follower_id limit $3
   ) f left join notification_settings s on s.member_id = f.follower_id and s.type = 'ARTICLE'
   order by f.follower_id`,
);

/** Of followers who still exist, in the order in which their counters are locked. */
export const NOTIFY_FOLLOWERS = statement<[articleId: number, followerIds: readonly number[]], { id: number }>(
  'notify_followers',
  `with present as (
     select id from members where id = any($2::bigint[]) order by id for key share
   )
   insert into notifications (member_id, type, article_id) select id, 'ARTICLE', $1 from present order by id returning member_id as id`,
);

/**
 * Emails to followers wait behind all other emails, and authors take turns. A member's emails of other types have a job of their own, which this one must not
 * delay. @param followerIds in ascending order
 */
export const MAIL_FOLLOWERS = statement<[followerIds: readonly number[], client: string]>(
  'mail_followers',
  `with turn as materialized (
     select ${nextTurn(`'${MAIL_NOTIFICATIONS.name}'`, '$2::text', TURNS)} as priority
   ), mails as (
     select array_agg((
       '${MAIL_NOTIFICATIONS.name}', json_build_object('memberId', f.id, 'client', $2::text),
       '${MAIL_NOTIFICATIONS.queues.name}-' || f.id % ${MAIL_NOTIFICATIONS.queues.count}, null, null,
       '${MAIL_NOTIFICATIONS.name}:' || f.id || ':followed', least(t.priority + f.number - 1, ${2 * TURNS - 1}), null
     )::graphile_worker.job_spec) as jobs
     from turn t cross join unnest($1::bigint[]) with ordinality f (id, number)
   )
   select from mails m cross join lateral graphile_worker.add_jobs(m.jobs, true)`,
);

export const MOVE_ANNOUNCEMENT = statement<[articleId: number, lastFollowerId: number]>(
  'move_announcement',
  'update announcements set follower_id = $2 where article_id = $1',
);

export const END_ANNOUNCEMENT = statement<[articleId: number]>(
  'end_announcement',
  'delete from announcements where article_id = $1',
);
