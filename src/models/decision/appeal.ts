/** Appeals, and the decisions that members and moderators read (docs/decisions/appeals.md). */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import {
  type Column,
  ColumnList,
  column,
  type Row,
  type RowSlice,
  timestamp,
} from '../../platform/database/columns.js';
import {
  Bindings,
  conditionsWith,
  type KeysetQuery,
  keysetIds,
  type Order,
  type Slice,
} from '../../platform/database/keyset.js';
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import type { DecidedContent } from '../../platform/messages/en/notifications.js';
import { readableBy } from '../article/article.js';
import { countedList } from '../article/list.js';
import { DECIDED_CONTENT, type DecisionAction } from '../moderation/action.js';
import { DECISION, IS_NOTIFIED } from './decision.js';

export const APPEAL_MONTHS = fixedLimit({
  area: 'Writing',
  about: 'Months after a decision in which the member concerned can appeal it.',
  value: 6,
  error: 'ALREADY_DECIDED',
});

/** The time until which a decision `d` can be appealed; null if it cannot be. Those on appeals are final. */
const APPEALABLE_UNTIL = `case when d.action in ('REMOVE', 'SUSPEND') then d.created_at + interval '${APPEAL_MONTHS} months' end`;

/** As `timestamp`, which may be null. */
const time = (sql: string): Column<Date | string | null> => timestamp(sql);

/** The readable columns for moderators of `decisions d`, with the appeal `p` against it. */
const MODERATOR_DECISION = new ColumnList({
  ...DECISION.columns,
  until: time(DECISION.columns.until.sql),
  /** Null if it has not been appealed, like the next two. */
  appealText: column<string | null>('p.text'),
  appealedAt: time('p.created_at'),
  /** The decision on the appeal; null also while the appeal is open. */
  answerId: column<number | null>('p.answer_id'),
  /** Null if the decision cannot be appealed, or has been. */
  appealableUntil: time(`case when p.decision_id is null and ${APPEALABLE_UNTIL} > now() then ${APPEALABLE_UNTIL} end`),
});

/** The readable columns for the member concerned, without the moderator who decided. */
const OWN_DECISION = MODERATOR_DECISION.without('note', 'moderatorId', 'memberId');

export type ModeratorDecisionRow = Row<typeof MODERATOR_DECISION>;
export type OwnDecisionRow = Row<typeof OWN_DECISION>;

const SOURCE = 'decisions d left join appeals p on p.decision_id = d.id';
const NEWEST_FIRST: Order = { key: 'd.created_at', type: 'timestamptz', isDescending: true };

/** A decision, if it concerns the member. */
export const OWN_DECISION_BY_ID = statement<[id: number, memberId: number], OwnDecisionRow>(
  'own_decision',
  `select ${OWN_DECISION.select} from ${SOURCE} where d.id = $1 and d.member_id = $2 and ${IS_NOTIFIED}`,
);

/** The decisions that concern a member, newest first. */
export function findOwnDecisions(
  database: Database,
  memberId: number,
  slice: Slice,
): Promise<RowSlice<OwnDecisionRow> & { total: number }> {
  const bindings = new Bindings();
  const part = { column: 'd.member_id', value: bindings.add(memberId, 'bigint') };
  return find(database, OWN_DECISION, { source: 'decisions d', part, conditions: [IS_NOTIFIED] }, slice, bindings);
}

const MAX_LISTED = fixedLimit({
  area: 'Reading',
  about: 'Decisions in the list of moderators: the newest ones.',
  value: 10_000,
  error: null,
});

/** The newest decisions, for a moderator, who reads those on the own account and content as every member does. */
export function findDecisions(
  database: Database,
  moderatorId: number,
  slice: Slice,
): Promise<RowSlice<ModeratorDecisionRow> & { total: number }> {
  const bindings = new Bindings();
  const conditions = [`d.member_id is distinct from ${bindings.add(moderatorId, 'bigint')}`];
  const source = `(select id, created_at, member_id from decisions order by created_at desc, id desc limit ${MAX_LISTED}) d`;
  return find(database, MODERATOR_DECISION, { source, conditions }, slice, bindings);
}

async function find<List extends typeof OWN_DECISION | typeof MODERATOR_DECISION>(
  database: Database,
  columns: List,
  { source, part, conditions }: Pick<KeysetQuery, 'source' | 'part' | 'conditions'>,
  slice: Slice,
  bindings: Bindings,
): Promise<RowSlice<Row<List>> & { total: number }> {
  const query = { source, id: 'd.id', part, conditions, order: NEWEST_FIRST, total: 't.total' };
  const contents = columns.packedRows({ from: SOURCE, order: NEWEST_FIRST, ids: keysetIds(query, slice, bindings) });
  const total = `select count(*) from ${source} where ${conditionsWith({ part, conditions }).join(' and ')}`;
  const [found] = await database.query(...countedList(total, contents, bindings));
  const rows = columns.unpackRows(found?.contents) as RowSlice<Row<List>>;
  return { ...rows, total: found?.total ?? 0 };
}

/** Whether a member can appeal a decision now. No row unless it concerns the member. */
export const APPEAL_STATE = statement<
  [decisionId: number, memberId: number],
  { isAppealed: boolean; isAppealable: boolean; isLate: boolean }
>(
  'appeal_state',
  `select p.decision_id is not null as "isAppealed", ${APPEALABLE_UNTIL} is not null as "isAppealable",
     coalesce(${APPEALABLE_UNTIL} <= now(), false) as "isLate"
   from ${SOURCE} where d.id = $1 and d.member_id = $2 and ${IS_NOTIFIED}`,
);

/** Locks the content that a decision is about, so that it is not deleted while its removal is appealed. */
export const LOCK_APPEALED_CONTENT = statement<[decisionId: number, memberId: number]>(
  'lock_appealed_content',
  `select (select id from all_articles a where a.id = d.article_id for share), (select id from comments c where c.id = d.comment_id for share)
   from decisions d where d.id = $1 and d.member_id = $2`,
);

/** A second one violates the primary key. */
export const ADD_APPEAL = statement<[decisionId: number, text: string]>(
  'add_appeal',
  'insert into appeals (decision_id, text) values ($1, $2)',
);

/** Content of the email to the member concerned, before a rejected comment is deleted. No row if no email is to be sent. */
export const DECISION_TO_MAIL = statement<
  [id: number],
  {
    memberId: number;
    action: DecisionAction;
    target: DecidedContent | null;
    title: string;
    rule: string;
    statement: string;
    until: Date | null;
    appealableUntil: Date | null;
  }
>(
  'decision_to_mail',
  `select d.member_id as "memberId", d.action, ${DECIDED_CONTENT} as target, coalesce(a.title, '') as title, d.rule, d.statement, d.until,
     ${APPEALABLE_UNTIL} as "appealableUntil"
   from decisions d left join all_comments c on c.id = d.comment_id and c.deleted_at is null
     left join all_articles a on a.id = coalesce(d.article_id, c.article_id) and ${readableBy('reader_of(d.member_id)')}
   where d.id = $1 and d.member_id is not null and ${IS_NOTIFIED}`,
);

/** A decision that was appealed; no row without an appeal. */
export interface AppealedDecision {
  action: DecisionAction;
  /** Null after the deletion of the content, like the next one, and for a suspension. */
  articleId: number | null;
  commentId: number | null;
  /** The member concerned. */
  memberId: number;
  moderatorId: number | null;
}

export const FIND_APPEALED = statement<[decisionId: number], AppealedDecision>(
  'find_appealed_decision',
  `select d.action, d.article_id as "articleId", d.comment_id as "commentId", d.member_id as "memberId", d.moderator_id as "moderatorId"
   from appeals p join decisions d on d.id = p.decision_id where p.decision_id = $1`,
);

/** Of two decisions on an appeal, the second waits, and finds no row. */
export const LOCK_APPEAL = statement<[decisionId: number], { decisionId: number }>(
  'lock_appeal',
  'select decision_id as "decisionId" from appeals where decision_id = $1 and answer_id is null for update',
);

export const ANSWER_APPEAL = statement<[decisionId: number, answerId: number]>(
  'answer_appeal',
  'update appeals set answer_id = $2 where decision_id = $1',
);

/** Whether a member with one of the roles, other than these, could decide now. No role of MEMBER: the index of the others finds them. */
export const HAS_OTHER_MODERATOR = statement<
  [except: readonly number[], roles: readonly string[]],
  { exists: boolean }
>(
  'has_other_moderator',
  `select exists (
     select from members where role <> 'MEMBER' and role = any($2::text[]) and id <> all($1::bigint[]) and locked_at is null and coalesce(suspended_until <= now(), true)
   ) as exists`,
);

/** Whether the removal of the content or the suspension of the member, if there is one, is that of this decision: no later one has the same action. */
export const IS_LAST_OF_ACTION = statement<[decisionId: number], { isLast: boolean }>(
  'is_last_decision_of_action',
  `select not exists (
     select from decisions l where l.member_id = d.member_id and l.id > d.id and l.action = d.action
       and (l.article_id, l.comment_id) is not distinct from (d.article_id, d.comment_id)
   ) as "isLast" from decisions d where d.id = $1`,
);
