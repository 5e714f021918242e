/** The queue of moderators: what was reported, comments that wait for approval, and appeals; the oldest first. */
import { statement } from '../../platform/database/statement.js';
import type { ReportReason, Target } from './report.js';

export const QUEUE_KINDS = {
  REPORT: 'Members have reported it.',
  HELD: 'A comment that waits for approval.',
  APPEAL: 'The member concerned has appealed a decision.',
} as const;

export type QueueKind = keyof typeof QUEUE_KINDS;

/** Of each entry. */
export const MAX_SHOWN_REPORTS = 20;
/** The entries are counted up to this number. */
export const MAX_COUNTED_ENTRIES = 10_000;
/** The reports of an entry are counted up to this number. */
export const MAX_COUNTED_REPORTS = 1_000;
/** Characters of content; the text of an appeal is shown in full. */
const EXCERPT_LENGTH = 300;

export interface ShownReport {
  reason: ReportReason;
  text: string;
  createdAt: string;
}

export interface QueueEntry {
  kind: QueueKind;
  target: Target & { readonly appealId: number | null };
  /** Null for a private article, and comments on it. */
  excerpt: string | null;
  /** The member concerned; null for a private article, and after a withdrawal. */
  memberId: number | null;
  /** Null for a private article. */
  authorName: string | null;
  /** The latest. */
  reports: ShownReport[];
  reportCount: number;
  /** Null except for a comment that waits for approval. */
  spamScore: number | null;
  /** For the header If-Match of a decision. */
  revision: string;
  createdAt: Date | string;
}

/**
 * The first entries of each part, which reads an index in this order, without those of the moderator, who does not read what members have reported of them (0 for
 * an operator). Reporters are not in it.
 */
export const QUEUE_PAGE = statement<[size: number, offset: number, moderatorId: number], QueueEntry>(
  'moderation_queue',
  `select q.kind, q.created_at as "createdAt", c.spam_score as "spamScore",
     json_build_object('articleId', e.article_id, 'commentId', c.comment_id, 'memberId', e.member_id, 'appealId', e.appeal_id) as target,
     case when c.is_shown then coalesce(e.appeal, c.excerpt) end as excerpt,
     case when c.is_shown then c.author_id end as "memberId",
     case when c.is_shown then c.author_name end as "authorName",
     r.latest as reports, r.number as "reportCount", v.revision
   from (
     select * from (
       (select 'REPORT' as kind, k.id, k.opened_at as created_at from open_cases k
         where k.concerned_id is distinct from $3::bigint order by k.opened_at, k.id limit $1::bigint + $2::bigint)
       union all (select 'HELD', h.id, h.held_at from queued_comments h
         where h.concerned_id <> $3 order by h.held_at, h.id limit $1 + $2)
       union all (select 'APPEAL', p.decision_id, p.created_at from open_appeals p
         where p.concerned_id is distinct from $3 order by p.created_at, p.decision_id limit $1 + $2)
     ) entries order by created_at, id, kind limit $1 offset $2
   ) q
     cross join lateral record_of_entry(q.kind, q.id) e
     cross join lateral content_of_target(e.article_id, e.comment_id, coalesce(e.member_id, e.decided_member_id), ${EXCERPT_LENGTH}) c
     cross join lateral open_reports(e.case_id, e.decided_id, ${MAX_SHOWN_REPORTS}, ${MAX_COUNTED_REPORTS}) r
     cross join lateral revision_of_target(
       coalesce(e.article_id, e.decided_article_id),
       coalesce(c.comment_id, e.comment_id, e.decided_comment_id),
       coalesce(e.member_id, case when e.decided_article_id is null and e.decided_comment_id is null then e.decided_member_id end)
     ) v
   order by q.created_at, q.id, q.kind`,
);

export const COUNT_QUEUE = statement<[moderatorId: number], { total: number }>(
  'count_moderation_queue',
  `select count(*) as total from (
     (select from open_cases k where k.concerned_id is distinct from $1::bigint limit ${MAX_COUNTED_ENTRIES})
     union all (select from queued_comments h where h.concerned_id <> $1 limit ${MAX_COUNTED_ENTRIES})
     union all (select from open_appeals p where p.concerned_id is distinct from $1 limit ${MAX_COUNTED_ENTRIES}) limit ${MAX_COUNTED_ENTRIES}
   ) entries`,
);
