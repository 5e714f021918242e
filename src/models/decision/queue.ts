/** The queue of moderators: what was reported, comments that wait for approval, and appeals; the oldest first. */
import { statement } from '../../platform/database/statement.js';
import { WITHDRAWN } from '../member/member.js';
import { revisionOf } from './case.js';
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

const first = (at: string, id: string) => `order by ${at}, ${id} limit $1::bigint + $2::bigint`;

/** Those of others, so that moderators do not read what members have reported of them. @param moderatorId 0 for an operator */
const openCases = (moderatorId: string) => `moderation_cases k where k.opened_at is not null and coalesce(
    k.member_id, (select a.member_id from all_articles a where a.id = k.article_id),
    (select c.member_id from all_comments c where c.id = k.comment_id and c.deleted_at is null)) is distinct from ${moderatorId}`;
const openAppeals = (moderatorId: string) => `appeals p where p.answer_id is null
    and (select d.member_id from decisions d where d.id = p.decision_id) is distinct from ${moderatorId}`;

/**
 * The first entries of each part, which reads an index in this order. Comments that wait on a private article are not in the queue: moderators do
 * not see the article, and its author decides. (Scalar subqueries keep PostgreSQL from joining all articles.)
 */
const ENTRIES = `
  (select 'REPORT' as kind, id, opened_at as created_at from ${openCases('$3::bigint')} ${first('opened_at', 'id')})
  union all (select 'HELD', id, held_at from held_comments h
    where h.member_id <> $3 and not (select a.is_private from all_articles a where a.id = h.article_id) ${first('held_at', 'id')})
  union all (select 'APPEAL', decision_id, created_at from ${openAppeals('$3::bigint')} ${first('created_at', 'decision_id')})`;

const OPEN_REPORTS = 'reports r where r.case_id = k.id and r.id > k.decided_id';
const IS_SHOWN = 'not coalesce(a.is_private, false)';

/** Of an appeal: of what was decided on. */
const REVISION = revisionOf(
  'coalesce(k.article_id, d.article_id)',
  'coalesce(c.id, k.comment_id, d.comment_id)',
  'coalesce(k.member_id, case when d.article_id is null and d.comment_id is null then d.member_id end)',
);

/** Reporters are not in it. (Of each entry, one row of each table is looked up: the planner does not know the size of the page, and would read all rows for a join.) */
export const QUEUE_PAGE = statement<[size: number, offset: number, moderatorId: number], QueueEntry>(
  'moderation_queue',
  `select q.kind, q.created_at as "createdAt", c.spam_score as "spamScore",
     json_build_object('articleId', k.article_id, 'commentId', case when p.decision_id is null then c.id end, 'memberId', k.member_id,
       'appealId', p.decision_id) as target,
     case when ${IS_SHOWN} then coalesce(p.text, left(coalesce(c.content, a.title || E'\\n' || coalesce(a.excerpt, left(a.content, ${EXCERPT_LENGTH})),
       m.bio), ${EXCERPT_LENGTH})) end as excerpt,
     case when ${IS_SHOWN} then m.id end as "memberId",
     case when ${IS_SHOWN} then coalesce(m.nickname, '${WITHDRAWN}') end as "authorName",
     array(select json_build_object('reason', r.reason, 'text', r.text, 'createdAt', r.created_at)
       from ${OPEN_REPORTS} order by r.id desc limit ${MAX_SHOWN_REPORTS}) as reports,
     (select count(*)::integer from (select from ${OPEN_REPORTS} limit ${MAX_COUNTED_REPORTS}) r) as "reportCount",
     ${REVISION} as revision
   from (select * from (${ENTRIES}) e order by created_at, id, kind limit $1::bigint offset $2::bigint) q
     left join lateral (select * from moderation_cases where q.kind = 'REPORT' and id = q.id limit 1) k on true
     left join lateral (select * from appeals where q.kind = 'APPEAL' and decision_id = q.id limit 1) p on true
     left join lateral (select * from decisions where id = p.decision_id limit 1) d on true
     left join lateral (
       select * from all_comments c where c.id = coalesce(k.comment_id, case q.kind when 'HELD' then q.id end) and c.deleted_at is null limit 1
     ) c on true
     left join lateral (select * from all_articles where id = coalesce(k.article_id, c.article_id) limit 1) a on true
     left join lateral (
       select * from members where id = case when c.id is not null then c.member_id else coalesce(a.member_id, k.member_id, d.member_id) end limit 1
     ) m on true
   order by q.created_at, q.id, q.kind`,
);

export const COUNT_QUEUE = statement<[moderatorId: number], { total: number }>(
  'count_moderation_queue',
  `select count(*) as total from (
     (select from ${openCases('$1::bigint')} limit ${MAX_COUNTED_ENTRIES})
     union all (select from held_comments h
       where h.member_id <> $1 and not (select a.is_private from all_articles a where a.id = h.article_id) limit ${MAX_COUNTED_ENTRIES})
     union all (select from ${openAppeals('$1::bigint')} limit ${MAX_COUNTED_ENTRIES}) limit ${MAX_COUNTED_ENTRIES}
   ) entries`,
);
