/** The position of comments among the top-level comments of their article, newest first. */
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import type { Version } from '../../platform/http/conditional.js';
import { SEARCH_TIMEOUT_MS } from '../article/list.js';
import type { Reader } from '../reader.js';
import { DISCUSSION_STAMP, readStamp } from '../stamp.js';
import { COMMENT, type CommentRow } from './comment.js';
import { IS_ARTICLE_READABLE, isShown, JOIN_ARTICLE, JOIN_SEEN, readerTable } from './visibility.js';

/** The number of top-level comments of the article `a` in a range. An index-only scan counts them, except of an article of which a moderator sees a part. */
const countOf = (range: string, isModerator: boolean): string => {
  const count = `select count(*) from comments k where k.article_id = a.id and k.parent_id is null and ${range}`;
  return isModerator
    ? `case when ${IS_ARTICLE_READABLE} then (${count}) else (${count} and ${isShown('k')}) end`
    : `(${count})`;
};

const IS_NEWER = '(k.created_at, k.id) > (p.created_at, p.id)';
const BETWEEN = `${IS_NEWER} and (k.created_at, k.id) <= (p.last_at, p.last_id)`;

/** Joins the top-level comment `p` whose position is that of `c`. */
const JOIN_PLACE = 'join comments p on p.id = coalesce(c.parent_id, c.id)';

/** An article with more top-level comments takes milliseconds to count: such counts share the concurrency limit of searches. */
const MAX_COUNTED_AT_ONCE = 20_000;

/** A comment, with the number of top-level comments before it; null if it was not requested, or if the article has too many. */
export type PositionedComment = CommentRow & { before: number | null };

/**
 * Of several comments of an article, only those between two of them are counted, so that each is counted once. Of comments with the same place, all
 * but one have none between them.
 */
const statementsFor = (isModerator: boolean) => ({
  withPosition: statement<[id: number, reader: Reader, isPositioned: boolean], PositionedComment & { stamp: string }>(
    `comment_with_position${isModerator ? '_moderator' : ''}`,
    `select ${COMMENT.select}, ${DISCUSSION_STAMP} as stamp,
     case when $3 and a.top_level_count <= ${MAX_COUNTED_AT_ONCE} then ${countOf(IS_NEWER, isModerator)} end as before
   from comments c cross join ${readerTable('$2::reader')} ${JOIN_ARTICLE} ${JOIN_SEEN} ${JOIN_PLACE}
   where c.id = $1`,
  ),
  positions: {
    ...statement<[ids: readonly number[], reader: Reader], { id: number; before: number }>(
      `comment_positions${isModerator ? '_moderator' : ''}`,
      `select p.comment_id as id, (sum(${countOf(BETWEEN, isModerator)}) over (partition by a.id order by p.created_at desc, p.id desc))::bigint as before
     from (
       select p.id, p.article_id, p.created_at, c.id as comment_id,
         lag(p.created_at, 1, 'infinity') over places as last_at, lag(p.id, 1, 0) over places as last_id
       from comments c cross join ${readerTable('$2::reader')} ${JOIN_ARTICLE} ${JOIN_PLACE}
       where c.id = any($1::bigint[])
       window places as (partition by p.article_id order by p.created_at desc, p.id desc)
     ) p join all_articles a on a.id = p.article_id cross join ${readerTable('$2::reader')}`,
    ),
    timeoutMs: SEARCH_TIMEOUT_MS,
  },
});
const FOR_MEMBERS = statementsFor(false);
const FOR_MODERATORS = statementsFor(true);
const statementsOf = ({ moderatorId }: Reader) => (moderatorId === 0 ? FOR_MEMBERS : FOR_MODERATORS);

/**
 * @param isPositioned whether the position is requested
 * @returns null if the comment does not exist for the reader
 */
export async function findComment(
  database: Database,
  id: number,
  reader: Reader,
  isPositioned: boolean,
): Promise<{ comment: PositionedComment; version: Version } | null> {
  const [row] = await database.query(statementsOf(reader).withPosition, [id, reader, isPositioned]);
  if (!row) return null;
  const { stamp, ...comment } = row;
  return { comment, version: readStamp(stamp) };
}

/** The number of top-level comments before each comment, in the order of `ids`; 0 for one that does not exist for the reader. */
export async function findPositions(database: Database, ids: readonly number[], reader: Reader): Promise<number[]> {
  const rows = await database.query(statementsOf(reader).positions, [ids, reader]);
  const found = new Map(rows.map(({ id, before }) => [id, before]));
  return ids.map((id) => found.get(id) ?? 0);
}
