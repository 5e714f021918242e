/** Writes the comments of one article in bulk, with threads flattened to one level of replies. */
import { statement } from '../../database/statement.js';
import { saveMembers } from './members.js';
import type { CommentPlan } from './plan-comments.js';
import { note, type Report } from './report.js';
import { findImported, inBulks, keepImported, takeIds, type Writer } from './writer.js';

/** Values: article id, then arrays: ids, parent ids, member ids, contents, dates. */
const ADD_COMMENTS = statement(
  'import_add_comments',
  `insert into comments (id, article_id, parent_id, member_id, content, created_at, updated_at) overriding system value
   select id, $1, parent_id, member_id, content, created_at, created_at
   from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::timestamptz[])
     as c(id, parent_id, member_id, content, created_at)`,
);

/**
 * The top-level comments of the given comments that are not deleted, locked against deletion (FOR NO KEY UPDATE).
 * Values: comment ids, article id.
 */
const HOLD_TOPS = statement<{ id: number; topId: number }>(
  'import_hold_tops',
  `select c.id, top.id as "topId" from comments c join comments top on top.id = coalesce(c.parent_id, c.id)
   where c.id = any($1::bigint[]) and top.article_id = $2 and top.deleted_at is null
   order by top.id for no key update of top`,
);

const NO_ARTICLE = 'comments on articles that are not in the journal';
const NO_TOP = 'replies to comments that were deleted from the journal: imported as top-level comments';

interface Row {
  key: string;
  id: number;
  parentId: number | null;
  memberId: number | null;
  content: string;
  createdAt: Date;
}

/** The authors of comments. Values: comment ids. */
const WRITERS = statement<{ memberId: number }>(
  'import_writers',
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
  const known = await findImported(
    writer,
    'comment',
    plans.map(({ key }) => key),
  );
  const missing = plans.filter(({ key }) => !known.has(key));
  report.again.comments += plans.length - missing.length;
  if (known.size > 0) {
    for (const { memberId } of await writer.run(WRITERS, [[...known.values()]])) report.met.members.add(memberId);
  }
  if (missing.length === 0) return;
  if (articleId === null) {
    report.tell(missing.map(({ key }) => note('skipped', NO_ARTICLE, `comment ${key}`)));
    return;
  }
  const tops = isNew ? new Map<string, number>() : await holdTops(writer, articleId, known);
  const rows = await toRows(writer, missing, tops, report);
  const ordered = [
    ...rows.filter(({ parentId }) => parentId === null),
    ...rows.filter(({ parentId }) => parentId !== null),
  ];
  for (const bulk of inBulks(ordered)) await addRows(writer, articleId, bulk, report);
}

/** For already imported comments: the id of the top-level comment for new replies, by key. Deleted ones are left out. */
async function holdTops({ run }: Writer, articleId: number, known: Map<string, number>): Promise<Map<string, number>> {
  const rows = await run(HOLD_TOPS, [[...known.values()], articleId]);
  const topIds = new Map(rows.map(({ id, topId }) => [id, topId]));
  return new Map([...known].flatMap(([key, id]) => (topIds.has(id) ? [[key, topIds.get(id) ?? id]] : [])));
}

async function toRows(
  writer: Writer,
  plans: readonly CommentPlan[],
  tops: Map<string, number>,
  report: Report,
): Promise<Row[]> {
  const members = await saveMembers(
    writer,
    plans.map(({ person }) => person),
    report,
  );
  const ids = await takeIds(writer, 'comments', plans.length);
  const idOf = new Map(tops);
  for (const [index, { key }] of plans.entries()) idOf.set(key, ids[index] ?? 0);
  return plans.map(({ key, person, content, createdAt, topKey }, index) => {
    const parentId = topKey === null ? null : (idOf.get(topKey) ?? null);
    if (topKey !== null && parentId === null) report.tell([note('changed', NO_TOP, `comment ${key}`)]);
    return { key, id: ids[index] ?? 0, parentId, memberId: members.get(person) ?? null, content, createdAt };
  });
}

async function addRows(writer: Writer, articleId: number, rows: readonly Row[], report: Report): Promise<void> {
  await writer.run(ADD_COMMENTS, [
    articleId,
    rows.map(({ id }) => id),
    rows.map(({ parentId }) => parentId),
    rows.map(({ memberId }) => memberId),
    rows.map(({ content }) => content),
    rows.map(({ createdAt }) => createdAt),
  ]);
  await keepImported(writer, 'comment', rows);
  report.added.comments += rows.length;
  report.replies += rows.filter(({ parentId }) => parentId !== null).length;
}
