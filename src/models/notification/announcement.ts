/** Statements that notify the followers of an author of a new article: in batches, by a job for each (docs/decisions/notifications.md). */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { jobType, memberTurnOf, nextTurn, queueOf, queues, TURNS } from '../../platform/database/queue.js';
import { statement } from '../../platform/database/statement.js';
import { INSERT, MAIL_NOTIFICATIONS, MAILED, PRESENT } from './create.js';
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
 * Waits behind all other emails, and authors take turns. A member's emails of other types have a job of their own, which this one must not delay.
 */
const MAIL_FOLLOWERS = `turn as materialized (
    select client, ${nextTurn(`'${MAIL_NOTIFICATIONS.name}'`, 'client', TURNS)} as priority from (select ${memberTurnOf('member_id')} as client from article) a
  ), mailing as (
    select from (
      select array_agg(('${MAIL_NOTIFICATIONS.name}', json_build_object('memberId', member_id, 'client', client),
        '${MAIL_NOTIFICATIONS.queues.name}-' || member_id % ${MAIL_NOTIFICATIONS.queues.count}, null, null,
        '${MAIL_NOTIFICATIONS.name}:' || member_id || ':followed', least(priority + number, ${2 * TURNS - 1}), null)::graphile_worker.job_spec) as jobs
      from turn cross join (select member_id, row_number() over (order by member_id) - 1 as number from present where email = 'AT_ONCE') p
      having count(*) > 0
    ) m cross join lateral graphile_worker.add_jobs(m.jobs, true)
  )`;

/**
 * Notifies the next followers, and returns their number: fewer than the limit after the last ones, and none if the article is not public any more.
 * The lock of the article delays a change of its visibility until the commit; it precedes those of the counters, as in all transactions.
 */
export const NOTIFY_FOLLOWERS = statement<[articleId: number, limit: number], { followers: number }>(
  'notify_followers',
  `with article as materialized (
     select a.id, a.member_id from articles a where a.id = $1 for share
   ), position as materialized (
     select n.follower_id from announcements n where n.article_id = (select id from article) for update
   ), batch as materialized (
     select f.follower_id from article a cross join position p cross join lateral (
       select f.follower_id from follows f
       where f.member_id = a.member_id and f.follower_id > p.follower_id order by f.follower_id limit $2
     ) f
   ), recipients as (
     select b.follower_id as member_id, 'ARTICLE' as type, $1::bigint as article_id, null::bigint as draft_id, null::bigint as comment_id,
       null::bigint as actor_id, null as outcome, s.email
     from batch b left join notification_settings s on s.member_id = b.follower_id and s.type = 'ARTICLE'
     where ${settingOf('ARTICLE')}
   ), ${PRESENT}, notified as (${INSERT}), ${MAIL_FOLLOWERS}, continued as (
     update announcements set follower_id = (select max(follower_id) from batch)
     where article_id = $1 and exists (select from batch)
   )
   select count(*) as followers from batch where ${MAILED}`,
);

export const END_ANNOUNCEMENT = statement<[articleId: number]>(
  'end_announcement',
  'delete from announcements where article_id = $1',
);
