/** The comments on an article as JSON, with all that adding them again needs. */
import { inPages, type Snapshot } from '../../export/snapshot.js';
import { COMMENT, type CommentRow, EMBEDDED_REPLIES } from '../../models/comment/comment.js';
import { JOIN_SEEN } from '../../models/comment/visibility.js';
import { ColumnList, column } from '../../platform/database/columns.js';
import { type Statement, statement } from '../../platform/database/statement.js';

type ExportedComment = CommentRow & { isDeleted: boolean; replyCount: number };

/**
 * The article's author sees the content of its hidden comments. Which articles are exported is decided before (`textsIn`).
 * @param asAuthor an SQL expression: whether comments are read as the author of the article, else as everyone
 */
const readerOf = (asAuthor: string) =>
  `cross join lateral (select reader_of(case when ${asAuthor} then a.member_id else 0 end) as r) v`;

/** Without removed content, and whatever members have blocked. */
const EXPORTED = new ColumnList({
  ...COMMENT.columns,
  content: column<string>(`comment_content(
    content => c.content,
    is_deleted => c.deleted_at is not null,
    is_place_of_held => s.is_held,
    is_removed => c.removed_at is not null,
    sees_removed => false,
    is_hidden => c.is_hidden,
    sees_hidden => ((v.r).viewer_id in (c.member_id, c.received_by)) is true,
    is_blocked => false)`),
});

const COLUMNS = `${EXPORTED.select}, c.deleted_at is not null as "isDeleted", c.reply_count as "replyCount"`;

type After = [lastTime: Date | string, lastId: number, size: number];

const TOP_LEVEL = statement<[articleId: number, asAuthor: boolean, ...After], ExportedComment>(
  'export_comments_of_article',
  `select ${COLUMNS} from all_articles a ${readerOf('$2::boolean')} join comments c on c.article_id = a.id ${JOIN_SEEN}
   where a.id = $1 and c.parent_id is null and (c.created_at, c.id) > ($3, $4)
   order by c.created_at, c.id limit $5`,
);

/** Of each comment the first ones. */
const FIRST_REPLIES = statement<[commentIds: readonly number[], asAuthor: boolean], ExportedComment>(
  'export_first_replies',
  `select r.* from unnest($1::bigint[]) as t(id) cross join lateral (
     select ${COLUMNS} from comments c join all_articles a on a.id = c.article_id ${readerOf('$2::boolean')} ${JOIN_SEEN}
     where c.parent_id = t.id order by c.created_at, c.id limit ${EMBEDDED_REPLIES}
   ) r order by r."parentId", r."createdAt", r.id`,
);

const REPLIES = statement<[commentId: number, asAuthor: boolean, ...After], ExportedComment>(
  'export_replies',
  `select ${COLUMNS} from comments c join all_articles a on a.id = c.article_id ${readerOf('$2::boolean')} ${JOIN_SEEN}
   where c.parent_id = $1 and (c.created_at, c.id) > ($3, $4) order by c.created_at, c.id limit $5`,
);

/** Page sizes: a page of comments has at most 100 times as many replies. */
const TOP_ROWS = 50;
const REPLY_ROWS = 1_000;

interface Counts {
  comments: number;
}

interface Reading {
  read: Snapshot['read'];
  /** Whether the content of hidden comments is included. */
  withHidden: boolean;
  /** Incremented by comments and replies. */
  counts: Counts;
}

/** An array with the oldest comment first, each in a line, with its replies. Yields nothing if there are no comments. */
export async function* commentsJson(articleId: number, reading: Reading): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of pagesAfter(TOP_LEVEL, articleId, TOP_ROWS, reading)) {
    const firstReplies = await readFirstReplies(page, reading);
    for (const comment of page) {
      yield before + fieldsOf(comment);
      yield* repliesJson(comment, firstReplies.get(comment.id) ?? [], reading);
      yield '}';
      before = ',\n';
    }
    reading.counts.comments += page.length;
  }
  if (before !== '[\n') yield '\n]\n';
}

async function* repliesJson(
  { id }: ExportedComment,
  first: readonly ExportedComment[],
  reading: Reading,
): AsyncGenerator<string> {
  if (first.length === 0) return;
  const lines = (replies: readonly ExportedComment[]) => replies.map((reply) => `\n  ${fieldsOf(reply)}}`).join(',');
  yield `,"replies":[${lines(first)}`;
  reading.counts.comments += first.length;
  if (first.length === EMBEDDED_REPLIES) {
    for await (const page of pagesAfter(REPLIES, id, REPLY_ROWS, reading, first.at(-1))) {
      yield `,${lines(page)}`;
      reading.counts.comments += page.length;
    }
  }
  yield '\n]';
}

/** By the ids of their parents. */
async function readFirstReplies(
  page: readonly ExportedComment[],
  { read, withHidden }: Reading,
): Promise<Map<number, ExportedComment[]>> {
  const ids = page.filter(({ replyCount }) => replyCount > 0).map(({ id }) => id);
  const found = new Map(ids.map((id) => [id, [] as ExportedComment[]]));
  for (const reply of ids.length > 0 ? await read(FIRST_REPLIES, [ids, withHidden]) : []) {
    found.get(reply.parentId ?? 0)?.push(reply);
  }
  return found;
}

function pagesAfter(
  statement: Statement<[id: number, asAuthor: boolean, ...After], ExportedComment>,
  id: number,
  size: number,
  { read, withHidden }: Reading,
  before?: ExportedComment,
): AsyncGenerator<ExportedComment[]> {
  return inPages(size, (last = before) =>
    read(statement, [id, withHidden, last?.createdAt ?? '-infinity', last?.id ?? 0, size]),
  );
}

/** Without the closing brace. The author is null who has withdrawn. */
function fieldsOf({ authorName, memberId, content, hidden, isDeleted, createdAt, updatedAt }: ExportedComment): string {
  const times = { createdAt, updatedAt };
  const fields = isDeleted
    ? { deleted: true, ...times }
    : { author: memberId === 0 ? null : authorName, content, ...(hidden && { hidden }), ...times };
  return JSON.stringify(fields).slice(0, -1);
}
