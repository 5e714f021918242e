/** Reports of content and members. The open ones of a target are one entry of the queue (`queue.ts`), until a decision. */
import ms from 'ms';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row, timestamp } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { readableBy } from '../article/article.js';
import { IS_PENDING } from '../member/member.js';
import type { Reader } from '../reader.js';

export const REPORT_REASONS = {
  SPAM: 'Advertising, or the same text many times.',
  ABUSE: 'Insults, threats or harassment.',
  ILLEGAL: 'Illegal content.',
  OTHER: 'Another reason, which the text describes.',
} as const;

export type ReportReason = keyof typeof REPORT_REASONS;

export const REPORTS = {
  points: fixedLimit({
    area: 'Writing',
    about: 'Reports of one member in a day.',
    value: 20,
    error: 'RATE_LIMITED',
  }),
  durationMs: ms('1d'),
};

/** What is reported or decided on: one of them is not null. */
export interface Target {
  readonly articleId: number | null;
  readonly commentId: number | null;
  readonly memberId: number | null;
}

/** The columns of `reports r` and `moderation_cases k` that the reporter reads. */
const REPORT = new ColumnList({
  id: column<number>('r.id'),
  articleId: column<number | null>('k.article_id'),
  commentId: column<number | null>('k.comment_id'),
  memberId: column<number | null>('k.member_id'),
  reason: column<ReportReason>('r.reason'),
  text: column<string>('r.text'),
  createdAt: timestamp('r.created_at'),
});

export type ReportRow = Row<typeof REPORT>;

/** `caseId`: null if the target is the reporter, or was written by the reporter. */
export interface OpenedCase {
  caseId: number | null;
  /** When the content or the profile was last changed. */
  changedAt: Date;
}

/**
 * Adds the target to the queue, and locks its case. No row if the reporter does not see the target. Its row is locked before the case, as in a
 * deletion, so that neither waits for the other.
 */
export const OPEN_CASE = statement<
  [reporterId: number, articleId: number | null, commentId: number | null, memberId: number | null, reader: Reader],
  OpenedCase
>(
  'open_moderation_case',
  `with article as (
     select a.id, a.member_id, a.updated_at from all_articles a where a.id = $2 and ${readableBy('$5::reader')} for key share of a
   ), comment as (
     select c.id, c.member_id, c.updated_at from comments c join all_articles a on a.id = c.article_id
     where c.id = $3 and c.deleted_at is null and c.removed_at is null and ${readableBy('$5::reader')} for key share of c
   ), member as (
     select m.id, m.updated_at from members m where m.id = $4 and not (${IS_PENDING}) for key share of m
   ), target as materialized (
     select id as article_id, null::bigint as comment_id, null::bigint as member_id, member_id as author_id, updated_at from article
     union all select null, id, null, member_id, updated_at from comment
     union all select null, null, id, id, updated_at from member
   ), opened as (
     insert into moderation_cases as k (article_id, comment_id, member_id)
     select article_id, comment_id, member_id from target where author_id is distinct from $1 and require_not_suspended($1)
     on conflict (target) do update set opened_at = coalesce(k.opened_at, now())
     returning id
   )
   select o.id as "caseId", t.updated_at as "changedAt" from target t left join opened o on true`,
);

/**
 * No row if the member has reported the target already. After the decision, it can be reported again once it has changed, or after 30 days. The
 * transaction has locked the case.
 */
export const ADD_REPORT = statement<
  [caseId: number, reporterId: number, reason: ReportReason, text: string, changedAt: Date],
  ReportRow
>(
  'add_report',
  `with r as (
     insert into reports as o (case_id, reporter_id, reason, text) values ($1, $2, $3, $4)
     on conflict (case_id, reporter_id) do update
       set id = default, reason = excluded.reason, text = excluded.text, created_at = excluded.created_at
       where o.id <= (select k.decided_id from moderation_cases k where k.id = o.case_id)
         and (o.created_at < $5::timestamptz or o.created_at < now() - interval '30 days')
     returning *
   )
   select ${REPORT.select} from r join moderation_cases k on k.id = r.case_id`,
);
