/** Decisions of moderators and operators, with their statements of reasons. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row, timestamp } from '../../platform/database/columns.js';
import type { Transaction } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import type { DecisionAction } from '../moderation/action.js';
import { MAIL, MAILED } from '../notification/create.js';

/** They restrict the member concerned, who must be informed of the reasons. */
export const EXPLAINED: readonly DecisionAction[] = ['REMOVE', 'SUSPEND'];

/** Nothing changes for the member concerned, who is not informed of the reports. */
const WITHOUT_NOTIFICATION: readonly DecisionAction[] = ['DISMISS', 'APPROVE'];

/** A condition on `decisions d`: the member concerned is notified of it, and can read it. */
export const IS_NOTIFIED = `d.action not in (${WITHOUT_NOTIFICATION.map((action) => `'${action}'`).join(', ')})`;

export const MAX_NOTIFIED_REPORTERS = fixedLimit({
  area: 'Writing',
  about:
    'Members who are notified of the decision on what they have reported, those who reported first. Further ones are not.',
  value: 1_000,
  error: null,
});

/** The readable columns of `decisions d`. Members concerned do not see `note` and `moderatorId`. */
export const DECISION = new ColumnList({
  id: column<number>('d.id'),
  action: column<DecisionAction>('d.action'),
  /** The member concerned; null if the author of the content had withdrawn. */
  memberId: column<number | null>('d.member_id'),
  /** Null for another target, and after the deletion of the article. */
  articleId: column<number | null>('d.article_id'),
  /** Null for another target, and after the deletion of the comment. */
  commentId: column<number | null>('d.comment_id'),
  /** The decision that was appealed; null for a decision that is not about an appeal. */
  appealOf: column<number | null>('d.appeal_of'),
  /** The end of a suspension; null without one. */
  until: column<Date | null>('d.until'),
  /** May be empty, like the next two. */
  rule: column<string>('d.rule'),
  statement: column<string>('d.statement'),
  note: column<string>('d.note'),
  /** Null for an operator, and after the withdrawal of the moderator. */
  moderatorId: column<number | null>('d.moderator_id'),
  createdAt: timestamp('d.created_at'),
});

export type DecisionRow = Row<typeof DECISION>;

/** What a decision says. */
export interface Reasons {
  /** The end of a suspension, in RFC 3339; null without one. */
  readonly until: string | null;
  readonly rule: string;
  readonly statement: string;
  readonly note: string;
}

export interface NewDecision
  extends Pick<DecisionRow, 'action' | 'memberId' | 'articleId' | 'commentId' | 'appealOf'>,
    Reasons {
  readonly moderatorId: number | null;
  /** The reports that it decides: those of a case with larger ids; null for none. */
  readonly reports: { readonly id: number; readonly decidedId: number } | null;
}

const ADD_DECISION = statement<
  [
    action: DecisionAction,
    memberId: number | null,
    moderatorId: number | null,
    articleId: number | null,
    commentId: number | null,
    appealOf: number | null,
    until: string | null,
    rule: string,
    statement: string,
    note: string,
    caseId: number | null,
    decidedId: number,
  ],
  DecisionRow
>(
  'add_decision',
  `with d as (
     insert into decisions (action, member_id, moderator_id, article_id, comment_id, appeal_of, until, rule, statement, note)
     values ($1, $2, $3, $4, $5, $6, $7::timestamptz, $8, $9, $10) returning *
   ), recipients as (
     select r.member_id, s.email from (
       select d.member_id from d where d.member_id is not null and ${IS_NOTIFIED}
       union
       select reporter_id from (
         select reporter_id from reports where case_id = $11 and id > $12 order by id limit ${MAX_NOTIFIED_REPORTERS}
       ) f
     ) r (member_id) left join notification_settings s on s.member_id = r.member_id and s.type = 'MODERATION'
   ), present as (
     select w.*, $3::bigint as actor_id from recipients w join members m on m.id = w.member_id order by m.id for key share of m
   ), notified as (
     insert into notifications (member_id, type, decision_id)
     select p.member_id, 'MODERATION', d.id from present p cross join d order by p.member_id
   ), ${MAIL}
   select ${DECISION.select} from d where ${MAILED}`,
);

/**
 * Adds a decision, and notifies the member concerned and the reporters. The transaction has locked the member concerned, and the case of the
 * reports.
 */
export async function addDecision(
  db: Transaction,
  { action, memberId, moderatorId, articleId, commentId, appealOf, ...decision }: NewDecision,
): Promise<DecisionRow> {
  const { until, rule, statement: reason, note, reports } = decision;
  const about = [action, memberId, moderatorId, articleId, commentId, appealOf] as const;
  const values = [...about, until, rule, reason, note, reports?.id ?? null, reports?.decidedId ?? 0] as const;
  const [added] = await db.query(ADD_DECISION, [...values]);
  return added as DecisionRow;
}
