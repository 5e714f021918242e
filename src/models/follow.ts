/** Follows: the members that a member follows, and their articles. */
import { fixedLimit } from '../platform/config/fixed-limit.js';
import type { RowSlice } from '../platform/database/columns.js';
import {
  Bindings,
  boundsOf,
  inOrder,
  isInPart,
  keysetIds,
  limitOf,
  type Order,
  type Slice,
  scannedOrder,
} from '../platform/database/keyset.js';
import type { Database } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import { ARTICLE, articleSource } from './article/article.js';
import { hasLanguage } from './article/filters.js';
import {
  type ArticleIncludes,
  countedList,
  type FoundArticles,
  omittedColumns,
  SEARCH_TIMEOUT_MS,
} from './article/list.js';
import { ARTICLE_ORDERS } from './article/order.js';
import { blocksBetween } from './block.js';
import { IS_PENDING, MEMBER, type MemberRow } from './member/member.js';
import { isWithdrawn } from './member/removal.js';
import { MAIL, MAILED } from './notification/create.js';
import { settingOf } from './notification/kinds.js';

/** A check constraint of reader_counts. */
export const MAX_FOLLOWS = fixedLimit({
  area: 'Reading',
  about: 'Members that a member follows.',
  value: 5_000,
  error: 'FOLLOW_LIMIT_REACHED',
});

/** One statement: nothing happens if the follower follows the member already. No row if there is no such member. `isBlocked`: one blocks the other. */
export const FOLLOW_MEMBER = statement<
  [memberId: number, followerId: number],
  { memberId: number; isBlocked: boolean }
>(
  'follow_member',
  `with member as (
     select id from members where id = $1 and not (${IS_PENDING}) and require_not_suspended($2)
   ), ${blocksBetween('member', '$2', 'array[member.id]')}, recipients as (
     select m.id as member_id, s.email, ${settingOf('FOLLOW')} as is_notified
     from member m left join notification_settings s on s.member_id = m.id and s.type = 'FOLLOW'
     where not exists (select from block)
   ), followed as materialized (
     select member_id, email, follow_member($2, member_id, is_notified) as is_notified from recipients
   ), present as (
     select member_id, email, $2::bigint as actor_id from followed where is_notified
   ), ${MAIL}
   select id as "memberId", exists (select from block) as "isBlocked" from member where ${MAILED}`,
);

/** No row if there is no such member. */
export const UNFOLLOW_MEMBER = statement<[memberId: number, followerId: number], { memberId: number }>(
  'unfollow_member',
  `with unfollowed as (
     delete from follows where member_id = $1 and follower_id = $2
   )
   select id as "memberId" from members where id = $1 and not (${IS_PENDING})`,
);

export const FOLLOW_ORDER: Order = { key: 'f.created_at', type: 'timestamptz', isDescending: true };

/** The members that a member follows, the last followed first. */
export async function findFollowing(
  database: Database,
  followerId: number,
  slice: Slice,
): Promise<RowSlice<MemberRow> & { total: number }> {
  const bindings = new Bindings();
  const follower = bindings.add(followerId, 'bigint');
  const conditions = [`f.follower_id = ${follower}`, `not ${isWithdrawn('f.member_id')}`];
  const query = { source: 'follows f', id: 'f.member_id', conditions, order: FOLLOW_ORDER, total: 't.total' };
  const contents = MEMBER.packedRows({
    from: `members join follows f on f.member_id = members.id and f.follower_id = ${follower}`,
    order: FOLLOW_ORDER,
    ids: keysetIds(query, slice, bindings),
    id: query.id,
  });
  const total = `select coalesce((select following from reader_counts where member_id = ${follower}), 0)
    - (select count(*) from withdrawn_members w join follows f on f.follower_id = ${follower} and f.member_id = w.id)`;
  const [found] = await database.query(...countedList(total, contents, bindings));
  return { ...MEMBER.unpackRows(found?.contents), total: found?.total ?? 0 };
}

/** Numbered pages end there, since the cost of a page grows with its number. */
export const MAX_FOLLOWED_ARTICLES = fixedLimit({
  area: 'Reading',
  about:
    'Articles of followed members on numbered pages. Older ones can be read with cursors (`followedArticleConnection`).',
  value: 1_000,
  error: 'VALIDATION_FAILED',
});

/** The order of their articles. */
export const FOLLOWED_ARTICLES_ORDER = ARTICLE_ORDERS['createdAt,desc'];

/** Public articles of the members that a member follows, in one language or all, newest first. Only their number for a page beyond MAX_FOLLOWED_ARTICLES. */
export async function findFollowedArticles(
  database: Database,
  followerId: number,
  slice: Slice,
  includes: ArticleIncludes,
  language?: string | null,
): Promise<FoundArticles> {
  const bindings = new Bindings();
  const follower = bindings.add(followerId, 'bigint');
  const filter = language == null ? [] : [hasLanguage('a', bindings.add(language, 'text'))];
  const contents = ARTICLE.packedRows({
    from: articleSource('articles'),
    order: FOLLOWED_ARTICLES_ORDER,
    ids: isReachable(slice) ? followedIds(follower, filter, slice, bindings) : 'select null::bigint',
    replaced: omittedColumns(includes),
  });
  const total =
    language == null
      ? `select coalesce(sum(c.articles), 0)
    from follows f join member_counts c on c.member_id = f.member_id where f.follower_id = ${follower}`
      : `select count(*) from follows f join articles a on a.member_id = f.member_id where f.follower_id = ${follower} and ${filter}`;
  const timeoutMs = language == null ? undefined : SEARCH_TIMEOUT_MS;
  const [found] = await database.query(...countedList(total, contents, bindings, timeoutMs));
  return { ...ARTICLE.unpackRows(found?.contents), total: found?.total ?? 0 };
}

export function isReachable({ limit, offset = 0 }: Slice): boolean {
  return offset + limit <= MAX_FOLLOWED_ARTICLES;
}

/**
 * Reads a page of n articles of many authors with two bounds (threshold algorithm). The first n articles are by at most n members: those whose own first articles are the first n (`first`). The nth of any of their articles is a bound: no
 * article beyond it is one of the n. So the first √n articles of each of these members give a bound (`sample`), and at most √n members have more than √n
 * articles within it. At most 2n√n rows of the index are read, besides one of each followed member, independent of the number of articles and of their authors.
 */
function followedIds(follower: string, filter: readonly string[], slice: Slice, bindings: Bindings): string {
  const order = scannedOrder(FOLLOWED_ARTICLES_ORDER, slice);
  const between = boundsOf(FOLLOWED_ARTICLES_ORDER, 'a.id', slice, bindings);
  const n = slice.limit + (slice.offset ?? 0);
  const max = bindings.add(n, 'integer');
  const root = bindings.add(Math.ceil(Math.sqrt(n)), 'integer');
  const [comparison, unbounded] = order.isDescending ? ['>=', '-infinity'] : ['<=', 'infinity'];
  const articlesOf = (member: string, limit: string, source?: string) => {
    const part = { column: 'a.member_id', value: member };
    const bound = source && `a.created_at ${comparison} ${boundIn(source)}`;
    const conditions = [isInPart(part), ...filter, ...between, ...(bound ? [bound] : [])];
    return `cross join lateral (select a.member_id, a.created_at, a.id from articles a
      where ${conditions.join(' and ')} ${inOrder(order, 'a.id', part)} limit ${limit}) a ${inOrder(order, 'a.id')}`;
  };
  const boundIn = (source: string) =>
    `coalesce((select a.created_at from ${source} a ${inOrder(order, 'a.id')} limit 1 offset ${max} - 1), '${unbounded}')`;
  return `with first as materialized (
      select a.* from (select member_id from follows where follower_id = ${follower}) f ${articlesOf('f.member_id', '1')} limit ${max}
    ), sample as materialized (
      select a.* from first ${articlesOf('first.member_id', root, 'first')} limit ${max}
    )
    select a.id from first ${articlesOf('first.member_id', max, 'sample')} ${limitOf(slice, 't.total', bindings)}`;
}
