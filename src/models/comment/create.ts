/** Inserts a comment with its mentions and notifications, and finds what prevents it; the same for the mentions of an edit. */
import { statement } from '../../platform/database/statement.js';
import { readableBy } from '../article/article.js';
import { blocksBetween, isBlocked } from '../block.js';
import { mentionedBy } from '../mention.js';
import { MAILED, NOTIFY_OF_ADDED, NOTIFY_OF_CREATED } from '../notification/create.js';
import type { Reader } from '../reader.js';
import { SPAM_VERSION } from '../spam.js';
import { COMMENT, type CommentRow, lockedArticle } from './comment.js';
import { readerTable } from './visibility.js';

/** The inserted row; `id` is null if the parent is missing or is itself a reply, or its author, that of the article or a mentioned member blocks the member. */
export type Created = { parentExists: boolean; isParentReply: boolean; isBlocked: boolean; spamVersion: number } & (
  | CommentRow
  | { id: null }
);

/** Members who can block the author of the comment in `target`, or whom the author can block. */
export const concernedWith = (mentions: string): string =>
  `array[target.article_author_id, target.parent_author_id] || array(select member_id from ${mentions})`;

/** The parameters of a new comment. */
export type CommentValues = [
  articleId: number,
  parentId: number | null,
  memberId: number,
  content: string,
  createdAt: Date | null,
  reader: Reader,
  /** Of members, in the content. */
  names: readonly string[],
];

/**
 * Common table expressions: the article of a new comment and the comment that it replies to, if the member sees the article, `mentioned` and `block`.
 */
export const TARGET = `${lockedArticle('$1')}, target as (
    select a.id, a.is_private, a.member_id as article_author_id, p.member_id as parent_author_id,
           p.id is not null as parent_exists, p.parent_id is not null as is_parent_reply
    from article a left join comments p on p.id = $2 and p.article_id = a.id and p.deleted_at is null and p.removed_at is null
    where ${readableBy('$6::reader')} and require_not_suspended($3)
  ), ${mentionedBy('$3', '$7')}, ${blocksBetween('target', '$3', concernedWith('mentioned'))}`;

/**
 * One statement, so that the lock of the article's row, for which concurrent comments on the article wait, is held for the commit but not
 * for the round trips of a transaction.
 */
export const CREATE_COMMENT = statement<CommentValues, Created>(
  'create_comment',
  `with ${TARGET}, created as (
    insert into comments (article_id, parent_id, member_id, content, created_at, updated_at)
    select id, $2, $3::bigint, $4::text, coalesce($5, now()), coalesce($5, now()) from target
    where ($2 is null or (parent_exists and not is_parent_reply)) and not ${isBlocked('$3')}
    returning *
  ), stored as (
    insert into comment_mentions (comment_id, member_id) select c.id, m.member_id from created c cross join mentioned m
  ), ${NOTIFY_OF_CREATED}
  select ${isBlocked('$3')} as "isBlocked", a.parent_exists as "parentExists", a.is_parent_reply as "isParentReply", ${SPAM_VERSION} as "spamVersion",
    ${COMMENT.select}
  from target a cross join ${readerTable('reader_of($3)')} left join created c on true
  where ${MAILED}`,
);

/**
 * Stores whom an edit mentions, before the content is changed. `isBlocked`: one of the members who would prevent the comment if it were new blocks its
 * author, who may keep mentions from before; nothing is stored then. A hidden comment mentions no further members, and one that is or becomes held
 * (`isShown`) none until it is approved.
 */
export const EDIT_MENTIONS = statement<
  [id: number, names: readonly string[], isShown: boolean],
  { isBlocked: boolean }
>(
  'edit_mentions',
  `with target as (
     select c.id, c.article_id, c.member_id, c.is_hidden, a.is_private, a.member_id as article_author_id, p.member_id as parent_author_id
     from all_comments c join all_articles a on a.id = c.article_id left join comments p on p.id = c.parent_id where c.id = $1 and c.deleted_at is null
   ), ${mentionedBy('(select member_id from target)', '$2')}, fresh as (
     select member_id from mentioned m
     where not exists (select from comment_mentions x where x.comment_id = $1 and x.member_id = m.member_id)
   ), ${blocksBetween('target', 'target.member_id', concernedWith('fresh'))}, created as (
     select target.* from target where $3 and not target.is_hidden and not ${isBlocked('target.member_id')}
   ), stored as (
     insert into comment_mentions (comment_id, member_id) select c.id, f.member_id from created c cross join fresh f
   ), ${NOTIFY_OF_ADDED}
   select ${isBlocked('target.member_id')} as "isBlocked" from target where ${MAILED}`,
);
