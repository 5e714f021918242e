/** The comments table and the statements that read it. */
import type { InferAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { ColumnList, column, type Row, timestamp } from '../../platform/database/columns.js';
import type { Transaction } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { AppError } from '../../platform/errors.js';
import { readableBy } from '../article/article.js';
import type { Reader } from '../reader.js';
import { hasAccessSql } from '../session/access.js';
import { RowTable } from '../table.js';
import { JOIN_ARTICLE, JOIN_SEEN, readerTable, seesHeld } from './visibility.js';

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

/** The content and the author of a deleted comment. */
const DELETED = '(deleted)';

/**
 * The readable columns of the comment `c` on the article `a`, of which the reader sees `s` (JOIN_SEEN). Each statement has to join `a` and `s`, so that
 * none can return hidden content, or comments on private articles, by mistake.
 */
export const COMMENT = new ColumnList({
  id: column<number>('c.id'),
  content: column<string>('s.content'),
  /** 0 if the author withdrew or the comment was deleted. */
  memberId: column<number>('s.member_id'),
  /** Null in a page that was requested without names. */
  authorName: column<string>('s.author_name'),
  articleId: column<number>('a.id'),
  /** Absent from a page that was requested without it. */
  hidden: column<boolean>('s.is_hidden'),
  /** Absent from a page that was requested without it. */
  held: column<boolean>('s.is_held'),
  /** Absent from a page that was requested without it. */
  removed: column<boolean>('s.is_removed'),
  /** Absent from a page that was requested without it. */
  revision: column<number>('c.revision'),
  /** Null for a top-level comment. */
  parentId: column<number | null>('c.parent_id'),
  createdAt: timestamp('c.created_at'),
  updatedAt: timestamp('c.updated_at', { usuallyEquals: 'createdAt' }),
});

export type CommentRow = Row<typeof COMMENT>;

/** A comment, or a reply to one, as one of several readers sees it. `key`: the number of its id and its reader in the parameters, from 1. */
export type CommentForReader = CommentRow & { key: number };

/** The ids of comments, each with the one who reads it. */
type ReaderLists = [ids: readonly number[], readers: readonly Reader[]];

const READER_TABLE = `(select k.key, k.comment_id, row(k.viewer_id, k.article_reader_id, k.draft_reader_id, k.moderator_id)::reader as r
     from unnest($1::bigint[], $2::reader[]) with ordinality
       as k(comment_id, viewer_id, article_reader_id, draft_reader_id, moderator_id, key)) v`;

/** Comments by id, each as one reader sees it, in no order. */
export const COMMENTS_BY_ID = statement<ReaderLists, CommentForReader>(
  'comments_by_id',
  `select v.key, ${COMMENT.select}
   from ${READER_TABLE} join comments c on c.id = v.comment_id ${JOIN_ARTICLE} ${JOIN_SEEN}`,
);

/** Those of some comments that a member wrote, also held ones, and those on articles that the member does not see. */
export const OWN_COMMENTS = statement<[ids: readonly number[], memberId: number], CommentRow>(
  'own_comments',
  `select ${COMMENT.select} from all_comments c join all_articles a on a.id = c.article_id
     cross join ${readerTable('reader_of($2)')} ${JOIN_SEEN} where c.id = any($1::bigint[]) and c.member_id = $2`,
);

/** The first replies to each of some comments, each as one reader sees it, oldest first. */
export const REPLIES_BY_COMMENT = statement<ReaderLists, CommentForReader>(
  'replies_by_comment',
  `select v.key, r.*
   from ${READER_TABLE} cross join lateral (
     select ${COMMENT.select} from comments c ${JOIN_ARTICLE} ${JOIN_SEEN}
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
  [id: number, reader: Reader, credentialId: string | null],
  LockedComment & { hasAccess: boolean }
>(
  'lock_comment',
  `with ${lockedArticle('(select article_id from comments where id = $1)')}
   select ${COMMENTS.select('c')}, ${readableBy('$2::reader')} as "isArticleReadable", false as "isHeld",
     ${hasAccessSql('$3')} as "hasAccess"
   from comments c join article a on a.id = c.article_id where c.id = $1 for update of c`,
);

const LOCK_HELD_COMMENT = statement<
  [id: number, reader: Reader, credentialId: string | null, isByOperator: boolean],
  LockedComment & { hasAccess: boolean }
>(
  'lock_held_comment',
  `with ${lockedArticle('(select article_id from held_comments where id = $1)')}
   select ${COMMENTS.select('c')}, ${readableBy('$2::reader')} as "isArticleReadable", true as "isHeld",
     ${hasAccessSql('$3')} as "hasAccess"
   from held_comments c join article a on a.id = c.article_id
   where c.id = $1 and ($4 or ${seesHeld('$2::reader')}) for update of c`,
);

/** A change of a comment. */
export interface CommentChange {
  reader: Reader;
  /** Whether held comments are changed too, and whose: those that the reader sees, or all, as an operator. Default: none. */
  held?: 'of reader' | 'all';
  /** Of the session or API token; null for a deletion, which suspended members may make too, and for an operator. */
  credentialId: string | null;
  /** Throws if this comment must not be changed. */
  check: (comment: LockedComment, db: Transaction) => void | Promise<void>;
}

/** Locks a comment for a change, and its article before it. A deleted comment whose row remains counts as not found. @throws AppError COMMENT_NOT_FOUND, UNAUTHENTICATED, MEMBER_SUSPENDED */
export async function lockComment(
  db: Transaction,
  id: number,
  { reader, credentialId, held: heldOnes, check }: CommentChange,
): Promise<LockedComment> {
  const find = async () => (await db.query(LOCK_COMMENT, [id, reader, credentialId]))[0];
  let comment = await find();
  if (heldOnes !== undefined && (!comment || comment.deletedAt)) {
    const [held] = await db.query(LOCK_HELD_COMMENT, [id, reader, credentialId, heldOnes === 'all']);
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
