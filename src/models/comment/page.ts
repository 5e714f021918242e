/** One page of an article's comments, read with one SQL statement. */

import type { Database } from '../../database/pool.js';
import { statement } from '../../database/statement.js';
import { DISCUSSION_STAMP, JOIN_NAMES, readStamp, type Stamp } from '../stamp.js';
import { COMMENT, type CommentRow, EMBEDDED_REPLIES } from './comment.js';

export interface CommentPageRequest {
  articleId: number;
  /** Page size in comments. */
  size: number;
  /** Number of comments before the page. */
  offset: number;
  includes: CommentPageIncludes;
}

/** Optional data to fetch with the comments. */
export interface CommentPageIncludes {
  replies: boolean;
  /** The nicknames of the authors, including those of replies. */
  authorNames: boolean;
}

export interface FoundCommentPage {
  /** Top-level comments of the article, including deleted ones that have replies. */
  total: number;
  contents: CommentRow[];
  /** Replies by the index of their comment in `contents`; empty if not requested. */
  replies: CommentRow[][];
  stamp: Stamp;
}

/**
 * Top-level comments newest first, each with its first replies, oldest first.
 * @returns null if the article does not exist
 */
export async function findCommentPage(
  database: Database,
  { articleId, size, offset, includes: { replies, authorNames } }: CommentPageRequest,
): Promise<FoundCommentPage | null> {
  const [found] = await database.query(STATEMENTS[`${replies},${authorNames}`], [articleId, size, offset]);
  if (!found) return null;
  const tuples = JSON.parse(found.contents ?? '[]') as unknown[][];
  const contents = tuples.map((tuple) => unpack(tuple, articleId, null));
  const repliesOf = (tuple: unknown[]) => (tuple[PACKED.size] ?? []) as unknown[][];
  return {
    total: found.total,
    contents,
    replies: replies
      ? contents.map(({ id }, index) => repliesOf(tuples[index] ?? []).map((tuple) => unpack(tuple, articleId, id)))
      : [],
    stamp: readStamp(found.stamp),
  };
}

/** The columns whose values do not follow from the request. */
const PACKED = COMMENT.without('articleId', 'parentId');

function unpack(tuple: unknown[], articleId: number, parentId: number | null): CommentRow {
  return Object.assign(PACKED.unpack(tuple), { articleId, parentId });
}

interface PackedPage {
  total: number;
  stamp: string;
  /** JSON of packed rows, each followed by an array of its packed replies or null; null for an empty page. */
  contents: string | null;
}

/**
 * An index-only scan finds the first comment of the page, so that a deep page reads no table row outside it; past the end, nothing is
 * scanned. In `repliesOf`, `c` is a reply, except in the innermost query.
 */
function pageStatement({ replies, authorNames }: CommentPageIncludes) {
  const packed = PACKED.packed(authorNames ? [] : ['authorName']);
  const repliesOf = `case when c.reply_count > 0 then (
      select json_agg(json_build_array(${packed})) from (
        select * from comments r where r.parent_id = c.id order by r.created_at, r.id limit ${EMBEDDED_REPLIES}
      ) c
    ) end`;
  return statement<[articleId: number, size: number, offset: number], PackedPage>(
    `comment_page${replies ? '_replies' : ''}${authorNames ? '_names' : ''}`,
    `select a.top_level_count as total, ${DISCUSSION_STAMP} as stamp, (
      select json_agg(json_build_array(${packed}${replies ? `, ${repliesOf}` : ''})) from (
        select c.* from comments c
        where $3::bigint < a.top_level_count and c.article_id = a.id and c.parent_id is null and (c.created_at, c.id) <= (
          select k.created_at, k.id from comments k where k.article_id = a.id and k.parent_id is null
          order by k.created_at desc, k.id desc limit 1 offset $3
        )
        order by c.created_at desc, c.id desc limit $2
      ) c
    )::text as contents
    from articles a ${JOIN_NAMES} where a.id = $1`,
  );
}

/** By `replies,authorNames`. */
const STATEMENTS = {
  'false,false': pageStatement({ replies: false, authorNames: false }),
  'false,true': pageStatement({ replies: false, authorNames: true }),
  'true,false': pageStatement({ replies: true, authorNames: false }),
  'true,true': pageStatement({ replies: true, authorNames: true }),
};
