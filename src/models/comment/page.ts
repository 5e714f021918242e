/** One page of an article's comments, read with one SQL statement. */

import type { Database } from '../../database/pool.js';
import { type Statement, statement } from '../../database/statement.js';
import { DISCUSSION_STAMP, JOIN_NAMES, readStamp, type Stamp } from '../stamp.js';
import { type CommentRow, DELETED, EMBEDDED_REPLIES, WITHDRAWN } from './comment.js';

export interface CommentPageRequest {
  articleId: number;
  /** Page size in comments. */
  size: number;
  /** Number of comments before the page. */
  offset: number;
  /** Optional fields to fetch with the comments. */
  parts: CommentPageParts;
}

export interface CommentPageParts {
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
  { articleId, size, offset, parts }: CommentPageRequest,
): Promise<FoundCommentPage | null> {
  const [found] = await database.query(pageStatement(parts), [articleId, size, offset]);
  if (!found) return null;
  const comments = JSON.parse(found.contents ?? '[]') as Values[];
  return {
    total: found.total,
    contents: comments.map((values) => toRow(values, articleId, null)),
    replies: parts.replies
      ? comments.map(([id, , , , , , replies]) => (replies ?? []).map((values) => toRow(values, articleId, id)))
      : [],
    stamp: readStamp(found.stamp),
  };
}

/** A comment as the JSON array that the statement returns; `updatedAt` is null if the comment was never edited. */
type Values = [
  id: number,
  content: string,
  memberId: number | null,
  nickname: string | null,
  createdAt: string,
  updatedAt: string | null,
  replies?: Values[] | null,
];

function toRow(values: Values, articleId: number, parentId: number | null): CommentRow {
  const [id, content, memberId, nickname, createdAt, updatedAt] = values;
  // Deleted comments are stored with empty content; all other comments have content.
  const isDeleted = content === '';
  return {
    id,
    content: isDeleted ? DELETED : content,
    memberId: memberId ?? 0,
    authorName: isDeleted ? DELETED : (nickname ?? WITHDRAWN),
    articleId,
    parentId,
    createdAt,
    updatedAt: updatedAt ?? createdAt,
  };
}

interface PackedPage {
  total: number;
  stamp: string;
  /** JSON of `Values[]`; null for an empty page. */
  contents: string | null;
}

/**
 * Values: article id, page size, offset. An index-only scan finds the first comment of the page, so that a deep page reads no table row
 * outside it; past the end, nothing is scanned. The result is one JSON text of arrays: fewer bytes than objects, and faster to parse than
 * as many columns.
 */
function pageStatement({ replies, authorNames }: CommentPageParts): Statement<PackedPage> {
  const name = `comment_page${replies ? '_replies' : ''}${authorNames ? '_names' : ''}`;
  const known = statements.get(name);
  if (known) return known;
  const repliesOf = `case when c.reply_count > 0 then (
      select json_agg(json_build_array(${packed('r', authorNames)})) from (
        select * from comments r where r.parent_id = c.id order by r.created_at, r.id limit ${EMBEDDED_REPLIES}
      ) r
    ) end`;
  const made = statement<PackedPage>(
    name,
    `select a.top_level_count as total, ${DISCUSSION_STAMP} as stamp, (
      select json_agg(json_build_array(${packed('c', authorNames)}${replies ? `, ${repliesOf}` : ''})) from (
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
  statements.set(name, made);
  return made;
}

const statements = new Map<string, Statement<PackedPage>>();

function packed(c: string, authorNames: boolean): string {
  const nickname = authorNames ? `(select m.nickname from members m where m.id = ${c}.member_id)` : 'null';
  return `${c}.id, ${c}.content, ${c}.member_id, ${nickname}, ${c}.created_at at time zone 'UTC',
    nullif(${c}.updated_at, ${c}.created_at) at time zone 'UTC'`;
}
