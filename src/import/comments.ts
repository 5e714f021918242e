/** Writes the comments of one article in batches, with threads flattened to one level of replies. */
import { statement } from '../platform/database/statement.js';
import { saveMembers } from './members.js';
import type { CommentPlan } from './plan-comments.js';
import { note, type Report } from './report.js';
import { findImported, inRowBatches, recordImported, reserveIds, type Writer } from './writer.js';

export const ADD_COMMENTS = statement<
  [
    articleId: number,
    ids: number[],
    parentIds: (number | null)[],
    memberIds: (number | null)[],
    contents: string[],
    hidden: boolean[],
    createdAt: Date[],
    updatedAt: Date[],
  ]
>(
  'import_add_comments',
  `insert into comments (id, article_id, parent_id, member_id, content, is_hidden, created_at, updated_at) overriding system value
   select id, $1, parent_id, member_id, content, is_hidden, created_at, updated_at
   from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[], $7::timestamptz[], $8::timestamptz[])
     as c(id, parent_id, member_id, content, is_hidden, created_at, updated_at)`,
);

/** Until its replies are added, which need a comment that is not deleted. */
const CONTENT_OF_DELETED = '-';

/** Leaves the places of deleted comments that have replies. */
export const EMPTY_COMMENTS = statement<[ids: number[]]>(
  'import_empty_comments',
  `update comments set content = '', member_id = null, deleted_at = updated_at where id = any($1::bigint[]) and reply_count > 0`,
);

const FIND_TOP_COMMENTS = `select c.id, top.id as "topId" from comments c join comments top on top.id = coalesce(c.parent_id, c.id)
   where c.id = any($1::bigint[]) and top.article_id = $2 and top.deleted_at is null
   order by top.id`;

/** For a dry run. */
export const READ_TOP_COMMENTS = statement<[commentIds: number[], articleId: number], { id: number; topId: number }>(
  'import_read_top_comments',
  FIND_TOP_COMMENTS,
);

/** The top-level comments of the given comments that are not deleted, locked against deletion (FOR NO KEY UPDATE). */
export const LOCK_TOP_COMMENTS = statement<[commentIds: number[], articleId: number], { id: number; topId: number }>(
  'import_lock_top_comments',
  `${FIND_TOP_COMMENTS} for no key update of top`,
);

const ARTICLE_MISSING = 'comments on articles that are not in the journal';
const TOP_COMMENT_DELETED = 'replies to comments that were deleted from the journal: imported as top-level comments';

interface Row {
  key: string;
  id: number;
  parentId: number | null;
  memberId: number | null;
  content: string;
  isHidden: boolean;
  isDeleted: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** The authors of comments. */
export const COMMENT_AUTHORS = statement<[commentIds: number[]], { memberId: number }>(
  'import_comment_authors',
  'select distinct member_id as "memberId" from comments where id = any($1::bigint[]) and member_id is not null',
);

export interface ArticleComments {
  /** Null if the article is not in the journal: its comments are skipped. */
  articleId: number | null;
  /** Whether the article was inserted in this transaction. */
  isNew: boolean;
  plans: readonly CommentPlan[];
}

/** Inserts the comments that have not been imported yet, top-level ones before replies. */
export async function saveComments(
  writer: Writer,
  { articleId, isNew, plans }: ArticleComments,
  report: Report,
): Promise<void> {
  if (plans.length === 0) return;
  const importedIds = await findImported(
    writer,
    'comment',
    plans.map(({ key }) => key),
  );
  const missing = plans.filter(({ key }) => !importedIds.has(key));
  report.existing.comments += plans.length - missing.length;
  if (importedIds.size > 0) {
    for (const { memberId } of await writer.run(COMMENT_AUTHORS, [[...importedIds.values()]]))
      report.referenced.members.add(memberId);
  }
  if (missing.length === 0) return;
  if (articleId === null) {
    report.addNotes(missing.map(({ key }) => note('skipped', ARTICLE_MISSING, `comment ${key}`)));
    return;
  }
  const tops = isNew ? new Map<string, number>() : await lockTopComments(writer, articleId, importedIds);
  const rows = await toRows(writer, missing, tops, report);
  const ordered = [
    ...rows.filter(({ parentId }) => parentId === null),
    ...rows.filter(({ parentId }) => parentId !== null),
  ];
  for (const batch of inRowBatches(ordered)) await addRows(writer, articleId, batch, report);
  const deleted = rows.filter(({ isDeleted }) => isDeleted).map(({ id }) => id);
  if (deleted.length > 0) await writer.run(EMPTY_COMMENTS, [deleted]);
}

/** For already imported comments: the id of the top-level comment for new replies, by key. Deleted ones are left out. */
async function lockTopComments(
  { run }: Writer,
  articleId: number,
  importedIds: Map<string, number>,
): Promise<Map<string, number>> {
  const rows = await run(LOCK_TOP_COMMENTS, [[...importedIds.values()], articleId]);
  const topIds = new Map(rows.map(({ id, topId }) => [id, topId]));
  return new Map([...importedIds].flatMap(([key, id]) => (topIds.has(id) ? [[key, topIds.get(id) ?? id]] : [])));
}

async function toRows(
  writer: Writer,
  plans: readonly CommentPlan[],
  tops: Map<string, number>,
  report: Report,
): Promise<Row[]> {
  const members = await saveMembers(
    writer,
    plans.flatMap(({ person }) => person ?? []),
    report,
  );
  const ids = await reserveIds(writer, 'comments', plans.length);
  const idOf = new Map(tops);
  for (const [index, { key }] of plans.entries()) idOf.set(key, ids[index] ?? 0);
  return plans.map(({ key, person, topKey, ...plan }, index) => {
    const parentId = topKey === null ? null : (idOf.get(topKey) ?? null);
    if (topKey !== null && parentId === null) report.addNotes([note('reduced', TOP_COMMENT_DELETED, `comment ${key}`)]);
    const memberId = (person && members.get(person)) ?? null;
    const content = plan.isDeleted ? CONTENT_OF_DELETED : plan.content;
    return { ...plan, key, id: ids[index] ?? 0, parentId, memberId, content };
  });
}

async function addRows(writer: Writer, articleId: number, rows: readonly Row[], report: Report): Promise<void> {
  await writer.run(ADD_COMMENTS, [
    articleId,
    rows.map(({ id }) => id),
    rows.map(({ parentId }) => parentId),
    rows.map(({ memberId }) => memberId),
    rows.map(({ content }) => content),
    rows.map(({ isHidden }) => isHidden),
    rows.map(({ createdAt }) => createdAt),
    rows.map(({ updatedAt }) => updatedAt),
  ]);
  await recordImported(writer, 'comment', rows);
  report.added.comments += rows.length;
  report.replies += rows.filter(({ parentId }) => parentId !== null).length;
}
