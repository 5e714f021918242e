/** One page of an article's comments, read with one SQL statement. */
import type { Database } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import type { Version } from '../../platform/http/conditional.js';
import type { Reader } from '../reader.js';
import { DISCUSSION_STAMP, readStamp } from '../stamp.js';
import { COMMENT, type CommentRow, EMBEDDED_REPLIES } from './comment.js';
import { IS_ARTICLE_MODERATED, IS_ARTICLE_READABLE, isShown, readerTable } from './visibility.js';

export interface CommentPageRequest {
  articleId: number;
  /** Page size in comments. */
  size: number;
  /** Number of comments before the page. */
  offset: number;
  reader: Reader;
  isOldestFirst: boolean;
  includes: CommentPageIncludes;
}

/** Optional data to fetch with the comments. */
export interface CommentPageIncludes {
  replies: boolean;
  /** The nicknames of the authors, including those of replies. */
  authorNames: boolean;
  /** The columns `hidden`, `held`, `removed` and `revision`. */
  details: boolean;
}

export interface FoundCommentPage {
  /** Top-level comments of the article, including deleted ones that have replies. */
  total: number;
  contents: CommentRow[];
  /** Replies by the index of their comment in `contents`; empty if not requested. */
  replies: CommentRow[][];
  version: Version;
}

/**
 * Top-level comments, each with its first replies, oldest first.
 * @returns null if the article does not exist for the reader
 */
export async function findCommentPage(
  database: Database,
  { articleId, size, offset, reader, isOldestFirst, includes }: CommentPageRequest,
): Promise<FoundCommentPage | null> {
  const statement = statementOf(isOldestFirst, kindOf(reader), includes);
  const [found] = await database.query(statement, [articleId, size, offset, reader]);
  if (!found) return null;
  const packed = packedWith(includes);
  const unpack = (tuple: unknown[], articleId: number, parentId: number | null) =>
    Object.assign(packed.unpack(tuple), { articleId, parentId }) as CommentRow;
  const tuples = JSON.parse(found.contents ?? '[]') as unknown[][];
  const contents = tuples.map((tuple) => unpack(tuple, articleId, null));
  const repliesOf = (tuple: unknown[]) => (tuple[packed.size] ?? []) as unknown[][];
  return {
    total: found.total,
    contents,
    replies: includes.replies
      ? contents.map(({ id }, index) => repliesOf(tuples[index] ?? []).map((tuple) => unpack(tuple, articleId, id)))
      : [],
    version: readStamp(found.stamp),
  };
}

/** The columns whose values do not follow from the request. */
const PACKED = COMMENT.without('articleId', 'parentId');
const PACKED_WITHOUT_DETAILS = PACKED.without('hidden', 'held', 'removed', 'revision');

function packedWith({ details }: CommentPageIncludes): typeof PACKED | typeof PACKED_WITHOUT_DETAILS {
  return details ? PACKED : PACKED_WITHOUT_DETAILS;
}

/** Statements for members do not have the conditions for moderators, which read each comment before the page. */
type ReaderKind = 'anonymous' | 'member' | 'moderator';

function kindOf({ viewerId, articleReaderId, moderatorId }: Reader): ReaderKind {
  if (moderatorId !== 0) return 'moderator';
  return viewerId === 0 && articleReaderId === 0 ? 'anonymous' : 'member';
}

const READABLE: Readonly<Record<ReaderKind, string>> = {
  anonymous: 'not a.is_private',
  member: IS_ARTICLE_READABLE,
  moderator: `(${IS_ARTICLE_READABLE} or ${IS_ARTICLE_MODERATED})`,
};

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
function pageStatement(isOldestFirst: boolean, kind: ReaderKind, includes: CommentPageIncludes) {
  const shown = (comment: string) => (kind === 'moderator' ? `and ${isShown(comment)}` : '');
  const total = kind === 'moderator' ? MODERATED_TOTAL : 'a.top_level_count';
  const { replies, authorNames, details } = includes;
  const [direction, bound] = isOldestFirst ? ['asc', '>='] : ['desc', '<='];
  const packed = packedWith(includes).packed(authorNames ? {} : { authorName: 'null' });
  const seen = `cross join lateral comment_seen_by(c::comments, ${kind === 'anonymous' ? EVERYONE : 'v.r'}) s`;
  const repliesOf = `case when c.reply_count > 0 then (
      select json_agg(json_build_array(${packed})) from (
        select * from comments r where r.parent_id = c.id ${shown('r')} order by r.created_at, r.id limit ${EMBEDDED_REPLIES}
      ) c ${seen}
    ) end`;
  return statement<[articleId: number, size: number, offset: number, reader: Reader], PackedPage>(
    `comment_page${replies ? '_replies' : ''}${authorNames ? '_names' : ''}${details ? '_details' : ''}${isOldestFirst ? '_asc' : ''}${kind === 'member' ? '' : `_${kind}`}`,
    `select ${total} as total, ${DISCUSSION_STAMP} as stamp, (
      select json_agg(json_build_array(${packed}${replies ? `, ${repliesOf}` : ''})) from (
        select c.* from comments c
        where $3::bigint < a.top_level_count and c.article_id = a.id and c.parent_id is null ${shown('c')} and (c.created_at, c.id) ${bound} (
          select k.created_at, k.id from comments k where k.article_id = a.id and k.parent_id is null ${shown('k')}
          order by k.created_at ${direction}, k.id ${direction} limit 1 offset $3
        )
        order by c.created_at ${direction}, c.id ${direction} limit $2
      ) c ${seen}
    )::text as contents
    from all_articles a cross join ${readerTable('$4::reader')} where a.id = $1 and ${READABLE[kind]}`,
  );
}

/** A constant, so that the plan has no conditions on the reader. */
const EVERYONE = `'(0,0,0,0)'::reader`;

const MODERATED_TOTAL = `case when ${IS_ARTICLE_READABLE} then a.top_level_count else (
    select count(*) from comments k where k.article_id = a.id and k.parent_id is null and ${isShown('k')}) end`;

/** Each is created on first use. */
const statements = new Map<string, ReturnType<typeof pageStatement>>();

function statementOf(...shape: Parameters<typeof pageStatement>): ReturnType<typeof pageStatement> {
  const [isOldestFirst, kind, { replies, authorNames, details }] = shape;
  const key = `${isOldestFirst},${kind},${replies},${authorNames},${details}`;
  const statement = statements.get(key) ?? pageStatement(...shape);
  statements.set(key, statement);
  return statement;
}
