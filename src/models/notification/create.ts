/** Inserts notifications, in the transaction of the change that they report. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { jobType, queues } from '../../platform/database/queue.js';
import { statement } from '../../platform/database/statement.js';
import { isBlockBetween } from '../block.js';
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

/** For recipients (`present`) with emails at once, caused by `actor_id`. */
export const MAIL = `mailing as (
    select mail_at_once(member_id, actor_id) from present where email = 'AT_ONCE'
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

/** Who is to be notified of a comment, and of what. */
export interface Recipient {
  memberId: number;
  type: 'REPLY' | 'COMMENT' | 'MENTION';
  /** By an email at once. */
  isMailed: boolean;
}

/**
 * Of candidates, those who want the notification, each for the first type that is enabled. Until the end of the transaction, they do not withdraw.
 * @param types of the candidates, of which a member may be several @param commentId of which nobody is notified twice; null for a new one
 */
export const FIND_RECIPIENTS = statement<
  [candidates: readonly number[], types: readonly Recipient['type'][], actorId: number, commentId: number | null],
  Recipient
>(
  'find_recipients_of_comment',
  `with wanted as (
     select distinct on (r.member_id) r.member_id, r.type, s.email
     from unnest($1::bigint[], $2::text[]) with ordinality r (member_id, type, rank) ${SETTING}
     where ${settingOf('COMMENT')} and (r.type <> 'MENTION' or ${isNotFlooded('r.member_id', '$3')})
       and not exists (select from notifications n where n.comment_id = $4 and n.member_id = r.member_id)
     order by r.member_id, r.rank
   )
   select w.member_id as "memberId", w.type, coalesce(w.email = 'AT_ONCE', false) as "isMailed"
   from wanted w join members m on m.id = w.member_id order by m.id for key share of m`,
);

/** Enqueues emails to members about new notifications, caused by one member. */
export const MAIL_AT_ONCE = statement<[memberIds: readonly number[], actorId: number]>(
  'mail_at_once',
  'select mail_at_once(m.id, $2) from unnest($1::bigint[]) m (id)',
);

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
