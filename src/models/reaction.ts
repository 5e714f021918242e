/** Adds and removes reactions. Bookmarks and follows have lists, and files of their own. */
import { statement } from '../platform/database/statement.js';
import { readableBy } from './article/article.js';
import { blocksBetween, isBlocked } from './block.js';
import { MAIL, MAILED } from './notification/create.js';
import { settingOf } from './notification/kinds.js';
import { byKind, type Reaction } from './reaction-kinds.js';
import type { Reader } from './reader.js';

type Parameters = [articleId: number, memberId: number, reader: Reader];

/**
 * One statement, as the others of readers: nothing happens if the member has reacted already. `total`: the number after it, exact with
 * concurrent ones. No row if the reader does not see the article, or if it was deleted meanwhile. Members who block each other are not notified.
 */
const additionOf = ({ kind, name }: Reaction) =>
  statement<Parameters, { articleId: number; total: number; isBlocked: boolean }>(
    `${name}_article`,
    `with article as (
     select a.id, a.member_id from all_articles a where a.id = $1 and ${readableBy('$3::reader')} and require_not_suspended($2)
   ), ${blocksBetween('article', '$2', 'array[article.member_id]')}, recipients as (
     select a.id, a.member_id, s.email, a.member_id <> $2 and ${kind === 'LIKE' && settingOf(kind)} and not exists (select from block) as is_notified
     from article a left join notification_settings s on s.member_id = a.member_id and s.type = '${kind}'
     where not ${isBlocked('$2')}
   ), added as materialized (
     select r.id, r.member_id, r.email, x.total, x.notified
     from recipients r cross join lateral add_reaction(r.id, $2, '${kind}', r.is_notified) x
   ), present as (
     select member_id, email, $2::bigint as actor_id from added where notified
   ), ${MAIL}
   select a.id as "articleId", x.total, ${isBlocked('$2')} as "isBlocked"
   from article a left join added x on true where ${MAILED} and (x.id is null or x.total is not null)`,
  );

const removalOf = ({ kind, name }: Reaction) =>
  statement<Parameters, { articleId: number; total: number }>(
    `un${name}_article`,
    `select a.id as "articleId", remove_reaction(a.id, $2, '${kind}') as total
   from all_articles a where a.id = $1 and ${readableBy('$3::reader')}`,
  );

export const ADD_REACTION = byKind((reaction) => [reaction.kind, additionOf(reaction)]);
export const REMOVE_REACTION = byKind((reaction) => [reaction.kind, removalOf(reaction)]);
