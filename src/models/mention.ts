/** Mentions: the members whom a text mentions, found when it is written (docs/decisions/mentions.md). */
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { statement } from '../platform/database/statement.js';
import { blocksBetween } from './block.js';
import { IS_PENDING } from './member/member.js';

const MAX_MENTIONS = fixedLimit({
  area: 'Writing',
  about: 'Members whom an article or a comment mentions. Further names are text.',
  value: 10,
  error: null,
});

/**
 * A common table expression: the first members with some names, other than the author. Those who withdraw meanwhile are left out: the others do not until
 * the transaction ends. @param author, names SQL expressions
 */
export const mentionedBy = (author: string, names: string): string =>
  `mentioned as (
     select f.member_id, f.names from (
       select m.id as member_id, array_agg(n.name) as names
       from unnest(${names}::text[]) with ordinality n (name, position) join members m on lower(m.nickname) = lower(n.name)
       where m.id <> ${author} and not (${IS_PENDING}) group by m.id order by min(n.position) limit ${MAX_MENTIONS}
     ) f join members m on m.id = f.member_id order by m.id for key share of m
   )`;

/** Whom a text mentions, other than its author. Until the end of the transaction, they do not withdraw. */
export const FIND_MENTIONED = statement<[authorId: number, names: readonly string[]], { memberId: number }>(
  'find_mentioned',
  `with ${mentionedBy('$1', '$2')} select member_id as "memberId" from mentioned`,
);

/** `names`: those with which the article mentions the member. */
export interface Mention {
  memberId: number;
  names: string[];
}

/**
 * Whom an article mentions, before it is written. Until the end of the transaction, nothing changes about the blocks between the author and members who
 * are to be notified of it. `isBlocked`: the member blocks the author, and is mentioned for the first time.
 */
export const FIND_MENTIONS = statement<
  [authorId: number, names: readonly string[], articleId: number | null],
  (Mention | { memberId: null }) & { isBlocked: boolean }
>(
  'find_mentions',
  `with ${mentionedBy('$1', '$2')}, earlier as (
     select member_id, is_notified, names from article_mentions where article_id = $3
   ), concerned as (
     select array(select member_id from mentioned union select member_id from earlier where not is_notified and names <> '{}') as ids
   ), ${blocksBetween('concerned', '$1', 'concerned.ids')}
   select m.member_id as "memberId", m.names,
     exists (select from block where member_id = m.member_id) and m.member_id not in (select member_id from earlier where names <> '{}') as "isBlocked"
   from (select count(*) from block) b left join mentioned m on true`,
);

/** A trigger has removed the names of the content before. @param names JSON arrays */
export const STORE_MENTIONS = statement<[articleId: number, memberIds: readonly number[], names: readonly string[]]>(
  'store_mentions',
  `insert into article_mentions as x (article_id, member_id, names)
   select $1, m.id, array(select json_array_elements_text(m.names::json))
   from unnest($2::bigint[], $3::text[]) m (id, names) order by m.id
   on conflict (article_id, member_id) do update set names = excluded.names`,
);
