/** Inserts notifications, in the transaction of the change that they report. */
import { jobType, queues } from '../../platform/database/queue.js';
import { statement } from '../../platform/database/statement.js';
import { isBlocked } from '../block.js';
import { type SummaryOutcome, settingOf } from './notification.js';

/** Locks recipients that still exist (FOR KEY SHARE) until the commit, in the order in which the counters are locked. */
export const PRESENT = `present as (
    select w.* from recipients w join members m on m.id = w.member_id order by m.id for key share of m
  )`;

export const INSERT = `insert into notifications (member_id, type, article_id, draft_id, comment_id, actor_id, outcome)
  select member_id, type, article_id, draft_id, comment_id, actor_id, outcome from present order by member_id`;

/** The setting of the recipient `r`; for a type without a row, `settingOf` has the default. */
const SETTING = 'left join notification_settings s on s.member_id = r.member_id and s.type = r.type';

export const MAIL_NOTIFICATIONS = jobType<{ memberId: number }>(
  'mail-notifications',
  queues(
    'notifications',
    2,
    'Concurrent jobs of all processes together that combine new notifications in emails. Further ones wait.',
  ),
);
const { queues: MAIL_QUEUES } = MAIL_NOTIFICATIONS;

/** For recipients (`present`) with emails at once. A waiting job, which can be delayed by the limit of emails, remains as it is. */
export const MAIL = `mailing as (
    select graphile_worker.add_job('mail-notifications', json_build_object('memberId', member_id), priority => 10,
      queue_name => '${MAIL_QUEUES.name}-' || member_id % ${MAIL_QUEUES.count},
      job_key => 'mail-notifications:' || member_id, job_key_mode => 'preserve_run_at')
    from present where email = 'AT_ONCE'
  )`;

/** Condition of the main query of a statement, which runs `mailing`: PostgreSQL does not evaluate a SELECT without a reference. */
export const MAILED = '(select count(*) from mailing) >= 0';

/**
 * Common table expressions that notify the author of the article (`place.article_author_id`) and, for a reply, the author of the parent
 * (`place.parent_author_id`) of the comment `created`. Each member gets at most one notification per comment; REPLY takes precedence over
 * COMMENT. With REPLY disabled, the author of the article still gets COMMENT. On a private article, only its author comments, and nobody is
 * notified; neither are members whom the author of the comment blocks (`block`).
 */
export const NOTIFY_OF_CREATED = `recipients as (
    select distinct on (r.member_id) r.member_id, r.type, c.article_id, null::bigint as draft_id, c.id as comment_id, c.member_id as actor_id,
           null as outcome, s.email
    from created c cross join place cross join lateral (
      values (place.parent_author_id, 'REPLY', 1), (place.article_author_id, 'COMMENT', 2)
    ) r (member_id, type, rank) ${SETTING}
    where r.member_id <> c.member_id and ${settingOf('COMMENT')} and not place.is_private and not ${isBlocked('r.member_id')}
    order by r.member_id, r.rank
  ), ${PRESENT}, notified as (${INSERT}), ${MAIL}`;

/** Notifies the author of an article of the result of its summary. */
export const NOTIFY_OF_SUMMARY = statement<[articleId: number, outcome: SummaryOutcome]>(
  'notify_of_summary',
  `with recipients as (
    select r.*, id as article_id, null::bigint as draft_id, null::bigint as comment_id, null::bigint as actor_id, $2 as outcome, s.email
    from all_articles a cross join lateral (values (a.member_id, 'SUMMARY')) r (member_id, type) ${SETTING}
    where a.id = $1 and ${settingOf('SUMMARY')}
  ), ${PRESENT}, notified as (${INSERT}), ${MAIL}
  select where ${MAILED}`,
);

/** Notifies the author of a scheduled draft: of the article that it has become, or, with its own id, that it was not published. */
export const NOTIFY_OF_PUBLICATION = statement<[memberId: number, articleId: number | null, draftId: number | null]>(
  'notify_of_publication',
  `with recipients as (
    select r.*, $2::bigint as article_id, $3::bigint as draft_id, null::bigint as comment_id, null::bigint as actor_id,
      null as outcome, s.email
    from (values ($1::bigint, 'PUBLICATION')) r (member_id, type) ${SETTING}
    where ${settingOf('PUBLICATION')}
  ), ${PRESENT}, notified as (${INSERT}), ${MAIL}
  select where ${MAILED}`,
);
