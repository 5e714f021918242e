/** The position of comments among the top-level comments of their article, newest first. */
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import type { Version } from '../../platform/http/conditional.js';
import { SEARCH_TIMEOUT_MS } from '../article/list.js';
import type { Reader } from '../reader.js';
import { DISCUSSION_STAMP, readStamp } from '../stamp.js';
import { COMMENT, type CommentRow } from './comment.js';
import { isShown, JOIN_READABLE_ARTICLE, readerTable } from './visibility.js';

/**
 * The number of top-level comments before the comment `c`, or before the one that it replies to. An index-only scan counts them, as for
 * the offset of a page.
 */
const countBefore = (isModerator: boolean): string => `(select count(*) from comments k
  where k.article_id = c.article_id and k.parent_id is null and (k.created_at, k.id) >
    (select p.created_at, p.id from comments p where p.id = coalesce(c.parent_id, c.id))${isModerator ? ` and ${isShown('k')}` : ''})`;

/** An article with more top-level comments takes milliseconds to count: such counts share the concurrency limit of searches. */
const MAX_COUNTED_AT_ONCE = 20_000;

/** A comment, with the number of top-level comments before it; null if it was not requested, or if the article has too many. */
export type PositionedComment = CommentRow & { before: number | null };

/** For moderators, whose statement reads each counted row. */
const statementsFor = (isModerator: boolean) => ({
  withPosition: statement<[id: number, reader: Reader, isPositioned: boolean], PositionedComment & { stamp: string }>(
    `comment_with_position${isModerator ? '_moderator' : ''}`,
    `select ${COMMENT.select}, ${DISCUSSION_STAMP} as stamp,
     case when $3 and a.top_level_count <= ${MAX_COUNTED_AT_ONCE} then ${countBefore(isModerator)} end as before
   from comments c cross join ${readerTable('$2::reader')} ${JOIN_READABLE_ARTICLE}
   where c.id = $1`,
  ),
  positions: {
    ...statement<[ids: readonly number[], reader: Reader], { id: number; before: number }>(
      `comment_positions${isModerator ? '_moderator' : ''}`,
      `select c.id, ${countBefore(isModerator)} as before from comments c cross join ${readerTable('$2::reader')} ${JOIN_READABLE_ARTICLE}
     where c.id = any($1::bigint[])`,
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
