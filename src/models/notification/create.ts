/** Inserts notifications, in the transaction of the change that they report. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { jobType, memberTurnOf, nextTurn, queues, TURNS } from '../../platform/database/queue.js';
import { waitingJob } from '../../platform/database/queue-tables.js';
import { statement } from '../../platform/database/statement.js';
import { isBlockBetween, isBlocked } from '../block.js';
import { type NotificationKind, type SummaryOutcome, settingOf } from './kinds.js';

/** Locks recipients that still exist (FOR KEY SHARE) until the commit, in the order in which the counters are locked. */
export const PRESENT = `present as (
    select w.* from recipients w join members m on m.id = w.member_id order by m.id for key share of m
  )`;

export const INSERT = `insert into notifications (member_id, type, article_id, draft_id, comment_id, actor_id, outcome)
  select member_id, type, article_id, draft_id, comment_id, actor_id, outcome from present order by member_id`;

/** The setting of the recipient `r`; for a type without a row, `settingOf` has the default. */
const SETTING = 'left join notification_settings s on s.member_id = r.member_id and s.type = r.type';

/** SQL expressions: who is notified, and of what. */
interface Subject {
  readonly member: string;
  readonly article?: string;
  readonly draft?: string;
  readonly actor?: string;
  readonly outcome?: string;
}

/** Common table expressions that notify of one type. @param from the rest of the query for the recipients @param where its condition */
export function notifying(kind: NotificationKind, subject: Subject, from: string, where = 'true'): string {
  const { member, article = 'null', draft = 'null', actor = 'null', outcome = 'null' } = subject;
  return `recipients as (
    select r.*, ${article}::bigint as article_id, ${draft}::bigint as draft_id, null::bigint as comment_id, ${actor}::bigint as actor_id,
      ${outcome} as outcome, s.email
    from ${from} cross join lateral (values (${member}, '${kind}')) r (member_id, type) ${SETTING}
    where ${settingOf(kind)} and ${where}
  ), ${PRESENT}, notified as (${INSERT}), ${MAIL}`;
}

export const MAIL_NOTIFICATIONS = jobType<{ memberId: number; client?: string }>(
  'mail-notifications',
  queues(
    'notifications',
    2,
    'Concurrent jobs of all processes together that combine new notifications in emails. Further ones wait.',
  ),
);
const { queues: MAIL_QUEUES } = MAIL_NOTIFICATIONS;

/** For recipients (`present`) with emails at once, in the turns of the member who causes them. A waiting job, which can be delayed by the limit of emails, remains as it is. */
export const MAIL = `mailing as (
    select graphile_worker.add_job('mail-notifications', json_build_object('memberId', p.member_id, 'client', coalesce(w.client, c.client)),
      priority => coalesce(w.priority, least(${nextTurn("'mail-notifications'", 'c.client', 0)} + row_number() over () - 1, ${TURNS - 1}))::int,
      queue_name => '${MAIL_QUEUES.name}-' || p.member_id % ${MAIL_QUEUES.count},
      job_key => 'mail-notifications:' || p.member_id, job_key_mode => 'preserve_run_at')
    from present p cross join lateral (select ${memberTurnOf('coalesce(p.actor_id, p.member_id)')} as client) c
      left join lateral (${waitingJob("'mail-notifications:' || p.member_id")}) w on true
    where p.email = 'AT_ONCE'
  )`;

/** Condition of the main query of a statement, which runs `mailing`: PostgreSQL does not evaluate a SELECT without a reference. */
export const MAILED = '(select count(*) from mailing) >= 0';

const MAX_MENTIONS_A_DAY = fixedLimit({
  area: 'Writing',
  about: 'Notifications within a day about mentions of one member by another. Further mentions do not notify.',
  value: 20,
  error: null,
});

/** A condition: members who are flooded with mentions by one member are not notified of further ones. @param recipient, author qualified columns */
const isNotFlooded = (recipient: string, author: string) => `(select count(*) from (
    select from notifications f where f.type = 'MENTION' and f.member_id = ${recipient} and f.actor_id = ${author}
      and f.created_at between now() - interval '1 day' and now() limit ${MAX_MENTIONS_A_DAY}
  ) f) < ${MAX_MENTIONS_A_DAY}`;

/**
 * Common table expressions that notify the author of the article (`target.article_author_id`), for a reply the author of the parent
 * (`target.parent_author_id`), and the members in `mentioned` of the comment `created`. Each member gets at most one notification per comment: REPLY,
 * COMMENT or MENTION, the first that is enabled. On a private article, only its author comments, and no member is notified; nor of a hidden comment that
 * returns after its approval. Neither are members whom the author of the comment blocks, or who block the author (`block`).
 */
export const NOTIFY_OF_CREATED = `recipients as (
    select distinct on (r.member_id) r.member_id, r.type, c.article_id, null::bigint as draft_id, c.id as comment_id, c.member_id as actor_id,
           null as outcome, s.email
    from created c cross join target cross join lateral (
      values (target.parent_author_id, 'REPLY', 1), (target.article_author_id, 'COMMENT', 2)
      union all select member_id, 'MENTION', 3 from mentioned
    ) r (member_id, type, rank) ${SETTING}
    where r.member_id <> c.member_id and ${settingOf('COMMENT')} and not target.is_private and not c.is_hidden
      and not exists (select from block where r.member_id in (block.member_id, block.blocked_id))
      and (r.type <> 'MENTION' or ${isNotFlooded('r.member_id', 'c.member_id')})
    order by r.member_id, r.rank
  ), ${PRESENT}, notified as (${INSERT}), ${MAIL}`;

/** As NOTIFY_OF_CREATED, of members whom an edit of a comment mentions for the first time (`fresh`). */
export const NOTIFY_OF_ADDED = `recipients as (
    select r.member_id, r.type, c.article_id, null::bigint as draft_id, c.id as comment_id, c.member_id as actor_id, null as outcome, s.email
    from created c cross join lateral (select member_id, 'MENTION' from fresh) r (member_id, type) ${SETTING}
    where ${settingOf('MENTION')} and not c.is_private and not ${isBlocked('r.member_id')}
      and not exists (select from notifications n where n.comment_id = c.id and n.member_id = r.member_id)
      and ${isNotFlooded('r.member_id', 'c.member_id')}
  ), ${PRESENT}, notified as (${INSERT}), ${MAIL}`;

/** Notifies members whom a public article mentions, each once; of a private one, when it becomes public. */
export const NOTIFY_OF_MENTIONS = statement<[articleId: number]>(
  'notify_of_mentions',
  `with due as (
    update article_mentions x set is_notified = true from articles a
    where a.id = $1 and x.article_id = a.id and not x.is_notified and x.names <> '{}'
    returning x.member_id, a.id as article_id, a.member_id as author_id
  ), ${notifying(
    'MENTION',
    { member: 'd.member_id', article: 'd.article_id', actor: 'd.author_id' },
    'due d',
    `r.member_id <> d.author_id and not ${isBlockBetween('d.author_id', 'r.member_id')}
      and ${isNotFlooded('r.member_id', 'd.author_id')}`,
  )}
  select where ${MAILED}`,
);

/** Notifies the author of an article of the result of its summary. */
export const NOTIFY_OF_SUMMARY = statement<[articleId: number, outcome: SummaryOutcome]>(
  'notify_of_summary',
  `with ${notifying('SUMMARY', { member: 'a.member_id', article: 'a.id', outcome: '$2' }, 'all_articles a', 'a.id = $1')}
  select where ${MAILED}`,
);

/** Notifies the author of a scheduled draft: of the article that it has become, or, with its own id, that it was not published. */
export const NOTIFY_OF_PUBLICATION = statement<[memberId: number, articleId: number | null, draftId: number | null]>(
  'notify_of_publication',
  `with ${notifying('PUBLICATION', { member: '$1::bigint', article: '$2', draft: '$3' }, '(select) x')}
  select where ${MAILED}`,
);
