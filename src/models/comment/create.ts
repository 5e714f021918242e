/** The statements of a new comment, in the order in which `createComment` (src/commands/create-comment.ts) runs them. */
import { ColumnList, column } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { readableBy } from '../article/article.js';
import type { Reader } from '../reader.js';
import { SPAM_VERSION } from '../spam.js';
import { COMMENT, type CommentRow, lockedArticle } from './comment.js';

/** Where a comment is written. */
export interface Place {
  isPrivate: boolean;
  articleAuthorId: number;
  /** Of the comment that it replies to; null if there is none, or its author withdrew. */
  parentAuthorId: number | null;
}

/** The place of a new comment. `isParentReply` is null if the parent is missing: no comment of the article, or a deleted or removed one. */
export type NewPlace = Place & { isParentReply: boolean | null };

/** Locks the article against its deletion. No row if the reader does not see it. Fails with MEMBER_SUSPENDED. */
export const LOCK_PLACE = statement<
  [articleId: number, parentId: number | null, memberId: number, reader: Reader],
  NewPlace
>(
  'lock_place_of_comment',
  `with ${lockedArticle('$1')}
   select a.is_private as "isPrivate", a.member_id as "articleAuthorId", p.member_id as "parentAuthorId",
     case when p.id is not null then p.parent_id is not null end as "isParentReply"
   from article a left join comments p on p.id = $2 and p.article_id = a.id and p.deleted_at is null and p.removed_at is null
   where ${readableBy('$4::reader')} and require_not_suspended($3)`,
);

/** The same for a comment that exists, whose article is locked. */
export const FIND_PLACE = statement<[articleId: number, parentId: number | null], Place>(
  'place_of_comment',
  `select a.is_private as "isPrivate", a.member_id as "articleAuthorId", p.member_id as "parentAuthorId"
   from all_articles a left join comments p on p.id = $2 where a.id = $1`,
);

/** What its author sees of a comment that was just written: nothing of it can be hidden, removed or blocked yet. */
const asWritten = (isHeld: boolean) =>
  new ColumnList({
    ...COMMENT.columns,
    content: column<string>('c.content'),
    memberId: column<number>('c.member_id'),
    authorName: column<string>('(select m.nickname from members m where m.id = c.member_id)'),
    articleId: column<number>('c.article_id'),
    hidden: column<boolean>('false'),
    held: column<boolean>(`${isHeld}`),
    removed: column<boolean>('false'),
  });

/** With the version of the spam model that is current after it. */
export type CreatedComment = CommentRow & { spamVersion: number };

const RETURN_CREATED = (isHeld: boolean) =>
  `select ${SPAM_VERSION} as "spamVersion", ${asWritten(isHeld).select} from created c`;

/**
 * Common table expressions that store whom the comment `created` mentions, and notify of it. Together with the row of the comment, since its triggers lock
 * the counters of members after those of notifications (docs/decisions/lock-order.md). @param mentioned, notified, types parameters
 */
export const WITH_MENTIONS = (mentioned: string, notified: string, types: string): string =>
  `stored as (
     insert into comment_mentions (comment_id, member_id) select c.id, m.id from created c cross join unnest(${mentioned}::bigint[]) m (id) on conflict do nothing
   ), notified as (
     insert into notifications (member_id, type, article_id, comment_id, actor_id)
     select r.member_id, r.type, c.article_id, c.id, c.member_id
     from created c cross join unnest(${notified}::bigint[], ${types}::text[]) r (member_id, type) order by r.member_id
   )`;

/** The last statement: triggers lock the counters of the article, for which concurrent comments wait, until the commit. */
export const INSERT_COMMENT = statement<
  [
    articleId: number,
    parentId: number | null,
    memberId: number,
    content: string,
    createdAt: Date | null,
    mentioned: readonly number[],
    notified: readonly number[],
    types: readonly string[],
  ],
  CreatedComment
>(
  'insert_comment',
  `with created as (
     insert into comments (article_id, parent_id, member_id, content, created_at, updated_at)
     values ($1, $2, $3, $4, coalesce($5, now()), coalesce($5, now())) returning *
   ), ${WITH_MENTIONS('$6', '$7', '$8')}
   ${RETURN_CREATED(false)}`,
);

/** Without mentions and notifications: those follow with the approval. */
export const INSERT_HELD_COMMENT = statement<
  [
    articleId: number,
    parentId: number | null,
    memberId: number,
    content: string,
    createdAt: Date | null,
    articleAuthorId: number,
    spamScore: number | null,
  ],
  CreatedComment
>(
  'insert_held_comment',
  `with created as (
     insert into held_comments (id, article_id, parent_id, member_id, content, created_at, updated_at, received_by, spam_score)
     values (nextval(pg_get_serial_sequence('comments', 'id')), $1, $2, $3, $4, coalesce($5, now()), coalesce($5, now()), $6, $7) returning *
   )
   ${RETURN_CREATED(true)}`,
);

/** Members whom an edit mentions for the first time are stored before the content is changed. */
export const STORE_MENTIONS_OF_COMMENT = statement<
  [id: number, mentioned: readonly number[], notified: readonly number[], types: readonly string[]]
>(
  'store_comment_mentions',
  `with created as (
     select * from comments where id = $1
   ), ${WITH_MENTIONS('$2', '$3', '$4')}
   select`,
);

/** Of members, those whom a comment mentions already. */
export const FIND_STORED_MENTIONS = statement<[id: number], { memberId: number }>(
  'stored_comment_mentions',
  'select member_id as "memberId" from comment_mentions where comment_id = $1',
);
