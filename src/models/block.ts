/** Blocks: what members who have blocked each other, or one the other, see of each other, and may do (docs/decisions/blocks.md). */
import { fixedLimit } from '../platform/config/fixed-limit.js';
import type { RowSlice } from '../platform/database/columns.js';
import { Bindings, keysetIds, type Order, type Slice } from '../platform/database/keyset.js';
import type { Database } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import { countedList } from './article/list.js';
import { IS_PENDING, MEMBER, type MemberRow } from './member/member.js';

export const MAX_BLOCKS = fixedLimit({
  area: 'Reading',
  about: 'Members that a member blocks.',
  value: 1_000,
  error: 'BLOCK_LIMIT_REACHED',
});

/**
 * An SQL condition: one of two members has blocked the other. It reads nothing if `viewer` is 0 or null. A scalar subquery, which PostgreSQL
 * evaluates with one lookup; instead of `exists`, it could read the whole table.
 */
export const isBlockBetween = (viewer: string, member: string): string =>
  `(${viewer} > 0 and (select true from blocks b where least(b.member_id, b.blocked_id) = least(${viewer}, ${member})
    and greatest(b.member_id, b.blocked_id) = greatest(${viewer}, ${member}) limit 1) is not null)`;

/**
 * A common table expression `block`: the blocks between a member and others, which stay as they are until the transaction ends.
 * @param member, others SQL expressions, the latter for an array, on the row of `from`
 */
export const blocksBetween = (from: string, member: string, others: string): string =>
  `block as materialized (
     select b.member_id, b.blocked_id from ${from} cross join lateral blocks_between(${member}, ${others}) b
   )`;

/** One of two members has blocked the other. */
export interface Block {
  memberId: number;
  blockedId: number;
}

/** The blocks between a member and others, which stay as they are until the transaction ends. */
export const FIND_BLOCKS_BETWEEN = statement<[memberId: number, others: readonly number[]], Block>(
  'find_blocks_between',
  'select b.member_id as "memberId", b.blocked_id as "blockedId" from blocks_between($1, $2) b',
);

/** A condition on `block`: this member is blocked. @param member a parameter or a qualified column: the member, or one of the others */
export const isBlocked = (member: string): string => `exists (select from block where blocked_id = ${member})`;

/** One statement: nothing happens if the member is blocked already. Removes follows in both directions. No row if there is no such member. */
export const BLOCK_MEMBER = statement<[memberId: number, blockerId: number], { memberId: number }>(
  'block_member',
  `with blocked as materialized (
     select id, block_member($2, id, ${MAX_BLOCKS}) from members where id = $1 and not (${IS_PENDING}) and require_not_suspended($2)
   )
   select id as "memberId" from blocked`,
);

/** No row if there is no such member. */
export const UNBLOCK_MEMBER = statement<[memberId: number, blockerId: number], { memberId: number }>(
  'unblock_member',
  `with unblocked as (
     delete from blocks where member_id = $2 and blocked_id = $1
   )
   select id as "memberId" from members where id = $1 and not (${IS_PENDING})`,
);

const BLOCK_ORDER: Order = { key: 'b.created_at', type: 'timestamptz', isDescending: true };

/** The members that a member blocks, the last blocked first. */
export async function findBlocks(
  database: Database,
  memberId: number,
  slice: Slice,
): Promise<RowSlice<MemberRow> & { total: number }> {
  const bindings = new Bindings();
  const member = bindings.add(memberId, 'bigint');
  const conditions = [`b.member_id = ${member}`];
  const query = { source: 'blocks b', id: 'b.blocked_id', conditions, order: BLOCK_ORDER, total: 't.total' };
  const contents = MEMBER.packedRows({
    from: `members join blocks b on b.blocked_id = members.id and b.member_id = ${member}`,
    order: BLOCK_ORDER,
    ids: keysetIds(query, slice, bindings),
  });
  const total = `select count(*) from blocks b where ${conditions.join(' and ')}`;
  const [found] = await database.query(...countedList(total, contents, bindings));
  return { ...MEMBER.unpackRows(found?.contents), total: found?.total ?? 0 };
}
