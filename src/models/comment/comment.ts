/** The comments table and the statements that read it. */
import type { InferAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { ColumnList, column, type Row, timestamp } from '../../platform/database/columns.js';
import type { Transaction } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { AppError } from '../../platform/errors.js';
import { isModerated, readableBy } from '../article/article.js';
import { isHiddenByBlock } from '../block.js';
import { WITHDRAWN } from '../member/member.js';
import { isWithdrawn } from '../member/removal.js';
import { isModerator } from '../moderation/role.js';
import { hasAccessSql } from '../session/access.js';
import { RowTable } from '../table.js';

/** Characters of the content. */
export const MAX_COMMENT_LENGTH = 1_000;

@Table({ tableName: 'comments' })
export class Comment extends Model<InferAttributes<Comment>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true }) declare id: number;
  @Column(DataType.BIGINT) declare articleId: number;
  /** Null for a top-level comment. */
  @Column(DataType.BIGINT) declare parentId: number | null;
  /** Null if the author withdrew or the comment was deleted. */
  @Column(DataType.BIGINT) declare memberId: number | null;
  @Column(DataType.STRING(MAX_COMMENT_LENGTH)) declare content: string;
  /** Whether the author of the article hid it. */
  @Column(DataType.BOOLEAN) declare isHidden: boolean;
  /** The author of the article; null if they wrote the comment themselves, or it was deleted. Maintained by a database trigger. */
  @Column(DataType.BIGINT) declare receivedBy: number | null;
  /** Incremented by each edit of the content. */
  @Column(DataType.INTEGER) declare revision: number;
  /** Maintained by database triggers. */
  @Column(DataType.INTEGER) declare replyCount: number;
  @Column(DataType.DATE) declare createdAt: Date;
  @Column(DataType.DATE) declare updatedAt: Date;
  /** Set on a deleted comment whose row remains because it has replies. */
  @Column(DataType.DATE) declare deletedAt: Date | null;
  /** Set on a comment that a moderator has removed. */
  @Column(DataType.DATE) declare removedAt: Date | null;
}

export const COMMENTS = new RowTable(Comment, 'COMMENT_NOT_FOUND', ['content']);

/** Maximum number of replies embedded in a comment. */
export const EMBEDDED_REPLIES = 100;

/**
 * Placeholders for the content and the author of a deleted comment or of one that is held, for content that a moderator has removed, for hidden content,
 * and for that of a member whom the viewer has blocked, or the reverse.
 */
const DELETED = '(deleted)';
const HELD = '(held)';
const REMOVED = '(removed)';
const HIDDEN = '(hidden)';
const BLOCKED = '(blocked)';

/** The row of `comments c` is only the place of a comment with replies that is held again after an edit. */
const IS_PLACE_OF_HELD = 'c.deleted_at is not null and exists (select from held_comments h where h.id = c.id)';
const PLACEHOLDER = `case when ${IS_PLACE_OF_HELD} then '${HELD}' else '${DELETED}' end`;

/** As whom comments that wait for approval are read; 0: anonymous. */
export interface HeldCommentReader {
  /** The member who sees hidden comments as their author or as the author of the article, and whose blocks apply. */
  readonly viewerId: number;
  /** The same member, who sees what moderators see, if the member is one; 0 with an API token, which has no role. */
  readonly moderatorId: number;
}

/** As whom comments are read. */
export interface CommentReader extends HeldCommentReader {
  /** The member who sees private articles as their author; 0: anonymous. */
  readonly articleReaderId: number;
}

/** Parameters of a statement as the table `v`. */
export const readerTable = (viewerId: string, articleReaderId: string, moderatorId: string): string =>
  `(select ${viewerId}::bigint as id, ${articleReaderId}::bigint as article_reader_id, ${moderatorId}::bigint as moderator_id) v`;

/** Conditions on the article `a` of comments: the reader sees it as it is; or a moderator sees what was public of it. */
export const IS_ARTICLE_READABLE = readableBy('v.article_reader_id');
export const IS_ARTICLE_MODERATED = isModerated('v.moderator_id');

/** A condition, where one of these holds: not a comment on a private article that a moderator sees, written or changed since it became private. */
export const isShown = (comment: string): string => `(${IS_ARTICLE_READABLE} or ${comment}.updated_at <= a.private_at)`;

/** Joins the article of `comments c` if the reader sees it, and the comment. */
export const JOIN_READABLE_ARTICLE = `join all_articles a on a.id = c.article_id
  and (${IS_ARTICLE_READABLE} or (c.updated_at <= a.private_at and ${IS_ARTICLE_MODERATED}))`;

const SEES_REMOVED = `(coalesce(v.id = c.member_id, false) or ${isModerator('v.moderator_id')})`;

/** The content of `comments c` for the viewer `v`. @param seesRemoved a condition: also what was removed @param blocked a branch for what blocks hide */
const contentFor = (
  seesRemoved: string,
  blocked = '',
): string => `case when c.deleted_at is not null then ${PLACEHOLDER}
    when c.removed_at is not null and not ${seesRemoved} then '${REMOVED}'
    when c.is_hidden and (v.id in (c.member_id, c.received_by)) is not true then '${HIDDEN}' ${blocked} else c.content end`;

/** The content for an anonymous reader, whose `v.id` is 0: without the conditions on members, which PostgreSQL prepares for each execution even if it checks none. */
export const CONTENT_FOR_ANONYMOUS = contentFor('false');

/**
 * A condition on `held_comments c`: the member sees that it exists. With readableBy for its article, the only definition of who does. The parameters
 * are those of a HeldCommentReader.
 */
export const visibleTo = (viewer: string, moderator: string): string =>
  `((${viewer} in (c.member_id, c.received_by)) is true or ${isModerator(moderator)})`;

/**
 * The readable columns of `comments c` on the article `a`, as the member with the id `v.id` sees them; 0 or null: as everyone. Each
 * statement has to define `v` and `a`, so that none can return hidden content, or comments on private articles, by mistake.
 */
export const COMMENT = new ColumnList({
  id: column<number>('c.id'),
  content: column<string>(contentFor(SEES_REMOVED, `when ${isHiddenByBlock('v.id', 'c.member_id')} then '${BLOCKED}'`)),
  /** 0 if the author withdrew or the comment was deleted. */
  memberId: column<number>(`case when ${isWithdrawn('c.member_id')} then 0 else coalesce(c.member_id, 0) end`),
  /** Null in a page that was requested without names. */
  authorName: column<string>(`case when c.deleted_at is not null then ${PLACEHOLDER}
    else coalesce((select m.nickname from members m where m.id = c.member_id), '${WITHDRAWN}') end`),
  articleId: column<number>('a.id'),
  /** Absent from a page that was requested without it. */
  hidden: column<boolean>('c.is_hidden and c.deleted_at is null'),
  /** Absent from a page that was requested without it. */
  held: column<boolean>(IS_PLACE_OF_HELD),
  /** Absent from a page that was requested without it. */
  removed: column<boolean>('c.removed_at is not null and c.deleted_at is null'),
  /** Absent from a page that was requested without it. */
  revision: column<number>('c.revision'),
  /** Null for a top-level comment. */
  parentId: column<number | null>('c.parent_id'),
  createdAt: timestamp('c.created_at'),
  updatedAt: timestamp('c.updated_at', { usuallyEquals: 'createdAt' }),
});

export type CommentRow = Row<typeof COMMENT>;

/** As COMMENT, for rows `c` of `held_comments` or `all_comments`. */
export const HELD_COMMENT = new ColumnList({ ...COMMENT.columns, held: column<boolean>('c.held_at is not null') });

/** As COMMENT, whatever members have blocked, and without removed content: for an export by the operator. */
export const EXPORTED_COMMENT = new ColumnList({ ...COMMENT.columns, content: column<string>(contentFor('false')) });

/** A comment, or a reply to one, as a member sees it. */
export type CommentForViewer = CommentRow & { keyId: number } & {
  [Name in keyof CommentReader]: CommentReader[Name] | null;
};

/** The parameters of a statement that reads for several members. */
type ReaderLists = [
  ids: readonly number[],
  viewerIds: readonly number[],
  articleReaderIds: readonly number[],
  moderatorIds: readonly number[],
];
const READERS = `v.comment_id as "keyId", v.id as "viewerId", v.article_reader_id as "articleReaderId", v.moderator_id as "moderatorId"`;
const READER_TABLE =
  'unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as v(comment_id, id, article_reader_id, moderator_id)';

/** Comments by id, each as one member sees it, in no order. Without the ids of members: as everyone. */
export const COMMENTS_BY_ID = statement<ReaderLists, CommentForViewer>(
  'comments_by_id',
  `select ${READERS}, ${COMMENT.select}
   from ${READER_TABLE} join comments c on c.id = v.comment_id ${JOIN_READABLE_ARTICLE}`,
);

/** Those of some comments that a member wrote, also held ones, and those on articles that the member does not see. */
export const OWN_COMMENTS = statement<[ids: readonly number[], memberId: number], CommentRow>(
  'own_comments',
  `select ${HELD_COMMENT.select} from all_comments c join all_articles a on a.id = c.article_id
     cross join ${readerTable('$2', 'null', 'null')} where c.id = any($1::bigint[]) and c.member_id = v.id`,
);

/** The first replies to each of some comments, each as one member sees it, oldest first. */
export const REPLIES_BY_COMMENT = statement<ReaderLists, CommentForViewer>(
  'replies_by_comment',
  `select ${READERS}, r.*
   from ${READER_TABLE} cross join lateral (
     select ${COMMENT.select} from comments c ${JOIN_READABLE_ARTICLE}
     where c.parent_id = v.comment_id order by c.created_at, c.id limit ${EMBEDDED_REPLIES}
   ) r`,
);

/** `isArticleReadable`: whether the reader sees the article that the comment belongs to. */
export type LockedComment = InferAttributes<Comment> & { isArticleReadable: boolean; isHeld: boolean };

/**
 * Common table expressions: the `article` of a comment, locked after its author and before everything that belongs to it (docs/decisions/lock-order.md).
 * No row if it was deleted meanwhile. @param id an SQL expression
 */
export const lockedArticle = (id: string): string => `author as materialized (
     select m.id from members m where m.id = (select member_id from all_articles where id = ${id}) for key share
   ), article as materialized (
     select id, member_id, is_private, removed_at from all_articles where id = ${id} and (select count(*) from author) >= 0 for key share
   )`;

const LOCK_COMMENT = statement<
  [id: number, articleReaderId: number, credentialId: string | null],
  LockedComment & { hasAccess: boolean }
>(
  'lock_comment',
  `with ${lockedArticle('(select article_id from comments where id = $1)')}
   select ${COMMENTS.select('c')}, ${readableBy('$2')} as "isArticleReadable", false as "isHeld",
     ${hasAccessSql('$3')} as "hasAccess"
   from comments c join article a on a.id = c.article_id where c.id = $1 for update of c`,
);

const LOCK_HELD_COMMENT = statement<
  [id: number, articleReaderId: number, credentialId: string | null, viewerId: number | null, moderatorId: number],
  LockedComment & { hasAccess: boolean }
>(
  'lock_held_comment',
  `with ${lockedArticle('(select article_id from held_comments where id = $1)')}
   select ${COMMENTS.select('c')}, ${readableBy('$2')} as "isArticleReadable", true as "isHeld",
     ${hasAccessSql('$3')} as "hasAccess"
   from held_comments c join article a on a.id = c.article_id
   where c.id = $1 and ($4::bigint is null or ${visibleTo('$4', '$5')}) for update of c`,
);

/** A change of a comment. */
export interface CommentChange {
  /** The member who sees private articles as their author; 0: anonymous. */
  articleReaderId: number;
  /** For a change of held comments too: who changes them; null: an operator, who sees all of them. */
  heldFor?: HeldCommentReader | null;
  /** Of the session or API token; null for a deletion, which suspended members may make too, and for an operator. */
  credentialId: string | null;
  /** Throws if this comment must not be changed. */
  check: (comment: LockedComment, db: Transaction) => void | Promise<void>;
}

/** Locks a comment for a change, and its article before it. A deleted comment whose row remains counts as not found. @throws AppError COMMENT_NOT_FOUND, UNAUTHENTICATED, MEMBER_SUSPENDED */
export async function lockComment(
  db: Transaction,
  id: number,
  { articleReaderId, credentialId, heldFor, check }: CommentChange,
): Promise<LockedComment> {
  const find = async () => (await db.query(LOCK_COMMENT, [id, articleReaderId, credentialId]))[0];
  let comment = await find();
  if (heldFor !== undefined && (!comment || comment.deletedAt)) {
    const { viewerId = null, moderatorId = 0 } = heldFor ?? {};
    const values = [id, articleReaderId, credentialId, viewerId, moderatorId] as const;
    const [held] = await db.query(LOCK_HELD_COMMENT, [...values]);
    // While this transaction waited for the lock, it may have been approved.
    comment = held ?? (await find());
  }
  if (!comment || comment.deletedAt) throw new AppError('COMMENT_NOT_FOUND');
  if (!comment.hasAccess) throw new AppError('UNAUTHENTICATED');
  await check(comment, db);
  return comment;
}

/** Deletes a deleted comment whose last reply has been deleted. */
export const DELETE_EMPTY_PARENT = statement<[parentId: number]>(
  'delete_empty_parent',
  'delete from comments where id = $1 and reply_count = 0 and deleted_at is not null',
);

/** The comment in a response to a change that deleted it. */
export function asDeleted(comment: CommentRow): CommentRow {
  return { ...comment, content: DELETED, memberId: 0, authorName: DELETED, hidden: false, held: false, removed: false };
}

/** The time of the last change of the content stays the same. */
export const SET_COMMENT_HIDDEN = statement<[id: number, isHidden: boolean]>(
  'set_comment_hidden',
  'update comments set is_hidden = $2 where id = $1',
);
